//! Comparison of the patch of a new client with the patch of an old client.

use skewer_engine::directive::{Placement, target_field};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{FieldMeta, PatchStrategy, TypeId};
use skewer_engine::{Doc, OwnedDoc, OwnedMap};

use super::change_keys::has_change_keys;
use crate::laws::format_change::FormatChange;

/// A comparison of a new client's patch with an old client's patch.
///
/// A *carrier* is a map or list that is in the new patch only because it contains keys of the change. The old patch
/// does not have it, and that does not count as a difference. A carrier contains only:
///
/// - keys of the change;
/// - the merge keys of an item, and a directive that names them;
/// - other carriers, and directives for lists of carriers.
pub(super) struct SupersetComparison<'a> {
    pub(super) change: &'a FormatChange,
    /// Context of the new client.
    pub(super) client: &'a PatchContext,
    /// Whether the order of the items of merging lists is ignored.
    pub(super) ignores_list_order: bool,
}

/// The type of a value, if it is known, and the metadata of its field. The metadata of a list item is that of the list.
#[derive(Clone, Copy)]
struct ValueType<'a> {
    ty: Option<TypeId>,
    meta: &'a FieldMeta,
}

impl ValueType<'_> {
    fn without_meta(ty: Option<TypeId>) -> Self {
        const NONE: &FieldMeta = &FieldMeta::NONE;
        ValueType { ty, meta: NONE }
    }
}

impl<'a> SupersetComparison<'a> {
    /// Returns true if the new patch, without the change's keys and their carriers, equals the old patch.
    pub(super) fn is_superset(&self, new: &OwnedDoc, old: &OwnedDoc) -> bool {
        self.is_value_superset(new, old, ValueType::without_meta(Some(self.client.root)))
    }

    fn is_value_superset(&self, new: &OwnedDoc, old: &OwnedDoc, value_type: ValueType<'a>) -> bool {
        match (new, old) {
            (Doc::Map(new), Doc::Map(old)) => self.is_map_superset(new, old, value_type.ty),
            (Doc::List(new), Doc::List(old)) => self.is_list_superset(new, old, value_type),
            (new, old) => new == old,
        }
    }

    fn is_map_superset(&self, new: &OwnedMap, old: &OwnedMap, ty: Option<TypeId>) -> bool {
        let others = || new.iter().filter(|(key, value)| !self.change.is_change_entry(key, value));
        old.keys().all(|old_key| others().any(|(key, _)| key == old_key))
            && others().all(|(key, value)| match old.get(key) {
                Some(old) => self.is_value_superset(value, old, self.field_type(ty, key)),
                None => self.is_carrier_entry(key, value, new, ty),
            })
    }

    fn is_list_superset(&self, new: &[OwnedDoc], old: &[OwnedDoc], list_type: ValueType<'a>) -> bool {
        let item_type = self.item_type(list_type);
        let any_order = self.ignores_list_order && list_type.meta.strategy == PatchStrategy::Merge;
        let mut unmatched: Vec<&OwnedDoc> = old.iter().collect();
        for new in new {
            let candidates = if any_order { unmatched.len() } else { unmatched.len().min(1) };
            let candidates = &unmatched[..candidates];
            match candidates.iter().position(|old| self.is_value_superset(new, old, item_type)) {
                Some(index) => {
                    unmatched.remove(index);
                }
                None if self.is_carrier_map(new, item_type) => {}
                None => return false,
            }
        }
        unmatched.is_empty()
    }

    fn field_type(&self, ty: Option<TypeId>, key: &str) -> ValueType<'a> {
        let field = ty.and_then(|ty| self.client.schema.field(ty, key));
        field.map_or(ValueType::without_meta(None), |field| ValueType {
            ty: Some(field.ty),
            meta: &field.meta,
        })
    }

    fn item_type(&self, list: ValueType<'a>) -> ValueType<'a> {
        ValueType { ty: list.ty.and_then(|ty| self.client.schema.item(ty)), ..list }
    }

    /// Returns true if an entry that the old patch does not have is a carrier.
    fn is_carrier_entry(&self, key: &str, value: &OwnedDoc, map: &OwnedMap, ty: Option<TypeId>) -> bool {
        match value {
            Doc::Map(_) => self.is_carrier_map(value, ValueType::without_meta(self.field_type(ty, key).ty)),
            Doc::List(items) => {
                if let Some(field) = self.directive_target(key) {
                    return map.get(field).is_some_and(|list| {
                        list.as_list().is_some() && self.is_carrier_entry(field, list, map, ty)
                    });
                }
                let item_type = self.item_type(self.field_type(ty, key));
                !items.is_empty() && items.iter().all(|value| self.is_carrier_map(value, item_type))
            }
            _ => false,
        }
    }

    /// Returns the field to which the key of another directive refers.
    fn directive_target<'k>(&self, key: &'k str) -> Option<&'k str> {
        let owner =
            self.client.directives.directive_for_key(key).filter(|d| d.placement() == Placement::Field)?;
        target_field(owner, key)
    }

    fn is_carrier_map(&self, value: &OwnedDoc, item: ValueType<'a>) -> bool {
        let Some(map) = value.as_map() else { return false };
        has_change_keys(self.change, value)
            && map.iter().all(|(key, value)| {
                self.change.is_change_entry(key, value)
                    || self.is_item_identity(key, item.meta)
                    || self.is_carrier_entry(key, value, map, item.ty)
            })
    }

    /// Returns true if the key is a merge key of the item, or a directive that names the merge keys.
    fn is_item_identity(&self, key: &str, meta: &FieldMeta) -> bool {
        let owner = self.client.directives.directive_for_key(key);
        let mut identities = self.client.directives.iter().filter_map(|d| d.recommended_merge_keys(meta));
        meta.merge_key.iter().any(|name| name == key)
            || identities.any(|keys| keys.names().iter().any(|name| name == key))
            || owner.is_some_and(|d| d.recommended_merge_keys(meta).is_some())
    }
}
