//! The run of a cell on the API server of a Kubernetes release.
//!
//! The cell is run twice with a server of that release: on the target, and simulated. The cell passes if both end in the
//! same state, and if this state is as expected. If the server of the cell is just up to date, the expectation is for
//! the types of the case: an older release can end in another state, which the simulation must predict.

use skewer_cases::{Cell, NoApiServerPlan};
use skewer_engine::Error;
use skewer_engine::skew::{FinalState, without_unset_fields};
use skewer_reports as reports;
use skewer_reports::{Deviation, Status};

use super::asked_target::AskedTarget;
use super::evaluation::{Evaluation, EvaluationFailure, RecordedSteps, evaluate_plan};
use super::{judge, panics};
use crate::targets::{BuiltInTarget, Target, TargetFailure, TargetFailureKind};

/// Runs a cell on an API server of the release 1.`minor`, and judges it.
pub(super) fn judge_on_api_server(
    cell: &Cell<'_>,
    (target, minor): (&AskedTarget<'_>, u32),
    steps: &mut RecordedSteps,
    result: &mut reports::Cell,
) -> Result<Evaluation, EvaluationFailure> {
    let planned = match cell.plan_for_api_server(minor) {
        Ok(planned) => planned,
        Err(NoApiServerPlan::Invalid(error)) => return Err(error.into()),
        Err(NoApiServerPlan::NotAbout(why)) => {
            let kind = TargetFailureKind::Unsupported;
            return Err(EvaluationFailure::TargetFailed(TargetFailure { kind, why }));
        }
    };
    let simulated = evaluate_plan(cell, planned.plan.clone(), &AskedTarget::new(&BuiltInTarget), &mut None)?;
    let evaluation = evaluate_plan(cell, planned.plan, target, steps)?;
    judge::judge(cell, &evaluation, result);
    if !is_same(&evaluation, &simulated) {
        judge::fail_unlike_simulation((&evaluation, &simulated), minor, result);
    } else if result.status == Status::Fail && !planned.is_release_of_cell {
        result.status = Status::Deviation;
        let reason = format!(
            "the expectation is for another release; kubernetes-1.{minor} does what its simulation predicts"
        );
        result.deviation = Some(Deviation { reason, link: None });
    }
    Ok(evaluation)
}

/// Returns the state in which a cell ends on an API server, as text: the stored object as JSON, or the kind of the
/// refusal. The object has no unset fields, unless the cell expects it exactly. Returns `None` if the server is not asked about the cell, or does not answer.
#[must_use]
pub fn final_state_on_api_server(cell: &Cell<'_>, target: &dyn Target) -> Option<String> {
    let planned = cell.plan_for_api_server(target.kubernetes_release()?).ok()?;
    let evaluate = || evaluate_plan(cell, planned.plan, &AskedTarget::new(target), &mut None).ok();
    let evaluation = panics::catch_without_calls(evaluate).ok()??;
    Some(match &evaluation {
        Evaluation::Document { document, stored_by: Some(server), .. } => {
            let is_exact = cell.expectation.answers.iter().any(|answer| answer.is_exact);
            if is_exact { document.to_string() } else { without_unset_fields(server, document).to_string() }
        }
        _ => match (evaluation.error(), evaluation.document()) {
            (Some(error), _) => format!("refused: {}", error.describe_kind()),
            (None, document) => document.map(ToString::to_string)?,
        },
    })
}

/// Returns true if both runs ended in the same state: the same object with the same owners, or a refusal of the same
/// kind.
fn is_same(evaluation: &Evaluation, simulated: &Evaluation) -> bool {
    let kinds = |error: &Error| error.kinds();
    match (evaluation, simulated) {
        (
            Evaluation::Skew { final_state, owners, .. },
            Evaluation::Skew { final_state: simulated, owners: simulated_owners, .. },
        ) => match (final_state, simulated) {
            (FinalState::Refused(error), FinalState::Refused(simulated)) => kinds(error) == kinds(simulated),
            (final_state, simulated) => final_state == simulated && owners == simulated_owners,
        },
        (Evaluation::Document { document, .. }, Evaluation::Document { document: simulated, .. }) => {
            document == simulated
        }
        (Evaluation::Refused(error), Evaluation::Refused(simulated)) => kinds(error) == kinds(simulated),
        _ => false,
    }
}
