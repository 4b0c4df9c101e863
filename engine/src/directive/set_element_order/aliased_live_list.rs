//! The live list that upstream reads for its order after the patch was merged.
//!
//! Upstream orders the merged list by the live list. By then the merge has worked in the memory of that list, so that
//! its content can have changed: see [`crate::patch::go_compat::slice_aliasing`].

use rustc_hash::FxHashMap;

use crate::document::Doc;
use crate::patch::ListMerge;
use crate::patch::go_compat::slice_aliasing::live_scalars_after_union;
use crate::patch::list::identity::{self, ItemKey};
use crate::schema::PatchStrategy;

/// Returns the live list as upstream finds it after the merge. `None` if it is unchanged.
pub(super) fn live_list_after_merge<'d>(
    list: &ListMerge<'_>,
    live: &[Doc<'d>],
    patch: &[Doc<'d>],
) -> Option<Vec<Doc<'d>>> {
    if list.field.meta.strategy != PatchStrategy::Merge {
        return None;
    }
    if list.merge_keys.is_empty() {
        return live_scalars_after_union(live, patch, list.spare_capacity);
    }
    // Upstream merges no list by the keys that its items list: that never shipped.
    if patch.iter().any(|item| list.directives.listed_merge_keys(item).is_some()) {
        return None;
    }
    live_maps_after_deletions(list, live, patch)
}

/// Returns the live list after the deletions of a patch. They move the items behind them forward, and added items
/// fill the room at the end. Room that is left repeats the last item or holds a deleted one; a search from the front
/// finds nothing new there.
fn live_maps_after_deletions<'d>(
    list: &ListMerge<'_>,
    live: &[Doc<'d>],
    patch: &[Doc<'d>],
) -> Option<Vec<Doc<'d>>> {
    let has_patch_directive = |item: &Doc, value: &str| {
        item.as_map().and_then(|map| map.get("$patch")).and_then(Doc::as_str) == Some(value)
    };
    let item_key = |item: &Doc<'d>| identity::item_key(list.merge_keys, item).ok();
    let mut deleted_keys: Vec<ItemKey> = Vec::new();
    for item in patch.iter().filter(|item| has_patch_directive(item, "delete")) {
        deleted_keys.push(item_key(item)?);
    }
    if deleted_keys.is_empty() {
        return None;
    }
    let mut live_indices: FxHashMap<ItemKey, Vec<usize>> = FxHashMap::default();
    for (index, item) in live.iter().enumerate() {
        if let Some(key) = item_key(item) {
            live_indices.entry(key).or_default().push(index);
        }
    }
    let mut is_kept = vec![true; live.len()];
    for index in deleted_keys.iter().filter_map(|key| live_indices.remove(key)).flatten() {
        is_kept[index] = false;
    }
    let kept = live.iter().zip(&is_kept).filter(|(_, is_kept)| **is_kept);
    let mut aliased_live: Vec<Doc> = kept.map(|(item, _)| item.clone()).collect();
    if !patch.iter().any(|item| has_patch_directive(item, "replace")) {
        append_new_items(&mut aliased_live, live.len(), patch, |item| {
            let key = item_key(item)?;
            // The first item with a key is appended, unless live still has one with this key.
            (!live_indices.contains_key(&key)).then(|| {
                live_indices.insert(key, Vec::new());
            })
        });
    }
    Some(aliased_live)
}

/// Appends the new items of the patch, up to the capacity of the list.
fn append_new_items<'d>(
    list: &mut Vec<Doc<'d>>,
    capacity: usize,
    patch: &[Doc<'d>],
    mut is_new: impl FnMut(&Doc<'d>) -> Option<()>,
) {
    let is_merged = |item: &&Doc| item.as_map().is_some_and(|map| !map.contains_key("$patch"));
    for item in patch.iter().filter(is_merged) {
        if is_new(item).is_some() {
            if list.len() == capacity {
                return;
            }
            list.push(item.clone());
        }
    }
}
