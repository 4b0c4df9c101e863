//! Implementations of `Deserialize`, for documents that are part of other types or formats.
//!
//! To read JSON text, use [`super::from_json`]. `serde_json` reads `-0` as the float `-0.0` and refuses lone
//! surrogates; Go reads `-0` as an integer and replaces lone surrogates.

use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::error::JsonProblem;
use super::error::{MAX_DEPTH, MAX_NODES};
use crate::document::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};

impl<'de> Deserialize<'de> for OwnedDoc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DocSeed { depth: 0, nodes_left: &Cell::new(MAX_NODES) }.deserialize(deserializer)
    }
}

impl<'de> Deserialize<'de> for OwnedMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Doc::deserialize(deserializer)? {
            Doc::Map(map) => Ok(map),
            other => {
                Err(D::Error::custom(format_args!("expected a map, found {}", other.kind().with_article())))
            }
        }
    }
}

/// The deserializer of a document, with the state of the limits on depth and size.
#[derive(Clone, Copy)]
struct DocSeed<'c> {
    /// Number of lists and maps around the document.
    depth: usize,
    /// Number of values that may still be read. All levels of the document share it.
    nodes_left: &'c Cell<usize>,
}

impl DocSeed<'_> {
    fn descend<E: serde::de::Error>(self) -> Result<Self, E> {
        let depth = self.depth + 1;
        if depth > MAX_DEPTH {
            return Err(E::custom(JsonProblem::TooDeep));
        }
        Ok(DocSeed { depth, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for DocSeed<'_> {
    type Value = OwnedDoc;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<OwnedDoc, D::Error> {
        let nodes_left = self.nodes_left.get();
        if nodes_left == 0 {
            return Err(D::Error::custom(JsonProblem::TooManyNodes(MAX_NODES)));
        }
        self.nodes_left.set(nodes_left - 1);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DocSeed<'_> {
    type Value = OwnedDoc;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<OwnedDoc, E> {
        Ok(Doc::Null)
    }

    fn visit_none<E>(self) -> Result<OwnedDoc, E> {
        Ok(Doc::Null)
    }

    fn visit_bool<E>(self, b: bool) -> Result<OwnedDoc, E> {
        Ok(Doc::Bool(b))
    }

    fn visit_i64<E>(self, i: i64) -> Result<OwnedDoc, E> {
        Ok(Doc::Int(i))
    }

    // Go's reader tries int64 first and falls back to float64.
    #[allow(clippy::cast_precision_loss)]
    fn visit_u64<E>(self, u: u64) -> Result<OwnedDoc, E> {
        Ok(i64::try_from(u).map_or(Doc::Float(u as f64), Doc::Int))
    }

    fn visit_f64<E: serde::de::Error>(self, f: f64) -> Result<OwnedDoc, E> {
        if f.is_finite() {
            Ok(Doc::Float(f))
        } else {
            Err(E::custom("a number that is not finite cannot be written as JSON"))
        }
    }

    fn visit_str<E>(self, s: &str) -> Result<OwnedDoc, E> {
        Ok(Doc::String(Text::from(s)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OwnedDoc, A::Error> {
        let inner = self.descend()?;
        let mut items = Vec::with_capacity(seq.size_hint().unwrap_or(0).min(1024));
        while let Some(item) = seq.next_element_seed(inner)? {
            items.push(item);
        }
        Ok(Doc::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<OwnedDoc, A::Error> {
        let inner = self.descend()?;
        let mut entries = Vec::with_capacity(access.size_hint().unwrap_or(0).min(1024));
        while let Some(key) = access.next_key::<OwnedText>()? {
            entries.push((key, access.next_value_seed(inner)?));
        }
        Map::from_entries(entries)
            .map(Doc::Map)
            .map_err(|key| A::Error::custom(JsonProblem::DuplicateKey { key, first: 0 }))
    }
}
