//! Execution of differential runs.

use std::ops::Range;
use std::sync::Arc;

use skewer_skew::OperationKind;
use skewer_targets::Target;

use super::case::render_case;
use super::compare::{AnswerComparison, ComparisonResult, run_trial};
use super::generate::{self, TRIALS_PER_TYPE_SET, TrialTypeSource, trial_operations};
use super::plan::DifferentialPlan;
use super::report::{Difference, Report};
use super::sequences::run_sequences;
use super::shrink::shrink;
use super::trial::OperationTrial;

/// Runs the trials of a plan, and stops early if the target is given up. After each batch, calls `on_progress` with the
/// number of trials in the batch.
///
/// # Errors
///
/// Returns a message if trials cannot have an operation of the plan, or if the engine cannot read generated types. The
/// latter is a bug in the generator or in the engine.
pub fn run(
    plan: &DifferentialPlan,
    target: &dyn Target,
    on_progress: &dyn Fn(u64),
) -> Result<Report, String> {
    if plan.operations.contains(&OperationKind::UpgradeManagedFields) {
        return Err("`upgrade-managed-fields` is not compared on random documents".to_owned());
    }
    let are_requests = plan.operations == [OperationKind::Request];
    if are_requests && plan.request_types.is_empty() {
        return Err("a whole request needs a type of requests".to_owned());
    }
    if !plan.operations.is_empty()
        && !plan.operations.contains(&OperationKind::Request)
        && plan.operations.iter().all(|operation| operation.declaration().takes_field_manager)
    {
        return run_sequences(plan, target, on_progress);
    }
    let allowed = trial_operations();
    let other = plan.operations.iter().find(|operation| !allowed.contains(operation));
    if let Some(other) = other.filter(|_| !are_requests) {
        let how = match other {
            OperationKind::Request => "with an API server",
            _ => "in sequences of requests",
        };
        return Err(format!(
            "`{other}` is compared {how}, and cannot be combined with operations that are compared one by one: compare \
             them in two runs"
        ));
    }
    let mut report = Report::default();
    let run_group = |group, numbers| run_group(plan, target, group, numbers);
    plan.run_batches(target, TRIALS_PER_TYPE_SET, &run_group, &mut |compared, count| {
        for (trial, comparison) in compared {
            report.count(trial.kind(), &comparison);
            if matches!(comparison.result, ComparisonResult::Different | ComparisonResult::Broken)
                && report.has_room_for(trial.kind(), &comparison.categories())
            {
                report.differences.extend(describe_difference(plan, target, trial, &comparison));
            }
        }
        on_progress(count);
    })?;
    Ok(report)
}

fn run_group(
    plan: &DifferentialPlan,
    target: &dyn Target,
    group: u64,
    numbers: Range<u64>,
) -> Result<Vec<(OperationTrial, AnswerComparison)>, String> {
    let shared_types = match &plan.type_source {
        TrialTypeSource::Random => {
            Some(generate::types_of_trial(&plan.type_source, plan.seed, group * TRIALS_PER_TYPE_SET)?)
        }
        TrialTypeSource::Release(_) => None,
    };
    let mut compared = Vec::new();
    for number in numbers {
        let types = match &shared_types {
            Some(types) => Arc::clone(types),
            None => generate::types_of_trial(&plan.type_source, plan.seed, number)?,
        };
        let trial = if plan.operations == [OperationKind::Request] {
            generate::generate_request(plan.seed, number, &types, &plan.request_types)
        } else {
            generate::generate_trial(plan.seed, number, &types, &plan.operations)
        };
        if let Some(comparison) = run_trial(&trial, target) {
            compared.push((trial, comparison));
        }
    }
    Ok(compared)
}

/// Shrinks a difference. Returns `None` if the target is given up meanwhile.
fn describe_difference(
    plan: &DifferentialPlan,
    target: &dyn Target,
    trial: OperationTrial,
    found: &AnswerComparison,
) -> Option<Difference> {
    let (kind, number, categories) = (trial.kind(), trial.number, found.categories());
    let is_still_different = |trial: &OperationTrial| {
        run_trial(trial, target)
            .is_some_and(|it| it.result == ComparisonResult::Different && it.categories() == categories)
    };
    // Shrinking asks the target hundreds of times. With a target that times out, that would take hours.
    let (shrunk, comparison) = if found.result == ComparisonResult::Broken {
        (trial, found.clone())
    } else {
        let shrunk = shrink(trial, &is_still_different);
        let comparison = run_trial(&shrunk, target)?;
        (shrunk, comparison)
    };
    let case = render_case(&shrunk, plan.seed, &comparison.theirs);
    Some(Difference::new(kind, number, found, &comparison, case))
}
