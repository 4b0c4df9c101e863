//! Comparison of two values: the fields that were added, modified and removed. Upstream: `TypedValue.Compare`.

use super::field_set::{FieldSet, Node, PathElement, equals};
use super::items::ItemIndex;
use super::topology::{ItemIdentity, ListTopology, MapTopology, Topology, TypePosition};
use crate::document::{Doc, Map, Text};
use crate::error::Result;

/// The fields in which two objects differ.
///
/// ```
/// use skewer_engine::document::from_json;
/// use skewer_engine::server_side_apply::FieldComparison;
/// use skewer_engine::server_side_apply::topology::TypePosition;
///
/// let place = TypePosition::deduced();
/// let before = from_json(br#"{"spec":{"replicas":1,"paused":true}}"#)?;
/// let after = from_json(br#"{"spec":{"replicas":2}}"#)?;
/// let comparison = FieldComparison::new(place, &before, &after)?;
/// assert_eq!(comparison.removed.paths(), [".spec.paused"]);
/// assert_eq!(comparison.modified.paths(), [".spec.replicas"]);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FieldComparison<'a> {
    /// The fields that only the first object has.
    pub removed: FieldSet<'a>,
    /// The fields that both objects have, with different values.
    pub modified: FieldSet<'a>,
    /// The fields that only the second object has.
    pub added: FieldSet<'a>,
}

impl<'a> FieldComparison<'a> {
    /// Compares two valid values.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidListItem`](crate::ErrorKind::InvalidListItem) or
    /// [`ErrorKind::MissingListKeys`](crate::ErrorKind::MissingListKeys) if an item of a list has no identity.
    pub fn new(place: TypePosition<'a>, before: &'a Doc<'_>, after: &'a Doc<'_>) -> Result<Self> {
        let mut changes = Changes::default();
        compare(Some(place), Some(before), Some(after), &mut changes)?;
        Ok(FieldComparison {
            removed: FieldSet::from_nodes(changes.removed.below),
            modified: FieldSet::from_nodes(changes.modified.below),
            added: FieldSet::from_nodes(changes.added.below),
        })
    }
}

/// Whether a value itself is in a set, and which nodes below it are.
#[derive(Default)]
struct Branch<'a> {
    is_member: bool,
    below: Vec<Node<'a>>,
}

impl<'a> Branch<'a> {
    fn add(&mut self, element: &PathElement<'a>, inner: Branch<'a>) {
        if inner.is_member || !inner.below.is_empty() {
            let children = FieldSet::from_nodes(inner.below);
            self.below.push(Node { element: element.clone(), is_member: inner.is_member, children });
        }
    }
}

#[derive(Default)]
struct Changes<'a> {
    removed: Branch<'a>,
    modified: Branch<'a>,
    added: Branch<'a>,
}

impl<'a> Changes<'a> {
    fn add(&mut self, element: &PathElement<'a>, inner: Changes<'a>) {
        self.removed.add(element, inner.removed);
        self.modified.add(element, inner.modified);
        self.added.add(element, inner.added);
    }
}

type Value<'a, 'd> = Option<&'a Doc<'d>>;

/// Compares two values of one place, of which at least one exists.
fn compare<'a>(
    place: Option<TypePosition<'a>>,
    before: Value<'a, '_>,
    after: Value<'a, '_>,
    changes: &mut Changes<'a>,
) -> Result<()> {
    let topology = place.map(|place| place.topology()).unwrap_or_default();
    let of_before = before.map_or(topology, |value| topology.for_value(value));
    let of_after = after.map_or(topology, |value| topology.for_value(value));
    let is_leaf = match (before, after) {
        (_, None) => compare_as(of_before, before, after, changes)?,
        (Some(_), Some(_)) if !of_before.is_same_part(&of_after) => {
            compare_as(of_before, before, after, changes)?;
            compare_as(of_after, before, after, changes)?
        }
        _ => compare_as(of_after, before, after, changes)?,
    };
    if !is_leaf {
        changes.added.is_member |= before.is_none();
        changes.removed.is_member |= after.is_none();
    }
    Ok(())
}

/// Compares two values by a topology. Returns true if they were compared as a whole.
fn compare_as<'a>(
    topology: Topology<'a>,
    before: Value<'a, '_>,
    after: Value<'a, '_>,
    changes: &mut Changes<'a>,
) -> Result<bool> {
    let as_map = |value: Value<'a, '_>| value.and_then(Doc::as_map).filter(|map| !map.is_empty());
    let as_list = |value: Value<'a, '_>| value.and_then(Doc::as_list).filter(|items| !items.is_empty());
    match (topology.map, topology.scalar, topology.list) {
        (Some(map_type), _, _) => {
            let (before, after) = (as_map(before), as_map(after));
            if !map_type.is_atomic && (before.is_some() || after.is_some()) {
                compare_maps(&map_type, before, after, changes)?;
                return Ok(false);
            }
        }
        (None, None, Some(list)) => {
            let lists = (as_list(before), as_list(after));
            if list.identity != ItemIdentity::Atomic && (lists.0.is_some() || lists.1.is_some()) {
                compare_lists(&list, lists.0.unwrap_or_default(), lists.1.unwrap_or_default(), changes)?;
                return Ok(false);
            }
        }
        _ => {}
    }
    match (before, after) {
        (None, _) => changes.added.is_member = true,
        (_, None) => changes.removed.is_member = true,
        (Some(before), Some(after)) => changes.modified.is_member |= !equals(before, after),
    }
    Ok(true)
}

fn compare_maps<'a>(
    map_type: &MapTopology<'a>,
    before: Option<&'a Map<'_>>,
    after: Option<&'a Map<'_>>,
    changes: &mut Changes<'a>,
) -> Result<()> {
    let mut visit = |key: &'a Text<'_>, before: Value<'a, '_>, after: Value<'a, '_>| -> Result<()> {
        // Only if the value is no map: each of its fields would be compared once for each map around it.
        if before == after && before.and_then(Doc::as_map).is_none() {
            return Ok(());
        }
        let mut inner = Changes::default();
        compare(map_type.field(key).place, before, after, &mut inner).map_err(|error| error.at(key))?;
        changes.add(&PathElement::Field(key.as_borrowed()), inner);
        Ok(())
    };
    for (key, value) in before.into_iter().flat_map(Map::iter) {
        visit(key, Some(value), after.and_then(|after| after.get(key)))?;
    }
    for (key, value) in after.into_iter().flat_map(Map::iter) {
        if before.is_none_or(|before| before.get(key).is_none()) {
            visit(key, None, Some(value))?;
        }
    }
    Ok(())
}

fn compare_lists<'a>(
    list: &ListTopology<'a>,
    before: &'a [Doc<'_>],
    after: &'a [Doc<'_>],
    changes: &mut Changes<'a>,
) -> Result<()> {
    let (before_index, after_index) = (ItemIndex::new(list, before)?, ItemIndex::new(list, after)?);
    let mut visit = |element: &PathElement<'a>, old: &[usize], new: &[usize]| -> Result<()> {
        let mut inner = Changes::default();
        let old_items = old.iter().map(|index| &before[*index]);
        let new_items = new.iter().map(|index| &after[*index]);
        match (old, new) {
            ([] | [_], [] | [_]) => {
                let (old, new) = ({ old_items }.next(), { new_items }.next());
                if old == new {
                    return Ok(());
                }
                compare(Some(list.items), old, new, &mut inner)?;
            }
            // Items with the same element are compared as a whole.
            ([_, _, ..], [_, _, ..]) => {
                let is_equal = old.len() == new.len() && old_items.zip(new_items).all(|(a, b)| equals(a, b));
                inner.modified.is_member = !is_equal;
            }
            ([_, _, ..], _) => {
                if let Some(new) = { new_items }.next() {
                    compare(Some(list.items), None, Some(new), &mut inner)?;
                }
                inner.removed.is_member = true;
            }
            (_, [_, _, ..]) => {
                if let Some(old) = { old_items }.next() {
                    compare(Some(list.items), Some(old), None, &mut inner)?;
                }
                inner.added.is_member = true;
            }
        }
        changes.add(element, inner);
        Ok(())
    };
    let (mut in_after, mut in_before) = (after_index.finder(), before_index.finder());
    for group in before_index.groups() {
        let element = &before_index.elements[group[0]];
        visit(element, group, in_after.find(element))?;
    }
    for group in after_index.groups() {
        let element = &after_index.elements[group[0]];
        if in_before.find(element).is_empty() {
            visit(element, &[], group)?;
        }
    }
    Ok(())
}
