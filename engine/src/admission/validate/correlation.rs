//! Values of an object and the values that they replace. Upstream: `CorrelatedObject` of `k8s.io/apiserver`.

use crate::admission::structural::StructuralSchema;
use crate::document::{Doc, OwnedDoc};
use crate::schema::ListType;

/// Returns the item of an old list that an item replaces. Only the items of a list of type `map` replace each other.
pub(super) fn old_item<'o>(
    schema: &StructuralSchema,
    item: &OwnedDoc,
    old: &'o [OwnedDoc],
) -> Option<&'o OwnedDoc> {
    if schema.list_type != Some(ListType::Map) {
        return None;
    }
    let key = key_of(schema, item);
    old.iter().find(|old| key_of(schema, old) == key)
}

/// Returns the values that identify an item of a list of type `map`. A key that is missing has its default.
pub(super) fn key_of<'d>(schema: &'d StructuralSchema, item: &'d OwnedDoc) -> Vec<Option<&'d OwnedDoc>> {
    let default = |key: &str| schema.items.as_ref()?.properties.get(key)?.default.as_ref();
    let value = |key: &String| item.as_map().and_then(|item| item.get(key)).or_else(|| default(key));
    schema.list_map_keys.iter().map(value).collect()
}

/// Returns true if two values are equal. The order of items does not count in a list of type `map`.
pub(super) fn is_equal(schema: &StructuralSchema, new: &OwnedDoc, old: &OwnedDoc) -> bool {
    match (new, old) {
        (Doc::Map(new), Doc::Map(old)) => {
            new.len() == old.len()
                && new.iter().all(|(key, new)| {
                    old.get(key).is_some_and(|old| match schema.field(key) {
                        Some(field) => is_equal(field, new, old),
                        None => new == old,
                    })
                })
        }
        (Doc::List(new), Doc::List(old)) if schema.list_type == Some(ListType::Map) => {
            let Some(items) = &schema.items else { return new == old };
            new.len() == old.len()
                && new
                    .iter()
                    .all(|item| old_item(schema, item, old).is_some_and(|old| is_equal(items, item, old)))
        }
        _ => new == old,
    }
}
