//! The run of a cell on real API servers that keep objects.
//!
//! The cell is run twice: on the servers, and simulated. It passes if both end in the same state, and if this state is as
//! expected.

use std::sync::Arc;

use skewer_cases::{Cell, Plan, field_owners};
use skewer_engine::admission::{Admission, AdmissionOptions};
use skewer_engine::skew::{
    FinalState, Performer, Scenario, Server, StepName, with_empty_structs, without_managed_fields,
};
use skewer_engine::{Error, OwnedDoc};
use skewer_reports as reports;

use super::asked_target::AskedTarget;
use super::evaluation::{
    Evaluation, EvaluationFailure, RecordedSteps, ScenarioEnd, evaluate_plan, judge_end, run_on_engine,
    run_references,
};
use super::judge;
use crate::targets::live::{LiveScenario, LiveServers, NotLive};
use crate::targets::{TargetFailure, TargetFailureKind};

/// Runs a cell on real servers, and judges it.
pub(super) fn judge_on_live_servers(
    cell: &Cell<'_>,
    (target, servers): (&AskedTarget<'_>, &LiveServers),
    steps: &mut RecordedSteps,
    result: &mut reports::Cell,
) -> Result<Evaluation, EvaluationFailure> {
    let Plan::Skew(mut plan) = cell.plan()? else {
        return Err(unsupported("the servers run scenarios, and no single operations".to_owned()));
    };
    // A case whose server is just up to date has the newest types.
    let minor = servers.newest().minor();
    on_release(&mut plan, minor)?;
    let simulation = AskedTarget::with_simulated_server(target.target());
    let simulated = evaluate_plan(cell, Plan::Skew(plan.clone()), &simulation, &mut None)?;
    let (end, warnings) = run_on_servers(&plan, (target, servers), steps)?;
    target.note_answer(Performer::Server);
    let (ideal, before) = run_references(cell, &plan, run_on_engine)?;
    let evaluation = judge_end(plan, end, (Arc::new(ideal), before.as_ref()));
    judge::judge(cell, &evaluation, result);
    if result.message.is_none() && !warnings.is_empty() {
        result.message = Some(format!("the server warned: {}", warnings.join("; ")));
    }
    if !is_same(&evaluation, &simulated) {
        judge::fail_unlike_simulation((&evaluation, &simulated), minor, result);
    }
    Ok(evaluation)
}

fn unsupported(why: String) -> EvaluationFailure {
    EvaluationFailure::TargetFailed(TargetFailure { kind: TargetFailureKind::Unsupported, why })
}

/// Lets the servers of custom resources be of a release. Fails if the cell is about another one.
fn on_release(plan: &mut Scenario, minor: u32) -> Result<(), EvaluationFailure> {
    let change = |server: &mut Server| {
        let Some(admission) = &mut server.admission else { return Ok(()) };
        let named = admission.options;
        let changed = Admission::clone(admission).on_release(minor);
        let is_newest =
            named == AdmissionOptions::NEWEST.with_preserve_unknown_fields(named.preserve_unknown_fields);
        if !is_newest && named != changed.options {
            return Err(unsupported(format!(
                "the server of the cell is of 1.{}; running is 1.{minor}",
                named.minor
            )));
        }
        *admission = Arc::new(changed);
        Ok(())
    };
    change(&mut plan.server)?;
    let others = plan.history.iter_mut().chain(&mut plan.meanwhile);
    others.filter_map(|other| other.server.as_mut()).try_for_each(change)
}

fn run_on_servers(
    plan: &Scenario,
    (target, servers): (&AskedTarget<'_>, &LiveServers),
    steps: &mut RecordedSteps,
) -> Result<(ScenarioEnd, Vec<String>), EvaluationFailure> {
    let (mut live, mut owners) = (None, Vec::new());
    let keeps_managed_fields = plan.keeps_managed_fields();
    let mut record = |name: StepName, document: &OwnedDoc| {
        match name {
            StepName::Stored | StepName::Meanwhile if plan.has_other_requests() => {
                live = Some(without_managed_fields(document.clone()));
            }
            StepName::Result if keeps_managed_fields => owners = field_owners(document),
            _ => {}
        }
        if let Some(steps) = steps {
            steps.push((name, document.clone()));
        }
    };
    let end = LiveScenario::run(servers, plan, target, &mut record);
    match end {
        Ok(end) => Ok((ScenarioEnd::of_parts(end.final_state, live, owners), end.warnings)),
        Err(NotLive::NotAbout(why)) => Err(unsupported(why)),
        Err(NotLive::Failed(failure)) => Err(EvaluationFailure::TargetFailed(failure)),
    }
}

/// Returns true if both runs ended in the same state. A simulated refusal has the first error, and that of a server all.
fn is_same(evaluation: &Evaluation, simulated: &Evaluation) -> bool {
    let kinds = |error: &Error| error.kinds();
    let (
        Evaluation::Skew { final_state, owners, plan, .. },
        Evaluation::Skew { final_state: simulated, owners: simulated_owners, .. },
    ) = (evaluation, simulated)
    else {
        return false;
    };
    match (final_state, simulated) {
        (FinalState::Refused(error), FinalState::Refused(simulated)) => {
            let kinds = kinds(error);
            simulated.kinds().iter().all(|kind| kinds.contains(kind))
        }
        (FinalState::Stored(object), FinalState::Stored(simulated)) => {
            // A Go server writes structs that are empty.
            let comparable = |object: &OwnedDoc| with_empty_structs(&plan.full_context, object.clone());
            comparable(object) == comparable(simulated) && owners == simulated_owners
        }
        _ => false,
    }
}
