//! The run of one cell: its evaluation, its judgement, and its result for reports.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use skewer_cases::yaml;
use skewer_cases::{Cell, Level};
use skewer_engine::OwnedDoc;
use skewer_engine::skew::StepName;
use skewer_reports as reports;
use skewer_reports::Status;

use super::api_server::judge_on_api_server;
use super::asked_target::AskedTarget;
use super::evaluation::{Evaluation, EvaluationFailure, RecordedSteps, evaluate};
use super::ideals::Ideals;
#[cfg(feature = "servers")]
use super::live::judge_on_live_servers;
use super::options::{ManagedFieldsForm, Options, StepRecording};
use super::step_notes::StepNotes;
use super::{judge, panics};
use crate::owners::{conflicting_owners, split_owners};
use crate::targets::Target;

/// Runs a cell and judges it. A panic fails only this cell: with a crash of the target if an operation of the target
/// panicked, and with an error otherwise.
///
/// The first call installs a panic hook. This hook records the panics of cells, and passes all others on to the
/// previous hook.
#[must_use]
pub fn run_cell(cell: &Cell<'_>, target: &dyn Target, options: &Options) -> reports::Cell {
    run_cell_of_run(cell, target, options, None)
}

/// Runs a cell as [`run_cell`] does, with the ideals that are known from other cells.
pub(super) fn run_cell_of_run<'a>(
    cell: &Cell<'a>,
    target: &dyn Target,
    options: &Options,
    ideals: Option<&Ideals<'a>>,
) -> reports::Cell {
    let started = Instant::now();
    let is_recording = match options.steps {
        StepRecording::Always => true,
        StepRecording::OnFailure => !target.is_cheap_to_rerun(),
        StepRecording::Never => false,
    };
    let mut steps: RecordedSteps = is_recording.then(Vec::new);
    let asked = AskedTarget::new(target);
    let mut result = match panics::catch(|| judge_cell(cell, &asked, ideals, &mut steps)) {
        Ok(result) => result,
        Err(panic) => panicked_result(cell, &panic, asked.is_to_blame_for_panic(), target),
    };
    let has_steps = match options.steps {
        StepRecording::Always => true,
        StepRecording::OnFailure => result.status.is_failure(),
        StepRecording::Never => false,
    };
    if has_steps {
        let steps = steps.or_else(|| record_steps(cell, target));
        let report_steps = || report_steps(cell, steps.as_deref().unwrap_or_default(), options);
        result.steps = panics::catch_without_calls(report_steps).unwrap_or_default();
    }
    if result.status.is_failure() || options.steps == StepRecording::Always {
        result.rerun = Some(format!("{} '{}'", options.rerun_command, result.id));
    }
    if options.durations {
        result.duration_us = u64::try_from(started.elapsed().as_micros()).ok();
    }
    result
}

fn judge_cell<'a>(
    cell: &Cell<'a>,
    target: &AskedTarget<'_>,
    ideals: Option<&Ideals<'a>>,
    steps: &mut RecordedSteps,
) -> reports::Cell {
    let mut result = unjudged_result(cell);
    let evaluation = judge_evaluation(cell, (target, ideals), steps, &mut result);
    let evaluation = match evaluation {
        Ok(evaluation) => evaluation,
        Err(failure) => {
            failure.write_to(&mut result);
            return result;
        }
    };
    result.conflicts = evaluation.error().map(conflicting_owners).unwrap_or_default();
    // On an API server, the simulation is the reference.
    let reference_case = cell.reference_cell().filter(|_| !target.keeps_objects());
    if let (Some(reference_case), Status::Pass) = (reference_case, result.status) {
        match evaluate(&reference_case, target, ideals, &mut None) {
            Ok(reference) => judge::judge_against_reference_case(
                cell,
                &reference_case,
                (&evaluation, &reference),
                &mut result,
            ),
            Err(failure) => failure.write_to(&mut result),
        }
    }
    judge::retract_judgement(&evaluation, target.unasked(), &mut result);
    result
}

/// Evaluates a cell and judges it, in the way that suits the target.
fn judge_evaluation<'a>(
    cell: &Cell<'a>,
    (target, ideals): (&AskedTarget<'_>, Option<&Ideals<'a>>),
    steps: &mut RecordedSteps,
    result: &mut reports::Cell,
) -> Result<Evaluation, EvaluationFailure> {
    if let Some(minor) = target.target().kubernetes_release() {
        return judge_on_api_server(cell, (target, minor), steps, result);
    }
    #[cfg(feature = "servers")]
    if let Some(servers) = target.target().live() {
        return judge_on_live_servers(cell, (target, servers), steps, result);
    }
    evaluate(cell, target, ideals, steps).inspect(|evaluation| judge::judge(cell, evaluation, result))
}

fn panicked_result(
    cell: &Cell<'_>,
    panic: &panics::CaughtPanic,
    is_of_target: bool,
    target: &dyn Target,
) -> reports::Cell {
    let mut result = unjudged_result(cell);
    let (status, message) = if is_of_target {
        (Status::Crash, format!("the target {} {panic}", target.info().name))
    } else {
        (Status::Error, format!("Skewer, not the target, {panic}"))
    };
    (result.status, result.message) = (status, Some(message));
    result
}

/// Runs a cell again to record its steps. If the cell panics, the steps before the panic are recorded.
fn record_steps(cell: &Cell<'_>, target: &dyn Target) -> RecordedSteps {
    let mut steps = Some(Vec::new());
    // The first run already has the result or the panic.
    let _ =
        panics::catch_without_calls(|| evaluate(cell, &AskedTarget::new(target), None, &mut steps).is_ok());
    steps
}

/// Returns the result of a cell before the run: only its description is filled in.
fn unjudged_result(cell: &Cell<'_>) -> reports::Cell {
    let case = cell.case;
    let mut result =
        reports::Cell::new(cell.id(), Arc::clone(&case.suite), Arc::clone(&case.id), Status::Error);
    result.axes = cell.coordinates().into_iter().collect();
    result.level = match cell.level() {
        Level::Required => reports::Level::Required,
        Level::Recommended => reports::Level::Recommended,
        Level::Proposed => reports::Level::Proposed,
        Level::Erratum => reports::Level::Erratum,
    };
    result.kep = cell.kep_rows();
    result.issue.clone_from(&case.issue);
    result.source = case.source.as_ref().map(|source| reports::Source {
        document: Arc::clone(&source.document),
        section: Some(Arc::clone(&source.section)),
    });
    result.about = Some(Arc::clone(&case.about));
    result.because.clone_from(&cell.expectation.because);
    result.location = Some(reports::Location {
        file: Arc::clone(&cell.expectation.location.file),
        line: u32::try_from(cell.expectation.location.line).unwrap_or(u32::MAX),
    });
    result
}

/// Returns the steps of a cell in the form of reports.
fn report_steps(cell: &Cell<'_>, steps: &[(StepName, OwnedDoc)], options: &Options) -> Vec<reports::Step> {
    let notes = StepNotes::of(cell);
    let mut reported = Vec::with_capacity(steps.len());
    for (index, (name, document)) in steps.iter().enumerate() {
        let number = steps[..index].iter().filter(|(earlier, _)| earlier == name).count();
        let (shown, owners) = match options.managed_fields {
            ManagedFieldsForm::Owners => split_owners(document),
            ManagedFieldsForm::Raw => (Cow::Borrowed(document), Vec::new()),
        };
        reported.push(reports::Step {
            name: name.name().to_owned(),
            note: Some(notes.describe(*name, number, document)),
            document: Some(yaml::write(&shown)),
            owners,
        });
    }
    reported
}
