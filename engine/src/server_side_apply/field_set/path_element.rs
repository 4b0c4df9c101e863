//! The elements of a path in a field set.

use std::cmp::Ordering;
use std::fmt::{self, Write};
use std::ops::Deref;
use std::{ptr, slice};

use super::value_order;
use crate::document::{Doc, Text};
use crate::patch::format_go_float;
use crate::text::write_quoted;

/// One step of a path in a field set. Upstream: `fieldpath.PathElement`.
///
/// An integer and a float with the same value are equal.
#[derive(Clone, Debug)]
pub enum PathElement<'a> {
    /// A field of a struct or a key of a map.
    Field(Text<'a>),
    /// An item of a list whose items are identified by keys.
    Key(ItemKeys<'a>),
    /// An item of a set, which is its value.
    Value(Doc<'a>),
    /// The index of an item. It can be read and is never created.
    Index(i64),
    /// An item without an identity. It occurs only while fields are removed from an object, when an item has become
    /// null, and is never written.
    Unidentified,
}

/// The keys of a list item with their values, sorted by key.
#[derive(Clone, Debug)]
pub struct ItemKeys<'a>(Keys<'a>);

/// Nearly all lists have one key, which needs no allocation.
#[derive(Clone, Debug)]
enum Keys<'a> {
    One((Text<'a>, Doc<'a>)),
    Any(Vec<(Text<'a>, Doc<'a>)>),
}

impl<'a> ItemKeys<'a> {
    /// Creates the keys of an item with one key.
    pub(in crate::server_side_apply) fn one(name: Text<'a>, value: Doc<'a>) -> Self {
        ItemKeys(Keys::One((name, value)))
    }
}

impl<'a> FromIterator<(Text<'a>, Doc<'a>)> for ItemKeys<'a> {
    fn from_iter<I: IntoIterator<Item = (Text<'a>, Doc<'a>)>>(keys: I) -> Self {
        let mut keys = keys.into_iter();
        ItemKeys(match (keys.next(), keys.next()) {
            (Some(only), None) => Keys::One(only),
            (first, second) => {
                let mut keys: Vec<_> = first.into_iter().chain(second).chain(keys).collect();
                keys.sort_by(|a, b| a.0.cmp(&b.0));
                Keys::Any(keys)
            }
        })
    }
}

impl<'a> Deref for ItemKeys<'a> {
    type Target = [(Text<'a>, Doc<'a>)];

    fn deref(&self) -> &Self::Target {
        match &self.0 {
            Keys::One(key) => slice::from_ref(key),
            Keys::Any(keys) => keys,
        }
    }
}

impl PathElement<'_> {
    /// Returns the name if the element is a field.
    #[must_use]
    pub fn as_field(&self) -> Option<&str> {
        match self {
            PathElement::Field(name) => Some(name),
            _ => None,
        }
    }

    /// Copies the element into one that borrows nothing.
    #[must_use]
    pub fn to_static(&self) -> PathElement<'static> {
        match self {
            PathElement::Field(name) => PathElement::Field(name.to_static()),
            PathElement::Key(keys) => {
                let keys = keys.iter().map(|(name, value)| (name.to_static(), value.to_static()));
                PathElement::Key(keys.collect())
            }
            PathElement::Value(value) => PathElement::Value(value.to_static()),
            PathElement::Index(index) => PathElement::Index(*index),
            PathElement::Unidentified => PathElement::Unidentified,
        }
    }

    /// Compares two elements as [`Ord`] does, except that integers are compared as 64-bit floats. This order is total:
    /// under `Ord`, two different integers can equal the same float.
    pub(in crate::server_side_apply) fn cmp_as_floats(&self, other: &Self) -> Ordering {
        self.compare(other, value_order::compare_as_floats)
    }

    /// Compares two elements as [`Ord`] does, except that a float is compared with an integer exactly. This order is
    /// total, and two elements without floats have the same order as under [`Ord`].
    pub(super) fn cmp_exactly(&self, other: &Self) -> Ordering {
        self.compare(other, value_order::compare_exactly)
    }

    /// Returns true for elements that are equal and have the same integers and floats.
    pub(in crate::server_side_apply) fn is_identical(&self, other: &Self) -> bool {
        match (self, other) {
            (PathElement::Key(a), PathElement::Key(b)) => **a == **b,
            (PathElement::Value(a), PathElement::Value(b)) => a == b,
            (a, b) => a == b,
        }
    }

    fn compare(&self, other: &Self, values: impl Fn(&Doc<'_>, &Doc<'_>) -> Ordering) -> Ordering {
        match (self, other) {
            (PathElement::Field(a), PathElement::Field(b)) => a.cmp(b),
            (PathElement::Key(a), PathElement::Key(b)) => {
                let mut pairs = a.iter().zip(b.iter()).map(|((name, value), (other_name, other_value))| {
                    // The items of one list have their key names from one type.
                    let order = if ptr::eq(name.as_str(), other_name.as_str()) {
                        Ordering::Equal
                    } else {
                        name.cmp(other_name)
                    };
                    order.then_with(|| values(value, other_value))
                });
                pairs.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            (PathElement::Value(a), PathElement::Value(b)) => values(a, b),
            (PathElement::Index(a), PathElement::Index(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            PathElement::Field(_) => 0,
            PathElement::Key(_) => 1,
            PathElement::Value(_) => 2,
            PathElement::Index(_) => 3,
            PathElement::Unidentified => 4,
        }
    }
}

/// Upstream: `PathElement.Compare`.
impl Ord for PathElement<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compare(other, value_order::compare)
    }
}

impl PartialOrd for PathElement<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PathElement<'_> {}

/// Displays the element as upstream's `PathElement.String` does: `.name`, `[port=53]`, `[="x"]` or `[0]`.
impl fmt::Display for PathElement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathElement::Field(name) => write!(f, ".{name}"),
            PathElement::Key(keys) => {
                f.write_char('[')?;
                for (index, (name, value)) in keys.iter().enumerate() {
                    let separator = if index == 0 { "" } else { "," };
                    write!(f, "{separator}{name}=")?;
                    write_value(f, value)?;
                }
                f.write_char(']')
            }
            PathElement::Value(value) => {
                f.write_str("[=")?;
                write_value(f, value)?;
                f.write_char(']')
            }
            PathElement::Index(index) => write!(f, "[{index}]"),
            PathElement::Unidentified => f.write_str("[]"),
        }
    }
}

/// Writes a value as upstream's `value.ToString` does.
fn write_value(f: &mut fmt::Formatter<'_>, value: &Doc<'_>) -> fmt::Result {
    match value {
        Doc::Null => f.write_str("null"),
        Doc::Bool(value) => write!(f, "{value}"),
        Doc::Int(value) => write!(f, "{value}"),
        Doc::Float(value) => f.write_str(&format_go_float(*value)),
        Doc::String(text) => write_quoted(f, text),
        Doc::List(items) => {
            f.write_char('[')?;
            for (index, item) in items.iter().enumerate() {
                f.write_str(if index == 0 { "" } else { "," })?;
                write_value(f, item)?;
            }
            f.write_char(']')
        }
        Doc::Map(map) => map.iter().try_for_each(|(key, value)| {
            write!(f, "{key}=")?;
            write_value(f, value)
        }),
    }
}
