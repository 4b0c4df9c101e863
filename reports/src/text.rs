//! Text from cases and targets, made safe to show.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with control characters other than line feed and tab shown as escapes.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(steers) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if steers(c) {
            // Writing to a string can't fail.
            let _ = write!(shown, "{}", c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_cannot_steer_the_terminal() {
        assert_eq!(visible("a\u{1b}[31mb\r\n\tc\u{9b}"), "a\\u{1b}[31mb\\r\n\tc\\u{9b}");
        assert!(matches!(visible("plain\ttext\n"), Cow::Borrowed(_)));
    }
}
