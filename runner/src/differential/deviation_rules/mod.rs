//! Known reasons for different answers of two implementations.
//!
//! A rule does not excuse answers that look as if they were different for its reason. It computes, from the documents, the
//! answers that the target gives for that reason, and explains a difference if the target's answer is one of these. Each
//! rule has a cap, too: a rule that applies more often than it should explains something else.

mod json_patch_nulls;
mod openapi_lookup;
mod panics;
mod shared_memory;
mod uneven_repetition;

use std::fmt;

use skewer_engine::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::skew::OperationKind::{self, Apply, Conflicts, JsonPatchApply, Merge, ThreeWay, TwoWay};
use skewer_engine::skew::{BuiltIn, Operations};

use super::answer::Answer;
use super::trial::Trial;
use super::types::TrialTypes;

/// A known reason for different answers, with a test for it.
#[derive(Debug)]
pub struct DeviationRule {
    /// Short name, for counts.
    pub name: &'static str,
    /// The reason.
    pub because: &'static str,
    /// The share of the trials of each operation that the rule may explain, about twice what was measured; nothing of an
    /// operation that is not among them.
    pub caps: &'static [(OperationKind, Cap)],
    /// Whether the rule predicts the target's answer, the second one. The first one is ours.
    pub(super) explains: fn(&Trial, &Answer, &Answer) -> bool,
}

impl PartialEq for DeviationRule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for DeviationRule {}

impl DeviationRule {
    /// Returns the cap for an operation.
    #[must_use]
    pub fn cap(&self, operation: OperationKind) -> Cap {
        let cap = self.caps.iter().find(|(with_cap, _)| *with_cap == operation);
        cap.map_or(Cap { per_million: 0 }, |(_, cap)| *cap)
    }
}

/// The share of the trials of one operation that a rule may explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// Number of trials among a million.
    pub per_million: u64,
}

const fn cap(operation: OperationKind, per_million: u64) -> (OperationKind, Cap) {
    (operation, Cap { per_million })
}

impl Cap {
    /// Number of trials that a rule may always explain, since a share says nothing about a few trials.
    const MIN_TRIALS: u64 = 5;

    /// Returns the number of trials that the rule may explain among this many.
    #[must_use]
    pub fn in_trials(self, trials: u64) -> u64 {
        if self.per_million == 0 {
            return 0;
        }
        (trials.saturating_mul(self.per_million) / 1_000_000).max(Cap::MIN_TRIALS)
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} %", self.per_million / 10_000, self.per_million % 10_000 / 10)
    }
}

/// The rule for a target whose answer changes from one time to the next, and is ours at times. It cannot be told from two
/// answers: the target is asked again.
pub static MAP_ORDER: DeviationRule = DeviationRule {
    name: "map-order",
    because: "the target's own answer changes with the order of its maps, and ours is one of its answers",
    // Measured in 900,000 random trials and 270,000 of built-in kinds, the largest share: 0.33 %, 0.74 %, 1.89 %, 3.11 % and 0.16 %.
    caps: &[
        cap(Apply, 8_000),
        cap(TwoWay, 15_000),
        cap(ThreeWay, 40_000),
        cap(Conflicts, 60_000),
        cap(Merge, 4_000),
    ],
    explains: |_, _, _| false,
};

/// The rules that are tried on two answers, in order.
pub static DEVIATION_RULES: &[DeviationRule] = &[
    DeviationRule {
        name: "upstream-panics",
        because: "the target panics where it compares or hashes lists or maps as scalars, or looks into null; ours \
                  refuses with not-a-scalar, for a value of the kind that the panic names",
        // Measured, the same: 2.27 %, 1.82 %, 2.30 %, 0.35 % and 2.51 %.
        caps: &[
            cap(Apply, 42_000),
            cap(TwoWay, 36_000),
            cap(ThreeWay, 42_000),
            cap(Conflicts, 7_000),
            cap(Merge, 46_000),
        ],
        explains: |_, ours, theirs| panics::explains(ours, theirs),
    },
    DeviationRule {
        name: "null-in-json-patch",
        because: "the target has three nulls in a JSON patch: one that was there, one that a patch has set, and a copy of \
                  that, which it takes for an empty map; it panics when it compares the first with anything in a list, or \
                  writes into the third; ours knows one null. A model of the target's nulls predicts its answer",
        // Measured, the same: 0.33 %.
        caps: &[cap(JsonPatchApply, 7_000)],
        explains: json_patch_nulls::explains,
    },
    DeviationRule {
        name: "shared-memory",
        because: "the target merges a list of scalars in the memory of one that it orders the result by, when an \
                  earlier step left more or less room there than decoding: none after an order, and that of the deleted \
                  items after a deletion. Our engine with such lists predicts its answer",
        // Measured, the same: 0.013 % and none.
        caps: &[cap(Apply, 300), cap(Merge, 100)],
        explains: shared_memory::explains,
    },
    DeviationRule {
        name: "openapi-lookup",
        because: "types that contain themselves are looked up in OpenAPI, where the target takes any field for a \
                  list, and finds a field in its own case only; its lookup in Go types does as ours does. Our engine with \
                  that lookup predicts its answer",
        // Measured, in 270,000 trials of built-in kinds: up to 0.006 %. Few types contain themselves.
        caps: &[cap(Apply, 200), cap(TwoWay, 200), cap(ThreeWay, 200), cap(Conflicts, 200), cap(Merge, 200)],
        explains: openapi_lookup::explains,
    },
    DeviationRule {
        name: "uneven-repetition",
        because: "the target compares lists of one length item by item after it has taken repeated scalars out, and \
                  panics when the right one is shorter by then and equal so far; ours calls that a conflict",
        // Measured, the same: 0.015 % and 0.003 %.
        caps: &[cap(ThreeWay, 300), cap(Conflicts, 300)],
        explains: uneven_repetition::explains,
    },
];

/// Returns the answer of our engine with another context.
fn answer_in_context(trial: &Trial, change: impl FnOnce(&mut PatchContext)) -> Option<Answer> {
    let mut types = TrialTypes::clone(&trial.types);
    change(&mut types.context);
    let trial = Trial { types: types.into(), ..trial.clone() };
    trial.engine_operation().map(|operation| Answer::from_result(BuiltIn.perform(&operation)))
}

/// Returns true if a predicted answer is the target's: an equal result, or a refusal of the same kind.
fn is_predicted(predicted: &Answer, theirs: &Answer) -> bool {
    match (predicted, theirs) {
        (Answer::Result(predicted), Answer::Result(theirs)) => predicted == theirs,
        _ => predicted.is_same_refusal(theirs),
    }
}

/// Returns true if a predicate holds for a value, or for one inside.
fn has_value_where(value: &OwnedDoc, predicate: &dyn Fn(&OwnedDoc) -> bool) -> bool {
    predicate(value)
        || match value {
            OwnedDoc::List(items) => items.iter().any(|item| has_value_where(item, predicate)),
            OwnedDoc::Map(map) => map.iter().any(|(_, value)| has_value_where(value, predicate)),
            _ => false,
        }
}

#[cfg(test)]
mod test_support {
    use std::sync::Arc;

    use skewer_engine::document::from_json;
    use skewer_engine::patch::{Overwrite, PatchContext};
    use skewer_engine::profile::Profile;
    use skewer_engine::schema::{Schema, go};

    use super::super::generate::{self, TypeSource};
    use super::*;

    /// Makes a trial of types in Go, the root of which is `T`.
    pub(super) fn trial(operation: OperationKind, go_types: &str, documents: &[&str]) -> Trial {
        let schema = Schema::compile(&go::read(go_types).unwrap()).unwrap();
        let mut types = TrialTypes::clone(&generate::types_of_trial(&TypeSource::Random, 1, 0).unwrap());
        let context = PatchContext::of(Arc::new(schema), "T").unwrap();
        types.context = PatchContext { directives: Profile::Today.directives(), ..context };
        let documents = documents.iter().map(|text| from_json(text.as_bytes()).unwrap()).collect();
        let types = Arc::new(types);
        Trial { number: 0, operation, types, documents, overwrite: Overwrite::No, preconditions: Vec::new() }
    }

    pub(super) fn ours(trial: &Trial) -> Answer {
        Answer::from_result(BuiltIn.perform(&trial.engine_operation().unwrap()))
    }

    pub(super) fn result(text: &str) -> Answer {
        Answer::Result(from_json(text.as_bytes()).unwrap())
    }

    pub(super) fn refused(kind: &'static str, message: &str) -> Answer {
        Answer::Refused { kind, directive: None, message: message.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_is_a_share_of_many_trials() {
        let cap = Cap { per_million: 1_500 };
        assert_eq!([0, 1000, 10_000, 100_000].map(|trials| cap.in_trials(trials)), [5, 5, 15, 150]);
        assert_eq!(cap.to_string(), "0.150 %");
        // An operation without a cap of its own has none to spare.
        assert_eq!(MAP_ORDER.cap(OperationKind::JsonMergeApply).in_trials(100_000), 0);
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = DEVIATION_RULES.iter().chain([&MAP_ORDER]).map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), DEVIATION_RULES.len() + 1);
    }
}
