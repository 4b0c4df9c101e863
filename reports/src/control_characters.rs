//! Text from cases and targets, made safe to show.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with control characters other than line feed and tab escaped as escapes.
pub(crate) fn escape_control(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(is_escaped) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_escaped(c) {
            // Writing to a string can't fail.
            let _ = write!(escaped, "{}", c.escape_default());
        } else {
            escaped.push(c);
        }
    }
    escaped.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_cannot_steer_the_terminal() {
        assert_eq!(escape_control("a\u{1b}[31mb\r\n\tc\u{9b}"), "a\\u{1b}[31mb\\r\n\tc\\u{9b}");
        assert!(matches!(escape_control("plain\ttext\n"), Cow::Borrowed(_)));
    }
}
