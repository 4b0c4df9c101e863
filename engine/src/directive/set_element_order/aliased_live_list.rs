//! The content of the live list after upstream has merged a patch list into it.
//!
//! Upstream orders the merged list by the order of the live list. Before that, the merge writes to the backing array of
//! the live list and can thereby change the live list. See [`crate::patch::go_compat::slice_aliasing`].

use rustc_hash::FxHashMap;

use crate::document::Doc;
use crate::patch::go_compat::slice_aliasing::live_scalars_after_union;
use crate::patch::list::identity::{self, ItemKey};
use crate::patch::{ItemRole, ListMerge};
use crate::schema::PatchStrategy;

/// Returns the live list with the content that upstream reads after the merge. Returns `None` if the merge does not
/// change the list.
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
    // Upstream does not know `$patchMergeKey`, so that there is no upstream behaviour to reproduce.
    if patch.iter().any(|item| list.directives.listed_merge_keys(item).is_some()) {
        return None;
    }
    live_maps_after_deletions(list, live, patch)
}

/// Returns the live list after the deletions of a patch. Returns `None` if the patch deletes nothing.
///
/// A deletion moves all later items forward in the backing array. Items that the patch adds overwrite the end of the
/// array. The rest of the array still has items that were moved or deleted. The result does not contain these remains,
/// because upstream searches from the front and takes the first match.
fn live_maps_after_deletions<'d>(
    list: &ListMerge<'_>,
    live: &[Doc<'d>],
    patch: &[Doc<'d>],
) -> Option<Vec<Doc<'d>>> {
    let has_role = |item: &Doc, role| list.directives.item_role(item) == Some(role);
    let item_key = |item: &Doc<'d>| identity::item_key(list.merge_keys, item).ok();
    let mut deleted_keys: Vec<ItemKey> = Vec::new();
    for item in patch.iter().filter(|item| has_role(item, ItemRole::Deletion)) {
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
    if !patch.iter().any(|item| has_role(item, ItemRole::ListReplacement)) {
        let merged_items = patch.iter().filter(|item| list.directives.item_role(item).is_none());
        append_new_items(&mut aliased_live, live.len(), merged_items, |item| {
            let key = item_key(item)?;
            // Only the first item with a key is appended, and only if no remaining live item has this key.
            (!live_indices.contains_key(&key)).then(|| {
                live_indices.insert(key, Vec::new());
            })
        });
    }
    Some(aliased_live)
}

/// Appends the new items of the patch until the list has `capacity` items.
fn append_new_items<'l, 'd: 'l>(
    list: &mut Vec<Doc<'d>>,
    capacity: usize,
    merged_items: impl Iterator<Item = &'l Doc<'d>>,
    mut is_new: impl FnMut(&Doc<'d>) -> Option<()>,
) {
    for item in merged_items {
        if is_new(item).is_some() {
            if list.len() == capacity {
                return;
            }
            list.push(item.clone());
        }
    }
}
