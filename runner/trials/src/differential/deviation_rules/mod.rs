//! Rules that explain known differences between two implementations.
//!
//! A rule predicts from the documents of a trial which answers the target can give. It explains a difference only if
//! the target gave a predicted answer; a mere similarity is not enough. Each rule also has a cap. A rule that exceeds
//! its cap fails the run, because it probably explains differences that have another reason.

mod openapi_lookup;
mod panics;
mod slice_aliasing;
mod uneven_repetition;

use std::fmt;

use skewer_skew::OperationKind::{self, Apply, Conflicts, Merge, Request, ServerSideApply, ThreeWay, TwoWay};

use super::answer::TrialAnswer;
use super::trial::OperationTrial;

/// A rule that explains differences with one known reason.
#[derive(Debug)]
pub struct DeviationRule {
    /// Short name in reports.
    pub name: &'static str,
    /// The reason for the difference.
    pub because: &'static str,
    /// The share of the trials that the rule may explain, by operation: about twice the measured share. The rule may
    /// not explain operations without a cap.
    pub caps: &'static [(OperationKind, Cap)],
    /// Returns true if the rule predicts the target's answer. The arguments are the trial, the answer of the built-in
    /// engine, and the answer of the target.
    pub(super) explains: fn(&OperationTrial, &TrialAnswer, &TrialAnswer) -> bool,
}

impl PartialEq for DeviationRule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for DeviationRule {}

impl DeviationRule {
    /// Returns the cap for an operation, which is 0 if the rule has none.
    #[must_use]
    pub fn cap(&self, operation: OperationKind) -> Cap {
        let cap = self.caps.iter().find(|(with_cap, _)| *with_cap == operation);
        cap.map_or(Cap { per_million: 0 }, |(_, cap)| *cap)
    }
}

/// The share of the trials of one operation that a rule may explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// Number of trials per million.
    pub per_million: u64,
}

const fn cap(operation: OperationKind, per_million: u64) -> (OperationKind, Cap) {
    (operation, Cap { per_million })
}

impl Cap {
    /// Minimum cap in a run. A share is not meaningful for a small number of trials.
    const MIN_TRIALS: u64 = 5;

    /// Returns the number of trials that a rule may explain in a run of `trials` trials.
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

/// The rule for a target whose answer varies between retries and sometimes equals ours. It is checked with retries, not
/// with a prediction.
pub static MAP_ORDER: DeviationRule = DeviationRule {
    name: "map-order",
    because: "the target's answer depends on the iteration order of Go maps, and sometimes equals ours",
    // Largest measured shares in 900,000 trials with random types and 270,000 with built-in kinds:
    // 0.33 %, 0.74 %, 1.89 %, 3.11 % and 0.16 %.
    caps: &[
        cap(Apply, 8_000),
        cap(TwoWay, 15_000),
        cap(ThreeWay, 40_000),
        cap(Conflicts, 60_000),
        cap(Merge, 4_000),
        // Upstream prunes the fields that an applier gives up, and adds back those with other owners version by version,
        // in the order of a map (`addBackOwnedItems`). If a list item has its keys in one version and another field in a
        // second one, the order decides about that field. Measured: 1 of 440,000 requests with random types.
        cap(ServerSideApply, 50),
        cap(Request, 8_000),
    ],
    explains: |_, _, _| false,
};

/// The rules that predict the target's answer, in the order in which they are tried.
pub static DEVIATION_RULES: &[DeviationRule] = &[
    DeviationRule {
        name: "upstream-panics",
        because: "the target panics because it compares or hashes a list or map as a scalar, or dereferences null; the \
                  built-in engine refuses the same value with not-a-scalar",
        // Largest measured shares: 2.27 %, 1.82 %, 2.30 %, 0.35 % and 2.51 %.
        caps: &[
            cap(Apply, 42_000),
            cap(TwoWay, 36_000),
            cap(ThreeWay, 42_000),
            cap(Conflicts, 7_000),
            cap(Merge, 46_000),
            cap(Request, 42_000),
        ],
        explains: |_, ours, theirs| panics::explains(ours, theirs),
    },
    DeviationRule {
        name: "slice-aliasing",
        because: "slice aliasing: the target merges a list of scalars into the backing array of the live list, and \
                  then orders the result by that list; an earlier step left the array with another capacity than \
                  decoding does. The built-in engine with that capacity predicts its answer",
        // Largest measured shares: 0.013 %, 0 %, and 0.0003 % of three-way merges.
        caps: &[cap(Apply, 300), cap(Merge, 100), cap(Request, 300), cap(ThreeWay, 20)],
        explains: slice_aliasing::explains,
    },
    DeviationRule {
        name: "openapi-lookup",
        because: "the target looks up recursive types in OpenAPI instead of Go types; that lookup accepts any field as \
                  a list, and is case-sensitive. The built-in engine with that lookup predicts its answer",
        // Largest measured share in 270,000 trials with built-in kinds, few of which are recursive: 0.006 %.
        caps: &[cap(Apply, 200), cap(TwoWay, 200), cap(ThreeWay, 200), cap(Conflicts, 200), cap(Merge, 200)],
        explains: openapi_lookup::explains,
    },
    DeviationRule {
        name: "uneven-repetition",
        because: "the target removes repeated scalars from two lists of equal length and then compares them item by \
                  item; it panics if the right list is now a prefix of the left one. The built-in engine reports a \
                  conflict",
        // Largest measured shares: 0.015 % and 0.003 %.
        caps: &[cap(ThreeWay, 300), cap(Conflicts, 300)],
        explains: uneven_repetition::explains,
    },
];

#[cfg(test)]
mod test_support {
    use std::sync::Arc;

    use skewer_engine::document::from_json;
    use skewer_engine::patch::{Overwrite, PatchContext};
    use skewer_engine::profile::Profile;
    use skewer_engine::schema::{Schema, go};
    use skewer_skew::{BuiltIn, Operations};

    use super::super::generate::{self, TrialTypeSource};
    use super::super::trial::TrialRequest;
    use super::super::types::TrialTypes;
    use super::*;

    /// Creates a trial with Go types, whose root type is `T`.
    pub(super) fn trial(operation: OperationKind, go_types: &str, documents: &[&str]) -> OperationTrial {
        let schema = Schema::compile(&go::read(go_types).unwrap()).unwrap();
        let mut types = TrialTypes::clone(&generate::types_of_trial(&TrialTypeSource::Random, 1, 0).unwrap());
        let context = PatchContext::of(Arc::new(schema), "T").unwrap();
        types.context = PatchContext { directives: Profile::Today.directives(), ..context };
        let documents = documents.iter().map(|text| from_json(text.as_bytes()).unwrap()).collect();
        let types = Arc::new(types);
        let (overwrite, preconditions) = (Overwrite::No, Vec::new());
        let request = TrialRequest::default();
        OperationTrial { number: 0, operation, types, documents, overwrite, preconditions, request }
    }

    pub(super) fn ours(trial: &OperationTrial) -> TrialAnswer {
        TrialAnswer::from_result(BuiltIn.perform(&trial.engine_operation().unwrap()))
    }

    pub(super) fn result(text: &str) -> TrialAnswer {
        TrialAnswer::Result(from_json(text.as_bytes()).unwrap())
    }

    pub(super) fn refused(kind: &'static str, message: &str) -> TrialAnswer {
        TrialAnswer::Refused {
            kind,
            directive: None,
            kinds: vec![kind],
            conflicts: Vec::new(),
            message: message.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_is_a_share_of_the_trials_but_at_least_five() {
        let cap = Cap { per_million: 1_500 };
        assert_eq!([0, 1000, 10_000, 100_000].map(|trials| cap.in_trials(trials)), [5, 5, 15, 150]);
        assert_eq!(cap.to_string(), "0.150 %");
        // The rule has no cap for this operation.
        assert_eq!(MAP_ORDER.cap(OperationKind::JsonMergeApply).in_trials(100_000), 0);
    }

    #[test]
    fn rule_names_are_unique() {
        let mut names: Vec<&str> = DEVIATION_RULES.iter().chain([&MAP_ORDER]).map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), DEVIATION_RULES.len() + 1);
    }
}
