//! Go slices alias their backing array. These functions reproduce the observable effect.
//!
//! Upstream's list functions work in the memory of the lists that they are given. Some of these lists are read again
//! afterwards, so that a change in memory becomes part of the result. Here it is described by a list before and
//! after.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::equality::{ScalarKey, ScalarSet};
use super::text::format_go_value;
use crate::document::Doc;
use crate::patch::context::SpareCapacity;

/// Removes repeated scalars as upstream's `deduplicateScalars` does: the last item overwrites a repeated one. Returns
/// the number of items that are left at the front. Each index behind them keeps the item that was last there.
pub(in crate::patch) fn deduplicate_in_place(scalars: &mut [Doc]) -> usize {
    let mut indices: FxHashMap<ScalarKey, BTreeSet<usize>> = FxHashMap::default();
    for (index, key) in scalars.iter().enumerate().filter_map(|(i, value)| Some((i, ScalarKey::of(value)?))) {
        indices.entry(key).or_default().insert(index);
    }
    let mut len = scalars.len();
    let mut next = 0;
    while next < len {
        let key = ScalarKey::of(&scalars[next]);
        next += 1;
        let Some(key) = key else { continue };
        // The equals of all earlier items are gone, so that the first index at or behind `next` is a repetition.
        while let Some(repeated) = indices.get(&key).and_then(|indices| indices.range(next..).next().copied())
        {
            len -= 1;
            indices.entry(key.clone()).or_default().remove(&repeated);
            if repeated < len {
                scalars[repeated] = scalars[len].clone();
                if let Some(moved) = ScalarKey::of(&scalars[repeated]) {
                    let indices = indices.entry(moved).or_default();
                    indices.remove(&len);
                    indices.insert(repeated);
                }
            }
        }
    }
    len
}

/// Removes repeated scalars as [`deduplicate_in_place`] does, and truncates the list to those that are left.
pub(in crate::patch) fn deduplicate(scalars: &mut Vec<Doc>) {
    let len = deduplicate_in_place(scalars);
    scalars.truncate(len);
}

/// Deduplicates a list of scalars and sorts the rest at its front by text. Returns the number of items that are left.
/// Upstream: `deduplicateAndSortScalars`.
pub(in crate::patch) fn deduplicate_and_sort_in_place(scalars: &mut [Doc]) -> usize {
    let len = deduplicate_in_place(scalars);
    scalars[..len].sort_by_cached_key(format_go_value);
    len
}

/// Returns the live scalars after upstream's `deduplicateScalars(append(live, patch...))`. If the backing array of
/// live has room for the patch, the live list itself is deduplicated. `None` if it is unchanged.
///
/// The room depends on how Go made the list: see [`SpareCapacity`].
pub(crate) fn live_scalars_after_union<'d>(
    live: &[Doc<'d>],
    patch: &[Doc<'d>],
    spare_capacity: SpareCapacity,
) -> Option<Vec<Doc<'d>>> {
    let capacity = match spare_capacity {
        SpareCapacity::AsDecoded => appended_capacity(live.len()),
        SpareCapacity::None => live.len(),
        SpareCapacity::Ample => usize::MAX,
    };
    if live.len() + patch.len() > capacity {
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

/// The capacities of a Go slice of interfaces to which items are appended one by one, as `encoding/json` does. The
/// capacity doubles and is rounded up to Go's memory blocks: up to 32 in every release of Go, above that as since
/// 1.22.
const CAPACITIES: [usize; 11] = [1, 2, 4, 8, 16, 32, 71, 143, 303, 591, 1023];

/// Returns the capacity of a slice to which this many items were appended.
fn appended_capacity(len: usize) -> usize {
    if len == 0 {
        return 0;
    }
    CAPACITIES.into_iter().find(|capacity| len <= *capacity).unwrap_or(len)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::document::OwnedDoc;
    use crate::test_support::json;

    fn list(text: &str) -> Vec<OwnedDoc> {
        json(text).into_list().unwrap()
    }

    /// Upstream's loops, statement by statement.
    fn deduplicate_as_upstream(scalars: &mut [Doc]) -> usize {
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
    fn repeated_scalars_are_removed_as_upstream_does(#[case] text: &str) {
        let (mut ours, mut theirs) = (list(text), list(text));
        assert_eq!(deduplicate_in_place(&mut ours), deduplicate_as_upstream(&mut theirs));
        assert_eq!(ours, theirs);
    }

    /// Found by random documents against kubectl 1.32 and the library at 0.37.2.
    #[rstest]
    #[case::there_is_room_behind("[1,2,1]", "[3]", Some("[1,2,3]"))]
    #[case::more_than_there_is_room_for("[1,2,1]", "[3,4]", None)]
    #[case::no_room_behind("[1,1]", "[3]", None)]
    #[case::a_set_stays_as_it_is("[1,2,3]", "[4]", None)]
    #[case::nothing_comes_in("[1,1,2]", "[]", Some("[1,2,2]"))]
    fn a_union_deduplicates_live_if_there_is_room(
        #[case] live: &str,
        #[case] patch: &str,
        #[case] expected: Option<&str>,
    ) {
        let changed = live_scalars_after_union(&list(live), &list(patch), SpareCapacity::AsDecoded);
        assert_eq!(changed, expected.map(list));
    }

    /// Even without room, nothing that is appended fits.
    #[rstest]
    #[case::none(SpareCapacity::None, "[3]", None)]
    #[case::none_is_needed(SpareCapacity::None, "[]", Some("[1,2,1]"))]
    #[case::ample(SpareCapacity::Ample, "[3,4,5]", Some("[1,2,5]"))]
    fn the_room_is_an_option(
        #[case] spare_capacity: SpareCapacity,
        #[case] patch: &str,
        #[case] expected: Option<&str>,
    ) {
        let changed = live_scalars_after_union(&list("[1,2,1]"), &list(patch), spare_capacity);
        assert_eq!(changed, expected.map(list));
    }

    #[test]
    fn every_short_list_is_deduplicated_as_upstream_does() {
        for number in 0..4_usize.pow(7) {
            let digits = (0..7_u32).map(|at| Doc::Int((number / 4_usize.pow(at) % 4).try_into().unwrap()));
            let mut ours: Vec<Doc> = digits.collect();
            let mut theirs = ours.clone();
            assert_eq!(deduplicate_in_place(&mut ours), deduplicate_as_upstream(&mut theirs));
            assert_eq!(ours, theirs);
        }
    }
}
