//! Objects as text in which `fieldsV1` is an object with the members in the order in which it was written.
//!
//! A map of a document has its keys in alphabetical order. The text of `fieldsV1` has another order, that of path
//! elements, which only a text can keep.

use std::fmt::Write;

use skewer_cases::yaml;
use skewer_engine::document::{Text, from_json};
use skewer_engine::{Doc, OwnedDoc};
use skewer_results::control_characters::{escape_text, is_hidden};
use skewer_results::json;

use crate::cli::arguments::output::DocumentFormat;

/// Renders an object with its managed fields. JSON text in a YAML document is a flow mapping. Returns `None` if the text
/// would not be safe to print, or would not be read back as the object.
pub(super) fn text(object: &OwnedDoc, format: DocumentFormat) -> Option<String> {
    let mut placeholder = "placeholder".to_owned();
    let original = object.to_string();
    while original.contains(&placeholder) {
        placeholder.push('x');
    }
    let mut with_placeholders = object.clone();
    let mut expected = object.clone();
    let mut texts = Vec::new();
    for_each_field_set(&mut with_placeholders, |set| {
        if let Doc::String(text) = set {
            texts.push(text.to_string());
            // The last character delimits the number.
            *set = Doc::String(Text::from(format!("{placeholder}{}x", texts.len() - 1)));
        }
    });
    for_each_field_set(&mut expected, |set| {
        if let Some(object) = set.as_str().and_then(|text| from_json(text.as_bytes()).ok()) {
            *set = object;
        }
    });
    let mut rendered = match format {
        DocumentFormat::Yaml => yaml::write_manifest(&with_placeholders),
        DocumentFormat::Json => {
            let mut bytes = Vec::new();
            json::write_pretty(&with_placeholders, &mut bytes).ok()?;
            String::from_utf8(bytes).ok()?
        }
    };
    let quote = if format == DocumentFormat::Json { "\"" } else { "" };
    for (number, text) in texts.iter().enumerate() {
        let from = format!("{quote}{placeholder}{number}x{quote}");
        rendered = rendered.replace(&from, &escape_json(text));
    }
    let reads_back = yaml::read_manifest("", rendered.as_bytes()).is_ok_and(|read| read == expected);
    (reads_back && escape_text(&rendered) == rendered).then_some(rendered)
}

/// Calls `change` with the `fieldsV1` of each entry of the managed fields.
fn for_each_field_set(object: &mut OwnedDoc, mut change: impl FnMut(&mut OwnedDoc)) {
    let metadata = object.as_map_mut().and_then(|object| object.get_mut("metadata"));
    let entries = metadata.and_then(Doc::as_map_mut).and_then(|metadata| metadata.get_mut("managedFields"));
    let Some(Doc::List(entries)) = entries else { return };
    for entry in entries.iter_mut().filter_map(Doc::as_map_mut) {
        entry.get_mut("fieldsV1").map(&mut change);
    }
}

/// Escapes the hidden characters of JSON text, which are in its strings.
fn escape_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}
