//! The text of an expression, before it is parsed: the limits of the parser, and what the parser reads in another way than
//! cel-go.

use super::check::{Checked, Problem};

/// The deepest nesting of brackets. The parser is recursive, and an expression that nests deeper could end the process. On
/// a thread with 2 MiB of stack, a debug build reads 11 brackets with nothing but brackets, and 8 with operators of every
/// precedence between them.
const MAX_NESTING: usize = 7;

/// The longest expression, in operators. The tree of `a + b + c` is as deep as it has operators.
const MAX_OPERATORS: usize = 120;

/// How much deeper `a ? b : c` makes the recursion of the parser than other operators.
const CONDITIONAL_COST: usize = 8;

/// Checks that the parser can read the text without too deep a recursion.
pub(super) fn check_limits(text: &str) -> Checked<()> {
    let too_deep = |reason| Err(Problem::NotSimulated { construct: "the expression".to_owned(), reason });
    let (mut depth, mut operators) = (0usize, 0usize);
    let mut rest = text;
    let mut previous = ' ';
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        }
        rest = match c {
            '"' | '\'' => after_literal(rest, c, matches!(previous, 'r' | 'R')),
            // An operator of two characters.
            '&' | '|' | '=' if rest[1..].starts_with(c) => &rest[2..],
            _ => &rest[c.len_utf8()..],
        };
        match c {
            '[' => (depth, operators) = (depth + 1, operators + 1),
            '(' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '`' => {
                let construct = "`".to_owned();
                return Err(Problem::NotSimulated { construct, reason: "a quoted field name" });
            }
            '?' => operators += CONDITIONAL_COST,
            '+' | '-' | '*' | '/' | '%' | '!' | '.' | '<' | '>' | '=' | '&' | '|' => operators += 1,
            _ => {}
        }
        if depth > MAX_NESTING {
            return too_deep("it nests too deeply");
        }
        // In `rb'…'`, the prefix has two letters.
        let is_prefix = matches!(c, 'b' | 'B') && matches!(previous, 'r' | 'R');
        previous = if is_prefix { previous } else { c };
    }
    if operators > MAX_OPERATORS { too_deep("it has too many operators") } else { Ok(()) }
}

/// Returns the text after a literal. A raw literal has no escapes; three quotes end with three quotes.
fn after_literal(text: &str, quote: char, is_raw: bool) -> &str {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let end = if text.starts_with(&triple) { triple } else { quote.to_string() };
    let mut rest = &text[end.len()..];
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(&end) {
            return after;
        }
        let escape = if rest.starts_with('\\') && !is_raw { 2 } else { 1 };
        let skipped: usize = rest.chars().take(escape).map(char::len_utf8).sum();
        rest = &rest[skipped..];
    }
    rest
}

/// The deepest nesting of brackets of a text from which brackets are left out. Deeper texts stay as they are.
const MAX_DOUBLED: usize = 32;

/// Returns the text with one pair of brackets where an expression has several around it: `((a))` is `(a)`. Rules that programs
/// wrote have such pairs, and each makes the recursion of the parser deeper.
pub(super) fn without_doubled_brackets(text: &str) -> String {
    /// An opening bracket.
    struct Open {
        at: usize,
        /// Whether another one stands directly before it.
        follows_open: bool,
    }
    let mut open: Vec<Open> = Vec::new();
    // The pair that ended last, if only white space follows it, and its end.
    let mut closed: Option<(Open, usize)> = None;
    let mut doubled: Vec<usize> = Vec::new();
    let (mut previous, mut is_after_open) = (' ', false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        }
        let at = text.len() - rest.len();
        rest = match c {
            '"' | '\'' => after_literal(rest, c, matches!(previous, 'r' | 'R')),
            _ => &rest[c.len_utf8()..],
        };
        let is_prefix = matches!(c, 'b' | 'B') && matches!(previous, 'r' | 'R');
        previous = if is_prefix { previous } else { c };
        let inner = if c.is_whitespace() { continue } else { closed.take() };
        match c {
            '(' if open.len() >= MAX_DOUBLED => return text.to_owned(),
            '(' => open.push(Open { at, follows_open: is_after_open }),
            ')' => {
                let inner = inner.filter(|(inner, _)| inner.follows_open);
                doubled.extend(inner.into_iter().flat_map(|(inner, end)| [inner.at, end]));
                closed = open.pop().map(|open| (open, at));
            }
            _ => {}
        }
        is_after_open = c == '(';
    }
    doubled.sort_unstable();
    let is_doubled = |at: usize| doubled.binary_search(&at).is_ok();
    text.char_indices().map(|(at, c)| if is_doubled(at) { ' ' } else { c }).collect()
}

/// Returns the text with at most one sign before each operand. The parser of the crate reads an even number of signs as one
/// of them, and no hexadecimal number with a sign; for cel-go, two signs are none.
pub(super) fn with_simple_signs(text: &str) -> String {
    let mut simple = String::with_capacity(text.len());
    let mut rest = text;
    // The last character that is not white space.
    let mut previous = '(';
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let is_sign = match c {
            '!' => !after.starts_with('='),
            '-' => "([{,?:&|=<>+-*/%!".contains(previous),
            _ => false,
        };
        if is_sign {
            let operand = after.trim_start_matches(|next: char| next == c || next.is_whitespace());
            let signs = rest[..rest.len() - operand.len()].matches(c).count();
            rest = match hexadecimal(operand).filter(|_| c == '-' && signs % 2 == 1) {
                Some((number, after)) => {
                    simple.push('-');
                    simple.push_str(&number.to_string());
                    after
                }
                None if signs % 2 == 0 => operand,
                None => {
                    simple.push(c);
                    operand
                }
            };
            previous = if signs % 2 == 0 { previous } else { c };
            continue;
        }
        let after = match c {
            '"' | '\'' => after_literal(rest, c, matches!(previous, 'r' | 'R')),
            '/' if after.starts_with('/') => rest.split_once('\n').map_or("", |(_, rest)| rest),
            _ => after,
        };
        simple.push_str(&rest[..rest.len() - after.len()]);
        previous = if c.is_whitespace() { previous } else { c };
        rest = after;
    }
    simple
}

/// Returns a number such as `0x1F`, and the text after it.
fn hexadecimal(text: &str) -> Option<(u64, &str)> {
    let digits = text.strip_prefix("0x")?;
    let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
    Some((u64::from_str_radix(&digits[..end], 16).ok()?, &digits[end..]))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::three("(((a))) == 1", "(  a  ) == 1")]
    #[case::call("f((a))", "f( a )")]
    #[case::two_groups("((a) || (b))", "((a) || (b))")]
    #[case::group_and_call("((a) || b(c))", "((a) || b(c))")]
    #[case::text("(('((a))'))", "( '((a))' )")]
    #[case::comment("((a) // )\n)", "( a  // )\n)")]
    #[case::open("((a", "((a")]
    fn brackets_around_brackets_are_left_out(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(without_doubled_brackets(text), expected);
    }
}
