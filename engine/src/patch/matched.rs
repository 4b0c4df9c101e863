//! Which items of two lists are the same, where that is plain: each has one merge key, and no two share it.
//!
//! Upstream sorts both lists by the text of the keys and goes along both. Where keys are distinct, of one kind, and
//! of a kind whose text tells all values apart, looking them up finds the same pairs in one pass; what remains of the
//! sorting is which error comes first, and in which order deletions are said.

use rustc_hash::{FxHashMap, FxHashSet};

use super::go_text::go_text;
use super::identity::{MergeKeys, only_key};
use crate::value::{Str, Value};

/// The places of a list's items in another: of what is modified in the original, of a patch in live.
pub(super) struct Matched {
    /// For each item, where it stands in the other list.
    pub(super) places: Vec<Option<usize>>,
    /// For each item of the other list, whether it was found.
    found: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'a> {
    Int(i64),
    Text(&'a str),
}

impl Matched {
    /// `None` where it is not plain.
    pub(super) fn of(keys: MergeKeys<'_>, original: &[Value], modified: &[Value]) -> Option<Matched> {
        let before: Vec<Key<'_>> = original.iter().map(|item| key(keys, item)).collect::<Option<_>>()?;
        let is_text = matches!(before.first()?, Key::Text(_));
        let mut index = FxHashMap::with_capacity_and_hasher(before.len(), rustc_hash::FxBuildHasher);
        for (place, key) in before.iter().enumerate() {
            if matches!(key, Key::Text(_)) != is_text || index.insert(*key, place).is_some() {
                return None;
            }
        }
        let mut found = vec![false; before.len()];
        let mut added = FxHashSet::default();
        let mut places = Vec::with_capacity(modified.len());
        // Mostly the next item of the one list is that of the other.
        let mut next = 0;
        for item in modified {
            let key = key(keys, item)?;
            let place = match before.get(next) {
                Some(expected) if *expected == key => Some(next),
                _ => index.get(&key).copied(),
            };
            let is_new = match place {
                Some(place) => !std::mem::replace(&mut found[place], true),
                None => matches!(key, Key::Text(_)) == is_text && added.insert(key),
            };
            if !is_new {
                return None;
            }
            next = place.map_or(next, |place| place + 1);
            places.push(place);
        }
        Some(Matched { places, found })
    }

    /// The places of the original's items that are gone, by the text of their keys.
    pub(super) fn gone(&self, keys: MergeKeys<'_>, original: &[Value]) -> Vec<usize> {
        let mut gone: Vec<usize> = (0..original.len()).filter(|place| !self.found[*place]).collect();
        gone.sort_by_cached_key(|place| name(keys, &original[*place]));
        gone
    }
}

/// Are these the same items in the same order, each once? `false` where that is not plain, or there are none.
pub(crate) fn are_same(keys: MergeKeys<'_>, list: &[Value], other: &[Value]) -> bool {
    let mut seen = FxHashSet::with_capacity_and_hasher(list.len(), rustc_hash::FxBuildHasher);
    let same = |(item, other)| {
        key(keys, item).is_some_and(|held| key(keys, other) == Some(held) && seen.insert(held))
    };
    !list.is_empty() && list.len() == other.len() && list.iter().zip(other).all(same)
}

/// What upstream sorts an item by.
pub(super) fn name(keys: MergeKeys<'_>, item: &Value) -> Option<Str> {
    only_key(keys, item).map(go_text)
}

/// An item that holds a directive as data is not plain.
fn key<'v>(keys: MergeKeys<'_>, item: &'v Value) -> Option<Key<'v>> {
    if item.as_map()?.dollar_keys().next().is_some() {
        return None;
    }
    match only_key(keys, item)? {
        Value::Int(i) => Some(Key::Int(*i)),
        Value::String(s) => Some(Key::Text(s)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::value::from_json;

    fn list(names: &str) -> Vec<Value> {
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
        let name = [Str::from("name")];
        let (keys, original) = (MergeKeys::declared(&name), list(original));
        let matched = Matched::of(keys, &original, &list(modified)).unwrap();
        assert_eq!(matched.places, places);
        assert_eq!(matched.gone(keys, &original), gone);
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
        let name = [Str::from("name")];
        assert!(Matched::of(MergeKeys::declared(&name), &list(original), &list(modified)).is_none());
    }

    #[rstest]
    #[case::the_same("1 2 3", "1 2 3", true)]
    #[case::another_order("1 2 3", "1 3 2", false)]
    #[case::fewer("1 2", "1", false)]
    #[case::none("", "", false)]
    #[case::twice("1 1", "1 1", false)]
    #[case::another_kind("1", r#""1""#, false)]
    fn lists_are_compared_by_their_keys(#[case] list: &str, #[case] other: &str, #[case] expected: bool) {
        let name = [Str::from("name")];
        assert_eq!(are_same(MergeKeys::declared(&name), &self::list(list), &self::list(other)), expected);
    }

    #[test]
    fn what_holds_directives_or_lacks_the_key_is_left_alone() {
        let name = [Str::from("name")];
        let keys = MergeKeys::declared(&name);
        for item in [r#"{"name":1,"$patch":"delete"}"#, r#"{"other":1}"#, "1"] {
            let odd = [from_json(item.as_bytes()).unwrap()];
            assert!(Matched::of(keys, &odd, &list("1")).is_none(), "{item}");
            assert!(Matched::of(keys, &list("1"), &odd).is_none(), "{item}");
        }
        assert!(Matched::of(MergeKeys::NONE, &list("1"), &list("1")).is_none());
    }
}
