//! Comparison of the answers of two implementations to the steps of a sequence.

use skewer_engine::OwnedDoc;
use skewer_targets::Target;

use super::sequence::Sequence;
use crate::differential::answer::TrialAnswer;
use crate::differential::compare::{AnswerComparison, ComparisonResult, compare_operation};

/// A step with the answers to it.
#[derive(Clone, Debug)]
pub(crate) struct ComparedStep {
    /// The live object before the step.
    pub(crate) live: Option<OwnedDoc>,
    pub(crate) comparison: AnswerComparison,
}

/// Runs the steps of a sequence on the built-in engine and on the target. The live object of a step is the result of the
/// built-in engine in the step before. Returns `None` if the target was given up.
pub(crate) fn run_sequence(sequence: &Sequence, target: &dyn Target) -> Option<Vec<ComparedStep>> {
    let mut live = sequence.initial.clone();
    let mut compared = Vec::with_capacity(sequence.steps.len());
    for (index, step) in sequence.steps.iter().enumerate() {
        let compare =
            |operation: &skewer_skew::Operation<'_>| compare_operation(operation, target, &|_, _| None);
        let Some(comparison) = step.perform(sequence, live.as_ref(), compare) else { continue };
        let comparison = comparison?;
        let next = match &comparison.ours {
            TrialAnswer::Result(result) => Some(sequence.next_live(live.as_ref(), result, index)),
            _ => live.clone(),
        };
        compared.push(ComparedStep { live: std::mem::replace(&mut live, next), comparison });
    }
    Some(compared)
}

/// Returns the index of the first step with a difference, even if it is explained, or whose target broke.
pub(crate) fn first_difference(steps: &[ComparedStep]) -> Option<usize> {
    steps.iter().position(|step| {
        !matches!(step.comparison.result, ComparisonResult::Same | ComparisonResult::Unsupported)
    })
}
