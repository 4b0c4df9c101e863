//! The order of a merged list: the items of the patch in their own order, with those that only live has in between.
//!
//! [`normalize_element_order`] orders any list after it was merged. It looks up every item by its merge key. Callers
//! that know the indices of all matches use [`order_matched_items`].

use super::identity::{ItemKey, KeyPositions, MergeKeys, item_key};
use crate::document::{Doc, DocKind};
use crate::error::Result;
use crate::patch::DirectiveSet;
use crate::patch::go_compat::sort;

/// The two orders that a merged list is ordered by.
pub(crate) struct MergeOrder<'d> {
    /// The order that the patch requests for the items that it names.
    pub(crate) requested: KeyPositions<'d>,
    /// The order of the live list before the merge.
    pub(crate) live: KeyPositions<'d>,
    /// The kind that all items share. An error is returned only after the keys of all items are known to be valid.
    pub(crate) item_kind: Result<DocKind>,
}

/// Orders a merged list: the items that the patch names in the requested order, and between them the others in the
/// order of live. Upstream: `partition…ByPresentInList`, `normalizeElementOrder`.
pub(crate) fn normalize_element_order<'d>(
    merged: Vec<Doc<'d>>,
    order: MergeOrder<'d>,
    keys: MergeKeys<'_>,
    directives: &DirectiveSet,
) -> Result<Vec<Doc<'d>>> {
    if keys.is_empty() {
        // Upstream first deduplicates the scalars of the requested order.
        order.requested.require_keys()?;
    }
    let (mut patched, mut live_only) = (Vec::new(), Vec::new());
    for item in merged {
        let key = item_key(keys, &item)?;
        let position = order.requested.get(&key)?;
        let side = if position.is_some() { &mut patched } else { &mut live_only };
        side.push(OrderedItem { item, key, position: Ok(position) });
    }
    let kind = order.item_kind?;
    if keys.is_empty() && kind == DocKind::Map {
        // No item is left, or it would have been refused as a scalar. Upstream still looks up the merge keys.
        order.requested.check_without_merge_key()?;
        order.live.check_without_merge_key()?;
        return Ok(Vec::new());
    }
    let patched = sort_items(patched, &order.requested, kind, directives)?;
    let live_only = sort_items(live_only, &order.live, kind, directives)?;
    interleave(live_only, patched, &order.live)
}

/// Orders a merged list: the items that the patch names in its order, and between them the others in the order of live. The
/// first `live_length` items are in live, in this order. `patched` has the index of each item that the patch names, once, in
/// the order of the patch.
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
/// If an index in `patched` is not one of the list.
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
        // An appended item has no position in live, so that no live-only item goes before it.
        while let Some(first) = live_only.next_if(|first| index < live_length && *first < index) {
            order.push(first);
        }
        order.push(index);
    }
    order.extend(live_only);
    order.into_iter().map(|index| std::mem::take(&mut items[index])).collect()
}

/// Sorts the items of a patch by an order, with deletions last. Upstream: `normalizeSliceOrder`.
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

/// An item with its key and its position in the order that it is sorted by. A failed lookup of the position is an
/// error only where the position is needed.
struct OrderedItem<'d> {
    item: Doc<'d>,
    key: ItemKey<'d>,
    position: Result<Option<usize>>,
}

/// Sorts items by their positions, with deletions last. Upstream: `normalizeSliceOrder`.
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

/// Sorts items of which some have no position, exactly as upstream does.
///
/// In upstream's comparison, an item without a position is less than every other item, and every other item is less
/// than it. The result then depends on the steps of Go's stable sort. It happens only with an empty
/// `$setElementOrder` list beside a patch list.
fn sort_with_missing_positions(entries: &mut [OrderedItem<'_>]) -> Result<()> {
    sort::stable_sort(entries, &|a, b| {
        let Some(a) = a.position.clone()? else { return Ok(true) };
        let Some(b) = b.position.clone()? else { return Ok(true) };
        Ok(a < b)
    })
}

/// Merges the two sorted parts of a list. A live-only item goes before the next patched one if both are in live and
/// it is the earlier one there. Upstream: `mergeSortedSlice`.
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
