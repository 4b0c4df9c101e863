//! Which items of two lists are the same, where that is plain: each has one merge key, and no two share it.
//!
//! Upstream sorts both lists by the text of the keys and goes along both. Where keys are distinct, of one kind, and
//! of a kind whose text tells all values apart, looking them up finds the same pairs in one pass; what remains of the
//! sorting is which error comes first, and in which order deletions are said.

use rustc_hash::FxHashSet;

use super::identity::{MergeKeys, only_key};
use super::key_index::KeyIndex;
use crate::document::{Doc, Text};
use crate::patch::go_compat::text::go_text;

/// The places of a list's items in another: of what is modified in the original, of a patch in live.
pub(super) struct Matched<'a> {
    /// For each item, where it stands in the other list.
    pub(super) places: Vec<Option<usize>>,
    /// For each item of the other list, whether it was found.
    pub(super) found: Vec<bool>,
    index: KeyIndex<Key<'a>>,
}

/// The merge key of an item, where it is plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key<'a> {
    Int(i64),
    Text(&'a str),
}

impl<'a> Matched<'a> {
    /// `None` where it is not plain.
    pub(super) fn of(keys: MergeKeys<'_>, original: &'a [Doc], modified: &[Doc]) -> Option<Matched<'a>> {
        let first = key(keys, original.first()?)?;
        let mut index = KeyIndex::with_capacity(original.len());
        for (place, item) in original.iter().enumerate() {
            let key = key(keys, item)?;
            if !key.is_like(first) || !index.insert(key, place) {
                return None;
            }
        }
        let mut found = vec![false; original.len()];
        let mut added = FxHashSet::default();
        let mut places = Vec::with_capacity(modified.len());
        // Mostly the next item of the one list is that of the other.
        let mut next = 0;
        for item in modified {
            let key = key(keys, item)?;
            let place = match index.noted(next) {
                Some(expected) if *expected == key => Some(next),
                _ => index.get(&key),
            };
            let is_new = match place {
                Some(place) => !std::mem::replace(&mut found[place], true),
                None => key.is_like(first) && added.insert(key),
            };
            if !is_new {
                return None;
            }
            next = place.map_or(next, |place| place + 1);
            places.push(place);
        }
        Some(Matched { places, found, index })
    }

    /// Where the item with this key stands in the original.
    pub(super) fn place_of(&self, key: Key<'_>) -> Option<usize> {
        self.index.get(&key)
    }

    /// Are they the same items in the same order?
    pub(super) fn is_same_order(&self) -> bool {
        self.places.len() == self.found.len()
            && self.places.iter().enumerate().all(|(index, place)| *place == Some(index))
    }

    /// The places of the original's items that are gone, by the text of their keys.
    pub(super) fn gone(&self, keys: MergeKeys<'_>, original: &[Doc]) -> Vec<usize> {
        let mut gone: Vec<usize> = (0..original.len()).filter(|place| !self.found[*place]).collect();
        gone.sort_by_cached_key(|place| name(keys, &original[*place]));
        gone
    }
}

impl Key<'_> {
    /// Are both of one kind, so that their texts tell them apart?
    fn is_like(self, other: Key<'_>) -> bool {
        matches!((self, other), (Key::Int(_), Key::Int(_)) | (Key::Text(_), Key::Text(_)))
    }
}

/// What upstream sorts an item by.
pub(super) fn name<'d>(keys: MergeKeys<'_>, item: &Doc<'d>) -> Option<Text<'d>> {
    only_key(keys, item).map(go_text)
}

/// The key of an item; an item that holds a directive, or one as data, is not plain.
pub(super) fn key<'v>(keys: MergeKeys<'_>, item: &'v Doc) -> Option<Key<'v>> {
    if item.as_map()?.dollar_keys().next().is_some() {
        return None;
    }
    key_of_any(keys, item)
}

/// The key of an item, whatever else it holds.
pub(super) fn key_of_any<'v>(keys: MergeKeys<'_>, item: &'v Doc) -> Option<Key<'v>> {
    match only_key(keys, item)? {
        Doc::Int(i) => Some(Key::Int(*i)),
        Doc::String(s) => Some(Key::Text(s)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::document::{OwnedDoc, Text, from_json};

    fn list(names: &str) -> Vec<OwnedDoc> {
        let item = |name: &str| from_json(format!("{{\"name\":{name}}}").as_bytes()).unwrap();
        names.split_whitespace().map(item).collect()
    }

    #[rstest]
    #[case::in_order("1 2 3", "1 2 3", &[Some(0), Some(1), Some(2)], &[])]
    #[case::turned("1 2 3", "3 2 1", &[Some(2), Some(1), Some(0)], &[])]
    #[case::one_gone(r#""a" "b" "c""#, r#""a" "c""#, &[Some(0), Some(2)], &[1])]
    #[case::one_new(r#""a" "c""#, r#""a" "b" "c""#, &[Some(0), None, Some(1)], &[])]
    #[case::gone_by_text("1 9 10", "1", &[Some(0)], &[2, 1])]
    fn items_are_found(
        #[case] original: &str,
        #[case] modified: &str,
        #[case] places: &[Option<usize>],
        #[case] gone: &[usize],
    ) {
        let name = [Text::from("name")];
        let (keys, original) = (MergeKeys::declared(&name), list(original));
        let matched = Matched::of(keys, &original, &list(modified)).unwrap();
        assert_eq!(matched.places, places);
        assert_eq!(matched.gone(keys, &original), gone);
        let in_order = places.iter().copied().eq((0..original.len()).map(Some));
        assert_eq!(matched.is_same_order(), in_order);
    }

    #[rstest]
    #[case::twice_before("1 1", "1")]
    #[case::twice_after("1", "1 1")]
    #[case::twice_added("1", "2 2")]
    #[case::of_two_kinds_before(r#"1 "1""#, "1")]
    #[case::of_two_kinds_after("1", r#"1 "1""#)]
    #[case::floats("1.5", "1.5")]
    #[case::nulls("null", "null")]
    fn what_is_not_plain_is_left_alone(#[case] original: &str, #[case] modified: &str) {
        let name = [Text::from("name")];
        assert!(Matched::of(MergeKeys::declared(&name), &list(original), &list(modified)).is_none());
    }

    #[test]
    fn what_holds_directives_or_lacks_the_key_is_left_alone() {
        let name = [Text::from("name")];
        let keys = MergeKeys::declared(&name);
        for item in [r#"{"name":1,"$patch":"delete"}"#, r#"{"other":1}"#, "1"] {
            let odd = [from_json(item.as_bytes()).unwrap()];
            assert!(Matched::of(keys, &odd, &list("1")).is_none(), "{item}");
            assert!(Matched::of(keys, &list("1"), &odd).is_none(), "{item}");
        }
        assert!(Matched::of(MergeKeys::NONE, &list("1"), &list("1")).is_none());
    }
}
