use skewer_engine::Value;

use super::read_value;

/// Writes a document as YAML that reads back as the same value.
///
/// A document for which YAML as `serde_yaml` writes it would not do so is written as JSON, which is YAML: one
/// that nests beyond [`MAX_DEPTH`](super::MAX_DEPTH), one with a key `<<`, and strings that the block style
/// changes.
#[must_use]
pub fn write(value: &Value) -> String {
    if let Ok(text) = serde_yaml::to_string(value)
        && read_value("", text.as_bytes()).is_ok_and(|read| read == *value)
    {
        return text;
    }
    format!("{value}\n")
}
