use serde::de::{Deserializer, Visitor};

use super::access::{Entries, Items, SpannedParts};
use super::failure::Failure;
use super::variant::VariantReader;
use super::{State, Trail};
use crate::yaml::span::SPANNED;
use crate::yaml::suggest::{listed, nearest, shortened};
use crate::yaml::{Data, Entry, Node, Span};

/// A deserializer over one node.
#[derive(Clone, Copy)]
pub(super) struct NodeReader<'de, 't> {
    pub(super) node: &'de Node,
    pub(super) trail: &'t Trail<'t>,
    pub(super) state: &'t State<'t>,
}

impl<'de, 't> NodeReader<'de, 't> {
    /// The same for a node below; `trail` is the way to it.
    pub(super) fn below<'u>(self, node: &'de Node, trail: &'u Trail<'u>) -> NodeReader<'de, 'u>
    where
        't: 'u,
    {
        NodeReader { node, trail, state: self.state }
    }

    pub(super) fn report(&self, span: Span, message: String, help: Option<String>) -> Failure {
        let pending = self.state.diagnostics.error(span, message).path(self.trail.path());
        if let Some(help) = help {
            pending.help(help);
        }
        Failure::Reported
    }

    /// Gives an error without a place that of this node.
    pub(super) fn located<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        result.map_err(|failure| match failure {
            Failure::Reported | Failure::Again => failure,
            Failure::Message(_) | Failure::Missing(_) => {
                self.report(self.node.span, failure.to_string(), None)
            }
        })
    }

    /// Like `located`, for a node that its holder can do without: the next pass leaves it out.
    pub(super) fn skippable<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        self.located(result).map_err(|failure| {
            if matches!(failure, Failure::Reported) {
                self.state.skip(self.node);
            }
            Failure::Again
        })
    }

    fn expected<T>(&self, what: &str) -> Result<T, Failure> {
        let help = match (what, &self.node.data) {
            ("a string", Data::Bool(_) | Data::Int(_) | Data::UInt(_) | Data::Float(_)) => {
                Some("quote it to make a string of it".to_owned())
            }
            ("a list", Data::String(_) | Data::Map(_)) => {
                Some("a list of one is written `[…]`, or behind `- `".to_owned())
            }
            _ => None,
        };
        let message = format!("expected {what}, found {}", self.node.described());
        Err(self.report(self.node.span, message, help))
    }

    fn integer(&self) -> Option<i128> {
        match self.node.data {
            Data::Int(value) => Some(value.into()),
            Data::UInt(value) => Some(value.into()),
            _ => None,
        }
    }

    fn items<V: Visitor<'de>>(self, items: &'de [Node], all: bool, visitor: V) -> Result<V::Value, Failure> {
        self.located(visitor.visit_seq(Items::new(self, items, all)))
    }

    /// A struct: keys that it doesn't know are reported here, and serde never sees them.
    pub(super) fn fields<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        let Data::Map(entries) = &self.node.data else { return self.expected("a map") };
        let is_known = |entry: &&Entry| fields.contains(&entry.name());
        for entry in entries.iter().filter(|entry| !is_known(entry)) {
            self.unknown_key(entry, entries, fields);
        }
        let blanks = self.state.blanks(self.node);
        let whole = blanks.is_empty();
        let known = entries.iter().filter(is_known).collect();
        match visitor.visit_map(Entries::new(self, known, blanks)) {
            Ok(value) if whole => Ok(value),
            Ok(_) => Err(Failure::Reported),
            Err(Failure::Missing(field)) => Err(self.missing(field, entries, fields)),
            Err(failure) => self.located(Err(failure)),
        }
    }

    fn unknown_key(&self, entry: &Entry, entries: &[Entry], fields: &'static [&'static str]) {
        let name = shortened(entry.name());
        let (message, help) = match suggestion(entry, entries, fields) {
            Some(near) => (format!("unknown key `{name}`: did you mean `{near}`?"), None),
            None if fields.is_empty() => {
                (format!("unknown key `{name}`"), Some("no key is known here".to_owned()))
            }
            None => {
                let known = listed(fields.iter().copied());
                (format!("unknown key `{name}`"), Some(format!("known here: {known}")))
            }
        };
        self.report(entry.key.span, message, help);
    }

    /// A required field is missing: reported unless the reason was, and filled in the next pass.
    fn missing(&self, field: &'static str, entries: &[Entry], fields: &'static [&'static str]) -> Failure {
        let failed = entries.iter().any(|entry| entry.name() == field);
        let misspelt = |entry: &Entry| {
            !fields.contains(&entry.name()) && suggestion(entry, entries, fields) == Some(field)
        };
        if !failed && !entries.iter().any(misspelt) {
            self.report(self.node.span, format!("missing field `{field}`"), None);
        }
        self.state.add_blank(self.node, field);
        Failure::Again
    }
}

/// The field that an unknown key was probably meant to be, one that isn't there if possible.
fn suggestion(entry: &Entry, entries: &[Entry], fields: &'static [&'static str]) -> Option<&'static str> {
    let is_absent = |field: &&str| !entries.iter().any(|entry| entry.name() == *field);
    nearest(entry.name(), fields.iter().copied().filter(is_absent))
        .or_else(|| nearest(entry.name(), fields.iter().copied()))
}

/// Integers: of another kind and out of range are told apart.
macro_rules! integers {
    ($($method:ident $type:ty => $visit:ident,)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
            let Some(value) = self.integer() else { return self.expected("an integer") };
            match <$type>::try_from(value) {
                Ok(value) => self.located(visitor.$visit(value)),
                Err(_) => self.expected(&format!("an integer from {} to {}", <$type>::MIN, <$type>::MAX)),
            }
        }
    )+};
}

impl<'de> Deserializer<'de> for NodeReader<'de, '_> {
    type Error = Failure;

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

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        let result = match &self.node.data {
            Data::Null => visitor.visit_unit(),
            Data::Bool(value) => visitor.visit_bool(*value),
            Data::Int(value) => visitor.visit_i64(*value),
            Data::UInt(value) => visitor.visit_u64(*value),
            Data::Float(value) => visitor.visit_f64(*value),
            Data::String(value) => visitor.visit_borrowed_str(value),
            Data::List(items) => return self.items(items, false, visitor),
            Data::Map(_) => return self.deserialize_map(visitor),
        };
        self.located(result)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.node.data {
            Data::Bool(value) => self.located(visitor.visit_bool(value)),
            _ => self.expected("a boolean"),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_f64(visitor)
    }

    // An integer is a number too; beyond 53 bits it is rounded, as in JSON.
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.node.data {
            Data::Float(value) => self.located(visitor.visit_f64(value)),
            Data::Int(value) => self.located(visitor.visit_i64(value)),
            Data::UInt(value) => self.located(visitor.visit_u64(value)),
            _ => self.expected("a number"),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_str(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match &self.node.data {
            Data::String(value) => self.located(visitor.visit_borrowed_str(value)),
            _ => self.expected("a string"),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_str(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        let result = match self.node.data {
            Data::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        };
        self.located(result)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.node.data {
            Data::Null => self.located(visitor.visit_unit()),
            _ => self.expected("null"),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        let result = if name == SPANNED {
            visitor.visit_seq(SpannedParts::new(self.node.span, self))
        } else {
            visitor.visit_newtype_struct(self)
        };
        self.located(result)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match &self.node.data {
            Data::List(items) => self.items(items, false, visitor),
            _ => self.expected("a list"),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Failure> {
        match &self.node.data {
            Data::List(items) if items.len() == len => self.items(items, true, visitor),
            Data::List(items) => {
                let message = format!("expected a list of {len}, found one of {}", items.len());
                Err(self.report(self.node.span, message, None))
            }
            _ => self.expected("a list"),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        let Data::Map(entries) = &self.node.data else { return self.expected("a map") };
        self.located(visitor.visit_map(Entries::new(self, entries.iter().collect(), Vec::new())))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.fields(fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        let one_of = || format!("one of {}", listed(variants.iter().copied()));
        let (key, content) = match &self.node.data {
            Data::String(_) => (self.node, None),
            Data::Map(entries) => {
                let [entry] = entries.as_slice() else {
                    let message = format!("expected a map with one key, found one with {}", entries.len());
                    return Err(self.report(self.node.span, message, Some(one_of())));
                };
                (&entry.key, Some(&entry.value))
            }
            _ => return self.expected(&one_of()),
        };
        let name = key.as_str().unwrap_or_default();
        if !variants.contains(&name) {
            let what = if content.is_some() { "unknown key" } else { "unknown value" };
            let shown = shortened(name);
            let (message, help) = match nearest(name, variants.iter().copied()) {
                Some(near) => (format!("{what} `{shown}`: did you mean `{near}`?"), None),
                None => (format!("{what} `{shown}`"), Some(one_of())),
            };
            return Err(self.report(key.span, message, help));
        }
        self.located(visitor.visit_enum(VariantReader { reader: self, name, content }))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }
}
