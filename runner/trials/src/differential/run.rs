//! Execution of differential runs.

use std::sync::Arc;

use rayon::prelude::*;
use skewer_execute::targets::Target;
use skewer_skew::{OperationKind, RequestType};

use super::case::render_case;
use super::compare::{Comparison, ComparisonResult, run_trial};
use super::generate::{self, TRIALS_PER_TYPE_SET, TypeSource, trial_operations};
use super::report::{Difference, Report};
use super::sequences::run_sequences;
use super::shrink::shrink;
use super::trial::Trial;

/// The trials of a differential run.
#[derive(Clone, Debug)]
pub struct DifferentialPlan {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Number of the first trial.
    pub first: u64,
    /// Number of trials.
    pub count: u64,
    /// Operations from which each trial picks one: some of the [`trial_operations`]. If all of them are operations of a
    /// field manager, each trial is a sequence of such requests.
    pub operations: Vec<OperationKind>,
    /// Types of requests from which each trial picks one, if the operation is a whole request to an API server. A type can
    /// be repeated, so that trials pick it more often.
    pub request_types: Vec<RequestType>,
    /// Source of the types.
    pub type_source: TypeSource,
}

/// Number of trials that are run before their answers are counted.
const BATCH_SIZE: u64 = 64 * TRIALS_PER_TYPE_SET;

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
    let end = plan.first + plan.count;
    let mut from = plan.first;
    while from < end && target.permanent_failure().is_none() {
        let to = (from - from % TRIALS_PER_TYPE_SET + BATCH_SIZE).min(end);
        for (trial, comparison) in run_batch(plan, target, from..to)? {
            report.count(trial.kind(), &comparison);
            if matches!(comparison.result, ComparisonResult::Different | ComparisonResult::Broken) {
                record_difference(plan, target, &mut report, (trial, comparison));
            }
        }
        on_progress(to - from);
        from = to;
    }
    Ok(report)
}

type ComparedTrial = (Trial, Comparison);

fn run_batch(
    plan: &DifferentialPlan,
    target: &dyn Target,
    numbers: std::ops::Range<u64>,
) -> Result<Vec<ComparedTrial>, String> {
    let groups: Vec<u64> =
        (numbers.start / TRIALS_PER_TYPE_SET..numbers.end.div_ceil(TRIALS_PER_TYPE_SET)).collect();
    let compared: Result<Vec<Vec<ComparedTrial>>, String> = groups
        .par_iter()
        .map(|group| {
            let shared_types = match &plan.type_source {
                TypeSource::Random => {
                    Some(generate::types_of_trial(&plan.type_source, plan.seed, group * TRIALS_PER_TYPE_SET)?)
                }
                TypeSource::Release(_) => None,
            };
            let all = group * TRIALS_PER_TYPE_SET..(group + 1) * TRIALS_PER_TYPE_SET;
            let all = all.start.max(numbers.start)..all.end.min(numbers.end);
            let compared = all.filter_map(|number| {
                let types = match &shared_types {
                    Some(types) => Arc::clone(types),
                    None => match generate::types_of_trial(&plan.type_source, plan.seed, number) {
                        Ok(types) => types,
                        Err(error) => return Some(Err(error)),
                    },
                };
                let trial = if plan.operations == [OperationKind::Request] {
                    generate::generate_request(plan.seed, number, &types, &plan.request_types)
                } else {
                    generate::generate_trial(plan.seed, number, &types, &plan.operations)
                };
                let comparison = run_trial(&trial, target)?;
                Some(Ok((trial, comparison)))
            });
            compared.collect()
        })
        .collect();
    Ok(compared?.into_iter().flatten().collect())
}

/// Shrinks a difference and adds it to the report, unless the report already has a similar one.
fn record_difference(
    plan: &DifferentialPlan,
    target: &dyn Target,
    report: &mut Report,
    (trial, comparison): ComparedTrial,
) {
    let categories = |c: &Comparison| (c.ours.category().to_owned(), c.theirs.category().to_owned());
    let expected_categories = categories(&comparison);
    if !report.has_room_for(trial.kind(), &expected_categories) {
        return;
    }
    let is_still_different = |trial: &Trial| {
        run_trial(trial, target)
            .is_some_and(|c| c.result == ComparisonResult::Different && categories(&c) == expected_categories)
    };
    let kind = trial.kind();
    let number = trial.number;
    // Shrinking asks the target hundreds of times. With a target that times out, that would take hours.
    let (shrunk, comparison) = if comparison.result == ComparisonResult::Broken {
        (trial, comparison)
    } else {
        let shrunk = shrink(trial, &is_still_different);
        let Some(comparison) = run_trial(&shrunk, target) else { return };
        (shrunk, comparison)
    };
    report.differences.push(Difference {
        kind,
        number,
        explained_by: None,
        categories: expected_categories,
        ours: comparison.ours.to_string(),
        theirs: comparison.theirs.to_string(),
        case: render_case(&shrunk, plan.seed, &comparison.theirs),
    });
}
