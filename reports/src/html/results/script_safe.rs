//! JSON within a script element.

use std::io;

use serde_json::ser::{CharEscape, Formatter};
use skewer_results::control_characters::{is_hidden, push_visible};

/// A format of JSON in which no character has a meaning for an HTML parser, and characters without a glyph have a
/// visible form.
///
/// In JSON these characters occur in strings only.
pub(super) struct ScriptSafeFormatter;

impl Formatter for ScriptSafeFormatter {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(needs_escape) {
            let (before, after) = rest.split_at(at);
            out.write_all(before.as_bytes())?;
            let mut chars = after.chars();
            match chars.next() {
                Some(c) if is_hidden(c) => write_visible(out, c)?,
                Some(c) => write!(out, "\\u{:04x}", u32::from(c))?,
                None => {}
            }
            rest = chars.as_str();
        }
        out.write_all(rest.as_bytes())
    }

    fn write_char_escape<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        match escape {
            CharEscape::Quote => out.write_all(b"\\\""),
            CharEscape::ReverseSolidus => out.write_all(b"\\\\"),
            CharEscape::Solidus => out.write_all(b"\\/"),
            CharEscape::LineFeed => out.write_all(b"\\n"),
            CharEscape::Tab => out.write_all(b"\\t"),
            CharEscape::Backspace => write_visible(out, '\u{8}'),
            CharEscape::FormFeed => write_visible(out, '\u{c}'),
            CharEscape::CarriageReturn => write_visible(out, '\r'),
            CharEscape::AsciiControl(byte) => write_visible(out, char::from(byte)),
        }
    }
}

/// Returns true if a character needs an escape. `<` and `>` delimit tags and comments, `&` begins an entity, and `##[`
/// would be a command in the log of a CI system.
fn needs_escape(c: char) -> bool {
    matches!(c, '<' | '>' | '&' | '#') || is_hidden(c)
}

/// Writes the visible form of a character within a JSON string. The backslash of the visible form is escaped.
fn write_visible<W: ?Sized + io::Write>(out: &mut W, c: char) -> io::Result<()> {
    let mut visible = String::from("\\");
    push_visible(&mut visible, c);
    out.write_all(visible.as_bytes())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde::Serialize;
    use serde_json::Serializer;

    use super::*;

    fn written(text: &str) -> String {
        let mut bytes = Vec::new();
        text.serialize(&mut Serializer::with_formatter(&mut bytes, ScriptSafeFormatter)).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[rstest]
    #[case("plain ä \u{1f980}", "\"plain ä \u{1f980}\"")]
    #[case("</script>", r#""\u003c/script\u003e""#)]
    #[case("<!--&-->", r#""\u003c!--\u0026--\u003e""#)]
    #[case("##[error]", r#""\u0023\u0023[error]""#)]
    #[case("\"\\\n\t", r#""\"\\\n\t""#)]
    fn strings_keep_their_value_and_are_safe(#[case] text: &str, #[case] json: &str) {
        assert_eq!(written(text), json);
        assert_eq!(serde_json::from_str::<String>(json).unwrap(), text);
    }

    #[rstest]
    #[case("\u{2028}\u{2029}", "\\u{2028}\\u{2029}")]
    #[case("\u{202e}\u{200b}\u{e0001}", "\\u{202e}\\u{200b}\\u{e0001}")]
    #[case("\r\u{8}\u{c}\u{1b}\u{9b}\u{7f}", "\\r\\u{8}\\u{c}\\u{1b}\\u{9b}\\u{7f}")]
    fn characters_without_a_glyph_get_a_visible_form(#[case] text: &str, #[case] shown: &str) {
        let json = written(text);
        assert!(json.bytes().all(|byte| byte.is_ascii_graphic()), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), shown);
    }
}
