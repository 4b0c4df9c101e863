//! Reading documents from JSON text, and their implementations of `Deserialize`.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::depth_limit::{MAX_DEPTH, TOO_DEEP, is_too_deep};
use super::fast_reader;
use crate::document::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};

/// Reads a JSON document from bytes. Integers of 64 bits stay exact.
///
/// # Errors
///
/// [`ErrorKind::InvalidDocument`] for anything but one JSON value, for invalid UTF-8, for a key that an object has
/// twice, and for numbers beyond the range of a float. [`ErrorKind::TooDeep`] for nesting beyond [`MAX_DEPTH`].
///
/// ```
/// # use skewer_engine::document::from_json;
/// use skewer_engine::Doc;
///
/// let value = from_json(br#"{"replicas":3,"weight":0.5}"#)?;
/// let replicas = value.as_map().and_then(|map| map.get("replicas"));
/// assert_eq!(replicas, Some(&Doc::from(3)));
/// assert!(from_json(b"{").is_err());
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn from_json(bytes: &[u8]) -> Result<OwnedDoc> {
    fast_reader::read(bytes, Text::from).map_or_else(|| from_json_with_serde(bytes), Ok)
}

/// Reads a JSON document as [`from_json`] does. Strings without escapes borrow from the bytes.
///
/// ```
/// use skewer_engine::document::from_json_borrowed;
///
/// let text = br#"{"name":"web"}"#.to_vec();
/// let document = from_json_borrowed(&text)?;
/// assert_eq!(document.to_string(), r#"{"name":"web"}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn from_json_borrowed(bytes: &[u8]) -> Result<Doc<'_>> {
    fast_reader::read(bytes, Text::escape_free).map_or_else(|| from_json_with_serde(bytes), Ok)
}

/// Reads a JSON document with `serde_json`. It is the reference for the fast reader, and words the errors.
pub(in crate::document) fn from_json_with_serde(bytes: &[u8]) -> Result<OwnedDoc> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    // The visitor below counts depth itself; serde_json's own limit is lower and has no kind of its own.
    reader.disable_recursion_limit();
    let read = Doc::deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    read.map_err(|error| {
        let message = error.to_string();
        let kind = if is_too_deep(&message) { ErrorKind::TooDeep } else { ErrorKind::InvalidDocument };
        Error::new(kind, message)
    })
}

impl<'de> Deserialize<'de> for OwnedDoc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        DocSeed { depth: 0 }.deserialize(deserializer)
    }
}

impl<'de> Deserialize<'de> for OwnedMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match Doc::deserialize(deserializer)? {
            Doc::Map(map) => Ok(map),
            other => {
                Err(D::Error::custom(format_args!("expected a map, found {}", other.kind().with_article())))
            }
        }
    }
}

/// Deserializes a document at this nesting depth.
#[derive(Clone, Copy)]
struct DocSeed {
    depth: usize,
}

impl DocSeed {
    fn descend<E: serde::de::Error>(self) -> std::result::Result<Self, E> {
        let depth = self.depth + 1;
        if depth > MAX_DEPTH {
            return Err(E::custom(format_args!("{TOO_DEEP}: at most {MAX_DEPTH} levels are read")));
        }
        Ok(DocSeed { depth })
    }
}

impl<'de> DeserializeSeed<'de> for DocSeed {
    type Value = OwnedDoc;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<OwnedDoc, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DocSeed {
    type Value = OwnedDoc;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> std::result::Result<OwnedDoc, E> {
        Ok(Doc::Null)
    }

    fn visit_none<E>(self) -> std::result::Result<OwnedDoc, E> {
        Ok(Doc::Null)
    }

    fn visit_bool<E>(self, b: bool) -> std::result::Result<OwnedDoc, E> {
        Ok(Doc::Bool(b))
    }

    fn visit_i64<E>(self, i: i64) -> std::result::Result<OwnedDoc, E> {
        Ok(Doc::Int(i))
    }

    // Go's reader tries int64 first and falls back to float64.
    #[allow(clippy::cast_precision_loss)]
    fn visit_u64<E>(self, u: u64) -> std::result::Result<OwnedDoc, E> {
        Ok(i64::try_from(u).map_or(Doc::Float(u as f64), Doc::Int))
    }

    fn visit_f64<E: serde::de::Error>(self, f: f64) -> std::result::Result<OwnedDoc, E> {
        if f.is_finite() {
            Ok(Doc::Float(f))
        } else {
            Err(E::custom("a number that is not finite cannot be written as JSON"))
        }
    }

    fn visit_str<E>(self, s: &str) -> std::result::Result<OwnedDoc, E> {
        Ok(Doc::String(Text::from(s)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<OwnedDoc, A::Error> {
        let inner = self.descend()?;
        let mut items = Vec::with_capacity(seq.size_hint().unwrap_or(0).min(1024));
        while let Some(item) = seq.next_element_seed(inner)? {
            items.push(item);
        }
        Ok(Doc::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> std::result::Result<OwnedDoc, A::Error> {
        let inner = self.descend()?;
        let mut entries = Vec::with_capacity(access.size_hint().unwrap_or(0).min(1024));
        while let Some(key) = access.next_key::<OwnedText>()? {
            entries.push((key, access.next_value_seed(inner)?));
        }
        Map::from_entries(entries)
            .map(Doc::Map)
            .map_err(|key| A::Error::custom(format_args!("the key {key:?} stands twice in one object")))
    }
}
