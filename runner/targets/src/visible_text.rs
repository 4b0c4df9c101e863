//! Text from targets, with control characters escaped.

use skewer_results::control_characters::escape_text;

/// Returns the beginning of a text from a target, with control characters escaped.
pub(super) fn visible_text(text: &str, max_chars: usize) -> String {
    let start = text.char_indices().nth(max_chars).map_or(text, |(end, _)| &text[..end]);
    let ellipsis = if start.len() < text.len() { "…" } else { "" };
    format!("{}{ellipsis}", escape_text(start))
}

/// Returns the beginning of a line, to be quoted in messages.
pub(super) fn excerpt(line: &[u8]) -> String {
    const MAX_CHARS: usize = 160;
    // A character takes at most four bytes.
    let start = &line[..line.len().min(4 * (MAX_CHARS + 1))];
    visible_text(&String::from_utf8_lossy(start), MAX_CHARS)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::short("abc", 3, "abc")]
    #[case::long("abcd", 3, "abc…")]
    #[case::of_characters_not_bytes("äöüß", 3, "äöü…")]
    #[case::with_a_control_character("a\u{1b}[2J", 40, r"a\u{1b}[2J")]
    fn a_text_is_cut_and_escaped(#[case] text: &str, #[case] max_chars: usize, #[case] expected: &str) {
        assert_eq!(visible_text(text, max_chars), expected);
    }

    #[test]
    fn an_excerpt_is_the_beginning_of_a_line() {
        assert_eq!(excerpt(b"short \xff"), "short \u{fffd}");
        assert_eq!(excerpt("ä".repeat(5000).as_bytes()), "ä".repeat(160) + "…");
    }
}
