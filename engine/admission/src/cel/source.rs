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
