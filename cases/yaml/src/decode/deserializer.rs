//! Decoding of a node: the implementation of `serde::Deserializer`, and the passes.

use serde::de::{DeserializeOwned, Deserializer, Visitor};

use super::access::{Entries, Items};
use super::error::DecodeError;
use super::node_reader::{DecodeState, NodePath, NodeReader};
use super::variant::VariantReader;
use crate::span::{SPANNED_NEWTYPE_NAME, SpannedParts};
use crate::suggest::{nearest, quote_names, shorten};
use crate::{Diagnostics, MapEntry, Node, NodeData};

/// Decodes a node into a value of type `T`. Errors are added to `diagnostics`. If no value is returned, there is at
/// least one error.
pub(crate) fn decode<T: DeserializeOwned>(root: &Node, diagnostics: &Diagnostics) -> Option<T> {
    let state = DecodeState::new(diagnostics);
    let reader = NodeReader { node: root, path: &NodePath::Root, state: &state };
    loop {
        match reader.report_here(T::deserialize(reader)) {
            Ok(value) => return Some(value),
            // Decoding ends after finitely many passes, because every repeated pass found a new error.
            Err(DecodeError::Retry) if !diagnostics.is_full() => {}
            Err(_) => return None,
        }
    }
}

impl<'de> NodeReader<'de, '_> {
    fn integer(&self) -> Option<i128> {
        match self.node.data {
            NodeData::Int(value) => Some(value.into()),
            NodeData::UInt(value) => Some(value.into()),
            _ => None,
        }
    }

    fn items<V: Visitor<'de>>(
        self,
        items: &'de [Node],
        all_required: bool,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.report_here(visitor.visit_seq(Items::new(self, items, all_required)))
    }

    /// Reads a struct. Unknown keys are reported here and not passed to serde. An item of a list, or a whole document,
    /// with an unknown key is not returned: the key can be a misspelling of one that other parts depend on.
    pub(super) fn fields<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let NodeData::Map(entries) = &self.node.data else { return self.report_type_mismatch("a map") };
        let is_known = |entry: &&MapEntry| fields.contains(&entry.name());
        if self.state.is_first_check(self.node) {
            for entry in entries.iter().filter(|entry| !is_known(entry)) {
                self.report_unknown_key(entry, entries, fields);
            }
        }
        let placeholders = self.state.placeholders(self.node);
        let known: Vec<&MapEntry> = entries.iter().filter(is_known).collect();
        let is_part = matches!(self.path, NodePath::Root | NodePath::Index(..));
        let is_complete = placeholders.is_empty() && (known.len() == entries.len() || !is_part);
        match visitor.visit_map(Entries::new(self, known, placeholders)) {
            Ok(value) if is_complete => Ok(value),
            Ok(_) => Err(DecodeError::Reported),
            Err(DecodeError::MissingField(field)) => Err(self.report_missing_field(field, entries, fields)),
            Err(failure) => self.report_here(Err(failure)),
        }
    }
}

/// Deserializes integers. The message for a value of another type differs from that for an integer out of range.
macro_rules! integers {
    ($($method:ident $type:ty => $visit:ident,)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            let Some(value) = self.integer() else { return self.report_type_mismatch("an integer") };
            match <$type>::try_from(value) {
                Ok(value) => self.report_here(visitor.$visit(value)),
                Err(_) => self.report_type_mismatch(&format!("an integer from {} to {}", <$type>::MIN, <$type>::MAX)),
            }
        }
    )+};
}

impl<'de> Deserializer<'de> for NodeReader<'de, '_> {
    type Error = DecodeError;

    integers! {
        deserialize_i8 i8 => visit_i8,
        deserialize_i16 i16 => visit_i16,
        deserialize_i32 i32 => visit_i32,
        deserialize_i64 i64 => visit_i64,
        deserialize_u8 u8 => visit_u8,
        deserialize_u16 u16 => visit_u16,
        deserialize_u32 u32 => visit_u32,
        deserialize_u64 u64 => visit_u64,
        deserialize_i128 i128 => visit_i128,
        deserialize_u128 u128 => visit_u128,
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let result = match &self.node.data {
            NodeData::Null => visitor.visit_unit(),
            NodeData::Bool(value) => visitor.visit_bool(*value),
            NodeData::Int(value) => visitor.visit_i64(*value),
            NodeData::UInt(value) => visitor.visit_u64(*value),
            NodeData::Float(value) => visitor.visit_f64(*value),
            NodeData::String(value) => visitor.visit_borrowed_str(value),
            NodeData::List(items) => return self.items(items, false, visitor),
            NodeData::Map(_) => return self.deserialize_map(visitor),
        };
        self.report_here(result)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.node.data {
            NodeData::Bool(value) => self.report_here(visitor.visit_bool(value)),
            _ => self.report_type_mismatch("a boolean"),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_f64(visitor)
    }

    // An integer is also a number. Beyond 53 bits it is rounded, as in JSON.
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.node.data {
            NodeData::Float(value) => self.report_here(visitor.visit_f64(value)),
            NodeData::Int(value) => self.report_here(visitor.visit_i64(value)),
            NodeData::UInt(value) => self.report_here(visitor.visit_u64(value)),
            _ => self.report_type_mismatch("a number"),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.data {
            NodeData::String(value) => self.report_here(visitor.visit_borrowed_str(value)),
            _ => self.report_type_mismatch("a string"),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let result = match self.node.data {
            NodeData::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        };
        self.report_here(result)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.node.data {
            NodeData::Null => self.report_here(visitor.visit_unit()),
            _ => self.report_type_mismatch("null"),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let result = if name == SPANNED_NEWTYPE_NAME {
            visitor.visit_seq(SpannedParts::new(self.node.span, self))
        } else {
            visitor.visit_newtype_struct(self)
        };
        self.report_here(result)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.data {
            NodeData::List(items) => self.items(items, false, visitor),
            _ => self.report_type_mismatch("a list"),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.data {
            NodeData::List(items) if items.len() == len => self.items(items, true, visitor),
            NodeData::List(items) => {
                let message = format!("expected a list with {len} items, found a list with {}", items.len());
                Err(self.report(self.node.span, message, None))
            }
            _ => self.report_type_mismatch("a list"),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let NodeData::Map(entries) = &self.node.data else { return self.report_type_mismatch("a map") };
        self.report_here(visitor.visit_map(Entries::new(self, entries.iter().collect(), Vec::new())))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.fields(fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let one_of = || format!("one of {}", quote_names(variants.iter().copied()));
        let (key, content) = match &self.node.data {
            NodeData::String(_) => (self.node, None),
            NodeData::Map(entries) => {
                let [entry] = &**entries else {
                    let message = format!("expected a map with one key, found a map with {}", entries.len());
                    return Err(self.report(self.node.span, message, Some(one_of())));
                };
                (&entry.key, Some(&entry.value))
            }
            _ => return self.report_type_mismatch(&one_of()),
        };
        let name = key.as_str().unwrap_or_default();
        if !variants.contains(&name) {
            let what = if content.is_some() { "unknown key" } else { "unknown value" };
            let shown = shorten(name);
            let (message, help) = match nearest(name, variants.iter().copied()) {
                Some(near) => (format!("{what} `{shown}`: did you mean `{near}`?"), None),
                None => (format!("{what} `{shown}`"), Some(one_of())),
            };
            return Err(self.report(key.span, message, help));
        }
        self.report_here(visitor.visit_enum(VariantReader { reader: self, name, content }))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }
}
