use std::fmt;

use crate::document::{Doc, OwnedDoc, OwnedMap, OwnedText};
use crate::field_path::{FieldPath, PathSegment};
use crate::schema::union::{Discriminator, Member, Union};

/// Something that normalization did to an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The field: from its struct as a policy gives it, from the object as admission does.
    pub path: FieldPath,
    /// What was done to it.
    pub did: ChangeKind,
}

/// What normalization did to a field.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// The member was taken out; this is what it held.
    Cleared(OwnedDoc),
    /// The discriminator was set to this value, and held that before, if anything.
    Selected(OwnedText, Option<OwnedDoc>),
}

impl Change {
    fn of(field: &OwnedText, did: ChangeKind) -> Self {
        let mut path = FieldPath::root();
        path.push(PathSegment::Key(field.clone()));
        Change { path, did }
    }

    /// The same change, seen from the root of the object.
    pub(crate) fn under(mut self, struct_at: &FieldPath) -> Self {
        for segment in struct_at.segments().iter().rev() {
            self.path.prepend(segment.clone());
        }
        self
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.did {
            ChangeKind::Cleared(_) => write!(f, "cleared {}", self.path),
            ChangeKind::Selected(value, _) => write!(f, "set {} to {value:?}", self.path),
        }
    }
}

/// Clears every member that is set, but one.
pub(super) fn clear_others(object: &mut OwnedMap, union: &Union, keep: Option<&Member>) -> Vec<Change> {
    let others = union.members.iter().filter(|member| keep.is_none_or(|keep| keep.field != member.field));
    let set: Vec<&Member> = others.filter(|member| member.is_set(object)).collect();
    set.into_iter()
        .filter_map(|member| {
            Some(Change::of(&member.field, ChangeKind::Cleared(object.remove(&member.field)?)))
        })
        .collect()
}

/// Makes the discriminator say that a member is meant; nothing is done where it says so.
pub(super) fn select(
    object: &mut OwnedMap,
    discriminator: &Discriminator,
    member: &Member,
) -> Option<Change> {
    if object.get(&discriminator.field).and_then(Doc::as_str) == Some(&member.value) {
        return None;
    }
    let before = object.insert(discriminator.field.clone(), Doc::String(member.value.clone()));
    Some(Change::of(&discriminator.field, ChangeKind::Selected(member.value.clone(), before)))
}
