//! Merging a list into the order that `$setElementOrder` wants, where that is plain: each item has one merge key that
//! no other has, and the patch changes, adds or deletes items and says nothing else of them.
//!
//! Upstream merges first, and then looks for every item in the wanted order and in live. Where matches are plain, one
//! pass over the wanted order says where each of its items stands, before and after.

use super::element_order;
use super::identity::MergeKeys;
use super::matching::{Matched, key, key_of_any};
use super::merge::ListMerge;
use crate::document::Doc;
use crate::error::Result;
use crate::patch::apply::Merge;

/// Where the items of a wanted order are.
pub(crate) struct InOrder {
    /// For each wanted item, where it stands in live.
    in_live: Vec<Option<usize>>,
    /// For each item of the patch that deletes nothing, which of the wanted it is; they are in order.
    in_patch: Vec<usize>,
    /// For each item of live, whether the patch deletes it; empty where it deletes nothing.
    deleted: Vec<bool>,
}

impl InOrder {
    /// `None` where it is not plain, or something is wrong.
    pub(crate) fn of(
        merge: &Merge<'_>,
        keys: MergeKeys<'_>,
        (live, patch): (&[Doc], &[Doc]),
        wanted: &[Doc],
    ) -> Option<Self> {
        if wanted.is_empty() {
            return None;
        }
        let matched = Matched::of(keys, live, wanted)?;
        let (mut in_patch, mut deleted) = (Vec::with_capacity(patch.len()), Vec::new());
        let mut from = 0;
        for item in patch {
            if merge.directives().merges_plainly(item.as_map()?) {
                let held = key_of_any(keys, item)?;
                // What the patch names must stand in the order, in the same order.
                let place = from + wanted[from..].iter().position(|item| key(keys, item) == Some(held))?;
                in_patch.push(place);
                from = place + 1;
            } else {
                let place = deleted_place(merge, &matched, (keys, item))?;
                deleted.resize(live.len(), false);
                deleted[place] = true;
            }
        }
        Some(InOrder { in_live: matched.places, in_patch, deleted })
    }

    /// Merges the patch, which these are the places of, into live.
    pub(crate) fn merge<'d>(
        self,
        merge: &Merge<'_>,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        mut patch: Vec<Doc<'d>>,
    ) -> Result<()> {
        let before = live.len();
        if !self.deleted.is_empty() {
            for directive in merge.directives().iter() {
                directive.merge_items(list, live, &mut patch)?;
            }
        }
        let moved = places_after(&self.deleted);
        let mut items = patch.into_iter().enumerate();
        let mut in_patch = self.in_patch.into_iter().peekable();
        let mut places = Vec::with_capacity(self.in_live.len());
        for (wanted, place) in self.in_live.into_iter().enumerate() {
            let place = place.map(|place| moved.get(place).copied().unwrap_or(place));
            let patched = in_patch.next_if_eq(&wanted).and_then(|_| items.next());
            places.extend(place.or(patched.as_ref().map(|_| live.len())));
            match (place.and_then(|place| live.get_mut(place)), patched) {
                (Some(Doc::Map(held)), Some((index, Doc::Map(patch)))) => {
                    merge.merge_map(held, patch, list.item).map_err(|e| e.at_index(index))?;
                }
                (None, Some((_, item))) => live.push(merge.added_item(item)),
                _ => {}
            }
        }
        // As `memory::left_behind` has it: what is added first takes the room of what was deleted, and so a place in
        // what upstream takes for live.
        let in_live = live.len().min(before);
        *live = element_order::arrange(std::mem::take(live), &places, in_live);
        Ok(())
    }
}

/// Where the item stands in live that an item of the patch deletes, if that is all that it does.
fn deleted_place(
    merge: &Merge<'_>,
    matched: &Matched<'_>,
    (keys, item): (MergeKeys<'_>, &Doc),
) -> Option<usize> {
    let directives = item.as_map()?.dollar_keys().count();
    if directives != 1 || !element_order::is_deletion(item) || !merge.directives().knows("$patch") {
        return None;
    }
    let place = matched.place_of(key_of_any(keys, item)?)?;
    // What is wanted and deleted is not plain.
    (!matched.found[place]).then_some(place)
}

/// For each place of a list, where its item stands once the deleted ones are gone.
fn places_after(deleted: &[bool]) -> Vec<usize> {
    let mut left = 0..;
    deleted.iter().map(|gone| if *gone { usize::MAX } else { left.next().unwrap_or_default() }).collect()
}
