//! Go slices alias their backing array. These functions reproduce the observable effect.
//!
//! Upstream's list functions write to the backing arrays of the lists that they receive. Upstream reads some of these
//! lists again afterwards, so that the changed content affects the result. The functions of this module return or
//! modify a list with the content that upstream reads.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::equality::{ScalarKey, ScalarSet};
use super::text::format_go_value;
use crate::document::Doc;
use crate::patch::context::SpareCapacity;

/// Removes repeated scalars in the memory of the list, as upstream's `deduplicateScalars` does.
///
/// The last item of the list overwrites a repeated item, and the list becomes one item shorter. The function returns
/// the number of remaining items, which are at the front. The slice behind them keeps its previous content.
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
        // No earlier item is equal to this one. An equal item at `next` or later is therefore a repetition of this
        // item.
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

/// Removes repeated scalars as [`deduplicate_in_place`] does, and truncates the list to the remaining items.
pub(in crate::patch) fn deduplicate(scalars: &mut Vec<Doc>) {
    let len = deduplicate_in_place(scalars);
    scalars.truncate(len);
}

/// Removes repeated scalars as [`deduplicate_in_place`] does, and sorts the remaining items by their text. Returns the
/// number of remaining items. Upstream: `deduplicateAndSortScalars`.
pub(in crate::patch) fn deduplicate_and_sort_in_place(scalars: &mut [Doc]) -> usize {
    let len = deduplicate_in_place(scalars);
    scalars[..len].sort_by_cached_key(format_go_value);
    len
}

/// Returns the live list of scalars after upstream's `deduplicateScalars(append(live, patch...))`. Returns `None` if
/// the live list is unchanged.
///
/// If the patch fits into the spare capacity of the live list, `append` does not copy the list, and the deduplication
/// writes to the live list. See [`SpareCapacity`].
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

/// The capacities of a Go slice of interfaces to which items are appended one by one, as `encoding/json` does.
///
/// When the slice is full, Go doubles the capacity and rounds it up to a size class of its memory allocator. The
/// capacities up to 32 are those of all Go releases. The larger ones are those of Go 1.22 and later.
const CAPACITIES: [usize; 11] = [1, 2, 4, 8, 16, 32, 71, 143, 303, 591, 1023];

/// Returns the capacity of a slice to which `len` items were appended one by one.
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

    /// Removes repeated scalars with the loops of upstream's `deduplicateScalars`, statement by statement.
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

    /// These results come from differential runs with kubectl 1.32 and the Go library 0.37.2.
    #[rstest]
    #[case::patch_fits("[1,2,1]", "[3]", Some("[1,2,3]"))]
    #[case::patch_is_too_long("[1,2,1]", "[3,4]", None)]
    #[case::no_spare_capacity("[1,1]", "[3]", None)]
    #[case::no_repeated_scalars("[1,2,3]", "[4]", None)]
    #[case::empty_patch("[1,1,2]", "[]", Some("[1,2,2]"))]
    fn the_live_list_is_deduplicated_if_the_patch_fits_into_its_spare_capacity(
        #[case] live: &str,
        #[case] patch: &str,
        #[case] expected: Option<&str>,
    ) {
        let changed = live_scalars_after_union(&list(live), &list(patch), SpareCapacity::AsDecoded);
        assert_eq!(changed, expected.map(list));
    }

    /// An empty patch fits even without spare capacity.
    #[rstest]
    #[case::no_capacity(SpareCapacity::None, "[3]", None)]
    #[case::no_capacity_is_needed(SpareCapacity::None, "[]", Some("[1,2,1]"))]
    #[case::ample_capacity(SpareCapacity::Ample, "[3,4,5]", Some("[1,2,5]"))]
    fn the_spare_capacity_is_an_option(
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
