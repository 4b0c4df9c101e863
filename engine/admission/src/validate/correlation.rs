//! Values of an object and the values that they replace. Upstream: `CorrelatedObject` of `k8s.io/apiserver`.

use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::schema::ListType;

use crate::structural::{AdditionalProperties, StructuralSchema, ValueType};

/// A value and the old value that it replaces.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) new: &'a OwnedDoc,
    pub(crate) old: &'a OwnedDoc,
    pub(crate) schema: &'a StructuralSchema,
    /// Whether the values are whole objects.
    pub(crate) is_root: bool,
}

impl<'a> Pair<'a> {
    /// Returns the pair of a field. There is none if the schema does not have the field. Upstream:
    /// `CorrelatedObject.Key`.
    pub(crate) fn key(self, name: &str) -> Option<Pair<'a>> {
        let (old, new) = (self.old.as_map()?.get(name)?, self.new.as_map()?.get(name)?);
        let schema = match (self.schema.properties.get(name), &self.schema.additional_properties) {
            (Some(schema), _) => schema,
            (None, Some(AdditionalProperties::Schema(schema))) => schema,
            _ => return None,
        };
        Some(Pair { new, old, schema, is_root: false })
    }

    /// Returns the pair of an item of the new list. Only the items of a list of type `map` replace each other. Upstream:
    /// `CorrelatedObject.Index`.
    pub(crate) fn index(self, i: usize) -> Option<Pair<'a>> {
        let new = self.new.as_list()?.get(i)?;
        let old = old_item(self.schema, self.old.as_list()?, new)?;
        Some(Pair { new, old, schema: self.schema.items.as_deref()?, is_root: false })
    }

    /// Returns whether the value did not change. An object with a field that its schema does not have counts as changed. A whole
    /// object always has one: its metadata has a uid. Upstream: `CachedDeepEqual`.
    pub(crate) fn is_unchanged(self) -> bool {
        if self.is_root {
            return false;
        }
        match (self.new, self.old) {
            (Doc::List(new), Doc::List(old)) if self.schema.list_type == Some(ListType::Map) => {
                let same = |i| self.index(i).is_some_and(Pair::is_unchanged);
                new.len() == old.len() && (0..new.len()).all(same)
            }
            (Doc::Map(new), Doc::Map(old)) => {
                let same = |key: &str| self.key(key).is_some_and(Pair::is_unchanged);
                new.len() == old.len() && new.keys().all(|key| same(key))
            }
            (new, old) => new == old,
        }
    }
}

/// Finds the old item with the same keys in a list of type `map`. Upstream: `mapListImpl.Get`.
pub(crate) fn old_item<'a>(
    schema: &StructuralSchema,
    old: &'a [OwnedDoc],
    item: &OwnedDoc,
) -> Option<&'a OwnedDoc> {
    let keys = &schema.list_map_keys;
    if schema.ty != Some(ValueType::Array) || schema.list_type != Some(ListType::Map) || keys.is_empty() {
        return None;
    }
    let wanted: Vec<&OwnedDoc> = keys.iter().map(|key| scalar(item, key)).collect::<Option<_>>()?;
    old.iter().find(|old| keys.iter().zip(&wanted).all(|(key, wanted)| scalar(old, key) == Some(*wanted)))
}

fn scalar<'d>(item: &'d OwnedDoc, key: &str) -> Option<&'d OwnedDoc> {
    item.as_map()?.get(key).filter(|value| value.is_scalar() && !value.is_null())
}
