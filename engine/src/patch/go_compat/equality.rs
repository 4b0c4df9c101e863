//! Scalars as Go's `==` compares them.

use rustc_hash::FxHashSet;

use crate::document::{Doc, DocKind, Text};
use crate::error::{Error, ErrorKind, Result};

/// A scalar as a hash key. Integers and floats are never equal, as in Go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    /// A merge key whose value is a list or a map. Go's `==` panics when it compares two lists or two maps, and
    /// returns false when it compares one with anything else. Such a key is therefore equal to each one that it
    /// cannot be compared with.
    Uncomparable(DocKind),
}

/// A set of scalars.
pub(crate) type ScalarSet<'d> = FxHashSet<ScalarKey<'d>>;

impl<'d> ScalarKey<'d> {
    /// Returns the key of a scalar. `None` for lists and maps, which Go cannot compare either.
    #[must_use]
    pub fn of(value: &Doc<'d>) -> Option<Self> {
        Some(match value {
            Doc::Null => ScalarKey::Null,
            Doc::Bool(b) => ScalarKey::Bool(*b),
            Doc::Int(i) => ScalarKey::Int(*i),
            // Zero has two bit patterns and is one value.
            Doc::Float(f) => ScalarKey::Float(if *f == 0.0 { 0 } else { f.to_bits() }),
            Doc::String(s) => ScalarKey::String(s.clone()),
            Doc::List(_) | Doc::Map(_) => return None,
        })
    }

    /// Returns the key of a scalar, or [`ErrorKind::NotAScalar`].
    pub(in crate::patch) fn of_scalar(value: &Doc<'d>) -> Result<Self> {
        Self::of(value).ok_or_else(|| not_a_scalar(value.kind()))
    }

    /// Returns the key of any value.
    pub(in crate::patch) fn of_any(value: &Doc<'d>) -> Self {
        Self::of(value).unwrap_or(ScalarKey::Uncomparable(value.kind()))
    }

    /// Compares as Go's `==` does: [`ErrorKind::NotAScalar`] for two lists or two maps.
    pub(in crate::patch) fn equals(&self, other: &Self) -> Result<bool> {
        match (self, other) {
            (ScalarKey::Uncomparable(kind), other) if self == other => Err(not_a_scalar(*kind)),
            _ => Ok(self == other),
        }
    }
}

/// Makes the error for a value that Go cannot compare.
pub(in crate::patch) fn not_a_scalar(kind: DocKind) -> Error {
    Error::new(
        ErrorKind::NotAScalar,
        format!("expected a scalar to tell items apart by, found {}", kind.with_article()),
    )
}
