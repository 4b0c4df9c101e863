//! The fields that an apply configuration sets. Upstream: `TypedValue.ToFieldSet`.

use super::field_set::{FieldSet, Node, PathElement};
use super::items::{ItemIndex, element_of_item};
use super::topology::{ItemIdentity, ListTopology, MapTopology, TypePosition};
use crate::document::{Doc, Map};
use crate::error::Result;

/// Returns the fields of a valid value: scalars, atomic lists and maps, list items, keys that are not declared as
/// fields, empty maps, and null.
pub(super) fn field_set_of<'a>(place: TypePosition<'a>, value: &'a Doc<'_>) -> Result<FieldSet<'a>> {
    fields_of(Some(place), value).map(|(_, below)| below)
}

/// Returns whether a value itself is a field of the set, and the fields below it.
fn fields_of<'a>(place: Option<TypePosition<'a>>, value: &'a Doc<'_>) -> Result<(bool, FieldSet<'a>)> {
    let topology = place.map(|place| place.topology()).unwrap_or_default().for_value(value);
    let below = match (topology.map, topology.scalar, topology.list, value) {
        (Some(map_type), _, _, _) if map_type.is_atomic => return Ok((true, FieldSet::new())),
        (Some(map_type), _, _, Doc::Map(map)) => fields_of_map(&map_type, map)?,
        (None, None, Some(list), _) if list.identity == ItemIdentity::Atomic => {
            return Ok((true, FieldSet::new()));
        }
        (None, None, Some(list), Doc::List(items)) => fields_of_list(&list, items)?,
        (None, Some(_), _, _) => return Ok((true, FieldSet::new())),
        _ => FieldSet::new(),
    };
    Ok((false, below))
}

fn fields_of_map<'a>(map_type: &MapTopology<'a>, map: &'a Map<'_>) -> Result<FieldSet<'a>> {
    let mut nodes = Vec::with_capacity(map.len());
    for (key, value) in map.iter() {
        let field = map_type.field(key);
        let (is_member, children) = fields_of(field.place, value).map_err(|error| error.at(key))?;
        let is_empty = value.is_null() || value.as_map().is_some_and(Map::is_empty);
        let is_member = is_member || is_empty || !field.is_declared;
        nodes.push(Node { element: PathElement::Field(key.as_borrowed()), is_member, children });
    }
    Ok(FieldSet::from_sorted(nodes))
}

/// An item whose element another item has, too, is a field as a whole. Items without an identity occur only in a pruned
/// object, in which they have become null.
fn fields_of_list<'a>(list: &ListTopology<'a>, items: &'a [Doc<'_>]) -> Result<FieldSet<'a>> {
    let element = |item| element_of_item(list, item).ok().flatten().unwrap_or(PathElement::Unidentified);
    let fields_of_item = |index: usize| {
        let fields = fields_of(Some(list.items), &items[index]);
        fields.map(|(_, below)| below).map_err(|error| error.at_index(index))
    };
    let node = |element, children| Node { element, is_member: true, children };
    let mut nodes = Vec::with_capacity(items.len());
    match ItemIndex::of_elements(items.iter().map(element).collect()).into_different_elements() {
        Ok(elements) => {
            for (index, element) in elements.into_iter().enumerate() {
                nodes.push(node(element, fields_of_item(index)?));
            }
        }
        Err(index) => {
            for group in index.groups() {
                let children = if let [only] = group { fields_of_item(*only)? } else { FieldSet::new() };
                nodes.push(node(index.elements[group[0]].clone(), children));
            }
        }
    }
    Ok(FieldSet::from_nodes(nodes))
}
