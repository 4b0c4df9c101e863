//! The run of one cell: its evaluation, its record, and its steps.

use std::borrow::Cow;
use std::time::Instant;

use skewer_cases::yaml;
use skewer_cases::{Cell, Plan};
use skewer_engine::OwnedDoc;
use skewer_results as results;
use skewer_skew::StepName;
use skewer_targets::{Target, TargetFailure, TargetFailureKind};

use super::api_server::evaluate_on_api_server;
use super::asked_target::AskedTarget;
use super::evaluation::{EvaluationFailure, RecordedSteps, evaluate};
use super::ideals::Ideals;
use super::judge::has_expected_answer;
#[cfg(feature = "servers")]
use super::live::evaluate_on_live_servers;
use super::options::{ExecutionOptions, ManagedFieldsForm, StepRecording};
use super::panics;
use super::record::{Evaluation, ReferenceRun, record};
use super::step_notes::StepNotes;
use crate::owners::split_owners;

/// Runs a cell and judges it. A panic fails only this cell: with a crash of the target if an operation of the target
/// panicked, and with an error otherwise.
///
/// The first call installs a panic hook. This hook records the panics of cells, and passes all others on to the
/// previous hook.
#[must_use]
pub fn run_cell(cell: &Cell<'_>, target: &dyn Target, options: &ExecutionOptions) -> results::Cell {
    run_cell_of_run(cell, target, options, None)
}

/// Runs a cell as [`run_cell`] does, with the ideals that are known from other cells.
pub(super) fn run_cell_of_run<'a>(
    cell: &Cell<'a>,
    target: &dyn Target,
    options: &ExecutionOptions,
    ideals: Option<&Ideals<'a>>,
) -> results::Cell {
    let started = Instant::now();
    let is_recording = match options.steps {
        StepRecording::Always => true,
        StepRecording::OnFailure => !target.is_cheap_to_rerun(),
        StepRecording::Never => false,
    };
    let mut steps: RecordedSteps = is_recording.then(Vec::new);
    let asked = AskedTarget::new(target);
    let evaluated = panics::catch(|| evaluate_with_references(cell, &asked, ideals, &mut steps))
        .unwrap_or_else(|panic| {
            let target = asked.is_to_blame_for_panic().then(|| target.info().name);
            Err(EvaluationFailure::Panicked { target, panic })
        });
    let recorded = record(cell, &evaluated);
    let has_steps = match options.steps {
        StepRecording::Always => true,
        StepRecording::OnFailure => recorded.status.is_failure(),
        StepRecording::Never => false,
    };
    let reported_steps = || {
        let steps = steps.or_else(|| record_steps(cell, target));
        let report_steps = || report_steps(cell, steps.as_deref().unwrap_or_default(), options);
        panics::catch_without_calls(report_steps).unwrap_or_default()
    };
    let has_rerun = recorded.status.is_failure() || options.steps == StepRecording::Always;
    results::Cell {
        steps: if has_steps { reported_steps() } else { Vec::new() },
        rerun: has_rerun.then(|| format!("{} '{}'", options.rerun_command, recorded.id)),
        duration_us: options.durations.then(|| u64::try_from(started.elapsed().as_micros()).ok()).flatten(),
        ..recorded
    }
}

/// Evaluates a cell, and its reference case if the cell is as expected.
fn evaluate_with_references<'a>(
    cell: &Cell<'a>,
    target: &AskedTarget<'_>,
    ideals: Option<&Ideals<'a>>,
    steps: &mut RecordedSteps,
) -> Result<Evaluation, EvaluationFailure> {
    let evaluation = evaluate_on_target(cell, target, ideals, steps)?;
    // What the target is asked about the reference case says nothing about the cell.
    let unasked = target.unasked();
    // On an API server, the simulation is the reference.
    let reference_case = cell.reference_cell().filter(|_| !target.keeps_objects());
    let reference =
        reference_case.filter(|_| has_expected_answer(cell, &evaluation.end)).map(|reference_case| {
            let end = evaluate(&reference_case, target, ideals, &mut None);
            ReferenceRun { id: reference_case.to_string(), end }
        });
    Ok(Evaluation { reference, unasked, ..evaluation })
}

/// Evaluates a cell in the way that suits the target.
fn evaluate_on_target<'a>(
    cell: &Cell<'a>,
    target: &AskedTarget<'_>,
    ideals: Option<&Ideals<'a>>,
    steps: &mut RecordedSteps,
) -> Result<Evaluation, EvaluationFailure> {
    if let Some(why) = why_not_client(cell, target.target())? {
        return Err(EvaluationFailure::TargetFailed(TargetFailure {
            kind: TargetFailureKind::Unsupported,
            why,
        }));
    }
    if let Some(minor) = target.target().kubernetes_release() {
        return evaluate_on_api_server(cell, target, minor, steps);
    }
    #[cfg(feature = "servers")]
    if let Some(servers) = target.target().live() {
        return evaluate_on_live_servers(cell, target, servers, steps);
    }
    evaluate(cell, target, ideals, steps).map(Evaluation::of_end)
}

/// Returns the reason why the client of a target cannot be asked about a cell: a client that applies manifests needs a
/// server that runs, and has only some tools.
fn why_not_client(cell: &Cell<'_>, target: &dyn Target) -> Result<Option<String>, EvaluationFailure> {
    let Some(tools) = target.operations().tools() else { return Ok(None) };
    let Plan::Skew(scenario) = cell.plan()? else { return Ok(None) };
    let Some(tool) = scenario.options.tool.as_deref() else { return Ok(None) };
    if !tools.iter().any(|known| known == tool.name) {
        return Ok(Some(format!("the client is not {} (it is {})", tool.name, tools.join(", "))));
    }
    #[cfg(feature = "servers")]
    let has_server = target.live().is_some();
    #[cfg(not(feature = "servers"))]
    let has_server = false;
    let why = "the client applies manifests to a server that runs: name one with --server-target";
    Ok((!has_server).then(|| why.to_owned()))
}

/// Runs a cell again to record its steps. If the cell panics, the steps before the panic are recorded.
fn record_steps(cell: &Cell<'_>, target: &dyn Target) -> RecordedSteps {
    let mut steps = Some(Vec::new());
    // The first run already has the result or the panic.
    let _ =
        panics::catch_without_calls(|| evaluate(cell, &AskedTarget::new(target), None, &mut steps).is_ok());
    steps
}

/// Returns the steps of a cell in the form of reports.
fn report_steps(
    cell: &Cell<'_>,
    steps: &[(StepName, OwnedDoc)],
    options: &ExecutionOptions,
) -> Vec<results::Step> {
    let notes = StepNotes::of(cell);
    let mut reported = Vec::with_capacity(steps.len());
    for (index, (name, document)) in steps.iter().enumerate() {
        let number = steps[..index].iter().filter(|(earlier, _)| earlier == name).count();
        let (shown, owners) = match options.managed_fields {
            ManagedFieldsForm::Owners => split_owners(document),
            ManagedFieldsForm::Raw => (Cow::Borrowed(document), Vec::new()),
        };
        reported.push(results::Step {
            name: name.name().to_owned(),
            note: Some(notes.describe(*name, number, document)),
            document: Some(yaml::write(&shown)),
            owners,
        });
    }
    reported
}
