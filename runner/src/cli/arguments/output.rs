//! The argument `--output`: the format of a printed document.

use std::fmt::Write;

use clap::{Args, ValueEnum};
use skewer_cases::yaml;
use skewer_engine::document::Text;
use skewer_engine::{Doc, OwnedDoc, OwnedMap};
use skewer_results::control_characters::{escape_text, is_hidden};

use crate::cli::failure::Result;
use crate::cli::input::InputDocument;
use crate::cli::output;

/// The argument that selects the format of a printed document.
#[derive(Debug, Args)]
pub(in crate::cli) struct OutputArguments {
    /// Format of the result. Default: the format of the input, json or yaml. Of several documents, the one that is
    /// patched, the new one, or else the first one decides.
    #[arg(short, long, value_name = "FORMAT", value_enum)]
    output: Option<DocumentFormat>,
}

/// The format of a printed document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DocumentFormat {
    Json,
    Yaml,
}

impl OutputArguments {
    /// Returns the format of a result that was made from a document.
    fn format(&self, input: &InputDocument) -> DocumentFormat {
        self.output.unwrap_or_else(|| DocumentFormat::of_input(input))
    }

    /// Prints a result that was made from a document to standard output.
    pub(in crate::cli) fn print(&self, result: &OwnedDoc, input: &InputDocument) -> Result<()> {
        self.format(input).print(result)
    }
}

impl DocumentFormat {
    /// Returns the format of a document that was read.
    pub(in crate::cli) fn of_input(input: &InputDocument) -> Self {
        if input.is_json() { DocumentFormat::Json } else { DocumentFormat::Yaml }
    }

    /// Prints a document to standard output.
    pub(in crate::cli) fn print(self, value: &OwnedDoc) -> Result<()> {
        match self {
            DocumentFormat::Json => output::print_json(value),
            DocumentFormat::Yaml => safe_yaml(value)
                .map_or_else(|| output::print_json(value), |yaml| output::print_document(&yaml)),
        }
    }
}

/// Renders a document as YAML. Strings that are unsafe to print are double-quoted, with escapes. Returns `None` if the
/// text would not be read back as the document.
fn safe_yaml(value: &OwnedDoc) -> Option<String> {
    let text = yaml::write_manifest(value);
    if escape_text(&text) == text {
        return Some(text);
    }
    // The YAML writer cannot be told to escape a string. It writes placeholders, which are then replaced by the escaped
    // strings. The document itself does not contain the placeholder.
    let mut placeholder = "placeholder".to_owned();
    while text.contains(&placeholder) {
        placeholder.push('x');
    }
    let mut replaced = Vec::new();
    let template = replace_unsafe_strings(value, &placeholder, &mut replaced);
    let mut text = yaml::write_manifest(&template);
    // In reverse order, because `placeholder1` is a prefix of `placeholder10`.
    for (number, string) in replaced.iter().enumerate().rev() {
        text = text.replace(&format!("{placeholder}{number}"), &quote_yaml(string));
    }
    let reads_back = yaml::read_manifest("", text.as_bytes()).is_ok_and(|read| read == *value);
    (reads_back && escape_text(&text) == text).then_some(text)
}

/// Returns the document with a placeholder for each key and string that is unsafe to print.
fn replace_unsafe_strings(value: &OwnedDoc, placeholder: &str, replaced: &mut Vec<String>) -> OwnedDoc {
    let replace = |string: &str, replaced: &mut Vec<String>| -> Text<'static> {
        if escape_text(string) == string {
            return Text::from(string.to_owned());
        }
        replaced.push(string.to_owned());
        Text::from(format!("{placeholder}{}", replaced.len() - 1))
    };
    match value {
        Doc::String(string) => Doc::String(replace(string, replaced)),
        Doc::List(items) => {
            Doc::List(items.iter().map(|item| replace_unsafe_strings(item, placeholder, replaced)).collect())
        }
        Doc::Map(map) => {
            let mut copy = OwnedMap::new();
            for (key, value) in map.iter() {
                let key = replace(key, replaced);
                copy.insert(key, replace_unsafe_strings(value, placeholder, replaced));
            }
            Doc::Map(copy)
        }
        other => other.clone(),
    }
}

/// Renders a string as a double-quoted YAML string. The escapes are those of JSON, except for characters above U+FFFF.
fn quote_yaml(string: &str) -> String {
    let mut quoted = String::from('"');
    for c in string.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '#' => quoted.push_str("\\u0023"),
            c if is_hidden(c) => {
                let code = u32::from(c);
                // Writing to a string cannot fail.
                let _ = if code > 0xFFFF {
                    write!(quoted, "\\U{code:08X}")
                } else {
                    write!(quoted, "\\u{code:04x}")
                };
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;

    use super::*;

    #[rstest]
    #[case::plain(r#"{"a":"b ## c","d":["::1"]}"#, "a: 'b ## c'\nd:\n- ::1\n")]
    #[case::bidirectional(r#"{"a":"b\u202ec"}"#, "a: \"b\\u202ec\"\n")]
    #[case::a_key(r#"{"\u200b":{"\u200c":1}}"#, "\"\\u200b\":\n  \"\\u200c\": 1\n")]
    #[case::tags(r#"["\udb40\udc01"]"#, "- \"\\U000E0001\"\n")]
    #[case::a_command(r#"{"a":"b\n::error::c\n"}"#, "a: \"b\\n::error::c\\n\"\n")]
    #[case::an_old_command(r###"{"a":"##[error]b"}"###, "a: \"\\u0023\\u0023[error]b\"\n")]
    #[case::other_escapes(r#"{"a":"\"\\\t\u001b\u202e"}"#, "a: \"\\\"\\\\\\t\\u001b\\u202e\"\n")]
    #[case::contains_the_placeholder(
        r#"{"a":"placeholder0","b":"\u202e"}"#,
        "a: placeholder0\nb: \"\\u202e\"\n"
    )]
    fn yaml_is_safe_to_print_and_parses_to_the_same_document(#[case] json: &str, #[case] expected: &str) {
        let value = from_json(json.as_bytes()).unwrap();
        let written = safe_yaml(&value).unwrap();
        assert_eq!(written, expected);
        assert_eq!(yaml::read_manifest("", written.as_bytes()).unwrap(), value);
    }

    #[test]
    fn more_than_ten_unsafe_strings_are_not_confused() {
        let strings: Vec<String> = (0..12).map(|n| format!("\"\\u202e{n}\"")).collect();
        let value = from_json(format!("[{}]", strings.join(",")).as_bytes()).unwrap();
        let lines: Vec<String> = strings.iter().map(|string| format!("- {string}\n")).collect();
        assert_eq!(safe_yaml(&value), Some(lines.concat()));
    }
}
