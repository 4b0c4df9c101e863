//! JSON text as Go's `encoding/json` writes it.

use std::fmt::Write;

use crate::document::{Doc, JsonFormat, Text, write_doc};

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
    let mut out = Vec::new();
    write_doc(value, GoFormat, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The format of Go's `encoding/json`.
#[derive(Clone, Copy)]
struct GoFormat;

impl JsonFormat for GoFormat {
    fn write_string(self, text: &Text<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(quote(text).as_bytes());
    }

    fn write_float(self, value: f64, out: &mut Vec<u8>) {
        out.extend_from_slice(float(value).as_bytes());
    }
}

fn float(value: f64) -> String {
    if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
        return value.to_string();
    }
    let text = format!("{value:e}");
    // Go writes the sign of a positive exponent.
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}
