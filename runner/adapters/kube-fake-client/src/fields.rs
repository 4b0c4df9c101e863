//! What the adapter changes in documents on their way in and out.

use serde_json::{Map, Value};
use skewer_adapter::Failure;

/// The members that the fake client, or the adapter for it, adds to objects.
const ADDED: [&[&str]; 9] = [
    &["apiVersion"],
    &["kind"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "uid"],
    &["metadata", "resourceVersion"],
    &["metadata", "creationTimestamp"],
    &["metadata", "generation"],
    &["metadata", "managedFields"],
];

/// Removes the added members from a result, unless a document has them.
pub(crate) fn remove_added(result: &mut Value, document_has: impl Fn(&[&str]) -> bool) {
    for path in ADDED {
        if document_has(path) {
            continue;
        }
        let parent = match path {
            [_] => Some(&mut *result),
            _ => result.get_mut(path[0]),
        };
        if let (Some(Value::Object(parent)), Some(name)) = (parent, path.last()) {
            parent.remove(*name);
        }
    }
    let is_empty = result["metadata"].as_object().is_some_and(Map::is_empty);
    if let (true, false, Value::Object(result)) = (is_empty, document_has(&["metadata"]), result) {
        result.remove("metadata");
    }
}

/// Whether a document has a member.
pub(crate) fn has(document: &Value, path: &[&str]) -> bool {
    path.iter().try_fold(document, |value, name| value.get(name)).is_some()
}

/// Whether an operation of a JSON patch names a member, or something inside it.
pub(crate) fn names(patch: &Value, path: &[&str]) -> bool {
    let pointer: String = path.iter().map(|name| format!("/{name}")).collect();
    patch.as_array().into_iter().flatten().any(|operation| {
        let target = operation["path"].as_str().unwrap_or_default();
        target.strip_prefix(&pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Whether an operation of a JSON patch names the whole document.
pub(crate) fn names_document(patch: &Value) -> bool {
    patch.as_array().into_iter().flatten().any(|operation| operation["path"] == "" || operation["from"] == "")
}

/// Changes the `fieldsV1` of managed fields from text, as requests can have it, to a value, as the fake client has it.
pub(crate) fn decode_owners(metadata: &mut Map<String, Value>) -> Result<(), Failure> {
    for entry in metadata.get_mut("managedFields").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(text) = entry.get("fieldsV1").and_then(Value::as_str) {
            entry["fieldsV1"] = serde_json::from_str(text).map_err(|error| {
                Failure::Unsupported(format!("the managed fields cannot be stored: {error}"))
            })?;
        }
    }
    Ok(())
}

/// Changes the `fieldsV1` of managed fields to text, as results have it, and removes the times.
pub(crate) fn encode_owners(object: &mut Value) {
    let entries = object.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut);
    for entry in entries.into_iter().flatten().filter_map(Value::as_object_mut) {
        entry.remove("time");
        if let Some(fields) = entry.get_mut("fieldsV1") {
            *fields = fields.to_string().into();
        }
    }
}

/// A text as it stands in a URL.
pub(crate) fn percent_encode(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
