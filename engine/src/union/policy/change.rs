//! Changes by normalization.

use std::fmt;

use crate::document::{Doc, OwnedDoc, OwnedMap, OwnedText};
use crate::field_path::{FieldPath, PathSegment};
use crate::schema::union::{Discriminator, Member, Union};

/// A change that normalization made to an object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The path of the field: from its struct as policies return it, from the root as admission does.
    pub path: FieldPath,
    /// The kind of change.
    pub kind: ChangeKind,
}

/// The kind of a change, with the values that it concerns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The member was removed; its old value.
    Cleared(OwnedDoc),
    /// The discriminator was set; its new value, and the old one if there was one.
    Selected(OwnedText, Option<OwnedDoc>),
}

impl Change {
    fn new(field: &OwnedText, kind: ChangeKind) -> Self {
        let mut path = FieldPath::root();
        path.push(PathSegment::Key(field.clone()));
        Change { path, kind }
    }

    /// Returns the change with its path from the root of the object.
    pub(crate) fn with_prefix(mut self, struct_path: &FieldPath) -> Self {
        for segment in struct_path.segments().iter().rev() {
            self.path.prepend(segment.clone());
        }
        self
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ChangeKind::Cleared(_) => write!(f, "cleared {}", self.path),
            ChangeKind::Selected(value, _) => write!(f, "set {} to {value:?}", self.path),
        }
    }
}

/// Clears all set members except one.
pub(super) fn clear_others(object: &mut OwnedMap, union: &Union, keep: Option<&Member>) -> Vec<Change> {
    let others = union.members.iter().filter(|member| keep.is_none_or(|keep| keep.field != member.field));
    let set: Vec<&Member> = others.filter(|member| member.is_set(object)).collect();
    set.into_iter()
        .filter_map(|member| {
            Some(Change::new(&member.field, ChangeKind::Cleared(object.remove(&member.field)?)))
        })
        .collect()
}

/// Sets the discriminator to the value that selects a member, unless it has that value.
pub(super) fn set_discriminator(
    object: &mut OwnedMap,
    discriminator: &Discriminator,
    member: &Member,
) -> Option<Change> {
    if object.get(&discriminator.field).and_then(Doc::as_str) == Some(&member.value) {
        return None;
    }
    let before = object.insert(discriminator.field.clone(), Doc::String(member.value.clone()));
    Some(Change::new(&discriminator.field, ChangeKind::Selected(member.value.clone(), before)))
}
