//! The rule for slice aliasing with an unusual capacity.
//!
//! Upstream: `append(original, patch...)` in `mergeSlice` reuses the spare capacity of `original`. `deduplicateScalars`
//! then overwrites the items of `original`, by which the result is ordered. The built-in engine assumes the spare
//! capacity of a decoded slice. Two earlier steps leave a different capacity: `mergeSortedSlice` leaves none, and
//! `deleteFromSlice` leaves that of the deleted items. A slice that was already merged has no repeated items, so that
//! its capacity has no effect.

use skewer_engine::patch::SpareCapacity;
use skewer_engine::{Doc, OwnedDoc};
use skewer_skew::OperationKind;

use super::{answer_in_context, has_value_where, is_predicted};
use crate::differential::answer::Answer;
use crate::differential::trial::Trial;

/// Returns true if the target's answer equals that of the built-in engine with spare capacity in all slices, or in
/// none.
///
/// For a single list, these are all possible answers. If several lists have different capacities, the answer is not
/// predicted, and the difference remains unexplained.
pub(super) fn explains(trial: &Trial, ours: &Answer, theirs: &Answer) -> bool {
    let (Answer::Result(_), Answer::Result(_)) = (ours, theirs) else { return false };
    let changes_capacity = match trial.operation {
        OperationKind::Apply | OperationKind::Request => {
            has_directive(trial, "$setElementOrder/") || has_directive(trial, "$deleteFromPrimitiveList/")
        }
        // Merging patches with each other deletes no items.
        OperationKind::Merge => has_directive(trial, "$setElementOrder/"),
        // The two patches that a three-way merge creates and merges have the order of every list. A list is merged twice
        // if two items have one merge key.
        OperationKind::ThreeWay => true,
        _ => false,
    };
    changes_capacity
        && [SpareCapacity::None, SpareCapacity::Ample].into_iter().any(|capacity| {
            answer_in_context(trial, |context| context.spare_capacity = capacity)
                .is_some_and(|predicted| is_predicted(&predicted, theirs))
        })
}

/// Returns true if a document of the trial has a directive whose key starts with `prefix`.
fn has_directive(trial: &Trial, prefix: &str) -> bool {
    let has_key = |value: &OwnedDoc| match value {
        Doc::Map(map) => map.keys().any(|key| key.starts_with(prefix)),
        _ => false,
    };
    trial.documents.iter().any(|document| has_value_where(document, &has_key))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::test_support::{ours, result, trial};
    use super::*;

    const TYPES: &str = "type T struct {\n\tA []string `json:\"a\" patchStrategy:\"merge\"`\n}";

    const ORDERED: [&str; 3] =
        [r#"{"a":["x","y","x"]}"#, r#"{"$setElementOrder/a":["x","y"]}"#, r#"{"a":["z"]}"#];

    /// Answers of k8s.io/apimachinery 0.37.2, and similar answers that must not be explained. The second patch orders
    /// the list, which leaves no spare capacity.
    #[rstest]
    #[case::answer_without_capacity(r#"{"$setElementOrder/a":["x","y"],"a":["z","x","y"]}"#, true)]
    #[case::another_value(r#"{"$setElementOrder/a":["x","y"],"a":["z","x","x"]}"#, false)]
    #[case::another_set(r#"{"$setElementOrder/a":["x","y"],"a":["z","x"]}"#, false)]
    #[case::another_order(r#"{"$setElementOrder/a":["x","y"],"a":["y","x","z"]}"#, false)]
    fn only_the_order_without_spare_capacity_is_explained(#[case] theirs: &str, #[case] explained: bool) {
        let trial = trial(OperationKind::Merge, TYPES, &ORDERED);
        assert_eq!(explains(&trial, &ours(&trial), &result(theirs)), explained);
    }

    /// A deletion leaves the capacity of the deleted items.
    #[rstest]
    #[case::answer_with_capacity(r#"["v","w"]"#, r#"{"a":["b","x","y","c"]}"#, true)]
    #[case::another_order(r#"["v","w"]"#, r#"{"a":["x","y","b","c"]}"#, false)]
    fn only_the_order_with_spare_capacity_is_explained(
        #[case] deleted: &str,
        #[case] theirs: &str,
        #[case] explained: bool,
    ) {
        let patch = format!(r#"{{"$deleteFromPrimitiveList/a":{deleted},"a":["b","c"]}}"#);
        let live = r#"{"a":["x","y","x","v","w"]}"#;
        let trial = trial(OperationKind::Apply, TYPES, &[live, &patch]);
        assert_eq!(explains(&trial, &ours(&trial), &result(theirs)), explained);
    }

    /// The patch of the additions has two items with the key of the item from which something is deleted.
    #[rstest]
    #[case::answer_without_capacity(r#"["z","a",""]"#, true)]
    #[case::another_order(r#"["","a","z"]"#, false)]
    fn a_list_that_a_three_way_merge_has_ordered_has_no_capacity(
        #[case] order: &str,
        #[case] explained: bool,
    ) {
        let types = "type T struct {\n\tA []U `json:\"a\" patchStrategy:\"merge\" patchMergeKey:\"n\"`\n}\n\
                     type U struct {\n\tN string `json:\"n\"`\n\tA []string `json:\"a\" patchStrategy:\"merge\"`\n}";
        let one = r#"{"a":[{"n":"k","a":["z"]}]}"#;
        let two = r#"{"a":[{"n":"k","a":["z"]},{"n":"k","a":["a","a",""]}]}"#;
        let trial = trial(OperationKind::ThreeWay, types, &[one, two, one]);
        let theirs = format!(
            r#"{{"$setElementOrder/a":[{{"n":"k"}},{{"n":"k"}}],"a":[{{"$deleteFromPrimitiveList/a":["z"],"$setElementOrder/a":["a","a",""],"n":"k","a":{order}}}]}}"#
        );
        assert_eq!(explains(&trial, &ours(&trial), &result(&theirs)), explained);
    }

    #[test]
    fn no_answer_is_explained_without_a_directive() {
        let trial = trial(OperationKind::Apply, TYPES, &[r#"{"a":["x","y","x"]}"#, r#"{"a":["z"]}"#]);
        assert!(!explains(&trial, &ours(&trial), &result(r#"{"a":["z","x","y"]}"#)));
    }
}
