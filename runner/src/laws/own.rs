//! The keys of a patch that are a change's own, and the patch without them.

use skewer_engine::directive::{Placement, target_field};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{FieldMeta, PatchStrategy, Type, TypeId};
use skewer_engine::{Doc, OwnedDoc, OwnedMap};

use super::subject::Subject;

/// Does the document hold one of the change's keys?
pub(super) fn are_in(subject: &Subject, value: &OwnedDoc) -> bool {
    match value {
        Doc::Map(map) => map.iter().any(|(key, value)| subject.owns(key, value) || are_in(subject, value)),
        Doc::List(items) => items.iter().any(|item| are_in(subject, item)),
        _ => false,
    }
}

/// The patch without the change's keys.
pub(super) fn without(subject: &Subject, value: &OwnedDoc) -> OwnedDoc {
    match value {
        Doc::Map(map) => {
            let kept = map.iter().filter(|(key, value)| !subject.owns(key, value));
            Doc::Map(kept.map(|(key, value)| (key.clone(), without(subject, value))).collect())
        }
        Doc::List(items) => items.iter().map(|item| without(subject, item)).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

/// Does the change's key stand among the free keys of a map, where the schema has no fields?
pub(super) fn are_in_free_keys(
    subject: &Subject,
    context: &PatchContext,
    patch: &OwnedDoc,
    ty: TypeId,
) -> bool {
    match (patch, context.schema.get(ty)) {
        (Doc::Map(map), Type::Map(value_ty)) => map.iter().any(|(key, value)| {
            subject.owns(key, value) || are_in_free_keys(subject, context, value, *value_ty)
        }),
        (Doc::Map(map), _) => map.iter().any(|(key, value)| {
            let field = context.schema.field(ty, key);
            field.is_some_and(|field| are_in_free_keys(subject, context, value, field.ty))
        }),
        (Doc::List(items), Type::List(item)) => {
            items.iter().any(|value| are_in_free_keys(subject, context, value, *item))
        }
        _ => false,
    }
}

/// A new client's patch, held against an old client's.
pub(super) struct Comparison<'a> {
    pub(super) subject: &'a Subject,
    /// The new client's.
    pub(super) client: &'a PatchContext,
    /// The order of the items of a merging list counts for nothing.
    pub(super) any_order: bool,
}

/// A type, where it is known, and the metadata of the field that holds the value, or the list that it is an item
/// of.
type Place<'a> = (Option<TypeId>, &'a FieldMeta);

const NO_META: &FieldMeta = &FieldMeta::NONE;

impl<'a> Comparison<'a> {
    /// Is the new patch, without the change's keys, the old one?
    ///
    /// What held the change's keys and says nothing without them is no difference: an empty map; an item that has
    /// nothing but its merge keys, and what says that they are its merge keys; a list of such items with what
    /// another directive says of that list. It is there to hold the place of the key.
    pub(super) fn is_superset(&self, new: &OwnedDoc, old: &OwnedDoc) -> bool {
        self.values(new, old, (Some(self.client.root), NO_META))
    }

    fn values(&self, new: &OwnedDoc, old: &OwnedDoc, place: Place<'a>) -> bool {
        match (new, old) {
            (Doc::Map(new), Doc::Map(old)) => self.maps(new, old, place.0),
            (Doc::List(new), Doc::List(old)) => self.lists(new, old, place),
            (new, old) => new == old,
        }
    }

    fn maps(&self, new: &OwnedMap, old: &OwnedMap, ty: Option<TypeId>) -> bool {
        let rest = || new.iter().filter(|(key, value)| !self.subject.owns(key, value));
        old.keys().all(|key| rest().any(|(other, _)| other == key))
            && rest().all(|(key, value)| match old.get(key) {
                Some(old) => self.values(value, old, self.field(ty, key)),
                None => self.says_nothing((key, value), new, ty),
            })
    }

    fn lists(&self, new: &[OwnedDoc], old: &[OwnedDoc], place: Place<'a>) -> bool {
        let item = self.item(place);
        let any_order = self.any_order && place.1.strategy == PatchStrategy::Merge;
        let mut left: Vec<&OwnedDoc> = old.iter().collect();
        for new in new {
            let candidates = if any_order { left.len() } else { left.len().min(1) };
            match left[..candidates].iter().position(|old| self.values(new, old, item)) {
                Some(at) => {
                    left.remove(at);
                }
                None if self.holds_a_place(new, item) => {}
                None => return false,
            }
        }
        left.is_empty()
    }

    fn field(&self, ty: Option<TypeId>, key: &str) -> Place<'a> {
        let field = ty.and_then(|ty| self.client.schema.field(ty, key));
        field.map_or((None, NO_META), |field| (Some(field.ty), &field.meta))
    }

    fn item(&self, (ty, meta): Place<'a>) -> Place<'a> {
        (ty.and_then(|ty| self.client.schema.item(ty)), meta)
    }

    /// Is this entry, which the old client's patch does not have, there for the sake of the change's keys only?
    fn says_nothing(&self, (key, value): (&str, &OwnedDoc), map: &OwnedMap, ty: Option<TypeId>) -> bool {
        match value {
            Doc::Map(_) => {
                let (ty, _) = self.field(ty, key);
                self.holds_a_place(value, (ty, NO_META))
            }
            Doc::List(items) => {
                if let Some(field) = self.spoken_of(key) {
                    return map.get(field).is_some_and(|list| {
                        list.as_list().is_some() && self.says_nothing((field, list), map, ty)
                    });
                }
                let item = self.item(self.field(ty, key));
                !items.is_empty() && items.iter().all(|value| self.holds_a_place(value, item))
            }
            _ => false,
        }
    }

    /// The field that another directive's key speaks of.
    fn spoken_of<'k>(&self, key: &'k str) -> Option<&'k str> {
        let owner =
            self.client.directives.directive_for_key(key).filter(|d| d.placement() == Placement::Field)?;
        target_field(owner, key)
    }

    fn holds_a_place(&self, value: &OwnedDoc, (ty, meta): Place<'a>) -> bool {
        let Some(map) = value.as_map() else { return false };
        are_in(self.subject, value)
            && map.iter().all(|(key, value)| {
                self.subject.owns(key, value)
                    || self.finds_the_item(key, meta)
                    || self.says_nothing((key, value), map, ty)
            })
    }

    /// Is this one of the keys that an item is found by, or a directive that says which they are?
    fn finds_the_item(&self, key: &str, meta: &FieldMeta) -> bool {
        let says_which = self.client.directives.directive_for_key(key);
        let mut identities = self.client.directives.iter().filter_map(|d| d.recommended_merge_keys(meta));
        meta.merge_key.iter().any(|name| name == key)
            || identities.any(|keys| keys.names().iter().any(|name| name == key))
            || says_which.is_some_and(|d| d.recommended_merge_keys(meta).is_some())
    }
}
