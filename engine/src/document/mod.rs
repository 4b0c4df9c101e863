//! JSON documents in the data model of Kubernetes.
//!
//! [`Doc`] differs from `serde_json::Value` in four ways:
//!
//! - It distinguishes integers from floats, as Go does: `1` and `1.0` are different values.
//! - The keys of a map are always sorted. In `serde_json` this depends on the features that other crates enable.
//! - The reader refuses duplicate keys and documents that nest too deeply.
//! - Most strings need no allocation: they borrow from the text, or are stored inline.

mod arena;
mod json;
mod map;

pub use crate::text::{OwnedText, Text};
pub use arena::Arena;
pub use json::{
    JsonError, JsonProblem, MAX_DEPTH, MAX_NODES, from_json, from_json_borrowed, from_json_in,
    from_json_with_duplicate_keys, has_long_number, max_nodes, parse_json, to_json, to_json_of_client,
};
pub(crate) use json::{
    JsonFormat, escape_free_prefix_length, in_document, split_escape_free_string, to_json_with_capacity,
    write_doc,
};
pub use map::{Map, OwnedMap};

/// A JSON document or a part of one. Its strings can borrow from the text that the document was read from.
///
/// Patches are applied to values of this type. [`OwnedDoc`] is the form that borrows nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Doc<'a> {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number that is written without a fraction or an exponent and fits into Go's `int64`.
    Int(i64),
    /// Any other number. Go reads it as a `float64`.
    Float(f64),
    /// A string.
    String(Text<'a>),
    /// A list.
    List(Vec<Doc<'a>>),
    /// An object with sorted keys.
    Map(Map<'a>),
}

/// A JSON document or a part of one that borrows nothing.
pub type OwnedDoc = Doc<'static>;

/// The kind of a [`Doc`]. Integers and floats are different kinds, as in Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DocKind {
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

impl DocKind {
    /// Returns the name of the kind with its article, for messages: `a string`.
    #[must_use]
    pub fn with_article(self) -> &'static str {
        match self {
            DocKind::Null => "null",
            DocKind::Bool => "a boolean",
            DocKind::Int => "an integer",
            DocKind::Float => "a float",
            DocKind::String => "a string",
            DocKind::List => "a list",
            DocKind::Map => "a map",
        }
    }
}

impl<'a> Doc<'a> {
    /// Returns the document that results when Go writes a `float64` as JSON and the text is read again.
    ///
    /// Go writes whole numbers below 1e21 without a fraction. Those that fit into an `int64` are then read as integers.
    ///
    /// ```
    /// use skewer_engine::Doc;
    ///
    /// assert_eq!(Doc::from_go_float(1.0), Doc::Int(1));
    /// assert_eq!(Doc::from_go_float(0.5), Doc::Float(0.5));
    /// // Go writes 1234567890123456800, the shortest digits that read back as the same float.
    /// assert_eq!(Doc::from_go_float(1_234_567_890_123_456_768.0), Doc::Int(1_234_567_890_123_456_800));
    /// ```
    #[must_use]
    pub fn from_go_float(float: f64) -> Self {
        let is_written_without_fraction = float.fract() == 0.0 && float.abs() < 1e21;
        let integer = if is_written_without_fraction { float.to_string().parse().ok() } else { None };
        integer.map_or(Doc::Float(float), Doc::Int)
    }

    /// Returns the kind of this document.
    #[must_use]
    pub fn kind(&self) -> DocKind {
        match self {
            Doc::Null => DocKind::Null,
            Doc::Bool(_) => DocKind::Bool,
            Doc::Int(_) => DocKind::Int,
            Doc::Float(_) => DocKind::Float,
            Doc::String(_) => DocKind::String,
            Doc::List(_) => DocKind::List,
            Doc::Map(_) => DocKind::Map,
        }
    }

    /// Copies the document into one that borrows nothing.
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

    /// Returns a copy that borrows its strings, and the maps that are in an arena.
    #[must_use]
    pub(crate) fn borrowed<'b>(&'b self) -> Doc<'b>
    where
        'a: 'b,
    {
        match self {
            Doc::Null => Doc::Null,
            Doc::Bool(value) => Doc::Bool(*value),
            Doc::Int(value) => Doc::Int(*value),
            Doc::Float(value) => Doc::Float(*value),
            Doc::String(text) => Doc::String(text.as_borrowed()),
            Doc::List(items) => Doc::List(items.iter().map(Doc::borrowed).collect()),
            Doc::Map(map) => Doc::Map(map.borrowed()),
        }
    }

    /// Returns true if the document is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Doc::Null)
    }

    /// Returns true if the document is neither a list nor a map.
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Doc::List(_) | Doc::Map(_))
    }

    /// Returns the string if the document is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Doc::String(s) => Some(s),
            _ => None,
        }
    }

    /// Returns the map if the document is a map.
    #[must_use]
    pub fn as_map(&self) -> Option<&Map<'a>> {
        match self {
            Doc::Map(m) => Some(m),
            _ => None,
        }
    }

    /// Returns a mutable reference to the map if the document is a map.
    pub fn as_map_mut(&mut self) -> Option<&mut Map<'a>> {
        match self {
            Doc::Map(m) => Some(m),
            _ => None,
        }
    }

    /// Converts the document into its items if it is a list.
    #[must_use]
    pub fn into_list(self) -> Option<Vec<Doc<'a>>> {
        match self {
            Doc::List(items) => Some(items),
            _ => None,
        }
    }

    /// Removes the null entries of all maps at any depth, including maps in lists. Null items of lists are kept.
    pub(crate) fn remove_null_entries(&mut self) {
        match self {
            Doc::Map(map) => map.retain(|_, value| {
                value.remove_null_entries();
                !value.is_null()
            }),
            Doc::List(items) => items.iter_mut().for_each(Doc::remove_null_entries),
            _ => {}
        }
    }

    /// Returns the items if the document is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Doc<'a>]> {
        match self {
            Doc::List(l) => Some(l),
            _ => None,
        }
    }

    /// Returns a mutable reference to the items if the document is a list.
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
