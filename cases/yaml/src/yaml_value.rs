//! YAML values without spans, as `serde_yaml` reads them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use crate::lines::LineIndex;
use crate::{Diagnostic, Position, Span};

/// A value without a span. Maps keep their order, duplicate keys, and keys that are not strings: these are reported later,
/// with their spans.
#[derive(Debug)]
pub(super) enum YamlValue {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    String(String),
    List(Vec<YamlValue>),
    Map(Vec<(YamlValue, YamlValue)>),
}

impl YamlValue {
    /// Parses the one document of a text.
    pub(super) fn read(lines: &LineIndex) -> Result<YamlValue, Diagnostic> {
        serde_yaml::from_str(lines.text()).map_err(|error| {
            let text = error.to_string();
            // The position becomes the span; the message repeats it in words, in one of two ways.
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

    /// Describes the type of the value for messages, with its article.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            YamlValue::Null => "null",
            YamlValue::Bool(_) => "a boolean",
            YamlValue::Int(_) | YamlValue::UInt(_) => "an integer",
            YamlValue::Float(_) => "a float",
            YamlValue::String(_) => "a string",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a map",
        }
    }
}

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlValueVisitor)
    }
}

struct YamlValueVisitor;

impl<'de> Visitor<'de> for YamlValueVisitor {
    type Value = YamlValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlValue, E> {
        Ok(YamlValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<YamlValue, E> {
        Ok(YamlValue::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<YamlValue, E> {
        Ok(i64::try_from(value).map_or(YamlValue::UInt(value), YamlValue::Int))
    }

    // Beyond 64 bits Go reads a float, and so does the engine from JSON.
    #[allow(clippy::cast_precision_loss)]
    fn visit_i128<E>(self, value: i128) -> Result<YamlValue, E> {
        Ok(YamlValue::Float(value as f64))
    }

    #[allow(clippy::cast_precision_loss)]
    fn visit_u128<E>(self, value: u128) -> Result<YamlValue, E> {
        Ok(YamlValue::Float(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<YamlValue, E> {
        Ok(YamlValue::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<YamlValue, E> {
        Ok(YamlValue::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<YamlValue, E> {
        Ok(YamlValue::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<YamlValue, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(YamlValue::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<YamlValue, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(YamlValue::Map(entries))
    }

    /// Reads the value behind a tag. The tag was reported with its span already; the value keeps the shape.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<YamlValue, A::Error> {
        let (_, content) = tagged.variant::<String>()?;
        content.newtype_variant()
    }
}
