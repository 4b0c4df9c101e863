//! Comparing two versions of a merging list.

use super::{Diff, MapDiff};
use crate::document::{Doc, DocKind, Text};
use crate::error::{Error, Result};
use crate::patch::go_compat::slice_aliasing::deduplicate;
use crate::patch::go_compat::text::format_go_value;
use crate::patch::list::element_order;
use crate::patch::list::identity::{self, KeyPositions, MergeKeys, item_key, require_map};
use crate::patch::list::matching::{self, ItemMatch, ItemMatches};
use crate::schema::{Field, TypeId};

/// The difference between two versions of a merging list. The hooks of directives write it into the patch.
#[derive(Debug)]
#[non_exhaustive]
pub struct ListChange<'a, 'd> {
    /// The field whose value is the list.
    pub field: &'a Field,
    /// The key of the field in the two documents. It can differ from the declared name of the field in case.
    pub document_key: &'a str,
    /// The merge keys by which the items of the list are matched. Empty for a list of scalars.
    pub merge_keys: MergeKeys<'a>,
    /// Whether the items of the list are maps.
    pub is_list_of_maps: bool,
    /// The list in the modified document.
    pub modified: &'a [Doc<'d>],
    /// The items of the patch list: additions and changes.
    pub items: Vec<Doc<'d>>,
    /// The deleted items: scalars, or maps with only the merge keys. A directive that can express deletions moves them
    /// from here into the patch.
    pub deletions: Vec<Doc<'d>>,
    /// Whether the patch needs the element order, because the content or the order of the list changed.
    pub needs_element_order: bool,
}

/// A merging list of a type.
#[derive(Clone, Copy)]
pub(super) struct DiffedList<'l> {
    /// The key of the list in the documents.
    pub(super) key: &'l str,
    pub(super) field: &'l Field,
    pub(super) item_type: TypeId,
}

impl Diff<'_> {
    /// Compares two versions of a merging list. Returns `None` if the patch needs no entry for the list. Upstream:
    /// `diffLists`.
    pub(super) fn diff_lists<'l, 'd>(
        &self,
        list: DiffedList<'l>,
        keys: MergeKeys<'l>,
        original: &[Doc<'d>],
        modified: &'l [Doc<'d>],
    ) -> Result<Option<ListChange<'l, 'd>>> {
        let options = self.options();
        let DiffedList { key, field, item_type } = list;
        let mut change = ListChange {
            field,
            document_key: key,
            merge_keys: keys,
            is_list_of_maps: true,
            modified,
            items: Vec::new(),
            deletions: Vec::new(),
            needs_element_order: false,
        };
        if original.is_empty() {
            if modified.is_empty() || options.ignore_changes_and_additions {
                return Ok(None);
            }
            // A new list needs no element order.
            change.is_list_of_maps = identity::common_kind([modified]).is_ok_and(|kind| kind == DocKind::Map);
            change.items = self.patch_for_added_items(modified, item_type)?;
            return Ok(Some(change));
        }
        // Items that match are maps, so that the kinds need no check.
        let matches = self.find_matches(keys, original, modified);
        change.is_list_of_maps =
            matches.is_some() || identity::common_kind_of(original, modified)? == DocKind::Map;
        if !change.is_list_of_maps {
            self.diff_lists_of_scalars(original, &mut change)?;
            return Ok(Some(change));
        }
        change.merge_keys = keys.or_empty_name();
        let is_same_order = if let Some(matches) = &matches {
            self.diff_matched_items(matches, item_type, original, &mut change)?;
            matches.is_same_order()
        } else {
            self.diff_sorted_items(item_type, original, &mut change)?;
            is_order_same(original, modified, keys)?
        };
        self.decide_element_order(is_same_order, &mut change);
        Ok(Some(change))
    }

    /// Matches the items of two lists. Returns `None` if the schema declares no merge key or if the lists are not the
    /// simple case.
    fn find_matches<'a>(
        &self,
        keys: MergeKeys<'_>,
        original: &'a [Doc],
        modified: &[Doc],
    ) -> Option<ItemMatches<'a>> {
        if self.directives().has_always_active() {
            // Such a directive can add to the patch of equal items.
            return ItemMatches::find(keys, original, modified, |_, _| false);
        }
        ItemMatches::find(keys, original, modified, are_equal_maps_of_scalars)
    }

    /// Compares each item of the modified list with the original item that it matches.
    fn diff_matched_items<'d>(
        &self,
        matches: &ItemMatches,
        item_type: TypeId,
        original: &[Doc<'d>],
        change: &mut ListChange<'_, 'd>,
    ) -> Result<()> {
        let options = self.options();
        // Upstream compares the items in the order of their key texts, and stops at the first error.
        let mut first_error: Option<(Option<Text<'_>>, Error)> = None;
        for (index, (after, item_match)) in change.modified.iter().zip(&matches.matches).enumerate() {
            let before = match *item_match {
                ItemMatch::Equal(_) => continue,
                ItemMatch::SameKey(index) => Some(index),
                ItemMatch::New => None,
            };
            let compared =
                before.map(|before| (before, self.diff_item(item_type, &original[before], after, change)));
            match compared {
                Some((_, Ok(patch))) => change.items.extend(patch),
                Some((before, Err(error))) => {
                    let key_text = matching::key_text(change.merge_keys, after);
                    if first_error.as_ref().is_none_or(|(first, _)| key_text < *first) {
                        first_error = Some((key_text, error.at_index_in(before, index)));
                    }
                }
                None if options.ignore_changes_and_additions => {}
                None => change
                    .items
                    .push(self.patch_for_added_item(after, item_type).map_err(|e| e.at_index(index))?),
            }
        }
        if let Some((_, error)) = first_error {
            return Err(error);
        }
        if !options.ignore_deletions {
            let deleted = matches.deleted_indices(change.merge_keys, original).into_iter();
            let deletion =
                |index: usize| identity::project_to_merge_keys(change.merge_keys, &original[index]);
            change.deletions.extend(deleted.map(deletion));
        }
        Ok(())
    }

    /// Creates the patch of a list item, including its merge keys. Returns `None` if the item did not change.
    fn diff_item<'d>(
        &self,
        item_type: TypeId,
        before: &Doc<'d>,
        after: &Doc<'d>,
        change: &ListChange<'_, 'd>,
    ) -> Result<Option<Doc<'d>>> {
        let (before, after) = (require_map(before)?, require_map(after)?);
        let compared = MapDiff { original: before, modified: after, meta: &change.field.meta };
        let mut patch = self.diff_maps(&compared, item_type)?;
        if patch.is_empty() {
            return Ok(None);
        }
        for key in change.merge_keys.names() {
            if let Some(value) = after.get(key) {
                patch.insert(key.clone(), value.clone());
            }
        }
        Ok(Some(Doc::Map(patch)))
    }

    /// Compares two lists of maps after sorting them by the texts of their merge keys. Upstream always compares in this
    /// way.
    fn diff_sorted_items<'d>(
        &self,
        item_type: TypeId,
        original: &[Doc<'d>],
        change: &mut ListChange<'_, 'd>,
    ) -> Result<()> {
        let options = self.options();
        let before = sort_by_key_texts(change.merge_keys, original).map_err(Error::in_base)?;
        let after = sort_by_key_texts(change.merge_keys, change.modified)?;
        let (mut before_index, mut after_index) = (0, 0);
        loop {
            let (before, after) = (before.get(before_index), after.get(after_index));
            // The merge keys are checked only here, because another error of an earlier item takes precedence.
            check_key(change.merge_keys, before).map_err(Error::in_base)?;
            check_key(change.merge_keys, after)?;
            match (before, after) {
                (Some(b), Some(a)) if a.key_texts == b.key_texts => {
                    let patch = self.diff_item(item_type, b.item, a.item, change);
                    change.items.extend(patch.map_err(|e| e.at_index_in(b.index, a.index))?);
                    before_index += 1;
                    after_index += 1;
                }
                (b, Some(a)) if b.is_none_or(|b| b.key_texts > a.key_texts) => {
                    if !options.ignore_changes_and_additions {
                        let added =
                            self.patch_for_added_item(a.item, item_type).map_err(|e| e.at_index(a.index))?;
                        change.items.push(added);
                    }
                    after_index += 1;
                }
                (Some(b), _) => {
                    if !options.ignore_deletions {
                        change
                            .deletions
                            .push(identity::project_to_merge_keys(change.merge_keys, &original[b.index]));
                    }
                    before_index += 1;
                }
                (None, _) => break,
            }
        }
        let modified_order = KeyPositions::of(change.merge_keys, change.modified);
        change.items = element_order::sort_by_element_order(
            std::mem::take(&mut change.items),
            &modified_order,
            change.merge_keys,
            DocKind::Map,
            self.directives(),
        )?;
        Ok(())
    }

    fn patch_for_added_items<'d>(&self, items: &[Doc<'d>], ty: TypeId) -> Result<Vec<Doc<'d>>> {
        let items = items.iter().enumerate();
        items
            .map(|(index, item)| self.patch_for_added_item(item, ty).map_err(|e| e.at_index(index)))
            .collect()
    }

    fn patch_for_added_item<'d>(&self, item: &Doc<'d>, ty: TypeId) -> Result<Doc<'d>> {
        match item {
            Doc::Map(map) => self.patch_for_added_map(map, ty).map(Doc::Map),
            other => Ok(other.clone()),
        }
    }

    fn decide_element_order(&self, is_same_order: bool, change: &mut ListChange<'_, '_>) {
        let options = self.options();
        let has_changes = !change.items.is_empty() || !change.deletions.is_empty();
        change.needs_element_order = (!options.ignore_changes_and_additions
            && (has_changes || !is_same_order))
            || (!options.ignore_deletions && has_changes);
    }

    /// Compares two lists of scalars. Upstream: `diffListsOfScalars` and the last branch of `diffLists`.
    fn diff_lists_of_scalars<'d>(&self, original: &[Doc<'d>], change: &mut ListChange<'_, 'd>) -> Result<()> {
        let options = self.options();
        let before = sort_scalars_by_text(original);
        let after = sort_scalars_by_text(change.modified);
        // Upstream sorts the original in place before it compares the two lists. If the modified list is sorted, a
        // change of order alone is therefore not in the patch. If it is not sorted, the patch always contains its
        // order.
        let differ = !before.iter().map(|(_, value)| *value).eq(change.modified.iter());
        let (mut before_index, mut after_index) = (0, 0);
        loop {
            match (before.get(before_index), after.get(after_index)) {
                (Some((b, _)), Some((a, _))) if a == b => {
                    before_index += 1;
                    after_index += 1;
                }
                (b, Some((a, value))) if b.is_none_or(|(b, _)| b > a) => {
                    if !options.ignore_changes_and_additions {
                        change.items.push((*value).clone());
                    }
                    after_index += 1;
                }
                (Some((_, value)), _) => {
                    if !options.ignore_deletions {
                        change.deletions.push((*value).clone());
                    }
                    before_index += 1;
                }
                (None, _) => break,
            }
        }
        deduplicate(&mut change.deletions);
        let modified_order = KeyPositions::of(MergeKeys::NONE, change.modified);
        change.items = element_order::sort_by_element_order(
            std::mem::take(&mut change.items),
            &modified_order,
            MergeKeys::NONE,
            DocKind::String,
            self.directives(),
        )?;
        change.needs_element_order = (!options.ignore_deletions && !change.deletions.is_empty())
            || (!options.ignore_changes_and_additions && differ);
        Ok(())
    }
}

/// An item of a list of maps, with the texts of its merge keys.
struct SortedItem<'a, 'd> {
    key_texts: Vec<Text<'d>>,
    item: &'a Doc<'d>,
    index: usize,
}

/// Returns true if two items are equal maps that have only scalars. The patch of such items is empty. Lists and maps need
/// the full comparison, which can find errors in equal values.
fn are_equal_maps_of_scalars(before: &Doc, after: &Doc) -> bool {
    let (Doc::Map(before), Doc::Map(after)) = (before, after) else { return false };
    let are_equal_scalars = |before: &Doc, after: &Doc| match (before, after) {
        (Doc::String(before), Doc::String(after)) => before == after,
        _ => before.is_scalar() && before == after,
    };
    before.len() == after.len()
        && before.iter().zip(after.iter()).all(|(b, a)| b.0 == a.0 && are_equal_scalars(b.1, a.1))
}

fn check_key(keys: MergeKeys<'_>, item: Option<&SortedItem<'_, '_>>) -> Result<()> {
    let Some(item) = item else { return Ok(()) };
    item_key(keys, item.item).map(drop).map_err(|error| error.at_index(item.index))
}

/// Sorts the items by the texts of their merge keys. Upstream: `sortMergeListsByNameArray`.
///
/// If two items have equal keys, the later item comes first. The reason is that upstream compares with less-or-equal,
/// so that Go's sort reverses equal items. (This is true for up to 12 items. In longer lists, the order of equal items
/// depends on details of Go's algorithm.)
fn sort_by_key_texts<'a, 'd>(keys: MergeKeys<'_>, list: &'a [Doc<'d>]) -> Result<Vec<SortedItem<'a, 'd>>> {
    let mut items = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate().rev() {
        let map = require_map(item).map_err(|e| e.at_index(index))?;
        // A missing key is sorted like a null key.
        let key_texts =
            keys.names().iter().map(|key| format_go_value(map.get(key).unwrap_or(&Doc::Null))).collect();
        items.push(SortedItem { key_texts, item, index });
    }
    items.sort_by(|a, b| a.key_texts.cmp(&b.key_texts));
    Ok(items)
}

/// Sorts scalars by their texts. If two scalars have equal texts, the later scalar comes first.
fn sort_scalars_by_text<'l, 'd>(list: &'l [Doc<'d>]) -> Vec<(Text<'d>, &'l Doc<'d>)> {
    let mut scalars: Vec<_> = list.iter().rev().map(|value| (format_go_value(value), value)).collect();
    scalars.sort_by(|a, b| a.0.cmp(&b.0));
    scalars
}

/// Returns true if both lists have the same items in the same order. Upstream: `isOrderSame`.
fn is_order_same(original: &[Doc], modified: &[Doc], keys: MergeKeys<'_>) -> Result<bool> {
    if original.len() != modified.len() {
        return Ok(false);
    }
    for (before, after) in original.iter().zip(modified) {
        if !identity::is_same_item(keys, before, after)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::test_support::json;

    #[rstest]
    #[case::equal(r#"{"name":"a","port":1}"#, r#"{"name":"a","port":1}"#, true)]
    #[case::another_string(r#"{"port":1,"name":"a"}"#, r#"{"port":1,"name":"b"}"#, false)]
    #[case::other_strings(r#"{"name":"a"}"#, r#"{"name":"b"}"#, false)]
    #[case::another_number(r#"{"name":"a","port":1}"#, r#"{"name":"a","port":2}"#, false)]
    #[case::another_kind(r#"{"name":"1"}"#, r#"{"name":1}"#, false)]
    #[case::another_field(r#"{"name":"a","port":1}"#, r#"{"name":"a","zone":1}"#, false)]
    #[case::other_fields(r#"{"port":1}"#, r#"{"zone":1}"#, false)]
    #[case::one_field_more(r#"{"name":"a"}"#, r#"{"name":"a","port":1}"#, false)]
    #[case::a_list(r#"{"name":[1]}"#, r#"{"name":[1]}"#, false)]
    #[case::a_map(r#"{"name":{}}"#, r#"{"name":{}}"#, false)]
    #[case::no_maps("1", "1", false)]
    fn only_equal_maps_of_scalars_need_no_comparison(
        #[case] before: &str,
        #[case] after: &str,
        #[case] expected: bool,
    ) {
        let (before, after) = (json(before), json(after));
        assert_eq!(are_equal_maps_of_scalars(&before, &after), expected);
        assert_eq!(are_equal_maps_of_scalars(&after, &before), expected);
    }
}
