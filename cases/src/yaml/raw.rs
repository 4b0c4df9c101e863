//! The values of a text, as `serde_yaml` reads them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::lines::LineIndex;
use super::{Diagnostic, Position, Span};

/// A value without a place. Maps keep their order, their doubles and keys of any kind: what is wrong with them
/// is said later, with a place.
#[derive(Debug)]
pub(super) enum Raw {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    String(String),
    List(Vec<Raw>),
    Map(Vec<(Raw, Raw)>),
}

impl Raw {
    /// Reads the one document of a text.
    pub(super) fn read(lines: &LineIndex) -> Result<Raw, Diagnostic> {
        serde_yaml::from_str(lines.text()).map_err(|error| {
            let text = error.to_string();
            // The place goes to the span; the text repeats it in words, in one of two ways.
            let (problem, offset) = match (text.split_once(" at line "), text.split_once(" at position ")) {
                (Some((problem, _)), _) => (problem, None),
                (None, Some((problem, offset))) => (problem, offset.parse().ok()),
                (None, None) => (text.as_str(), None),
            };
            let offset = offset.or_else(|| {
                let location = error.location()?;
                Some(lines.offset(Position { line: location.line(), column: location.column() }))
            });
            Diagnostic::new(Span::new(offset.unwrap_or(0), 0), format!("not valid YAML: {problem}"))
        })
    }

    /// What it is, with its article.
    pub(super) fn described(&self) -> &'static str {
        match self {
            Raw::Null => "null",
            Raw::Bool(_) => "a boolean",
            Raw::Int(_) | Raw::UInt(_) => "an integer",
            Raw::Float(_) => "a float",
            Raw::String(_) => "a string",
            Raw::List(_) => "a list",
            Raw::Map(_) => "a map",
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(i64::try_from(value).map_or(Raw::UInt(value), Raw::Int))
    }

    // Beyond 64 bits Go reads a float, and so does the engine from JSON.
    #[allow(clippy::cast_precision_loss)]
    fn visit_i128<E>(self, value: i128) -> Result<Raw, E> {
        Ok(Raw::Float(value as f64))
    }

    #[allow(clippy::cast_precision_loss)]
    fn visit_u128<E>(self, value: u128) -> Result<Raw, E> {
        Ok(Raw::Float(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }

    /// A value with a tag, which was refused with its place: the value behind it keeps the shape.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Raw, A::Error> {
        let (_, content) = tagged.variant::<String>()?;
        content.newtype_variant()
    }
}
