//! The JSON writer, and the implementations of `Serialize`.

use std::fmt;

use serde::ser::{Serialize, Serializer};

use super::scalars::escape_free_prefix_length;
use crate::document::{Doc, Map, Text};

/// Writes a document as compact JSON with sorted keys.
///
/// A float is written with a fraction or an exponent, so that it is read back as a float.
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
    to_json_with_capacity(value, 1024)
}

/// Writes a document as [`to_json`] does, into a buffer with the given initial capacity.
pub(crate) fn to_json_with_capacity(value: &Doc<'_>, capacity: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(capacity);
    write_doc(value, SerdeFormat, &mut out);
    out
}

/// The parts of JSON text that formats write differently.
pub(crate) trait JsonFormat: Copy {
    /// Writes a string or a key in quotes.
    fn write_string(self, text: &Text<'_>, out: &mut Vec<u8>);

    /// Writes a float.
    fn write_float(self, value: f64, out: &mut Vec<u8>);
}

/// The format of [`to_json`].
#[derive(Clone, Copy)]
struct SerdeFormat;

impl JsonFormat for SerdeFormat {
    #[inline]
    fn write_string(self, text: &Text<'_>, out: &mut Vec<u8>) {
        write_string(text, out);
    }

    fn write_float(self, value: f64, out: &mut Vec<u8>) {
        write_with_serde(&Doc::Float(value), out);
    }
}

/// The format of a client in Go: numbers have an exponent if `encoding/json` writes one, and a fraction, so that they are read back
/// as floats.
#[derive(Clone, Copy)]
struct ClientFormat;

impl JsonFormat for ClientFormat {
    fn write_string(self, text: &Text<'_>, out: &mut Vec<u8>) {
        write_string(text, out);
    }

    fn write_float(self, value: f64, out: &mut Vec<u8>) {
        if !is_long(value) {
            return write_with_serde(&Doc::Float(value), out);
        }
        let digits = value.to_string();
        out.extend_from_slice(digits.as_bytes());
        if !digits.contains('.') {
            out.extend_from_slice(b".0");
        }
    }
}

/// Writes a document as [`to_json`] does, with the exponents of a client in Go. A quantity that is a number keeps its exponent, so
/// that a server stores another text for it.
#[must_use]
pub fn to_json_of_client(value: &Doc<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    write_doc(value, ClientFormat, &mut out);
    out
}

/// Whether [`to_json`] writes a number with an exponent, and Go's `encoding/json` without one.
fn is_long(value: f64) -> bool {
    (1e16..1e21).contains(&value.abs()) || (1e-6..1e-5).contains(&value.abs())
}

/// Whether [`to_json_of_client`] writes a document other than [`to_json`].
#[must_use]
pub fn has_long_number(value: &Doc<'_>) -> bool {
    match value {
        Doc::Float(value) => is_long(*value),
        Doc::List(items) => items.iter().any(has_long_number),
        Doc::Map(map) => map.iter().any(|(_, value)| has_long_number(value)),
        _ => false,
    }
}

/// Writes a document as compact JSON with sorted keys in a format.
pub(crate) fn write_doc(value: &Doc<'_>, format: impl JsonFormat, out: &mut Vec<u8>) {
    match value {
        Doc::Null => out.extend_from_slice(b"null"),
        Doc::Bool(true) => out.extend_from_slice(b"true"),
        Doc::Bool(false) => out.extend_from_slice(b"false"),
        Doc::String(text) => format.write_string(text, out),
        Doc::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_doc(item, format, out);
            }
            out.push(b']');
        }
        Doc::Map(map) => {
            out.push(b'{');
            for (index, (key, value)) in map.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                format.write_string(key, out);
                out.push(b':');
                write_doc(value, format, out);
            }
            out.push(b'}');
        }
        Doc::Int(_) => write_with_serde(value, out),
        Doc::Float(value) => format.write_float(*value, out),
    }
}

#[inline]
fn write_string(text: &Text<'_>, out: &mut Vec<u8>) {
    if text.is_escape_free() {
        write_escape_free_string(text.as_bytes(), out);
    } else {
        write_other_string(text, out);
    }
}

/// Writes a string that may have characters to escape.
#[inline(never)]
fn write_other_string(text: &Text<'_>, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    if escape_free_prefix_length(bytes) == bytes.len() {
        write_escape_free_string(bytes, out);
    } else {
        write_with_serde(text, out);
    }
}

/// Writes a string in quotes. A single call of `extend` checks the capacity only once.
#[inline]
fn write_escape_free_string(bytes: &[u8], out: &mut Vec<u8>) {
    let quote = || std::iter::once(b'"');
    out.extend(quote().chain(bytes.iter().copied()).chain(quote()));
}

fn write_with_serde<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    // Numbers and strings can always be serialized, and writing to a `Vec` cannot fail.
    let _ = serde_json::to_writer(out, value);
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

/// Displays the document as compact JSON, for messages.
impl fmt::Display for Doc<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&to_json(self)))
    }
}
