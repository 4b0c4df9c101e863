//! Comparison of the answers of two implementations to one trial.

use skewer_execute::execute::panics;
use skewer_skew::{BuiltIn, Operation, Operations};
use skewer_targets::{OperationError, Target, TargetFailure, TargetFailureKind};

use super::answer::TrialAnswer;
use super::deviation_rules::{DEVIATION_RULES, DeviationRule, MAP_ORDER};
use super::sequences;
use super::trial::OperationTrial;

/// The result of comparing two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComparisonResult {
    /// The results are equal, or both answers are refusals with the same error kind.
    Same,
    /// The answers differ, and a rule explains the difference.
    Explained(&'static DeviationRule),
    /// The target does not support the operation.
    Unsupported,
    /// The target exited, timed out, or violated the protocol.
    Broken,
    /// The answers differ, and no rule explains the difference.
    Different,
}

/// The two answers to a trial, and the result of comparing them.
#[derive(Clone, Debug)]
pub(crate) struct AnswerComparison {
    /// Answer of the built-in engine.
    pub ours: TrialAnswer,
    /// Answer of the target.
    pub theirs: TrialAnswer,
    /// Result of the comparison.
    pub result: ComparisonResult,
    /// Number of retries in which the target reported the operation as unsupported.
    pub unsupported_retries: u64,
}

/// The categories of two answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerCategories {
    /// Category of the answer of the built-in engine.
    pub ours: String,
    /// Category of the answer of the target.
    pub theirs: String,
}

impl AnswerComparison {
    pub(super) fn categories(&self) -> AnswerCategories {
        AnswerCategories { ours: self.ours.category().to_owned(), theirs: self.theirs.category().to_owned() }
    }
}

/// Maximum number of retries to find out whether the answer of the target varies. An answer that occurs in one of
/// thirty retries is missed with a probability of one in a thousand.
const MAX_RETRIES: usize = 200;

/// Runs a trial on the built-in engine and on the target, and compares the answers. Returns `None` if the target was
/// given up, or if the trial has too few documents.
pub(crate) fn run_trial(trial: &OperationTrial, target: &dyn Target) -> Option<AnswerComparison> {
    let operation = trial.engine_operation()?;
    compare_operation(&operation, target, &|ours, theirs| explaining_rule(trial, ours, theirs))
}

/// Returns the rule that predicts the target's answer, if there is one. The arguments are the answer of the built-in
/// engine, and the answer of the target.
type Explain<'a> = dyn Fn(&TrialAnswer, &TrialAnswer) -> Option<&'static DeviationRule> + 'a;

/// Runs an operation on the built-in engine and on the target, and compares the answers. Returns `None` if the target
/// was given up.
pub(super) fn compare_operation(
    operation: &Operation<'_>,
    target: &dyn Target,
    explain: &Explain<'_>,
) -> Option<AnswerComparison> {
    let ours = built_in_answer(operation);
    let theirs = answer_of_target(target, operation)?;
    let lossy = target.has_lossy_floats(operation);
    let mut unsupported_retries = 0;
    let result = match &theirs {
        TrialAnswer::Unsupported(_) => ComparisonResult::Unsupported,
        TrialAnswer::Broken(_) => ComparisonResult::Broken,
        _ if ours.is_same(&theirs, lossy) => ComparisonResult::Same,
        _ => match explain(&ours, &theirs) {
            Some(rule) => ComparisonResult::Explained(rule),
            None if matches!(ours, TrialAnswer::Panic(_)) => ComparisonResult::Different,
            None => {
                let retry = || answer_of_target(target, operation);
                compare_retries(explain, &ours, &retry, lossy, &mut unsupported_retries)
            }
        },
    };
    Some(AnswerComparison { ours, theirs, result, unsupported_retries })
}

/// Returns the answer of the target, or `None` if the target was given up.
fn answer_of_target(target: &dyn Target, operation: &Operation<'_>) -> Option<TrialAnswer> {
    match target.operations().perform(operation) {
        Err(OperationError::NoAnswer(TargetFailure { kind: TargetFailureKind::GivenUp, .. })) => None,
        answer => Some(without_times(operation, TrialAnswer::from_result(answer))),
    }
}

/// Returns the first rule that predicts the target's answer.
fn explaining_rule(
    trial: &OperationTrial,
    ours: &TrialAnswer,
    theirs: &TrialAnswer,
) -> Option<&'static DeviationRule> {
    DEVIATION_RULES.iter().find(|rule| (rule.explains)(trial, ours, theirs))
}

/// Repeats the operation on the target until its answer equals that of the built-in engine, or until a rule predicts
/// its answer. `Unsupported` counts as neither: kubectl, for example, returns it whenever the result happens to have no
/// kind.
fn compare_retries(
    explain: &Explain<'_>,
    ours: &TrialAnswer,
    retry: &dyn Fn() -> Option<TrialAnswer>,
    lossy: bool,
    unsupported_retries: &mut u64,
) -> ComparisonResult {
    for _ in 0..MAX_RETRIES {
        let Some(retried) = retry() else { break };
        match &retried {
            TrialAnswer::Unsupported(_) => *unsupported_retries += 1,
            TrialAnswer::Broken(_) => return ComparisonResult::Broken,
            retried if ours.is_same(retried, lossy) => {
                return ComparisonResult::Explained(&MAP_ORDER);
            }
            retried => {
                if let Some(rule) = explain(ours, retried) {
                    return ComparisonResult::Explained(rule);
                }
            }
        }
    }
    ComparisonResult::Different
}

/// Removes the times of managed fields from a result. Some implementations leave them out.
fn without_times(operation: &Operation<'_>, mut answer: TrialAnswer) -> TrialAnswer {
    if let (TrialAnswer::Result(result), true) =
        (&mut answer, operation.kind().declaration().takes_field_manager)
    {
        sequences::remove_times(result);
    }
    answer
}

/// Returns the answer of the built-in engine.
pub(crate) fn built_in_answer(operation: &Operation<'_>) -> TrialAnswer {
    match panics::catch_without_calls(|| BuiltIn.perform(operation)) {
        Ok(answer) => without_times(operation, TrialAnswer::from_result(answer)),
        Err(panic) => TrialAnswer::Panic(format!("the built-in engine {}", panic.summary())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use skewer_engine::patch::Overwrite;
    use skewer_engine::{Doc, Map, OwnedDoc};
    use skewer_skew::OperationKind;
    use skewer_targets::TargetInfo;

    use super::super::generate::{self, TrialTypeSource};
    use super::super::trial::TrialRequest;
    use super::*;

    /// A target that returns these answers in turn, and then repeats the last one.
    struct ScriptedTarget {
        answers: Vec<Result<OwnedDoc, TargetFailureKind>>,
        asked: AtomicUsize,
    }

    impl Target for ScriptedTarget {
        fn info(&self) -> TargetInfo {
            TargetInfo { name: "scripted".to_owned(), version: None, language: None }
        }

        fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
            self
        }
    }

    impl Operations<TargetFailure> for ScriptedTarget {
        fn perform(&self, _: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
            let asked = self.asked.fetch_add(1, Ordering::Relaxed).min(self.answers.len() - 1);
            self.answers[asked]
                .clone()
                .map_err(|kind| OperationError::NoAnswer(TargetFailure { kind, why: "scripted".to_owned() }))
        }
    }

    fn compare(answers: Vec<Result<OwnedDoc, TargetFailureKind>>) -> AnswerComparison {
        let types = Arc::clone(&generate::types_of_trial(&TrialTypeSource::Random, 1, 0).unwrap());
        let documents = vec![Doc::Map(Map::new()), Doc::Map(Map::new())];
        let operation = OperationKind::JsonMergeApply;
        let overwrite = Overwrite::No;
        let (preconditions, request) = (Vec::new(), TrialRequest::default());
        let trial =
            OperationTrial { number: 0, operation, types, documents, overwrite, preconditions, request };
        run_trial(&trial, &ScriptedTarget { answers, asked: AtomicUsize::new(0) }).unwrap()
    }

    const WRONG: Result<OwnedDoc, TargetFailureKind> = Ok(Doc::Int(1));

    fn right() -> OwnedDoc {
        Doc::Map(Map::new())
    }

    #[test]
    fn a_varying_answer_that_sometimes_equals_ours_is_explained_by_map_order() {
        let comparison = compare(vec![WRONG, WRONG, Ok(right())]);
        assert_eq!(comparison.result, ComparisonResult::Explained(&MAP_ORDER));
    }

    #[test]
    fn unsupported_retries_are_counted_and_explain_no_difference() {
        let unsupported = || Err(TargetFailureKind::Unsupported);
        let comparison = compare(vec![WRONG, unsupported()]);
        assert_eq!(comparison.result, ComparisonResult::Different);
        assert_eq!(comparison.unsupported_retries, MAX_RETRIES as u64);
        let comparison = compare(vec![WRONG, unsupported(), Ok(right())]);
        assert_eq!(comparison.result, ComparisonResult::Explained(&MAP_ORDER));
        assert_eq!(comparison.unsupported_retries, 1);
    }

    #[test]
    fn a_constant_wrong_answer_is_a_difference() {
        assert_eq!(compare(vec![WRONG]).result, ComparisonResult::Different);
    }

    #[test]
    fn a_crashing_target_gives_the_result_broken() {
        for answers in [vec![Err(TargetFailureKind::Crash)], vec![WRONG, Err(TargetFailureKind::Crash)]] {
            assert_eq!(compare(answers).result, ComparisonResult::Broken);
        }
    }
}
