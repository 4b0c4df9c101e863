//! The escaping of foreign text in Markdown.

use std::fmt::Write as _;

use skewer_results::control_characters::escape_text;

use crate::blocks::html::escape as escape_element;

/// Escapes prose, and puts it on one line. All characters that have a meaning in Markdown or HTML are taken literally.
pub(crate) fn escape_prose(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in escape_text(text).trim().chars() {
        match c {
            '\n' | '\t' => escaped.push(' '),
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // On GitHub, `@name` would mention a user and `#1` would link an issue. A word joiner, which has no width,
            // prevents both.
            '@' | '#' => {
                escaped.push(c);
                escaped.push('\u{2060}');
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '!' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Renders text as a code span on one line, for a table. A bar is escaped, because it would end the cell of the table.
/// GitHub removes this escape even in code.
pub(crate) fn code_span(text: &str) -> String {
    render_span(text, true)
}

/// Renders text as a code span on one line, outside of tables. A bar is not escaped, because GitHub would show the
/// escape there.
pub(crate) fn code_span_outside_tables(text: &str) -> String {
    render_span(text, false)
}

fn render_span(text: &str, in_table: bool) -> String {
    let text = escape_text(text).replace(['\n', '\t'], " ");
    let text = if in_table { text.replace('|', "\\|") } else { text };
    if text.trim().is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // A space separates a backtick at the end of the text from the fence. Markdown removes one space on each side.
    let space = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Renders lines as a fenced block. The fence is longer than any run of backticks in the text.
pub(crate) fn fenced_block(language: &str, text: &str) -> String {
    let text = escape_text(text);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let mut block = String::new();
    let _ = write!(block, "{fence}{language}\n{}\n{fence}\n", text.trim_end());
    block
}

/// Escapes the path of a link. Characters that could end the link or the table are percent-encoded.
pub(crate) fn link_target(path: &str) -> String {
    let mut target = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            target.push(char::from(byte));
        } else {
            let _ = write!(target, "%{byte:02X}");
        }
    }
    target
}

/// Escapes the text of an HTML element within Markdown, on one line.
pub(crate) fn escape_html(text: &str) -> String {
    escape_element(text).replace(['\n', '\t'], " ")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("An old server drops it.", "An old server drops it.")]
    #[case::html("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;")]
    #[case::table("a | b", "a \\| b")]
    #[case::two_lines("a\n# b", "a #\u{2060} b")]
    #[case::emphasis("*a* _b_ `c`", "\\*a\\* \\_b\\_ \\`c\\`")]
    #[case::link("[a](http://x)", "\\[a\\](http://x)")]
    #[case::mention("@someone", "@\u{2060}someone")]
    #[case::control("a\u{1b}b", "a\\\\u{1b}b")]
    #[case::bidirectional("a\u{202e}b", "a\\\\u{202e}b")]
    #[case::command("::error::x", "\\\\u{3a}:error::x")]
    fn prose_is_shown_literally(#[case] text: &str, #[case] escaped: &str) {
        assert_eq!(escape_prose(text), escaped);
    }

    #[rstest]
    #[case("a", "`a`")]
    #[case("a`b", "``a`b``")]
    #[case("`a", "`` `a ``")]
    #[case("a|b\nc", "`a\\|b c`")]
    #[case("\u{202e}`@a <b>", "``\\u{202e}`@a <b>``")]
    #[case(" ", "")]
    fn code_spans_hold_their_text(#[case] text: &str, #[case] span: &str) {
        assert_eq!(code_span(text), span);
    }

    #[test]
    fn a_path_cannot_end_the_link() {
        assert_eq!(link_target("cases/a b/c).yaml"), "cases/a%20b/c%29.yaml");
    }

    #[test]
    fn a_block_has_a_fence_longer_than_any_inside() {
        assert_eq!(fenced_block("diff", "a\n````\n"), "`````diff\na\n````\n`````\n");
        let hostile = "\u{202e}\n ::error::x\n##[error]@a | <b>\n```";
        let block = "````diff\n\\u{202e}\n \\u{3a}:error::x\n\\u{23}#[error]@a | <b>\n```\n````\n";
        assert_eq!(fenced_block("diff", hostile), block);
    }
}
