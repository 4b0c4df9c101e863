//! Merging and ordering of a list in a single pass over `$setElementOrder`, for the simple case. In this case, the list
//! has a single merge key with a different value in each item, and the patch only changes, adds and deletes items.
//!
//! In the general case, the list is merged first, and [`element_order`] then looks up each item in the requested order
//! and in the live list. In the simple case, the item matches between the requested order and the live list determine
//! the index of each item before and after the merge.

use crate::document::Doc;
use crate::error::Result;
use crate::patch::list::element_order;
use crate::patch::list::matching::{ItemMatch, ItemMatches, directive_free_key, simple_key};
use crate::patch::{ListMerge, Merge, MergeKeys};

/// A plan for merging and ordering a list in a single pass.
pub(super) struct SinglePassMerge {
    /// The live item of each item in the requested order.
    live_matches: Vec<ItemMatch>,
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
        live: &[Doc],
        patch: &[Doc],
        requested_order: &[Doc],
    ) -> Option<Self> {
        if requested_order.is_empty() {
            return None;
        }
        let matches = ItemMatches::find_despite_directives(keys, live, requested_order)?;
        if !are_live_directives_ignored(merge, live, &matches.is_matched) {
            return None;
        }
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
                let live_index = deleted_live_index(merge, &matches, keys, item)?;
                is_deleted.resize(live.len(), false);
                is_deleted[live_index] = true;
            }
        }
        Some(SinglePassMerge { live_matches: matches.matches, order_indices, is_deleted })
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
        let mut result_indices = Vec::with_capacity(self.live_matches.len());
        for (order_index, live_match) in self.live_matches.into_iter().enumerate() {
            let live_index = live_match.original_index();
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

/// Returns true if the directives of the live items have no effect. A live list has directives if two patches are merged.
///
/// Deletions that are not in the requested order are ordered behind all other live items. They have no effect if they are
/// already there.
fn are_live_directives_ignored(merge: &Merge<'_>, live: &[Doc], is_matched: &[bool]) -> bool {
    let directives = merge.directives();
    let is_other =
        |item: &Doc| item.as_map().is_some_and(|map| directives.has_only_transparent_directives(map));
    let others = live.iter().take_while(|item| is_other(item)).count();
    live[others..].iter().all(|item| directives.is_deletion(item)) && !is_matched[others..].contains(&true)
}

/// Returns the index of the live item that a patch item deletes. Returns `None` if the patch item is not a deletion,
/// has another directive, or deletes an item that does not exist or is in the requested order.
fn deleted_live_index(
    merge: &Merge<'_>,
    matches: &ItemMatches<'_>,
    keys: MergeKeys<'_>,
    item: &Doc,
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

#[cfg(test)]
#[cfg(feature = "go")]
mod tests {
    use rstest::rstest;

    use crate::document::Doc;
    use crate::patch::{Merge, MergeMode};
    use crate::test_support::{context_of, json};

    const TYPES: &str = r#"
type Root struct {
  Items []Item `json:"items" patchStrategy:"merge" patchMergeKey:"name"`
}
type Item struct {
  Name string   `json:"name"`
  Tags []string `json:"tags" patchStrategy:"merge"`
}
"#;

    const DELETE_Z: &str = r#"{"$patch":"delete","name":"z"}"#;

    /// The first patch is the live object of the merge. The expected lists are those of the merge in several passes.
    #[rstest]
    #[case::deletion_at_the_end("A,DELETE_Z", "B", "B,A", "B,A,DELETE_Z")]
    #[case::only_a_deletion("DELETE_Z", "A,B", "A,B", "A,B,DELETE_Z")]
    #[case::deletion_before_another_item("DELETE_Z,A", "B", "B", "B,A,DELETE_Z")]
    #[case::deletion_in_the_requested_order("A,DELETE_Z", "B", "Z,B,A", "B,A,DELETE_Z")]
    #[case::deletion_is_deleted("A,DELETE_Z", "DELETE_Z", "A", "A")]
    #[case::element_order_in_a_live_item("A,ORDER", "B", "ORDER_KEY,B,A", "ORDER,B,A")]
    #[case::other_directive_in_a_live_item("A,REPLACE", "B", "B,A", "B,A,REPLACE")]
    fn patches_with_directives_are_combined(
        #[case] first: &str,
        #[case] second: &str,
        #[case] order: &str,
        #[case] expected: &str,
    ) {
        let items = |names: &str| {
            let names = names
                .replace("DELETE_Z", DELETE_Z)
                .replace("REPLACE", r#"{"$patch":"replace","name":"r"}"#)
                .replace("ORDER_KEY", r#"{"name":"o"}"#)
                .replace("ORDER", r#"{"$setElementOrder/tags":["t"],"name":"o"}"#);
            let letter = |letter: &str| format!(r#"{{"name":"{}"}}"#, letter.to_lowercase());
            let names = ["A", "B", "Z"].iter().fold(names, |names, name| {
                let items =
                    names.split(',').map(|item| if item == *name { letter(item) } else { item.into() });
                items.collect::<Vec<_>>().join(",")
            });
            format!("[{names}]")
        };
        let map = |text: &str| json(text).as_map().unwrap().clone();
        let mut combined = map(&format!(r#"{{"items":{}}}"#, items(first)));
        let second = format!(r#"{{"$setElementOrder/items":{},"items":{}}}"#, items(order), items(second));
        let context = context_of(TYPES, "Root");
        Merge::new(&context, MergeMode::Combine)
            .merge_map(&mut combined, map(&second), context.root)
            .unwrap();
        let expected =
            format!(r#"{{"$setElementOrder/items":{},"items":{}}}"#, items(order), items(expected));
        assert_eq!(Doc::Map(combined).to_string(), expected);
    }
}
