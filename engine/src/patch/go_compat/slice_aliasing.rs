//! What upstream's list functions leave behind in the memory of their arguments.
//!
//! Go's slices share memory, and upstream's functions work in that of the lists they are given. Two of them look
//! at a list again after another has worked in it, so that what they see is part of what they do. It is told here
//! in terms of a list before and after.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::text::go_text;
use crate::document::Doc;
use crate::patch::list::identity::{self, ItemKey, ScalarKey, ScalarSet};
use crate::patch::list::merge::ListMerge;
use crate::schema::PatchStrategy;

/// Upstream's `deduplicateScalars`: a repeated item is overwritten by the last one. Returns how many items are
/// left at the front; what stands behind them is what was there when each became the last.
pub(in crate::patch) fn deduplicate_in_place(scalars: &mut [Doc]) -> usize {
    let mut places: FxHashMap<ScalarKey, BTreeSet<usize>> = FxHashMap::default();
    for (at, key) in scalars.iter().enumerate().filter_map(|(at, value)| Some((at, ScalarKey::of(value)?))) {
        places.entry(key).or_default().insert(at);
    }
    let mut len = scalars.len();
    let mut at = 0;
    while at < len {
        let key = ScalarKey::of(&scalars[at]);
        at += 1;
        let Some(key) = key else { continue };
        // All that equal the item before are gone by now, so that the first one behind it is the next to go.
        while let Some(twin) = places.get(&key).and_then(|places| places.range(at..).next().copied()) {
            len -= 1;
            places.entry(key.clone()).or_default().remove(&twin);
            if twin < len {
                scalars[twin] = scalars[len].clone();
                if let Some(moved) = ScalarKey::of(&scalars[twin]) {
                    let places = places.entry(moved).or_default();
                    places.remove(&len);
                    places.insert(twin);
                }
            }
        }
    }
    len
}

/// The same, and the rest is forgotten.
pub(in crate::patch) fn deduplicate(scalars: &mut Vec<Doc>) {
    let len = deduplicate_in_place(scalars);
    scalars.truncate(len);
}

/// Upstream's `deduplicateAndSortScalars`: makes a set of the front of a list, sorted by text, and returns its
/// size.
pub(in crate::patch) fn sort_in_place(scalars: &mut [Doc]) -> usize {
    let len = deduplicate_in_place(scalars);
    scalars[..len].sort_by_cached_key(go_text);
    len
}

/// The live scalars as they are after upstream's `deduplicateScalars(append(live, patch...))`: where the patch has room
/// behind them, they themselves are made a set. `None`: as they were.
///
/// How much room there is depends on how Go made the list. Ours is that of a document which was decoded, as `kubectl`
/// does it, and of a list that a patch has brought. The lists of an API server, which come from structs, have none.
pub(in crate::patch) fn union_left_behind<'d>(live: &[Doc<'d>], patch: &[Doc<'d>]) -> Option<Vec<Doc<'d>>> {
    if live.len() + patch.len() > appended_capacity(live.len()) {
        return None;
    }
    let mut seen = ScalarSet::default();
    let mut keys = live.iter().filter_map(ScalarKey::of);
    if keys.all(|key| seen.insert(key)) {
        return None;
    }
    let mut both = [live, patch].concat();
    deduplicate_in_place(&mut both);
    both.truncate(live.len());
    Some(both)
}

/// The capacities that a Go slice of interfaces goes through as items are appended one by one, which is what
/// `encoding/json` does. It doubles, rounded up to Go's blocks of memory; up to 32 in every release of Go, then as since 1.22.
const CAPACITIES: [usize; 11] = [1, 2, 4, 8, 16, 32, 71, 143, 303, 591, 1023];

fn appended_capacity(len: usize) -> usize {
    if len == 0 {
        return 0;
    }
    CAPACITIES.into_iter().find(|capacity| len <= *capacity).unwrap_or(len)
}

/// The live list as it is after a patch was merged into it, where upstream looks at it once more to bring the
/// result into the order of `$setElementOrder`. `None`: as it was.
pub(crate) fn left_behind<'d>(
    list: &ListMerge<'_>,
    live: &[Doc<'d>],
    patched: &[Doc<'d>],
) -> Option<Vec<Doc<'d>>> {
    if list.field.meta.strategy != PatchStrategy::Merge {
        return None;
    }
    if list.keys.is_empty() {
        return union_left_behind(live, patched);
    }
    // Upstream merges no list by the keys that its items list: that never shipped.
    if patched.iter().any(|item| list.directives.listed_keys(item).is_some()) {
        return None;
    }
    after_deletions(list, live, patched)
}

/// Deletions move the items behind them forward, and what is added fills the room they leave, as long as there is
/// some. What room is left then holds the last item once more, or one that is gone: keys are looked for from the front,
/// and find nothing new there.
fn after_deletions<'d>(list: &ListMerge<'_>, live: &[Doc<'d>], patched: &[Doc<'d>]) -> Option<Vec<Doc<'d>>> {
    let says = |item: &Doc, what: &str| {
        item.as_map().and_then(|map| map.get("$patch")).and_then(Doc::as_str) == Some(what)
    };
    let key_of = |item: &Doc<'d>| identity::key_of(list.keys, item).ok();
    let mut deleted: Vec<ItemKey> = Vec::new();
    for item in patched.iter().filter(|item| says(item, "delete")) {
        deleted.push(key_of(item)?);
    }
    if deleted.is_empty() {
        return None;
    }
    let mut places: FxHashMap<ItemKey, Vec<usize>> = FxHashMap::default();
    for (at, item) in live.iter().enumerate() {
        if let Some(key) = key_of(item) {
            places.entry(key).or_default().push(at);
        }
    }
    let mut alive = vec![true; live.len()];
    for at in deleted.iter().filter_map(|key| places.remove(key)).flatten() {
        alive[at] = false;
    }
    let mut memory: Vec<Doc> =
        live.iter().zip(&alive).filter(|(_, alive)| **alive).map(|(item, _)| item.clone()).collect();
    if !patched.iter().any(|item| says(item, "replace")) {
        fill(&mut memory, live.len(), patched, |item| {
            let key = key_of(item)?;
            // The first with its key is added, unless live has one that is left.
            (!places.contains_key(&key)).then(|| {
                places.insert(key, Vec::new());
            })
        });
    }
    Some(memory)
}

/// Adds the items of the patch that are new, as far as there is room.
fn fill<'d>(
    memory: &mut Vec<Doc<'d>>,
    room: usize,
    patched: &[Doc<'d>],
    mut is_new: impl FnMut(&Doc<'d>) -> Option<()>,
) {
    let plain = |item: &&Doc| item.as_map().is_some_and(|map| !map.contains_key("$patch"));
    for item in patched.iter().filter(plain) {
        if is_new(item).is_some() {
            if memory.len() == room {
                return;
            }
            memory.push(item.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::document::{Doc, OwnedDoc, from_json};

    fn list(json: &str) -> Vec<OwnedDoc> {
        from_json(json.as_bytes()).unwrap().as_list().unwrap().to_vec()
    }

    /// Upstream's loops, word for word what they do.
    fn naively(scalars: &mut [Doc]) -> usize {
        let mut len = scalars.len();
        let mut i = 0;
        while i + 1 < len {
            let mut j = i + 1;
            while j < len {
                if scalars[i] == scalars[j] {
                    scalars[j] = scalars[len - 1].clone();
                    len -= 1;
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
        len
    }

    #[rstest]
    #[case("[]")]
    #[case("[1]")]
    #[case("[1,1,1]")]
    #[case("[1,2,2,1,3,4]")]
    #[case("[2,1,2,1]")]
    #[case("[1,2,3,1,2,3,4,4,1]")]
    fn sets_are_made_as_upstream_makes_them(#[case] json: &str) {
        let (mut ours, mut theirs) = (list(json), list(json));
        assert_eq!(deduplicate_in_place(&mut ours), naively(&mut theirs));
        assert_eq!(ours, theirs);
    }

    /// Found by random documents against kubectl 1.32 and the library at 0.37.2.
    #[rstest]
    #[case::there_is_room_behind("[1,2,1]", "[3]", Some("[1,2,3]"))]
    #[case::more_than_there_is_room_for("[1,2,1]", "[3,4]", None)]
    #[case::no_room_behind("[1,1]", "[3]", None)]
    #[case::a_set_stays_as_it_is("[1,2,3]", "[4]", None)]
    #[case::nothing_comes_in("[1,1,2]", "[]", Some("[1,2,2]"))]
    fn scalars_come_in_behind_live(#[case] live: &str, #[case] patch: &str, #[case] left: Option<&str>) {
        assert_eq!(union_left_behind(&list(live), &list(patch)), left.map(list));
    }

    #[test]
    fn every_short_list_is_made_a_set_as_upstream_makes_it() {
        for number in 0..4_usize.pow(7) {
            let digits = (0..7_u32).map(|at| Doc::Int((number / 4_usize.pow(at) % 4).try_into().unwrap()));
            let mut ours: Vec<Doc> = digits.collect();
            let mut theirs = ours.clone();
            assert_eq!(deduplicate_in_place(&mut ours), naively(&mut theirs));
            assert_eq!(ours, theirs);
        }
    }
}
