//! The matching of the items of two lists in the simple case. In this case, the list has a single merge key, each item
//! of a list has another value of this key, all values are integers or all are strings, and no item has a directive.
//!
//! Upstream sorts both lists by the text of the keys and traverses them in parallel. In the simple case, a lookup by
//! key finds the same pairs in one pass. The order by text then affects only which error is returned first, and the
//! order of deletions in a patch.

use rustc_hash::FxHashSet;

use super::identity::{MergeKeys, single_key_value};
use super::key_index::KeyIndex;
use crate::document::{Doc, Text};
use crate::patch::go_compat::text::format_go_value;

/// The item matches between an original list and a modified list.
pub(crate) struct ItemMatches<'a> {
    /// The index of the original item that matches each modified item. `None` for a new item.
    pub(crate) original_indices: Vec<Option<usize>>,
    /// Whether each original item has a match.
    pub(crate) is_matched: Vec<bool>,
    /// The index from keys to the items of the original list.
    index: KeyIndex<SimpleKey<'a>>,
}

/// The value of a merge key that is an integer or a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SimpleKey<'a> {
    Int(i64),
    Text(&'a str),
}

impl<'a> ItemMatches<'a> {
    /// Matches the items of two lists. Returns `None` if the lists are not the simple case.
    pub(crate) fn find(
        keys: MergeKeys<'_>,
        original: &'a [Doc],
        modified: &[Doc],
    ) -> Option<ItemMatches<'a>> {
        let first = directive_free_key(keys, original.first()?)?;
        let mut index = KeyIndex::with_capacity(original.len());
        for (position, item) in original.iter().enumerate() {
            let key = directive_free_key(keys, item)?;
            if !key.has_kind_of(first) || !index.insert(key, position) {
                return None;
            }
        }
        let mut is_matched = vec![false; original.len()];
        let mut added = FxHashSet::default();
        let mut original_indices = Vec::with_capacity(modified.len());
        // The two lists usually have the same order. Therefore the next item of `original` is tried before the lookup by key.
        let mut next = 0;
        for item in modified {
            let key = directive_free_key(keys, item)?;
            let original_index = match index.nth_key(next) {
                Some(expected) if *expected == key => Some(next),
                _ => index.get(&key),
            };
            let is_new = match original_index {
                Some(index) => !std::mem::replace(&mut is_matched[index], true),
                None => key.has_kind_of(first) && added.insert(key),
            };
            if !is_new {
                return None;
            }
            next = original_index.map_or(next, |index| index + 1);
            original_indices.push(original_index);
        }
        Some(ItemMatches { original_indices, is_matched, index })
    }

    /// Returns the index of the original item with this key.
    pub(crate) fn original_index_of(&self, key: SimpleKey<'_>) -> Option<usize> {
        self.index.get(&key)
    }

    /// Returns true if both lists have the same items in the same order.
    pub(crate) fn is_same_order(&self) -> bool {
        self.original_indices.len() == self.is_matched.len()
            && self.original_indices.iter().enumerate().all(|(index, original)| *original == Some(index))
    }

    /// Returns the indices of the original items without a match, sorted by the text of their keys.
    pub(crate) fn deleted_indices(&self, keys: MergeKeys<'_>, original: &[Doc]) -> Vec<usize> {
        let mut deleted: Vec<usize> = (0..original.len()).filter(|index| !self.is_matched[*index]).collect();
        deleted.sort_by_cached_key(|index| key_text(keys, &original[*index]));
        deleted
    }
}

impl SimpleKey<'_> {
    /// Returns true if both keys are integers or both are strings. Two such keys are equal if and only if their texts
    /// are equal.
    fn has_kind_of(self, other: SimpleKey<'_>) -> bool {
        matches!(
            (self, other),
            (SimpleKey::Int(_), SimpleKey::Int(_)) | (SimpleKey::Text(_), SimpleKey::Text(_))
        )
    }
}

/// Returns the text of an item's merge key, by which upstream sorts the item.
pub(crate) fn key_text<'d>(keys: MergeKeys<'_>, item: &Doc<'d>) -> Option<Text<'d>> {
    single_key_value(keys, item).map(format_go_value)
}

/// Returns the simple key of an item. Returns `None` if a key of the item begins with `$`, even if it is an ordinary
/// field.
pub(crate) fn directive_free_key<'v>(keys: MergeKeys<'_>, item: &'v Doc) -> Option<SimpleKey<'v>> {
    if item.as_map()?.dollar_keys().next().is_some() {
        return None;
    }
    simple_key(keys, item)
}

/// Returns the simple key of an item, which can have directives.
pub(crate) fn simple_key<'v>(keys: MergeKeys<'_>, item: &'v Doc) -> Option<SimpleKey<'v>> {
    match single_key_value(keys, item)? {
        Doc::Int(i) => Some(SimpleKey::Int(*i)),
        Doc::String(s) => Some(SimpleKey::Text(s)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::document::OwnedDoc;
    use crate::test_support::json;

    fn list(names: &str) -> Vec<OwnedDoc> {
        let item = |name: &str| json(&format!("{{\"name\":{name}}}"));
        names.split_whitespace().map(item).collect()
    }

    #[rstest]
    #[case::same_order("1 2 3", "1 2 3", &[Some(0), Some(1), Some(2)], &[])]
    #[case::reversed("1 2 3", "3 2 1", &[Some(2), Some(1), Some(0)], &[])]
    #[case::one_deleted(r#""a" "b" "c""#, r#""a" "c""#, &[Some(0), Some(2)], &[1])]
    #[case::one_added(r#""a" "c""#, r#""a" "b" "c""#, &[Some(0), None, Some(1)], &[])]
    #[case::deletions_sorted_by_text("1 9 10", "1", &[Some(0)], &[2, 1])]
    fn items_match_by_key(
        #[case] original: &str,
        #[case] modified: &str,
        #[case] original_indices: &[Option<usize>],
        #[case] deleted_indices: &[usize],
    ) {
        let name = [Text::from("name")];
        let (keys, original) = (MergeKeys::declared(&name), list(original));
        let matches = ItemMatches::find(keys, &original, &list(modified)).unwrap();
        assert_eq!(matches.original_indices, original_indices);
        assert_eq!(matches.deleted_indices(keys, &original), deleted_indices);
        let is_same_order = original_indices.iter().copied().eq((0..original.len()).map(Some));
        assert_eq!(matches.is_same_order(), is_same_order);
    }

    #[rstest]
    #[case::repeated_in_original("1 1", "1")]
    #[case::repeated_in_modified("1", "1 1")]
    #[case::repeated_new_item("1", "2 2")]
    #[case::two_kinds_in_original(r#"1 "1""#, "1")]
    #[case::two_kinds_in_modified("1", r#"1 "1""#)]
    #[case::floats("1.5", "1.5")]
    #[case::nulls("null", "null")]
    fn lists_with_repeated_mixed_or_other_keys_are_not_matched(
        #[case] original: &str,
        #[case] modified: &str,
    ) {
        let name = [Text::from("name")];
        assert!(ItemMatches::find(MergeKeys::declared(&name), &list(original), &list(modified)).is_none());
    }

    #[test]
    fn lists_with_directives_or_missing_keys_are_not_matched() {
        let name = [Text::from("name")];
        let keys = MergeKeys::declared(&name);
        for item in [r#"{"name":1,"$patch":"delete"}"#, r#"{"other":1}"#, "1"] {
            let unmatched = [json(item)];
            assert!(ItemMatches::find(keys, &unmatched, &list("1")).is_none(), "{item}");
            assert!(ItemMatches::find(keys, &list("1"), &unmatched).is_none(), "{item}");
        }
        assert!(ItemMatches::find(MergeKeys::NONE, &list("1"), &list("1")).is_none());
    }
}
