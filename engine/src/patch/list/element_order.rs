//! The order of a merged list: what the patch orders, with what only the server has in between.

use super::identity::{ItemKey, MergeKeys, Positions, key_of};
use crate::document::{Doc, Kind};
use crate::error::Result;
use crate::patch::go_compat::sort;

/// What a merged list is ordered by.
pub(crate) struct Orders<'d> {
    /// The order that the patch wants for the items that it names.
    pub(crate) wanted: Positions<'d>,
    /// The order of the live list before the merge.
    pub(crate) live: Positions<'d>,
    /// The kind that all items share, or why there is none; due only after the items have shown their keys.
    pub(crate) kind: Result<Kind>,
}

/// Brings a merged list into order: items that the patch names as it wants them, the others between them by
/// their order in live. Upstream: `partition…ByPresentInList`, `normalizeElementOrder`.
pub(crate) fn normalize<'d>(
    merged: Vec<Doc<'d>>,
    orders: Orders<'d>,
    keys: MergeKeys<'_>,
) -> Result<Vec<Doc<'d>>> {
    if keys.is_empty() {
        // Upstream makes a set of the wanted scalars before all else.
        orders.wanted.check()?;
    }
    let (mut patched, mut server_only) = (Vec::new(), Vec::new());
    for item in merged {
        let key = key_of(keys, &item)?;
        let place = orders.wanted.get(&key)?;
        let side = if place.is_some() { &mut patched } else { &mut server_only };
        side.push(Entry { item, key, place: Ok(place) });
    }
    let kind = orders.kind?;
    if keys.is_empty() && kind == Kind::Map {
        // Nothing is left of them, or they would have been refused as scalars; upstream asks for their keys all
        // the same.
        orders.wanted.check_unnamed()?;
        orders.live.check_unnamed()?;
    }
    let patched = sorted(patched, &orders.wanted, kind)?;
    let server_only = sorted(server_only, &orders.live, kind)?;
    interleave(server_only, patched, &orders.live)
}

/// [`normalize`] for items that need not be looked for: the first `in_live` have a place in live, in this order, and
/// `patched` are the places of those that the patch names, each once, in its order.
pub(crate) fn arrange<'d>(mut items: Vec<Doc<'d>>, patched: &[usize], in_live: usize) -> Vec<Doc<'d>> {
    if patched.is_sorted() && patched.last().is_none_or(|last| *last < in_live) {
        return items;
    }
    let mut is_patched = vec![false; items.len()];
    for place in patched {
        is_patched[*place] = true;
    }
    let mut order = Vec::with_capacity(items.len());
    let mut server_only = (0..items.len()).filter(|place| !is_patched[*place]).peekable();
    for place in patched.iter().copied() {
        // What was appended stands nowhere in live, and so behind nothing.
        while let Some(first) = server_only.next_if(|first| place < in_live && *first < place) {
            order.push(first);
        }
        order.push(place);
    }
    order.extend(server_only);
    order.into_iter().map(|place| std::mem::take(&mut items[place])).collect()
}

/// Sorts the items of a patch by an order, with deletions last. Upstream: `normalizeSliceOrder`.
pub(crate) fn sort<'d>(
    items: Vec<Doc<'d>>,
    order: &Positions<'d>,
    keys: MergeKeys<'_>,
    kind: Kind,
) -> Result<Vec<Doc<'d>>> {
    let entries =
        items.into_iter().map(|item| Ok(Entry { key: key_of(keys, &item)?, item, place: Ok(None) }));
    let entries = sorted(entries.collect::<Result<_>>()?, order, kind)?;
    Ok(entries.into_iter().map(|entry| entry.item).collect())
}

/// An item with its key, and its place in the order that it is sorted by. A place that could not be found is
/// an error only for those who ask for it.
struct Entry<'d> {
    item: Doc<'d>,
    key: ItemKey<'d>,
    place: Result<Option<usize>>,
}

/// Upstream: `normalizeSliceOrder`: by place, with deletions last.
fn sorted<'d>(mut entries: Vec<Entry<'d>>, order: &Positions<'d>, kind: Kind) -> Result<Vec<Entry<'d>>> {
    let mut deletions = Vec::new();
    if kind == Kind::Map {
        order.check()?;
        deletions = entries.extract_if(.., |entry| is_deletion(&entry.item)).collect();
    }
    for entry in &mut entries {
        entry.place = order.get(&entry.key);
    }
    if entries.iter().all(|entry| matches!(entry.place, Ok(Some(_)))) {
        entries.sort_by_key(|entry| entry.place.as_ref().ok().copied().flatten());
    } else {
        sort_with_unplaced(&mut entries)?;
    }
    entries.extend(deletions);
    Ok(entries)
}

pub(crate) fn is_deletion(item: &Doc) -> bool {
    item.as_map().and_then(|map| map.get("$patch")).and_then(Doc::as_str) == Some("delete")
}

/// Sorts where some items have no place, exactly as upstream does.
///
/// Upstream calls an item without a place less than every other, and is called less by every other too. No
/// sort is defined on that; what comes out is what the steps of Go's stable sort make of it. It is reached only by
/// an empty `$setElementOrder` list beside a patch list.
fn sort_with_unplaced(entries: &mut [Entry<'_>]) -> Result<()> {
    sort::stable(entries, &|a, b| {
        let Some(a) = a.place.clone()? else { return Ok(true) };
        let Some(b) = b.place.clone()? else { return Ok(true) };
        Ok(a < b)
    })
}

/// Upstream: `mergeSortedSlice`. A server-only item goes before the next patched one if both are in live and
/// it stood before it there.
fn interleave<'d>(
    server_only: Vec<Entry<'d>>,
    patched: Vec<Entry<'d>>,
    live: &Positions<'d>,
) -> Result<Vec<Doc<'d>>> {
    let mut result = Vec::with_capacity(server_only.len() + patched.len());
    let mut server_only = server_only.into_iter().peekable();
    for entry in patched {
        while let Some(first) = server_only.peek() {
            let (server_at, patched_at) = (live.get(&first.key)?, live.get(&entry.key)?);
            if server_at.is_none() || patched_at.is_none() || server_at >= patched_at {
                break;
            }
            result.extend(server_only.next().map(|entry| entry.item));
        }
        result.push(entry.item);
    }
    result.extend(server_only.map(|entry| entry.item));
    Ok(result)
}
