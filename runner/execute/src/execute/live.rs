//! The run of a cell on real API servers that keep objects.
//!
//! The cell is run twice: on the servers, and simulated. It passes if both end in the same state, and if this state is as
//! expected.

use std::sync::Arc;

use skewer_admission::{Admission, AdmissionOptions};
use skewer_cases::{Cell, Plan, field_owners};
use skewer_engine::OwnedDoc;
use skewer_engine::patch::PatchLibrary;
use skewer_engine::schema::builtin::{self, Release};
use skewer_skew::{Performer, Scenario, Server, StepName, without_managed_fields};
use skewer_targets::live::{LiveScenario, LiveServers, NotLive};
use skewer_targets::{TargetFailure, TargetFailureKind};

use super::asked_target::AskedTarget;
use super::evaluation::{
    EvaluationFailure, RecordedSteps, ScenarioEnd, evaluate_plan, judge_end, run_on_engine, run_references,
};
use super::record::Evaluation;
use super::same_end::{ErrorDifference, MayDiffer, is_same_end};
use super::simulation::Simulation;

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

/// Lets the servers behave as those that run: custom resources are on the server of the release `minor`, and built-in kinds on that
/// of their types. Fails if the cell is about another release.
fn on_release(plan: &mut Scenario, minor: u32) -> Result<(), EvaluationFailure> {
    let change = |server: &mut Server| {
        let Server { context, admission, .. } = server;
        if let Some(admission) = admission {
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
        }
        let of_types = builtin::release_of_schema(&context.schema).filter(|_| admission.is_none());
        // A server without a release has the newest library.
        if context.library == PatchLibrary::NEWEST {
            context.library = PatchLibrary::of_release(of_types.map_or(minor, Release::minor));
        }
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

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_cases::{Corpus, CorpusFile};
    use skewer_targets::BuiltInTarget;

    use super::super::evaluation::CellEnd;
    use super::*;

    const OF_1_30: &str = "suite: s
about: A kind of another release than the newest.
schema: {builtin: kubernetes-1.30, root: v1/ConfigMap}
cases:
  - {id: c, live: {}, intent: {set: {data: {a: b}}}, request: update, expect: [{outcome: intended}]}
";

    #[rstest]
    #[case::custom_resource(None, 36)]
    #[case::built_in_kind(Some(OF_1_30), 30)]
    fn a_server_without_a_release_has_the_library_of_that_which_runs(
        #[case] suite: Option<&str>,
        #[case] minor: u32,
    ) {
        let file = |text: &str| CorpusFile {
            path: "s.yaml".to_owned(),
            display_name: "s.yaml".to_owned(),
            content: text.into(),
            folder: None,
        };
        let corpus = match suite {
            Some(text) => Corpus::load(vec![file(text)]).unwrap(),
            None => Corpus::embedded_suites(|suite| suite == "upstream/custom-resources").unwrap(),
        };
        let mut libraries = corpus.cells().filter_map(|cell| match cell.plan() {
            Ok(Plan::Skew(mut plan)) if plan.server.context.library == PatchLibrary::NEWEST => {
                on_release(&mut plan, 36).ok().map(|()| plan.server.context.library)
            }
            _ => None,
        });
        assert_eq!(libraries.next(), Some(PatchLibrary::of_release(minor)));
        assert!(libraries.all(|library| library == PatchLibrary::of_release(minor)));
    }

    #[test]
    fn other_owners_than_those_of_the_simulation_are_a_reason() {
        let corpus = Corpus::embedded_suites(|suite| suite == "upstream/custom-resources").unwrap();
        let target = AskedTarget::new(&BuiltInTarget);
        let evaluate = |cell: &Cell<'_>| evaluate_plan(cell, cell.plan().ok()?, &target, &mut None).ok();
        let has_owners = |end: &CellEnd| matches!(end, CellEnd::Skew { owners, .. } if !owners.is_empty());
        let (cell, end) = corpus
            .cells()
            .find_map(|cell| evaluate(&cell).filter(has_owners).map(|end| (cell, end)))
            .expect("a cell with owners");
        let mut actual = evaluate(&cell).unwrap();
        let CellEnd::Skew { owners, .. } = &mut actual else { panic!("a scenario") };
        let first = owners.remove(0);
        let simulation = Simulation { minor: 36, end, is_same: false, is_release_of_cell: true };
        let reason = simulation.owners_reason(&actual).map(|reason| reason.to_string()).unwrap_or_default();
        assert!(
            reason.contains(&format!("{:?} by {}: expected ", first.manager, first.operation.name())),
            "{reason}"
        );
        let same = Simulation { is_same: true, ..simulation };
        assert!(same.owners_reason(&actual).is_none());
    }
}
