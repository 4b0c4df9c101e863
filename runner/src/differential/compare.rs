//! Comparison of two answers to one trial: equal, different for a known reason, or different.

use std::panic::{AssertUnwindSafe, catch_unwind};

use skewer_engine::skew::{BuiltIn, Operation, Operations};

use super::answer::Answer;
use super::deviation_rules::{DEVIATION_RULES, DeviationRule, MAP_ORDER};
use super::trial::Trial;
use crate::targets::{Target, is_equal_up_to_lossy_floats};

/// The result of comparing two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonResult {
    /// The results are equal, or both are refusals of one kind.
    Same,
    /// The answers differ for a known reason.
    Explained(&'static DeviationRule),
    /// The target does not support the operation.
    Unsupported,
    /// The answers differ for no known reason.
    Different,
}

/// The two answers to a trial, and their comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Answer of the built-in engine.
    pub ours: Answer,
    /// Answer of the target.
    pub theirs: Answer,
    /// Result of the comparison.
    pub result: ComparisonResult,
}

/// Maximum number of times that the target is asked once more, to see whether its answer changes. An answer that one in
/// thirty map orders gives is missed once in a thousand times.
const MAX_RETRIES: usize = 200;

/// Asks the built-in engine and the target for their answers, and compares them.
#[must_use]
pub fn run_trial(trial: &Trial, target: &dyn Target) -> Option<Comparison> {
    let operation = trial.engine_operation()?;
    let ours = built_in_answer(&operation);
    let theirs = Answer::from_result(target.operations().perform(&operation));
    let lossy = target.has_lossy_floats(&operation);
    let result = if matches!(theirs, Answer::Unsupported(_)) {
        ComparisonResult::Unsupported
    } else if is_same_answer(&ours, &theirs, lossy) {
        ComparisonResult::Same
    } else if let Some(rule) = DEVIATION_RULES.iter().find(|rule| (rule.explains)(trial, &ours, &theirs)) {
        ComparisonResult::Explained(rule)
    } else if can_change_on_retry(&ours, &theirs) && is_explained_on_retry(trial, &operation, &ours, target) {
        ComparisonResult::Explained(&MAP_ORDER)
    } else {
        ComparisonResult::Different
    };
    Some(Comparison { ours, theirs, result })
}

/// Returns true if another answer of the target can equal ours.
fn can_change_on_retry(ours: &Answer, theirs: &Answer) -> bool {
    !matches!(theirs, Answer::Broken(_)) && !matches!(ours, Answer::Panic(_))
}

fn built_in_answer(operation: &Operation<'_>) -> Answer {
    match catch_unwind(AssertUnwindSafe(|| BuiltIn.perform(operation))) {
        Ok(answer) => Answer::from_result(answer),
        Err(_) => Answer::Panic("of our own engine; its message is on standard error".to_owned()),
    }
}

fn is_same_answer(ours: &Answer, theirs: &Answer, lossy: bool) -> bool {
    match (ours, theirs) {
        (Answer::Result(ours), Answer::Result(theirs)) if lossy => is_equal_up_to_lossy_floats(ours, theirs),
        (Answer::Result(ours), Answer::Result(theirs)) => ours == theirs,
        (Answer::Refused { kind: ours, .. }, Answer::Refused { kind: theirs, .. }) => ours == theirs,
        _ => false,
    }
}

/// Returns true if one of further answers of the target is ours, or is explained by a rule.
fn is_explained_on_retry(
    trial: &Trial,
    operation: &Operation<'_>,
    ours: &Answer,
    target: &dyn Target,
) -> bool {
    let lossy = target.has_lossy_floats(operation);
    (0..MAX_RETRIES).any(|_| {
        let retried = Answer::from_result(target.operations().perform(operation));
        // The target may decline another time: kubectl applies a patch and then misses the kind.
        let is_unsupported = matches!(retried, Answer::Unsupported(_));
        is_unsupported
            || is_same_answer(ours, &retried, lossy)
            || DEVIATION_RULES.iter().any(|rule| (rule.explains)(trial, ours, &retried))
    })
}
