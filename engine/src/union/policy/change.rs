//! The changes that normalization makes to an object.

use std::fmt;

use crate::document::{Doc, OwnedDoc, OwnedMap, OwnedText};
use crate::field_path::{FieldPath, PathSegment};
use crate::schema::union::{Discriminator, Member, Union};

/// A change that normalization made to a field of an object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The path of the field. In the result of a policy it starts at the struct with the union, in the result of
    /// [`admit`](crate::union::admit) at the root of the object.
    pub path: FieldPath,
    /// The kind of change, with the values before and after.
    pub kind: ChangeKind,
}

/// The kind of a [`Change`], with the values before and after.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// A member was removed, or the discriminator. The value is the one before.
    Cleared(OwnedDoc),
    /// The discriminator was set. The first value is the new one, the second the one before, if there was one.
    Selected(OwnedText, Option<OwnedDoc>),
    /// A field that is not the discriminator was set: by another implementation, or to the stored value. The first value is the new one, the second the
    /// one before, if there was one.
    Replaced(OwnedDoc, Option<OwnedDoc>),
}

impl Change {
    fn new(field: &OwnedText, kind: ChangeKind) -> Self {
        let mut path = FieldPath::root();
        path.push(PathSegment::Key(field.clone()));
        Change { path, kind }
    }

    /// Prepends the path of the struct to the path of the change.
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
            ChangeKind::Replaced(value, _) => write!(f, "set {} to {value}", self.path),
            ChangeKind::Selected(value, _) => write!(f, "set {} to {value:?}", self.path),
        }
    }
}

/// Removes all members that are set, except `keep`. Returns the changes.
pub(super) fn clear_others(object: &mut OwnedMap, union: &Union, keep: Option<&Member>) -> Vec<Change> {
    let others = union.members.iter().filter(|member| keep.is_none_or(|keep| keep.field != member.field));
    let set: Vec<&Member> = others.filter(|member| member.is_set(object)).collect();
    set.into_iter()
        .filter_map(|member| {
            Some(Change::new(&member.field, ChangeKind::Cleared(object.remove(&member.field)?)))
        })
        .collect()
}

/// Sets the discriminator to the value that selects a member. Returns `None` if it already has this value.
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

/// Removes the discriminator. Returns `None` if the object does not have it.
pub(super) fn remove_discriminator(object: &mut OwnedMap, discriminator: &Discriminator) -> Option<Change> {
    let removed = object.remove(&discriminator.field)?;
    Some(Change::new(&discriminator.field, ChangeKind::Cleared(removed)))
}

/// Gives an object the member of the stored object. Returns `None` if the stored object does not have it.
pub(super) fn restore(object: &mut OwnedMap, stored: &OwnedMap, member: &Member) -> Option<Change> {
    let value = stored.get(&member.field).filter(|value| !value.is_null())?.clone();
    let before = object.insert(member.field.clone(), value.clone());
    Some(Change::new(&member.field, ChangeKind::Replaced(value, before)))
}
