//! Merging and ordering of a list in a single pass over `$setElementOrder`, for the simple case. In this case, the list
//! has a single merge key with a different value in each item, and the patch only changes, adds and deletes items.
//!
//! In the general case, the list is merged first, and [`element_order`] then looks up each item in the requested order
//! and in the live list. In the simple case, the item matches between the requested order and the live list determine
//! the index of each item before and after the merge.

use crate::document::Doc;
use crate::error::Result;
use crate::patch::list::element_order;
use crate::patch::list::matching::{ItemMatches, directive_free_key, simple_key};
use crate::patch::{ListMerge, Merge, MergeKeys};

/// A plan for merging and ordering a list in a single pass.
pub(super) struct SinglePassMerge {
    /// The live index of each item in the requested order. `None` if the live list does not have the item.
    live_indices: Vec<Option<usize>>,
    /// The index in the requested order of each patch item that is not a deletion. The indices are ascending.
    order_indices: Vec<usize>,
    /// Whether the patch deletes each live item. Empty if the patch deletes nothing.
    is_deleted: Vec<bool>,
}

impl SinglePassMerge {
    /// Plans the merge of a patch list into a live list. Returns `None` if the lists are not the simple case, or if the
    /// patch is invalid.
    pub(super) fn plan(
        merge: &Merge<'_>,
        keys: MergeKeys<'_>,
        (live, patch): (&[Doc], &[Doc]),
        requested_order: &[Doc],
    ) -> Option<Self> {
        if requested_order.is_empty() {
            return None;
        }
        let matches = ItemMatches::find(keys, live, requested_order)?;
        let (mut order_indices, mut is_deleted) = (Vec::with_capacity(patch.len()), Vec::new());
        let mut next = 0;
        for item in patch {
            if merge.directives().has_only_transparent_directives(item.as_map()?) {
                let item_key = simple_key(keys, item)?;
                // The patch items must be in the requested order, so that the search starts after the previous match.
                let has_item_key = |item: &Doc| directive_free_key(keys, item) == Some(item_key);
                let order_index = next + requested_order[next..].iter().position(has_item_key)?;
                order_indices.push(order_index);
                next = order_index + 1;
            } else {
                let live_index = deleted_live_index(merge, &matches, (keys, item))?;
                is_deleted.resize(live.len(), false);
                is_deleted[live_index] = true;
            }
        }
        Some(SinglePassMerge { live_indices: matches.original_indices, order_indices, is_deleted })
    }

    /// Merges the patch list into the live list. Both must be the lists for which the merge was planned.
    pub(super) fn execute<'d>(
        self,
        merge: &Merge<'_>,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        mut patch: Vec<Doc<'d>>,
    ) -> Result<()> {
        let length_before = live.len();
        if !self.is_deleted.is_empty() {
            for directive in merge.directives().iter() {
                directive.before_merge_items(list, live, &mut patch)?;
            }
        }
        let new_indices = indices_after_deletion(&self.is_deleted);
        let mut patch_items = patch.into_iter().enumerate();
        let mut order_indices = self.order_indices.into_iter().peekable();
        let mut result_indices = Vec::with_capacity(self.live_indices.len());
        for (order_index, live_index) in self.live_indices.into_iter().enumerate() {
            let live_index = live_index.map(|index| new_indices.get(index).copied().unwrap_or(index));
            let patch_item = order_indices.next_if_eq(&order_index).and_then(|_| patch_items.next());
            result_indices.extend(live_index.or(patch_item.as_ref().map(|_| live.len())));
            match (live_index.and_then(|index| live.get_mut(index)), patch_item) {
                (Some(Doc::Map(live_item)), Some((index, Doc::Map(patch)))) => {
                    merge.merge_map(live_item, patch, list.item_type).map_err(|e| e.at_index(index))?;
                }
                (None, Some((_, item))) => live.push(merge.prepare_appended_item(item)),
                _ => {}
            }
        }
        // The first appended items overwrite the memory of the deleted items, so that upstream finds them in the live
        // list (see `aliased_live_list`).
        let live_length = live.len().min(length_before);
        *live = element_order::order_matched_items(std::mem::take(live), &result_indices, live_length);
        Ok(())
    }
}

/// Returns the index of the live item that a patch item deletes. Returns `None` if the patch item is not a deletion,
/// has another directive, or deletes an item that does not exist or is in the requested order.
fn deleted_live_index(
    merge: &Merge<'_>,
    matches: &ItemMatches<'_>,
    (keys, item): (MergeKeys<'_>, &Doc),
) -> Option<usize> {
    let directives = item.as_map()?.dollar_keys().count();
    if directives != 1 || !merge.directives().is_deletion(item) {
        return None;
    }
    let live_index = matches.original_index_of(simple_key(keys, item)?)?;
    // A deleted item in the requested order is not the simple case.
    (!matches.is_matched[live_index]).then_some(live_index)
}

/// Returns the new index of each item of a list after the deletion of some items.
fn indices_after_deletion(is_deleted: &[bool]) -> Vec<usize> {
    let mut remaining = 0..;
    let new_index = |deleted: &bool| if *deleted { usize::MAX } else { remaining.next().unwrap_or_default() };
    is_deleted.iter().map(new_index).collect()
}
