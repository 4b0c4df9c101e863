//! Merging an apply configuration into a live object. Upstream: `TypedValue.Merge`.

use super::items::ItemIndex;
use super::topology::{ItemIdentity, ListTopology, MapTopology, TypePosition};
use crate::document::{Doc, Map};
use crate::error::Result;
use crate::patch::LibraryChange;

/// Merges a configuration into a live value. Nothing is removed, and the configuration wins. Both values are valid.
///
/// Null in the configuration changes nothing that the live object has in a map or a list.
pub(super) fn merge<'a>(
    place: TypePosition<'a>,
    live: &'a Doc<'_>,
    configuration: &'a Doc<'_>,
) -> Result<Doc<'a>> {
    let topology = place.topology().for_value(configuration);
    match (topology.map, topology.scalar, topology.list) {
        (Some(map_type), _, _) => merge_maps(&map_type, live, configuration),
        (None, None, Some(list)) => merge_lists(&list, live, configuration),
        (None, _, _) => Ok(configuration.borrowed()),
    }
}

fn merge_maps<'a>(
    map_type: &MapTopology<'a>,
    live: &'a Doc<'_>,
    configuration: &'a Doc<'_>,
) -> Result<Doc<'a>> {
    let (Some(live_map), false) = (live.as_map().filter(|map| !map.is_empty()), map_type.is_atomic) else {
        return Ok(configuration.borrowed());
    };
    let Some(configured) = configuration.as_map() else { return Ok(live.borrowed()) };
    let mut merged = Map::with_capacity(live_map.len() + configured.len());
    for (key, live_value) in live_map.iter() {
        let value = match (configured.get(key), map_type.field(key).place) {
            (Some(value), _) if value.as_map().is_none() && value == live_value => value.borrowed(),
            (Some(value), Some(place)) => merge(place, live_value, value).map_err(|error| error.at(key))?,
            (Some(value), None) => value.borrowed(),
            (None, _) => live_value.borrowed(),
        };
        merged.insert(key.as_borrowed(), value);
    }
    for (key, value) in configured.iter().filter(|(key, _)| !live_map.contains_key(key)) {
        merged.insert(key.as_borrowed(), value.borrowed());
    }
    Ok(Doc::Map(merged))
}

fn merge_lists<'a>(
    list: &ListTopology<'a>,
    live: &'a Doc<'_>,
    configuration: &'a Doc<'_>,
) -> Result<Doc<'a>> {
    let live_items = live.as_list().filter(|items| !items.is_empty());
    let (Some(live_items), false) = (live_items, list.identity == ItemIdentity::Atomic) else {
        return Ok(configuration.borrowed());
    };
    let Some(configured) = configuration.as_list() else { return Ok(live.borrowed()) };
    let merger = ListMerger {
        items: list.items,
        live: live_items,
        live_index: ItemIndex::new(list, live_items)?,
        configured,
        configured_index: ItemIndex::new(list, configured)?,
    };
    merger.merge().map(Doc::List)
}

/// The items of two lists that are merged.
struct ListMerger<'a, 'd> {
    /// The place of the items.
    items: TypePosition<'a>,
    live: &'a [Doc<'d>],
    live_index: ItemIndex<'a>,
    configured: &'a [Doc<'d>],
    configured_index: ItemIndex<'a>,
}

impl<'a> ListMerger<'a, '_> {
    /// Merges the lists. The items of the configuration keep their order, and so do those that only the live list has.
    /// An item that both have moves to its place in the configuration. Upstream: `visitListItems`, whose steps decide
    /// where the live items are among those of the configuration.
    fn merge(&self) -> Result<Vec<Doc<'a>>> {
        if !self.items.library().has(LibraryChange::ConfiguredOrder) {
            return self.merge_in_live_order();
        }
        let mut in_configured = self.configured_index.finder();
        let configured_at = |element| in_configured.find(element).first().copied();
        let in_configuration: Vec<Option<usize>> =
            self.live_index.elements.iter().map(configured_at).collect();
        let mut in_live = self.live_index.finder();
        let live_items: Vec<&[usize]> =
            self.configured_index.elements.iter().map(|element| in_live.find(element)).collect();
        let mut shared = (0..self.configured.len()).filter(|index| !live_items[*index].is_empty());
        let mut next_shared = shared.next();
        let mut is_merged = vec![false; self.configured.len()];
        let mut merged = Vec::with_capacity(self.live.len().max(self.configured.len()));
        let (mut live, mut configured) = (0, 0);
        while live < self.live.len() || configured < self.configured.len() {
            match in_configuration.get(live) {
                Some(Some(same)) if *same == configured => {
                    merged.push(self.merge_item(live_items[configured], configured)?);
                    is_merged[configured] = true;
                    next_shared = shared.next();
                    live += 1;
                    configured += 1;
                    continue;
                }
                Some(Some(same))
                    if configured < self.configured.len()
                        && next_shared.is_some_and(|next| next != *same) =>
                {
                    // The item is shared, and another shared item precedes it in the configuration.
                    live += 1;
                    continue;
                }
                Some(Some(same)) if is_merged[*same] => live += 1,
                Some(None) => {
                    merged.push(self.live[live].borrowed());
                    live += 1;
                    continue;
                }
                Some(Some(_)) | None => {}
            }
            if configured < self.configured.len() {
                merged.push(self.merge_item(live_items[configured], configured)?);
                is_merged[configured] = true;
                if next_shared == Some(configured) {
                    next_shared = shared.next();
                }
                configured += 1;
            }
        }
        Ok(merged)
    }

    /// Merges the lists as libraries without [`LibraryChange::ConfiguredOrder`]: the live items keep their order, and the new
    /// items follow. The items of each list differ.
    fn merge_in_live_order(&self) -> Result<Vec<Doc<'a>>> {
        let mut merged = Vec::with_capacity(self.live.len().max(self.configured.len()));
        let (mut in_configured, mut in_live) = (self.configured_index.finder(), self.live_index.finder());
        for (index, element) in self.live_index.elements.iter().enumerate() {
            merged.push(match in_configured.find(element) {
                [same, ..] => self.merge_item(&[index], *same)?,
                [] => self.live[index].borrowed(),
            });
        }
        for (index, element) in self.configured_index.elements.iter().enumerate() {
            if in_live.find(element).is_empty() {
                merged.push(self.configured[index].borrowed());
            }
        }
        Ok(merged)
    }

    /// Merges an item of the configuration into the live item with the same element. If there are several such items,
    /// the configuration replaces all of them.
    fn merge_item(&self, live: &[usize], index: usize) -> Result<Doc<'a>> {
        let configured = &self.configured[index];
        match live {
            [live] if self.live[*live] == *configured => Ok(configured.borrowed()),
            [live] => merge(self.items, &self.live[*live], configured).map_err(|error| error.at_index(index)),
            _ => Ok(configured.borrowed()),
        }
    }
}
