//! Removal of fields from a value. Upstream: `TypedValue.RemoveItems`.

use super::field_set::FieldSet;
use super::items::element_of_item;
use super::topology::{ItemIdentity, ListTopology, MapTopology, TypePosition};
use crate::document::{Doc, Map};

/// Removes the fields of a set from a value. The value is valid: items without an identity, which would be an error, are
/// kept, as upstream keeps them.
///
/// A list or a map becomes null if it is empty, if nothing remains, or if it is atomic: upstream removes the content of
/// atomic values of which the set has a part.
pub(super) fn remove(place: Option<TypePosition<'_>>, value: &mut Doc<'_>, removed: &FieldSet<'_>) {
    let topology = place.map(|place| place.topology()).unwrap_or_default().for_value(value);
    let is_empty = match (topology.map, topology.scalar, topology.list, &mut *value) {
        (Some(map_type), _, _, Doc::Map(map)) if !map_type.is_atomic => {
            remove_from_map(&map_type, map, removed);
            map.is_empty()
        }
        (None, None, Some(list), Doc::List(items)) if list.identity != ItemIdentity::Atomic => {
            remove_from_list(&list, items, removed);
            items.is_empty()
        }
        (None, Some(_), _, _) => false,
        _ => true,
    };
    if is_empty {
        *value = Doc::Null;
    }
}

fn remove_from_map(map_type: &MapTopology<'_>, map: &mut Map<'_>, removed: &FieldSet<'_>) {
    map.retain(|key, value| match removed.node_of_field(key) {
        Some(node) if node.is_member && !map_type.keeps_field(key) => false,
        Some(node) => {
            remove(map_type.field(key).place, value, &node.children);
            true
        }
        None => true,
    });
}

fn remove_from_list(list: &ListTopology<'_>, items: &mut Vec<Doc<'_>>, removed: &FieldSet<'_>) {
    items.retain_mut(|item| {
        let element = element_of_item(list, item).ok().flatten();
        match element.and_then(|element| removed.node(&element)) {
            Some(node) if node.is_member => false,
            Some(node) => {
                remove(Some(list.items), item, &node.children);
                true
            }
            None => true,
        }
    });
}
