//! The comparison of scalars by Go's `==` operator.

use rustc_hash::FxHashSet;

use crate::document::{Doc, DocKind, Text};
use crate::error::{Error, ErrorKind, Result};

/// A scalar in a form that can be compared and hashed. As in Go, an integer and a float are never equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ScalarKey<'d> {
    /// A null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// The bits of a float. Both zeros have those of the positive one.
    Float(u64),
    /// A string.
    String(Text<'d>),
    /// A list or a map, used as the value of a merge key. Go's `==` panics when both operands are lists or both are
    /// maps, and is false for operands of different kinds. All lists are therefore equal as `ScalarKey`s, and so are
    /// all maps. Callers return an error when they find two that are equal.
    Uncomparable(DocKind),
}

/// A set of scalars.
pub(crate) type ScalarSet<'d> = FxHashSet<ScalarKey<'d>>;

impl<'d> ScalarKey<'d> {
    /// Returns the key of a scalar. Returns `None` for lists and maps, which Go cannot compare.
    #[must_use]
    pub fn of(value: &Doc<'d>) -> Option<Self> {
        Some(match value {
            Doc::Null => ScalarKey::Null,
            Doc::Bool(b) => ScalarKey::Bool(*b),
            Doc::Int(i) => ScalarKey::Int(*i),
            // The bit patterns of 0.0 and -0.0 differ, but the values are equal.
            Doc::Float(f) => ScalarKey::Float(if *f == 0.0 { 0 } else { f.to_bits() }),
            Doc::String(s) => ScalarKey::String(s.clone()),
            Doc::List(_) | Doc::Map(_) => return None,
        })
    }

    /// Returns the key of a scalar. Returns the error [`ErrorKind::NotAScalar`] for lists and maps.
    pub(in crate::patch) fn of_scalar(value: &Doc<'d>) -> Result<Self> {
        Self::of(value).ok_or_else(|| not_a_scalar(value.kind()))
    }

    /// Returns the key of any value, including lists and maps.
    pub(in crate::patch) fn of_any(value: &Doc<'d>) -> Self {
        Self::of(value).unwrap_or(ScalarKey::Uncomparable(value.kind()))
    }

    /// Compares two keys as Go's `==` does. Returns the error [`ErrorKind::NotAScalar`] if Go panics, which is the case
    /// for two lists or two maps.
    pub(in crate::patch) fn equals(&self, other: &Self) -> Result<bool> {
        match (self, other) {
            (ScalarKey::Uncomparable(kind), other) if self == other => Err(not_a_scalar(*kind)),
            _ => Ok(self == other),
        }
    }
}

/// Returns the error for a value that Go cannot compare.
pub(in crate::patch) fn not_a_scalar(kind: DocKind) -> Error {
    Error::new(
        ErrorKind::NotAScalar,
        format!("expected a scalar to compare list items by, found {}", kind.with_article()),
    )
}
