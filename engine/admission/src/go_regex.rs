//! Regular expressions in the syntax of Go. Upstream: `regexp/syntax`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

use regex::{Error, Regex};

/// The largest number of repetitions. Upstream: `repeat`.
const MAX_REPETITIONS: u32 = 1000;

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    text: String,
    regex: Regex,
}

/// Why a regular expression is not compiled.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotCompiled {
    /// It is not a regular expression.
    Invalid(String),
    /// It is one of Go, but cannot be simulated.
    NotSimulated(&'static str),
}

/// Two patterns with the same text are equal.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    pub(super) fn compile(text: &str) -> Result<Pattern, NotCompiled> {
        if let Some(reason) = not_simulated(text) {
            return Err(NotCompiled::NotSimulated(reason));
        }
        match compile(text) {
            Ok(regex) => Ok(Pattern { text: text.to_owned(), regex }),
            Err(Error::CompiledTooBig(_)) => Err(NotCompiled::NotSimulated("it is too large")),
            Err(error) => Err(NotCompiled::Invalid(reason(&error))),
        }
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// Returns why a pattern is not simulated even though Go can read it.
pub(super) fn not_simulated(text: &str) -> Option<&'static str> {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c == '\\').then(|| chars.next()).flatten() {
            Some('C') => return Some("`\\C` matches a byte"),
            Some('Q') => return Some("`\\Q` quotes the text"),
            Some('0'..='7') => return Some("a character is written in octal"),
            _ => {}
        }
    }
    None
}

/// Returns the last line of the description of an error, which says what is wrong.
fn reason(error: &Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

thread_local! {
    /// The expressions that were compiled last. The same ones come again: in rules, which are evaluated often, and in
    /// definitions that differ little.
    static COMPILED: RefCell<HashMap<String, Regex>> = RefCell::default();
}

/// The most expressions that are kept.
const MAX_COMPILED: usize = 512;

/// Compiles a regular expression of Go. Go's classes `\d`, `\s` and `\w` have ASCII characters only, `[` has no meaning
/// inside of a class, and a brace that does not belong to a repetition stands for itself.
pub(super) fn compile(text: &str) -> Result<Regex, Error> {
    if let Some(known) = COMPILED.with_borrow(|compiled| compiled.get(text).cloned()) {
        return Ok(known);
    }
    let translated = translate(text).map_err(|message| Error::Syntax(message.to_owned()))?;
    let regex = Regex::new(&translated)?;
    COMPILED.with_borrow_mut(|compiled| {
        if compiled.len() >= MAX_COMPILED {
            compiled.clear();
        }
        compiled.insert(text.to_owned(), regex.clone());
    });
    Ok(regex)
}

/// Translates a regular expression of Go to one of the crate `regex`. `None` if Go cannot read the expression, or if it is
/// not simulated.
#[must_use]
pub fn rust_syntax(pattern: &str) -> Option<String> {
    if not_simulated(pattern).is_some() { None } else { translate(pattern).ok() }
}

/// Whether a repetition was read just before.
#[derive(Clone, Copy)]
enum Repetition {
    None,
    /// One that a `?` can follow, which makes it not greedy.
    Greedy,
    NotGreedy,
}

impl Repetition {
    /// Returns the state after a character of a repetition. Upstream: `ErrInvalidRepeatOp`.
    fn next(self, c: char) -> Result<Repetition, &'static str> {
        match (self, c) {
            (Repetition::None, _) => Ok(Repetition::Greedy),
            (Repetition::Greedy, '?') => Ok(Repetition::NotGreedy),
            _ => Err("two repetitions follow each other"),
        }
    }
}

fn translate(text: &str) -> Result<String, &'static str> {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_class = false;
    let mut repetition_state = Repetition::None;
    while let Some(c) = chars.next() {
        let mut next_state = Repetition::None;
        match c {
            '*' | '+' | '?' if !in_class => {
                next_state = repetition_state.next(c)?;
                result.push(c);
            }
            '\\' => match chars.next() {
                // The name of a class, or the number of a character, in braces.
                Some(escaped @ ('p' | 'P' | 'x')) if chars.peek() == Some(&'{') => {
                    result.extend(['\\', escaped]);
                    result.extend(through(&mut chars, '}'));
                }
                Some(escaped) => escape(escaped, in_class, &mut result),
                None => result.push('\\'),
            },
            '[' if !in_class => {
                in_class = true;
                result.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    result.push('^');
                }
                if chars.next_if_eq(&']').is_some() {
                    result.push_str(r"\]");
                }
            }
            '[' if chars.peek() == Some(&':') => {
                // A named class, such as `[:alpha:]`, up to its end.
                result.push('[');
                result.extend(through(&mut chars, ']'));
            }
            // Rust has operators of two such characters in classes.
            '[' | '&' | '~' if in_class => result.extend(['\\', c]),
            ']' if in_class => {
                in_class = false;
                result.push(']');
            }
            '{' if !in_class => match repetition(&chars.clone().collect::<String>())? {
                Some(text) => {
                    next_state = repetition_state.next(c)?;
                    result.push('{');
                    result.push_str(&text);
                    for _ in 0..text.chars().count() {
                        chars.next();
                    }
                }
                None => result.push_str(r"\{"),
            },
            '}' if !in_class => result.push_str(r"\}"),
            c => result.push(c),
        }
        repetition_state = next_state;
    }
    Ok(result)
}

/// Takes the characters up to one of them, which is included.
fn through(chars: &mut impl Iterator<Item = char>, end: char) -> Vec<char> {
    let mut taken = Vec::new();
    for c in chars {
        taken.push(c);
        if c == end {
            break;
        }
    }
    taken
}

fn escape(escaped: char, in_class: bool, result: &mut String) {
    match escaped {
        'd' => result.push_str("[0-9]"),
        'D' => result.push_str("[^0-9]"),
        'w' => result.push_str("[0-9A-Za-z_]"),
        'W' => result.push_str("[^0-9A-Za-z_]"),
        's' => result.push_str(r"[\t\n\f\r ]"),
        'S' => result.push_str(r"[^\t\n\f\r ]"),
        'b' if !in_class => result.push_str(r"(?-u:\b)"),
        'B' if !in_class => result.push_str(r"(?-u:\B)"),
        // Punctuation stands for itself. Rust has a meaning for `\<` and `\>`.
        '<' | '>' | '_' | '"' | '\'' | '`' | ',' | ';' | ':' | '=' | '!' | '@' | '%' | '/' | ' ' => {
            result.push_str(&regex::escape(escaped.encode_utf8(&mut [0; 4])));
        }
        other => result.extend(['\\', other]),
    }
}

/// Returns the rest of a repetition such as `{2,5}`, or `None` if the text after a brace is none.
fn repetition(text: &str) -> Result<Option<String>, &'static str> {
    let Some((inner, _)) = text.split_once('}') else { return Ok(None) };
    let (least, most) = inner.split_once(',').map_or((inner, None), |(least, most)| (least, Some(most)));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(least) || !most.is_none_or(|most| most.is_empty() || is_number(most)) {
        return Ok(None);
    }
    let is_small =
        |text: &str| text.is_empty() || text.parse().is_ok_and(|count: u32| count <= MAX_REPETITIONS);
    if is_small(least) && most.is_none_or(is_small) {
        Ok(Some(format!("{inner}}}")))
    } else {
        Err("more than 1000 repetitions")
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The expectations are the answers of `regexp` of Go 1.26.
    #[rstest]
    #[case::brace(r"^{.*}$", "{a}", true)]
    #[case::brace_without_a_number("a{,3}", "a{,3}", true)]
    #[case::repetition("^a{2,3}$", "aaa", true)]
    #[case::arabic_digit(r"^\d$", "\u{661}", false)]
    #[case::bracket_in_a_class("^[[]$", "[", true)]
    #[case::escaped_sign(r"^\<$", "<", true)]
    #[case::escaped_underscore(r"^\_$", "_", true)]
    #[case::dash_at_the_end("^[a-z-]+$", "a-b", true)]
    #[case::not_greedy("^a*?$", "aa", true)]
    #[case::optional_and_not_greedy("^a??$", "a", true)]
    #[case::end_is_not_before_a_newline("^a$", "a\n", false)]
    #[case::script(r"^\p{Greek}+$", "\u{3b1}", true)]
    #[case::no_script(r"^\P{Greek}$", "\u{3b1}", false)]
    #[case::number_of_a_character(r"^[\x{41}]$", "A", true)]
    #[case::two_signs("^[a&&b]$", "&", true)]
    fn patterns_match_as_in_go(#[case] pattern: &str, #[case] text: &str, #[case] expected: bool) {
        assert_eq!(Pattern::compile(pattern).expect("a pattern").is_match(text), expected);
    }

    #[rstest]
    #[case::bracket("(a")]
    #[case::look_ahead("(?=a)")]
    #[case::back_reference(r"(a)\8")]
    #[case::two_repetitions("a**")]
    #[case::two_numbers_of_repetitions("a{2}{3}")]
    #[case::repetition_after_one_that_is_not_greedy("a+?+")]
    #[case::repetitions("a{1001}")]
    fn what_go_refuses_is_invalid(#[case] pattern: &str) {
        assert!(matches!(Pattern::compile(pattern), Err(NotCompiled::Invalid(_))));
    }

    #[test]
    fn what_only_go_can_read_is_not_simulated() {
        assert!(matches!(Pattern::compile(r"\Qa.b\E"), Err(NotCompiled::NotSimulated(_))));
    }
}
