//! The run of a cell on real API servers that keep objects.
//!
//! The cell is run twice: on the servers, and simulated. It passes if both end in the same state, and if this state is as
//! expected.

use std::sync::Arc;

use skewer_admission::{Admission, AdmissionOptions};
use skewer_cases::{Cell, Plan, field_owners};
use skewer_engine::OwnedDoc;
use skewer_skew::{Performer, Scenario, Server, StepName, without_managed_fields};
use skewer_targets::live::{LiveScenario, LiveServers, NotLive};
use skewer_targets::{TargetFailure, TargetFailureKind};

use super::asked_target::AskedTarget;
use super::evaluation::{
    EvaluationFailure, RecordedSteps, ScenarioEnd, evaluate_plan, judge_end, run_on_engine, run_references,
};
use super::record::{Evaluation, Simulation};
use super::same_end::{ErrorDifference, MayDiffer, is_same_end};

/// Runs a cell on real servers, and in their simulation.
pub(super) fn evaluate_on_live_servers(
    cell: &Cell<'_>,
    target: &AskedTarget<'_>,
    servers: &LiveServers,
    steps: &mut RecordedSteps,
) -> Result<Evaluation, EvaluationFailure> {
    let Plan::Skew(mut plan) = cell.plan()? else {
        return Err(unsupported("the servers run scenarios, and no single operations".to_owned()));
    };
    // A case whose server is just up to date has the newest types.
    let minor = servers.newest().minor();
    on_release(&mut plan, minor)?;
    let simulated_server = AskedTarget::with_simulated_server(target.target());
    let simulated = evaluate_plan(cell, Plan::Skew(plan.clone()), &simulated_server, &mut None)?;
    let (end, warnings) = run_on_servers(&plan, target, servers, steps)?;
    target.note_answer(Performer::Server);
    let (ideal, before) = run_references(cell, &plan, run_on_engine)?;
    let everything = plan.full_context.clone();
    let end = judge_end(plan, end, Arc::new(ideal), before.as_ref());
    let may_differ = MayDiffer { errors: ErrorDifference::FurtherKinds, empty_structs: Some(&everything) };
    let simulation = Simulation {
        minor,
        is_same: end
            .compared()
            .zip(simulated.compared())
            .is_some_and(|(end, simulated)| is_same_end(end, simulated, may_differ)),
        end: simulated,
        is_release_of_cell: true,
    };
    Ok(Evaluation { simulation: Some(simulation), warnings, ..Evaluation::of_end(end) })
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
    target: &AskedTarget<'_>,
    servers: &LiveServers,
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
        Ok(end) => Ok((ScenarioEnd { final_state: end.final_state, live, owners }, end.warnings)),
        Err(NotLive::NotAbout(why)) => Err(unsupported(why)),
        Err(NotLive::Failed(failure)) => Err(EvaluationFailure::TargetFailed(failure)),
    }
}
