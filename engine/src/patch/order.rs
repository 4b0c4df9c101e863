//! The order of a merged list: what the patch orders, with what only the server has in between.

use super::identity::{ItemKey, MergeKeys, Positions, key_of};
use crate::error::Result;
use crate::value::{Kind, Value};

/// What a merged list is ordered by.
pub(crate) struct Orders {
    /// The order that the patch wants for the items that it names.
    pub(crate) wanted: Positions,
    /// The order of the live list before the merge.
    pub(crate) live: Positions,
    /// The kind that all items share, or why there is none; due only after the items have shown their keys.
    pub(crate) kind: Result<Kind>,
}

/// Brings a merged list into order: items that the patch names as it wants them, the others between them by
/// their order in live. Upstream: `partition…ByPresentInList`, `normalizeElementOrder`.
///
/// Hands the order of live back, which is costly to make.
pub(crate) fn normalize(
    merged: Vec<Value>,
    orders: Orders,
    keys: MergeKeys<'_>,
) -> Result<(Vec<Value>, Positions)> {
    let mut patched = Side::default();
    let mut server_only = Side::default();
    for item in merged {
        let key = key_of(keys, &item)?;
        if let Some(position) = orders.wanted.get(&key) {
            patched.add(item, key, Some(position));
        } else {
            let position = orders.live.get(&key);
            server_only.add(item, key, position);
        }
    }
    let kind = orders.kind?;
    orders.wanted.check()?;
    orders.live.check()?;
    patched.sort(kind);
    server_only.sort(kind);
    Ok((interleave(server_only, patched, &orders.live), orders.live))
}

/// An item with its key, and its place in the order that it is sorted by.
struct Entry {
    item: Value,
    key: ItemKey,
    position: Option<usize>,
}

#[derive(Default)]
struct Side {
    kept: Vec<Entry>,
}

impl Side {
    fn add(&mut self, item: Value, key: ItemKey, position: Option<usize>) {
        self.kept.push(Entry { item, key, position });
    }

    /// Upstream: `normalizeSliceOrder`: by position, with deletions last.
    fn sort(&mut self, kind: Kind) {
        let deletions = if kind == Kind::Map {
            self.kept.extract_if(.., |entry| is_deletion(&entry.item)).collect()
        } else {
            Vec::new()
        };
        if self.kept.iter().all(|entry| entry.position.is_some()) {
            self.kept.sort_by_key(|entry| entry.position);
        } else {
            sort_with_unplaced(&mut self.kept);
        }
        self.kept.extend(deletions);
    }
}

pub(crate) fn is_deletion(item: &Value) -> bool {
    item.as_map().and_then(|map| map.get("$patch")).and_then(Value::as_str) == Some("delete")
}

/// May the item hold a directive?
pub(crate) fn is_directed(item: &Value) -> bool {
    item.as_map().is_some_and(|map| map.keys().any(|key| key.starts_with('$')))
}

/// Sorts where some items have no position, exactly as upstream does.
///
/// Upstream calls an item without a position less than every other, and is called less by every other too.
/// No sort is defined on that; what comes out is what Go's `sort.SliceStable` does: insertion sort of blocks
/// of 20 items, then merging of blocks. It is reached only by an empty `$setElementOrder` list beside a patch
/// list, so that blocks beyond the first are merged in the simplest way: they stay where they are.
fn sort_with_unplaced(entries: &mut [Entry]) {
    const BLOCK: usize = 20;
    let less = |a: &Entry, b: &Entry| match (a.position, b.position) {
        (Some(a), Some(b)) => a < b,
        _ => true,
    };
    for block in entries.chunks_mut(BLOCK) {
        for i in 1..block.len() {
            let mut j = i;
            while j > 0 && less(&block[j], &block[j - 1]) {
                block.swap(j, j - 1);
                j -= 1;
            }
        }
    }
}

/// Upstream: `mergeSortedSlice`. A server-only item goes before the next patched one if both are in live and
/// it stood before it there.
fn interleave(server_only: Side, patched: Side, live: &Positions) -> Vec<Value> {
    let mut result = Vec::with_capacity(server_only.kept.len() + patched.kept.len());
    let mut server_only = server_only.kept.into_iter().peekable();
    for entry in patched.kept {
        let patched_at = if server_only.peek().is_some() { live.get(&entry.key) } else { None };
        while let Some(first) = server_only.peek() {
            let server_at = live.get(&first.key);
            if server_at.is_none() || patched_at.is_none() || server_at >= patched_at {
                break;
            }
            result.extend(server_only.next().map(|entry| entry.item));
        }
        result.push(entry.item);
    }
    result.extend(server_only.map(|entry| entry.item));
    result
}
