//! Lists of scalars whose room is not that of a decoded list.
//!
//! Upstream: `append(original, patch...)` in `mergeSlice` writes into the room behind `original`, `deduplicateScalars` then
//! changes `original` itself, and the result is ordered by it. The engine computes the room of a decoded list. Two earlier steps
//! leave another one: `mergeSortedSlice` makes a list without room, and `deleteFromSlice` one with the room of all items that
//! were there before. A list that was merged already repeats nothing, so that its room has no effect.

use skewer_engine::patch::SpareCapacity;
use skewer_engine::skew::OperationKind;
use skewer_engine::{Doc, OwnedDoc};

use super::{answer_in_context, has_value_where, is_predicted};
use crate::differential::answer::Answer;
use crate::differential::trial::Trial;

/// Whether the target's answer is that of our engine with room behind each list, or behind none: for one list, these are all
/// answers that there can be. With several such lists, one with and one without room, the answer is not predicted, and stays a
/// difference.
pub(super) fn explains(trial: &Trial, ours: &Answer, theirs: &Answer) -> bool {
    let (Answer::Result(_), Answer::Result(_)) = (ours, theirs) else { return false };
    let changes_room = match trial.operation {
        OperationKind::Apply => {
            has_directive(trial, "$setElementOrder/") || has_directive(trial, "$deleteFromPrimitiveList/")
        }
        // Nothing is deleted when patches are merged with each other.
        OperationKind::Merge => has_directive(trial, "$setElementOrder/"),
        _ => false,
    };
    changes_room
        && [SpareCapacity::None, SpareCapacity::Ample].into_iter().any(|room| {
            answer_in_context(trial, |context| context.spare_capacity = room)
                .is_some_and(|predicted| is_predicted(&predicted, theirs))
        })
}

/// Returns true if a document of the trial has the directive of a list.
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

    /// The answers of the library at 0.37.2, and near misses: the second patch orders the list, which leaves no room.
    #[rstest]
    #[case::no_room_after_an_order(r#"{"$setElementOrder/a":["x","y"],"a":["z","x","y"]}"#, true)]
    #[case::another_value(r#"{"$setElementOrder/a":["x","y"],"a":["z","x","x"]}"#, false)]
    #[case::another_set(r#"{"$setElementOrder/a":["x","y"],"a":["z","x"]}"#, false)]
    #[case::another_order(r#"{"$setElementOrder/a":["x","y"],"a":["y","x","z"]}"#, false)]
    fn the_order_without_room_is_explained(#[case] theirs: &str, #[case] explained: bool) {
        let trial = trial(OperationKind::Merge, TYPES, &ORDERED);
        assert_eq!(explains(&trial, &ours(&trial), &result(theirs)), explained);
    }

    /// A deletion leaves the room of the deleted items.
    #[rstest]
    #[case::of_two_items(r#"["v","w"]"#, r#"{"a":["b","x","y","c"]}"#, true)]
    #[case::another_order(r#"["v","w"]"#, r#"{"a":["x","y","b","c"]}"#, false)]
    fn the_order_with_room_is_explained(
        #[case] deleted: &str,
        #[case] theirs: &str,
        #[case] explained: bool,
    ) {
        let patch = format!(r#"{{"$deleteFromPrimitiveList/a":{deleted},"a":["b","c"]}}"#);
        let live = r#"{"a":["x","y","x","v","w"]}"#;
        let trial = trial(OperationKind::Apply, TYPES, &[live, &patch]);
        assert_eq!(explains(&trial, &ours(&trial), &result(theirs)), explained);
    }

    #[test]
    fn nothing_is_explained_without_a_directive() {
        let trial = trial(OperationKind::Apply, TYPES, &[r#"{"a":["x","y","x"]}"#, r#"{"a":["z"]}"#]);
        assert!(!explains(&trial, &ours(&trial), &result(r#"{"a":["z","x","y"]}"#)));
    }
}
