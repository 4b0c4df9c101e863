//! Removal of fields from a value. Upstream: `TypedValue.RemoveItems`.

use super::field_set::FieldSet;
use super::items::{borrow, element_of_item};
use super::topology::{ItemIdentity, Place};
use crate::document::{Doc, Map, Text};
use crate::error::Result;

/// Returns a value without the fields of a set. The value is valid.
///
/// A list or a map becomes null if it is empty, if nothing remains, or if it is atomic: upstream removes the content of
/// atomic values of which the set has a part.
pub(super) fn remove<'a>(
    place: Option<Place<'a>>,
    value: &'a Doc<'_>,
    removed: &FieldSet<'_>,
) -> Result<Doc<'a>> {
    let topology = place.map(|place| place.topology()).unwrap_or_default().for_value(value);
    match (topology.map, topology.scalar, topology.list, value) {
        (Some(map_type), _, _, Doc::Map(map)) if !map_type.is_atomic => {
            let mut kept = Map::with_capacity(map.len());
            for (key, value) in map.iter() {
                let node = removed.node_of_field(key);
                if node.is_some_and(|node| node.is_member) {
                    continue;
                }
                let value = match node {
                    Some(node) => remove(map_type.field(key).place, value, &node.children)?,
                    None => borrow(value),
                };
                kept.insert(Text::borrowed(key), value);
            }
            Ok(if kept.is_empty() { Doc::Null } else { Doc::Map(kept) })
        }
        (None, None, Some(list), Doc::List(items)) if list.identity != ItemIdentity::Atomic => {
            let mut kept = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                let element = element_of_item(&list, item).map_err(|error| error.at_index(index))?;
                match element.and_then(|element| removed.node(&element)) {
                    Some(node) if node.is_member => {}
                    Some(node) => kept.push(remove(Some(list.items), item, &node.children)?),
                    None => kept.push(borrow(item)),
                }
            }
            Ok(if kept.is_empty() { Doc::Null } else { Doc::List(kept) })
        }
        (None, Some(_), _, _) => Ok(borrow(value)),
        _ => Ok(Doc::Null),
    }
}
