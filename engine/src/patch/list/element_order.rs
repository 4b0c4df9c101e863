//! The order of a merged list. The items that the patch names follow the order that the patch requests. The items that
//! only the live list has are placed between them, in the order of the live list.
//!
//! [`normalize_element_order`] orders any merged list and looks up each item by its merge key. [`order_matched_items`]
//! is for callers that already know the indices of the items.

use super::identity::{ItemKey, KeyPositions, MergeKeys, item_key};
use crate::document::{Doc, DocKind};
use crate::error::{Error, Result};
use crate::patch::DirectiveSet;
use crate::patch::go_compat::sort;

/// The positions and the item kind by which a merged list is ordered.
pub(crate) struct MergeOrder<'d> {
    /// The positions of the items that the patch names, in the order that it requests.
    pub(crate) requested: KeyPositions<'d>,
    /// The positions of the items in the live list before the merge.
    pub(crate) live: KeyPositions<'d>,
    /// The kind of all items. If this is an error, [`normalize_element_order`] returns it only after it has checked the
    /// keys of all items, as upstream does.
    pub(crate) item_kind: Result<DocKind>,
}

/// Orders a merged list. Items that the patch names follow the requested order. The other items are placed between
/// them, in the order of the live list. Upstream: `partitionMapsByPresentInList`, `partitionPrimitivesByPresentInList`,
/// `normalizeElementOrder`.
pub(crate) fn normalize_element_order<'d>(
    merged: Vec<Doc<'d>>,
    order: MergeOrder<'d>,
    keys: MergeKeys<'_>,
    directives: &DirectiveSet,
) -> Result<Vec<Doc<'d>>> {
    if keys.is_empty() {
        // Upstream deduplicates the scalars of the requested order first, which fails if an item is not a scalar.
        order.requested.require_keys()?;
    }
    let (mut patched, mut live_only) = (Vec::new(), Vec::new());
    for item in merged {
        // The keys of patch items were checked when they were merged.
        let key = item_key(keys, &item).map_err(Error::in_base)?;
        let position = order.requested.get(&key)?;
        let side = if position.is_some() { &mut patched } else { &mut live_only };
        side.push(OrderedItem { item, key, position: Ok(position) });
    }
    let kind = order.item_kind?;
    if keys.is_empty() && kind == DocKind::Map {
        // The merged list is empty, because `item_key` refuses maps in a list without merge keys. Upstream still looks
        // up a key with an empty name in both orders.
        order.requested.require_empty_names()?;
        order.live.require_empty_names()?;
        return Ok(Vec::new());
    }
    let patched = sort_items(patched, &order.requested, kind, directives)?;
    let live_only = sort_items(live_only, &order.live, kind, directives).map_err(Error::in_base)?;
    interleave(live_only, patched, &order.live)
}

/// Orders a merged list as `normalize_element_order` does, for callers that know the indices of the items.
///
/// The first `live_length` items are those of the live list, in its order. `patched` has the indices of the items that
/// the patch names, in the order that the patch requests. Each index occurs once.
///
/// ```
/// use skewer_engine::Doc;
/// use skewer_engine::patch::items::order_matched_items;
///
/// // Live has a, b and c. The patch changes c, adds d, and changes b, in this order.
/// let merged = ["a", "b", "c", "d"].map(Doc::from).to_vec();
/// let ordered = order_matched_items(merged, &[2, 3, 1], 3);
/// assert_eq!(ordered, ["a", "c", "d", "b"].map(Doc::from));
/// ```
///
/// # Panics
///
/// Panics if `patched` has an index that is not an index of the list.
#[must_use]
pub fn order_matched_items<'d>(
    mut items: Vec<Doc<'d>>,
    patched: &[usize],
    live_length: usize,
) -> Vec<Doc<'d>> {
    if patched.is_sorted() && patched.last().is_none_or(|last| *last < live_length) {
        return items;
    }
    let mut is_patched = vec![false; items.len()];
    for index in patched {
        is_patched[*index] = true;
    }
    let mut order = Vec::with_capacity(items.len());
    let mut live_only = (0..items.len()).filter(|index| !is_patched[*index]).peekable();
    for index in patched.iter().copied() {
        // A live-only item is placed before the first patched item that comes after it in live. Appended items are not
        // in live and are therefore skipped.
        while let Some(first) = live_only.next_if(|first| index < live_length && *first < index) {
            order.push(first);
        }
        order.push(index);
    }
    order.extend(live_only);
    order.into_iter().map(|index| std::mem::take(&mut items[index])).collect()
}

/// Sorts the items of a patch list by their positions in `order`. Deletions come last. Upstream: `normalizeSliceOrder`.
pub(crate) fn sort_by_element_order<'d>(
    items: Vec<Doc<'d>>,
    order: &KeyPositions<'d>,
    keys: MergeKeys<'_>,
    kind: DocKind,
    directives: &DirectiveSet,
) -> Result<Vec<Doc<'d>>> {
    let entries = items
        .into_iter()
        .map(|item| Ok(OrderedItem { key: item_key(keys, &item)?, item, position: Ok(None) }));
    let entries = sort_items(entries.collect::<Result<_>>()?, order, kind, directives)?;
    Ok(entries.into_iter().map(|entry| entry.item).collect())
}

/// An item with its key and its position in the requested order or in live. If the position cannot be looked up, the
/// error is returned only if sorting needs the position.
struct OrderedItem<'d> {
    item: Doc<'d>,
    key: ItemKey<'d>,
    position: Result<Option<usize>>,
}

/// Sorts items by their positions in `order`. Deletions come last. Upstream: `normalizeSliceOrder`.
fn sort_items<'d>(
    mut entries: Vec<OrderedItem<'d>>,
    order: &KeyPositions<'d>,
    kind: DocKind,
    directives: &DirectiveSet,
) -> Result<Vec<OrderedItem<'d>>> {
    let mut deletions = Vec::new();
    if kind == DocKind::Map {
        order.require_keys()?;
        if entries.iter().any(|entry| directives.is_deletion(&entry.item)) {
            (deletions, entries) = entries.into_iter().partition(|entry| directives.is_deletion(&entry.item));
        }
    }
    for entry in &mut entries {
        entry.position = order.get(&entry.key);
    }
    if entries.iter().all(|entry| matches!(entry.position, Ok(Some(_)))) {
        entries.sort_by_key(|entry| entry.position.as_ref().ok().copied().flatten());
    } else {
        sort_with_missing_positions(&mut entries)?;
    }
    entries.extend(deletions);
    Ok(entries)
}

/// Sorts items some of which have no position, with the same result as upstream.
///
/// Upstream's comparison returns true if one of the two items has no position. This comparison is not an order, so that
/// the result depends on the steps of Go's stable sort. The case occurs only if a patch has an empty `$setElementOrder`
/// list for a list with items.
fn sort_with_missing_positions(entries: &mut [OrderedItem<'_>]) -> Result<()> {
    sort::stable_sort(entries, &|a, b| {
        let Some(a) = a.position.clone()? else { return Ok(true) };
        let Some(b) = b.position.clone()? else { return Ok(true) };
        Ok(a < b)
    })
}

/// Merges the two sorted parts of a list. A live-only item is placed before a patched item if both are in the live list
/// and the live-only item is earlier there. Upstream: `mergeSortedSlice`.
fn interleave<'d>(
    live_only: Vec<OrderedItem<'d>>,
    patched: Vec<OrderedItem<'d>>,
    live: &KeyPositions<'d>,
) -> Result<Vec<Doc<'d>>> {
    let mut result = Vec::with_capacity(live_only.len() + patched.len());
    let mut live_only = live_only.into_iter().peekable();
    for entry in patched {
        while let Some(first) = live_only.peek() {
            let (live_only_position, patched_position) = (live.get(&first.key)?, live.get(&entry.key)?);
            if live_only_position.is_none()
                || patched_position.is_none()
                || live_only_position >= patched_position
            {
                break;
            }
            result.extend(live_only.next().map(|entry| entry.item));
        }
        result.push(entry.item);
    }
    result.extend(live_only.map(|entry| entry.item));
    Ok(result)
}
