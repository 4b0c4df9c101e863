use std::fmt;

use serde::ser::{Serialize, Serializer};

use super::fast_reader;
use crate::document::{Doc, Map};

/// Writes a document as compact JSON, keys sorted.
///
/// Floats keep a fraction or an exponent, so that reading the bytes again gives the same value.
///
/// ```
/// # use skewer_engine::document::from_json;
/// use skewer_engine::document::to_json;
///
/// let value = from_json(br#"{ "b": [1, 2.0], "a": "<" }"#)?;
/// assert_eq!(to_json(&value), br#"{"a":"<","b":[1,2.0]}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
#[must_use]
pub fn to_json(value: &Doc<'_>) -> Vec<u8> {
    to_json_of(value, 1024)
}

/// [`to_json`] of about this length.
pub(crate) fn to_json_of(value: &Doc<'_>, length: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(length);
    fast_reader::write(value, &mut out);
    out
}

impl Serialize for Doc<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Doc::Null => serializer.serialize_unit(),
            Doc::Bool(b) => serializer.serialize_bool(*b),
            Doc::Int(i) => serializer.serialize_i64(*i),
            Doc::Float(f) => serializer.serialize_f64(*f),
            Doc::String(s) => serializer.serialize_str(s),
            Doc::List(items) => serializer.collect_seq(items),
            Doc::Map(map) => map.serialize(serializer),
        }
    }
}

impl Serialize for Map<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(key, value)| (key.as_str(), value)))
    }
}

/// Compact JSON, for messages.
impl fmt::Display for Doc<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&to_json(self)))
    }
}
