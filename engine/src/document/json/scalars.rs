//! The syntax of JSON numbers, and a search for the bytes that end a JSON string or need an escape in it.

use crate::document::Text;

/// Splits a JSON string without escapes from the beginning of a text. Returns the string and the text after it. Returns
/// `None` if the text begins with anything else.
pub(crate) fn split_escape_free_string(text: &str) -> Option<(Text<'_>, &str)> {
    let rest = text.strip_prefix('"')?;
    let (string, rest) = rest.split_at_checked(escape_free_prefix_length(rest.as_bytes()))?;
    Some((Text::escape_free(string), rest.strip_prefix('"')?))
}

/// Returns the number of bytes before the first quote, backslash or control character.
#[inline]
pub(crate) fn escape_free_prefix_length(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((chunk, after)) = rest.split_first_chunk() {
        let mask = escape_mask(u64::from_le_bytes(*chunk));
        if mask != 0 {
            return bytes.len() - rest.len() + mask.trailing_zeros() as usize / 8;
        }
        rest = after;
    }
    let in_rest = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f));
    bytes.len() - rest.len() + in_rest.unwrap_or(rest.len())
}

/// Returns a word in which the high bit of each quote, backslash or control character is set.
///
/// Only the lowest set bit is reliable: a borrow in the subtraction can set higher bits wrongly.
fn escape_mask(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let is_zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (is_zero(word ^ (ONES * 0x22)) | is_zero(word ^ (ONES * 0x5c)) | control) & HIGH
}

/// Returns true for an integer and false for any other JSON number. Returns `None` if the text is not a JSON number.
pub(super) fn is_json_integer(text: &[u8]) -> Option<bool> {
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
pub(super) fn shorten_number(number: &str) -> String {
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
