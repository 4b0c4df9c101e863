//! JSON text as Go's `encoding/json` writes it.

use std::fmt::Write;

use crate::document::Doc;

/// Writes a string in quotes, with escapes for characters that are special in HTML.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        let _ = match c {
            '"' | '\\' => write!(quoted, "\\{c}"),
            '\u{8}' => write!(quoted, "\\b"),
            '\u{c}' => write!(quoted, "\\f"),
            '\n' => write!(quoted, "\\n"),
            '\r' => write!(quoted, "\\r"),
            '\t' => write!(quoted, "\\t"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                write!(quoted, "\\u{:04x}", u32::from(c))
            }
            c => write!(quoted, "{c}"),
        };
    }
    quoted.push('"');
    quoted
}

/// Writes a document. A float without a fraction is written as an integer below 1e21.
pub(super) fn write(value: &Doc<'_>) -> String {
    match value {
        Doc::Null => "null".to_owned(),
        Doc::Bool(value) => value.to_string(),
        Doc::Int(value) => value.to_string(),
        Doc::Float(value) => write_float(*value),
        Doc::String(text) => quote(text),
        Doc::List(items) => {
            let items: Vec<String> = items.iter().map(write).collect();
            format!("[{}]", items.join(","))
        }
        Doc::Map(map) => {
            let entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{}:{}", quote(key), write(value))).collect();
            format!("{{{}}}", entries.join(","))
        }
    }
}

fn write_float(value: f64) -> String {
    if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
        return value.to_string();
    }
    let text = format!("{value:e}");
    // Go writes the sign of a positive exponent.
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}
