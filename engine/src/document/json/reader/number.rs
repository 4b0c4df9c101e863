//! Numbers.

use super::Reader;
use crate::document::json::error::JsonProblem;
use crate::document::{Doc, Text};

impl<'a, 'd, S: Copy + Fn(&'a str) -> Text<'d>> Reader<'a, 'd, S> {
    pub(super) fn read_number(&mut self) -> Option<Doc<'d>> {
        let rest = self.bytes.get(self.position..)?;
        let length =
            rest.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let digits = rest.get(..length)?;
        match digits {
            // Fast path: at most 18 digits fit into 64 bits, and there is no sign and no leading zero.
            [b'0'] => {
                self.position += 1;
                Some(Doc::Int(0))
            }
            [b'1'..=b'9', ..] if length <= 18 && digits.iter().all(u8::is_ascii_digit) => {
                self.position += length;
                Some(Doc::Int(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))))
            }
            _ => self.read_other_number(length),
        }
    }

    /// Reads a number of `length` bytes as Go does: as an integer if it is written as one and fits into 64 bits (`-0`
    /// is an integer), otherwise as a float.
    fn read_other_number(&mut self, length: usize) -> Option<Doc<'d>> {
        let start = self.position;
        let number = self.text.get(start..start + length)?;
        let is_integer = is_json_integer(number.as_bytes())?;
        if let Some(integer) = is_integer.then(|| number.parse().ok()).flatten() {
            self.position += length;
            return Some(Doc::Int(integer));
        }
        let float: f64 = number.parse().ok()?;
        if float.is_infinite() {
            return self.fail(JsonProblem::NumberOutOfRange(shorten_number(number)), start, length);
        }
        self.position += length;
        Some(Doc::Float(float))
    }
}

/// Returns true for an integer and false for any other JSON number. Returns `None` if the text is not a JSON number.
fn is_json_integer(text: &[u8]) -> Option<bool> {
    let skip_digits = |text: &mut &[u8]| {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        *text = &text[digits..];
        (digits > 0).then_some(())
    };
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    match rest {
        [b'0', after @ ..] => rest = after,
        _ => skip_digits(&mut rest)?,
    }
    let is_integer = rest.is_empty();
    if let [b'.', after @ ..] = rest {
        rest = after;
        skip_digits(&mut rest)?;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        rest = after.strip_prefix(b"+").or_else(|| after.strip_prefix(b"-")).unwrap_or(after);
        skip_digits(&mut rest)?;
    }
    rest.is_empty().then_some(is_integer)
}

/// Shortens a long number to its first digits, for messages.
fn shorten_number(number: &str) -> String {
    const MAX_LENGTH: usize = 40;
    match number.get(..MAX_LENGTH) {
        Some(beginning) if number.len() > MAX_LENGTH => format!("{beginning}…"),
        _ => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_more_than_forty_characters_is_shortened() {
        let (forty, more) = ("1".repeat(40), "1".repeat(41));
        assert_eq!(shorten_number("1e999"), "1e999");
        assert_eq!(shorten_number(&forty), forty);
        assert_eq!(shorten_number(&more), format!("{forty}…"));
    }
}
