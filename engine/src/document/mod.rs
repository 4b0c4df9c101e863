//! JSON documents as Kubernetes sees them.
//!
//! A value of our own rather than `serde_json::Value`, for four reasons: integers and floats are told apart
//! as in Go (`1` and `1.0` differ), keys are sorted whatever features other crates turn on, duplicate keys
//! and too deep documents are refused while reading, and strings need no allocation: they stand in the text, or inline.

mod json;
mod map;
mod text;

pub use json::reader::{MAX_DEPTH, from_json, from_json_borrowed, is_too_deep};
pub use json::writer::to_json;
pub(crate) use json::writer::to_json_of;
pub use map::{Map, OwnedMap};
pub use text::{OwnedText, Text};

/// A JSON document, or a part of one, whose strings may stand in the text that it was read from.
///
/// What merges documents works on these; [`OwnedDoc`] is the one that stands alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Doc<'a> {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number written without fraction or exponent that fits 64 signed bits, as Go's `int64`.
    Int(i64),
    /// Any other number, as Go's `float64`.
    Float(f64),
    /// A string.
    String(Text<'a>),
    /// A list.
    List(Vec<Doc<'a>>),
    /// An object; its keys are sorted.
    Map(Map<'a>),
}

/// A JSON document, or a part of one, that borrows nothing.
pub type OwnedDoc = Doc<'static>;

/// What a [`OwnedDoc`] is, without its content; integers and floats are different kinds, as in Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `null`.
    Null,
    /// A boolean.
    Bool,
    /// An integer.
    Int,
    /// A float.
    Float,
    /// A string.
    String,
    /// A list.
    List,
    /// A map.
    Map,
}

impl Kind {
    /// The kind with its article, for messages: `a string`.
    #[must_use]
    pub fn described(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "a boolean",
            Kind::Int => "an integer",
            Kind::Float => "a float",
            Kind::String => "a string",
            Kind::List => "a list",
            Kind::Map => "a map",
        }
    }
}

impl<'a> Doc<'a> {
    /// The kind of this value.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Doc::Null => Kind::Null,
            Doc::Bool(_) => Kind::Bool,
            Doc::Int(_) => Kind::Int,
            Doc::Float(_) => Kind::Float,
            Doc::String(_) => Kind::String,
            Doc::List(_) => Kind::List,
            Doc::Map(_) => Kind::Map,
        }
    }

    /// The same document, which borrows nothing.
    #[must_use]
    pub fn to_static(&self) -> OwnedDoc {
        match self {
            Doc::Null => Doc::Null,
            Doc::Bool(b) => Doc::Bool(*b),
            Doc::Int(i) => Doc::Int(*i),
            Doc::Float(f) => Doc::Float(*f),
            Doc::String(s) => Doc::String(s.to_static()),
            Doc::List(items) => Doc::List(items.iter().map(Doc::to_static).collect()),
            Doc::Map(map) => Doc::Map(map.to_static()),
        }
    }

    /// Is this `null`?
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Doc::Null)
    }

    /// Is this neither a list nor a map?
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Doc::List(_) | Doc::Map(_))
    }

    /// The string, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Doc::String(s) => Some(s),
            _ => None,
        }
    }

    /// The map, if this is one.
    #[must_use]
    pub fn as_map(&self) -> Option<&Map<'a>> {
        match self {
            Doc::Map(m) => Some(m),
            _ => None,
        }
    }

    /// The map, if this is one, to change.
    pub fn as_map_mut(&mut self) -> Option<&mut Map<'a>> {
        match self {
            Doc::Map(m) => Some(m),
            _ => None,
        }
    }

    /// The items, if this is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Doc<'a>]> {
        match self {
            Doc::List(l) => Some(l),
            _ => None,
        }
    }

    /// The items, if this is a list, to change.
    pub fn as_list_mut(&mut self) -> Option<&mut Vec<Doc<'a>>> {
        match self {
            Doc::List(l) => Some(l),
            _ => None,
        }
    }
}

impl From<&str> for Doc<'_> {
    fn from(s: &str) -> Self {
        Doc::String(Text::from(s))
    }
}

impl<'a> From<Text<'a>> for Doc<'a> {
    fn from(s: Text<'a>) -> Self {
        Doc::String(s)
    }
}

impl From<String> for Doc<'_> {
    fn from(s: String) -> Self {
        Doc::String(Text::from(s))
    }
}

impl From<bool> for Doc<'_> {
    fn from(b: bool) -> Self {
        Doc::Bool(b)
    }
}

impl From<i64> for Doc<'_> {
    fn from(i: i64) -> Self {
        Doc::Int(i)
    }
}

impl<'a> From<Map<'a>> for Doc<'a> {
    fn from(m: Map<'a>) -> Self {
        Doc::Map(m)
    }
}

impl<'a> From<Vec<Doc<'a>>> for Doc<'a> {
    fn from(l: Vec<Doc<'a>>) -> Self {
        Doc::List(l)
    }
}

#[cfg(test)]
mod tests;
