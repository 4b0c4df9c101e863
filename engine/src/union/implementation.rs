//! Another implementation of unions, which decides instead of the policy of the engine.

use super::policy::{Change, ChangeKind, Violation};
use crate::document::{Doc, OwnedMap, OwnedText};
use crate::error::Error;
use crate::field_path::{FieldPath, PathSegment};
use crate::schema::union::{Discriminator, Union};

/// A union of one struct of a written object, on which an implementation decides.
#[derive(Clone, Copy, Debug)]
pub struct UnionRequest<'a> {
    /// The union.
    pub union: &'a Union,
    /// The path of the struct in the object.
    pub path: &'a FieldPath,
    /// The stored struct. `None` when the object is created, and on an update that adds the struct.
    pub old: Option<&'a OwnedMap>,
    /// The struct after merging.
    pub new: &'a OwnedMap,
}

/// An implementation that decides on the unions of an object. Each method returns `None` for a union on which the
/// policy of the engine decides.
pub trait UnionImplementation {
    /// Normalizes a struct.
    ///
    /// # Errors
    ///
    /// The refusal of the struct. The path of the error starts at the struct.
    fn normalize(&mut self, request: &UnionRequest<'_>) -> Option<Result<OwnedMap, Error>>;

    /// Validates the membership of a normalized struct.
    fn validate(&mut self, request: &UnionRequest<'_>) -> Option<Vec<Violation>>;
}

/// The implementation that leaves every union to the policy of the engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineOnly;

impl UnionImplementation for EngineOnly {
    fn normalize(&mut self, _request: &UnionRequest<'_>) -> Option<Result<OwnedMap, Error>> {
        None
    }

    fn validate(&mut self, _request: &UnionRequest<'_>) -> Option<Vec<Violation>> {
        None
    }
}

/// Returns the changes with which an implementation normalized a struct, in the order of the fields.
pub(super) fn changes_between(
    before: &OwnedMap,
    after: &OwnedMap,
    discriminator: Option<&Discriminator>,
) -> Vec<Change> {
    let is_discriminator = |key: &OwnedText| discriminator.is_some_and(|d| d.field == *key);
    let removed = before.iter().filter(|(key, _)| !after.contains_key(key));
    let cleared = removed.map(|(key, value)| change(key, ChangeKind::Cleared(value.clone())));
    let written = after.iter().filter(|(key, value)| before.get(key) != Some(*value));
    let set = written.map(|(key, value)| {
        let old = before.get(key).cloned();
        change(
            key,
            match value {
                Doc::String(name) if is_discriminator(key) => ChangeKind::Selected(name.clone(), old),
                value => ChangeKind::Replaced(value.clone(), old),
            },
        )
    });
    cleared.chain(set).collect()
}

fn change(field: &OwnedText, kind: ChangeKind) -> Change {
    let mut path = FieldPath::root();
    path.push(PathSegment::Key(field.clone()));
    Change { path, kind }
}
