//! Writes documents in YAML flow style, on one line.

use std::fmt::Write;

use skewer_engine::{Doc, OwnedDoc};

use crate::{Layout, read_document};

/// Writes a document as one line of YAML that reads back as the same value. Most strings have no quotes. If
/// the YAML would not read back as the same value, the document is written as JSON.
#[must_use]
pub fn write_flow(value: &OwnedDoc) -> String {
    let text = Layout::of(value).flow_with(write_flow_string);
    match read_document("", text.as_bytes()) {
        Ok(read) if read == *value => text,
        _ => value.to_string(),
    }
}

/// Writes a string in flow style. The string is left without quotes only if it cannot be read as something else.
#[must_use]
pub fn write_flow_string(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./$".contains(c);
    let starts_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '$');
    let is_other_type = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .iter()
        .any(|keyword| text.eq_ignore_ascii_case(keyword));
    if starts_plain && text.chars().all(is_plain) && !is_other_type {
        text.to_owned()
    } else {
        write_quoted(text)
    }
}

/// Writes a string as in JSON, with escapes for the characters that JSON allows and YAML does not.
pub(crate) fn write_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    for c in Doc::from(text).to_string().chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}') {
            let _ = write!(quoted, "\\u{:04x}", u32::from(c));
        } else {
            quoted.push(c);
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;

    use super::*;

    #[rstest]
    #[case(r#"{"a":[1,"x",null]}"#, "{a: [1, x, null]}")]
    #[case(r#"{"$setElementOrder/a":["b"]}"#, "{$setElementOrder/a: [b]}")]
    #[case(r#"{"true":"no","1":"1","e":""}"#, r#"{"1": "1", e: "", "true": "no"}"#)]
    #[case(r##"["a: b","#c","1.0"]"##, r##"["a: b", "#c", "1.0"]"##)]
    fn documents_are_written_with_few_quotes(#[case] json: &str, #[case] expected: &str) {
        let value = from_json(json.as_bytes()).unwrap();
        assert_eq!(write_flow(&value), expected);
    }
}
