//! The matching of the items of two lists in the simple case. In this case, the list has a single merge key, each item
//! of a list has another value of this key, all values are integers or all are strings, and no item has a directive.
//!
//! Upstream sorts both lists by the text of the keys and traverses them in parallel. In the simple case, a lookup by
//! key finds the same pairs in one pass. The order by text then affects only which error is returned first, and the
//! order of deletions in a patch.

use super::identity::{MergeKeys, single_key_value};
use super::key_index::KeyIndex;
use crate::document::{Doc, Text};
use crate::patch::go_compat::text::format_go_value;

/// The item matches between an original list and a modified list.
pub(crate) struct ItemMatches<'a> {
    /// The match of each modified item.
    pub(crate) matches: Vec<ItemMatch>,
    /// Whether each original item has a match.
    pub(crate) is_matched: Vec<bool>,
    /// The index from keys to the items of the original list.
    index: KeyIndex<SimpleKey<'a>>,
}

/// The match of a modified item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemMatch {
    /// No original item has the key.
    New,
    /// The original item with this index has the key.
    SameKey(usize),
    /// The original item with this index is equal.
    Equal(usize),
}

impl ItemMatch {
    /// Returns the index of the original item. Returns `None` for a new item.
    pub(crate) fn original_index(self) -> Option<usize> {
        match self {
            ItemMatch::New => None,
            ItemMatch::SameKey(index) | ItemMatch::Equal(index) => Some(index),
        }
    }
}

/// The value of a merge key that is an integer or a string. The string is a reference to the text of the document, so that
/// a key fits into two registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum SimpleKey<'a> {
    Int(i64),
    Text(&'a Text<'a>),
}

impl<'a> ItemMatches<'a> {
    /// Matches the items of two lists. Returns `None` if the lists are not the simple case.
    ///
    /// `is_equal` is called for the items that are next to each other if both lists have the same order. If it returns
    /// true, the items match without a comparison of their keys.
    pub(crate) fn find(
        keys: MergeKeys<'_>,
        original: &'a [Doc],
        modified: &[Doc],
        is_equal: impl Fn(&Doc, &Doc) -> bool,
    ) -> Option<ItemMatches<'a>> {
        let index = index_of_original(original, |item| directive_free_key(keys, item))?;
        Self::find_with_index(keys, index, original, modified, is_equal)
    }

    /// Matches the items of two lists as [`ItemMatches::find`] does, but the original items can have directives.
    pub(crate) fn find_despite_directives(
        keys: MergeKeys<'_>,
        original: &'a [Doc],
        modified: &[Doc],
    ) -> Option<ItemMatches<'a>> {
        let index = index_of_original(original, |item| simple_key(keys, item))?;
        Self::find_with_index(keys, index, original, modified, |_, _| false)
    }

    fn find_with_index(
        keys: MergeKeys<'_>,
        index: KeyIndex<SimpleKey<'a>>,
        original: &[Doc],
        modified: &[Doc],
        is_equal: impl Fn(&Doc, &Doc) -> bool,
    ) -> Option<ItemMatches<'a>> {
        let first = *index.nth_key(0)?;
        let mut is_matched = vec![false; original.len()];
        let (mut added, new_index) = (None, || KeyIndex::with_capacity(modified.len()));
        let mut matches = Vec::with_capacity(modified.len());
        // The two lists usually have the same order. Therefore the next item of `original` is tried first.
        let mut next = 0;
        for item in modified {
            if next < original.len() && !is_matched[next] && is_equal(&original[next], item) {
                is_matched[next] = true;
                matches.push(ItemMatch::Equal(next));
                next += 1;
                continue;
            }
            let key = directive_free_key(keys, item)?;
            let original_index = match index.nth_key(next) {
                Some(expected) if *expected == key => Some(next),
                _ => index.get(&key),
            };
            let is_unique = match original_index {
                Some(index) => !std::mem::replace(&mut is_matched[index], true),
                None => key.has_kind_of(first) && added.get_or_insert_with(new_index).insert(key, 0),
            };
            if !is_unique {
                return None;
            }
            next = original_index.map_or(next, |index| index + 1);
            matches.push(original_index.map_or(ItemMatch::New, ItemMatch::SameKey));
        }
        Some(ItemMatches { matches, is_matched, index })
    }

    /// Returns the index of the original item with this key.
    pub(crate) fn original_index_of(&self, key: SimpleKey<'_>) -> Option<usize> {
        self.index.get(&key)
    }

    /// Returns true if both lists have the same items in the same order.
    pub(crate) fn is_same_order(&self) -> bool {
        self.matches.len() == self.is_matched.len()
            && self.matches.iter().enumerate().all(|(index, item)| item.original_index() == Some(index))
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

/// Returns the index from keys to the items of a list. Returns `None` if the list is not the simple case.
fn index_of_original<'a, 'l: 'a>(
    original: &'l [Doc<'_>],
    key_of: impl Fn(&'l Doc) -> Option<SimpleKey<'a>>,
) -> Option<KeyIndex<SimpleKey<'a>>> {
    let first = key_of(original.first()?)?;
    let mut index = KeyIndex::with_capacity(original.len());
    for (position, item) in original.iter().enumerate() {
        let key = key_of(item)?;
        if !key.has_kind_of(first) || !index.insert(key, position) {
            return None;
        }
    }
    Some(index)
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

    /// Neither function may affect the matches.
    const EQUALITIES: [fn(&Doc<'_>, &Doc<'_>) -> bool; 2] = [|_, _| false, |a, b| a == b];

    fn indices(matches: &ItemMatches<'_>) -> Vec<Option<usize>> {
        matches.matches.iter().map(|item| item.original_index()).collect()
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
        let modified = list(modified);
        for is_equal in EQUALITIES {
            let matches = ItemMatches::find(keys, &original, &modified, is_equal).unwrap();
            assert_eq!(indices(&matches), original_indices);
        }
        let matches = ItemMatches::find_despite_directives(keys, &original, &modified).unwrap();
        assert_eq!(matches.deleted_indices(keys, &original), deleted_indices);
        let is_same_order = original_indices.iter().copied().eq((0..original.len()).map(Some));
        assert_eq!(matches.is_same_order(), is_same_order);
    }

    #[rstest]
    #[case::repeated_in_original("1 1", "1")]
    #[case::repeated_in_modified("1", "1 1")]
    #[case::repeated_after_another_order("1 2 3", "3 1 2 3")]
    #[case::repeated_before_its_position("1 2", "2 1 2")]
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
        let (keys, original, modified) = (MergeKeys::declared(&name), list(original), list(modified));
        for is_equal in EQUALITIES {
            assert!(ItemMatches::find(keys, &original, &modified, is_equal).is_none());
        }
        assert!(ItemMatches::find_despite_directives(keys, &original, &modified).is_none());
    }

    #[test]
    fn equal_items_are_found_in_the_next_position() {
        let name = [Text::from("name")];
        let (keys, original, modified) = (MergeKeys::declared(&name), list("1 2 3"), list("1 4 2 3 5"));
        let matches = ItemMatches::find(keys, &original, &modified, |a, b| a == b).unwrap().matches;
        let equal = [0, 1, 2].map(ItemMatch::Equal);
        assert_eq!(matches, [equal[0], ItemMatch::New, equal[1], equal[2], ItemMatch::New]);
    }

    #[test]
    fn lists_with_directives_or_missing_keys_are_not_matched() {
        let name = [Text::from("name")];
        let keys = MergeKeys::declared(&name);
        for item in [r#"{"name":1,"$patch":"delete"}"#, r#"{"other":1}"#, "1"] {
            let unmatched = [json(item)];
            for is_equal in EQUALITIES {
                assert!(ItemMatches::find(keys, &unmatched, &list("1"), is_equal).is_none(), "{item}");
                assert!(ItemMatches::find(keys, &list("1"), &unmatched, is_equal).is_none(), "{item}");
                assert!(ItemMatches::find(keys, &unmatched, &unmatched, is_equal).is_none(), "{item}");
            }
        }
        assert!(ItemMatches::find(MergeKeys::NONE, &list("1"), &list("1"), |_, _| true).is_none());
    }
}
