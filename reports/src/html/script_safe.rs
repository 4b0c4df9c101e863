//! JSON that can stand in a script element.

use std::io;

use serde_json::ser::Formatter;

/// Writes strings without any character that means something to an HTML parser or ends a line of a script.
///
/// In JSON those characters occur in strings alone, where an escape means the same.
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
            if let Some(c) = chars.next() {
                write!(out, "\\u{:04x}", u32::from(c))?;
            }
            rest = chars.as_str();
        }
        out.write_all(rest.as_bytes())
    }
}

/// `<` and `>` begin and end tags and comments, `&` an entity, the two separators a line of a script.
fn needs_escape(c: char) -> bool {
    matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde::Serialize;
    use serde_json::Serializer;

    use super::*;

    #[rstest]
    #[case("plain ä \u{1f980}", "\"plain ä \u{1f980}\"")]
    #[case("</script>", r#""\u003c/script\u003e""#)]
    #[case("<!--&-->", r#""\u003c!--\u0026--\u003e""#)]
    #[case("\u{2028}\u{2029}", r#""\u2028\u2029""#)]
    #[case("\"\\\n", r#""\"\\\n""#)]
    fn strings_are_the_same_and_harmless(#[case] text: &str, #[case] json: &str) {
        let mut bytes = Vec::new();
        text.serialize(&mut Serializer::with_formatter(&mut bytes, ScriptSafeFormatter)).unwrap();
        assert_eq!(std::str::from_utf8(&bytes), Ok(json));
        assert_eq!(serde_json::from_slice::<String>(&bytes).unwrap(), text);
    }
}
