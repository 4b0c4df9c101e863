//! Item matches in the simple case: each item has one merge key, no two items of a list share it, and no item holds a
//! directive.
//!
//! Upstream sorts both lists by the text of the keys and walks them in parallel. If the keys are distinct, and all
//! integers or all strings, then a lookup finds the same pairs in one pass. The order by text then decides only which
//! error comes first, and the order of the deletions.

use rustc_hash::FxHashSet;

use super::identity::{MergeKeys, single_key_value};
use super::key_index::KeyIndex;
use crate::document::{Doc, Text};
use crate::patch::go_compat::text::format_go_value;

/// The matches of the items of a modified list, or of a patch list, in the original or live list.
pub(crate) struct ItemMatches<'a> {
    /// For each item of the modified list, the index of its match in the original.
    pub(crate) original_indices: Vec<Option<usize>>,
    /// For each item of the original list, whether it has a match.
    pub(crate) is_matched: Vec<bool>,
    index: KeyIndex<SimpleKey<'a>>,
}

/// The value of a merge key, if it is an integer or a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SimpleKey<'a> {
    Int(i64),
    Text(&'a str),
}

impl<'a> ItemMatches<'a> {
    /// Matches the items of two lists. `None` if this is not the simple case.
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
        // Usually the lists have the same order, so that the next match is the next item.
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

    /// Returns the index of the item with this key in the original list.
    pub(crate) fn original_index_of(&self, key: SimpleKey<'_>) -> Option<usize> {
        self.index.get(&key)
    }

    /// Returns true if both lists have the same items in the same order.
    pub(crate) fn is_same_order(&self) -> bool {
        self.original_indices.len() == self.is_matched.len()
            && self.original_indices.iter().enumerate().all(|(index, original)| *original == Some(index))
    }

    /// Returns the indices of the original's items without a match, sorted by the text of their keys.
    pub(crate) fn deleted_indices(&self, keys: MergeKeys<'_>, original: &[Doc]) -> Vec<usize> {
        let mut deleted: Vec<usize> = (0..original.len()).filter(|index| !self.is_matched[*index]).collect();
        deleted.sort_by_cached_key(|index| key_text(keys, &original[*index]));
        deleted
    }
}

impl SimpleKey<'_> {
    /// Returns true if both are integers or both are strings. Keys of one kind differ if and only if their texts do.
    fn has_kind_of(self, other: SimpleKey<'_>) -> bool {
        matches!(
            (self, other),
            (SimpleKey::Int(_), SimpleKey::Int(_)) | (SimpleKey::Text(_), SimpleKey::Text(_))
        )
    }
}

/// Returns the text by which upstream sorts an item.
pub(crate) fn key_text<'d>(keys: MergeKeys<'_>, item: &Doc<'d>) -> Option<Text<'d>> {
    single_key_value(keys, item).map(format_go_value)
}

/// Returns the simple key of an item. `None` if the item has a directive, also one that is data.
pub(crate) fn directive_free_key<'v>(keys: MergeKeys<'_>, item: &'v Doc) -> Option<SimpleKey<'v>> {
    if item.as_map()?.dollar_keys().next().is_some() {
        return None;
    }
    simple_key(keys, item)
}

/// Returns the simple key of an item, whatever else the item holds.
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
    #[case::in_order("1 2 3", "1 2 3", &[Some(0), Some(1), Some(2)], &[])]
    #[case::turned("1 2 3", "3 2 1", &[Some(2), Some(1), Some(0)], &[])]
    #[case::one_gone(r#""a" "b" "c""#, r#""a" "c""#, &[Some(0), Some(2)], &[1])]
    #[case::one_new(r#""a" "c""#, r#""a" "b" "c""#, &[Some(0), None, Some(1)], &[])]
    #[case::gone_by_text("1 9 10", "1", &[Some(0)], &[2, 1])]
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
        let in_order = original_indices.iter().copied().eq((0..original.len()).map(Some));
        assert_eq!(matches.is_same_order(), in_order);
    }

    #[rstest]
    #[case::twice_before("1 1", "1")]
    #[case::twice_after("1", "1 1")]
    #[case::twice_added("1", "2 2")]
    #[case::of_two_kinds_before(r#"1 "1""#, "1")]
    #[case::of_two_kinds_after("1", r#"1 "1""#)]
    #[case::floats("1.5", "1.5")]
    #[case::nulls("null", "null")]
    fn lists_with_repeated_or_mixed_keys_are_not_matched(#[case] original: &str, #[case] modified: &str) {
        let name = [Text::from("name")];
        assert!(ItemMatches::find(MergeKeys::declared(&name), &list(original), &list(modified)).is_none());
    }

    #[test]
    fn lists_with_directives_or_missing_keys_are_not_matched() {
        let name = [Text::from("name")];
        let keys = MergeKeys::declared(&name);
        for item in [r#"{"name":1,"$patch":"delete"}"#, r#"{"other":1}"#, "1"] {
            let odd = [json(item)];
            assert!(ItemMatches::find(keys, &odd, &list("1")).is_none(), "{item}");
            assert!(ItemMatches::find(keys, &list("1"), &odd).is_none(), "{item}");
        }
        assert!(ItemMatches::find(MergeKeys::NONE, &list("1"), &list("1")).is_none());
    }
}
