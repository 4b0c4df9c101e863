//! The forms of strings in block style: on the line of their key, folded (`>-`), or literal (`|`).

use crate::scalar::{self, Dialect, write_flow_string, write_quoted};

/// The style that a string should have, if its characters allow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextStyle {
    /// The shortest that fits.
    Any,
    Folded,
    Literal,
}

/// The form of a string.
pub(super) enum TextForm {
    /// On the line of its key.
    Inline(String),
    /// On lines of its own, after an indicator.
    Lines { indicator: &'static str, lines: Vec<String> },
}

/// Returns the form of a string. `room` is the number of columns after its key, and `width` is the width of lines of its own.
pub(super) fn form(text: &str, style: TextStyle, room: usize, width: usize) -> TextForm {
    let line = block_string(text);
    let is_long = line.chars().count() > room && text.contains(' ');
    match style {
        TextStyle::Literal if is_literal(text) => literal(text),
        TextStyle::Folded if is_foldable(text) => folded(text, width),
        _ if text.contains('\n') && is_literal(text) => literal(text),
        _ if is_long && is_foldable(text) => folded(text, width),
        _ => TextForm::Inline(line),
    }
}

/// Returns true if a string has several lines that are best written as a literal.
pub(super) fn needs_lines(text: &str, style: TextStyle) -> bool {
    match style {
        TextStyle::Any => text.contains('\n') && is_literal(text),
        TextStyle::Folded => is_foldable(text) || is_literal(text),
        TextStyle::Literal => is_literal(text),
    }
}

fn literal(text: &str) -> TextForm {
    let indicator = if text.ends_with('\n') { "|" } else { "|-" };
    TextForm::Lines { indicator, lines: text.lines().map(str::to_owned).collect() }
}

fn folded(text: &str, width: usize) -> TextForm {
    let indicator = if text.ends_with('\n') { ">" } else { ">-" };
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(wrap(paragraph, width));
    }
    TextForm::Lines { indicator, lines }
}

fn wrap(paragraph: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in paragraph.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Returns true if a folded scalar can have this value: every space can be replaced by a line break.
fn is_foldable(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    is_printable(body)
        && !body.contains("  ")
        && body.split('\n').all(|line| !line.is_empty() && line.trim() == line)
}

/// Returns true if a literal scalar without an indentation indicator can have this value.
fn is_literal(text: &str) -> bool {
    let is_blank = |line: &str| !line.is_empty() && line.trim().is_empty();
    is_printable(text)
        && !text.starts_with([' ', '\t', '\n'])
        && !text.ends_with("\n\n")
        && !text.is_empty()
        && !text.lines().any(is_blank)
}

/// Returns true if YAML allows all characters without escapes.
fn is_printable(text: &str) -> bool {
    let is_other_break =
        |c: char| matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}');
    text.chars().all(|c| (!c.is_control() || c == '\n' || c == '\t') && !is_other_break(c))
}

/// Writes a string in flow style. Several words need quotes only if one of them does.
pub(super) fn flow_string(text: &str) -> String {
    let is_plain = |word: &str| !word.is_empty() && !write_flow_string(word).starts_with('"');
    if text.split(' ').all(is_plain) { text.to_owned() } else { write_flow_string(text) }
}

/// Writes a string on one line in block style.
fn block_string(text: &str) -> String {
    if !text.contains(' ') {
        return write_flow_string(text);
    }
    if is_plain(text) {
        return text.to_owned();
    }
    let is_single_quoted = text.contains('"') && !text.contains(['\'', '\n', '\t']) && is_printable(text);
    if is_single_quoted { format!("'{text}'") } else { write_quoted(text) }
}

/// Returns true if prose can be written without quotes in block style.
fn is_plain(text: &str) -> bool {
    let is_string = |dialect| scalar::resolve(text, dialect).is_none();
    text.starts_with(|c: char| c.is_alphanumeric() || "$(/“".contains(c))
        && !text.contains(['\n', '\t'])
        && is_printable(text)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([':', ' '])
        && is_string(Dialect::Core)
        && is_string(Dialect::Manifest)
}
