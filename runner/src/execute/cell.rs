//! The run of one cell: evaluation, judgement, and the result for reports.

use std::sync::Arc;
use std::time::Instant;

use skewer_cases::yaml;
use skewer_cases::{Cell, Level};
use skewer_engine::OwnedDoc;
use skewer_engine::skew::StepName;
use skewer_reports as reports;
use skewer_reports::Status;

use super::evaluation::evaluate;
use super::judge;
use super::options::{Options, StepRecording};
use super::step_notes::describe_step;
use crate::targets::Target;

/// Runs a cell and judges it.
#[must_use]
pub fn run_cell(cell: &Cell<'_>, target: &dyn Target, options: &Options) -> reports::Cell {
    let started = Instant::now();
    let is_recording = match options.steps {
        StepRecording::Always => true,
        StepRecording::OnFailure => !target.is_cheap_to_rerun(),
        StepRecording::Never => false,
    };
    let mut steps = is_recording.then(Vec::new);
    let evaluation = evaluate(cell, target, &mut steps);
    let mut result = unjudged_result(cell);
    match evaluation {
        Ok(evaluation) => {
            judge::judge(cell, &evaluation, &mut result);
            if let (Some(reference_case), Status::Pass) = (cell.reference_cell(), result.status) {
                match evaluate(&reference_case, target, &mut None) {
                    Ok(reference) => judge::judge_against_reference_case(
                        cell,
                        &reference_case,
                        (&evaluation, &reference),
                        &mut result,
                    ),
                    Err(failure) => failure.write_to(&mut result),
                }
            }
        }
        Err(failure) => failure.write_to(&mut result),
    }
    let has_steps = match options.steps {
        StepRecording::Always => true,
        StepRecording::OnFailure => result.status.is_failure(),
        StepRecording::Never => false,
    };
    if has_steps {
        let steps = steps.or_else(|| {
            let mut rerun_steps = Some(Vec::new());
            evaluate(cell, target, &mut rerun_steps).ok();
            rerun_steps
        });
        result.steps =
            steps.into_iter().flatten().map(|(name, document)| report_step(cell, name, &document)).collect();
    }
    if result.status.is_failure() || options.steps == StepRecording::Always {
        result.rerun = Some(format!("{} '{}'", options.rerun_command, result.id));
    }
    if options.durations {
        result.duration_us = u64::try_from(started.elapsed().as_micros()).ok();
    }
    result
}

/// Returns the result of a cell with its description, before the cell is run.
fn unjudged_result(cell: &Cell<'_>) -> reports::Cell {
    let case = cell.case;
    let mut result =
        reports::Cell::new(cell.id(), Arc::clone(&case.suite), Arc::clone(&case.id), Status::Error);
    for (axis, value) in cell.coordinates() {
        result.axes.set(axis, value);
    }
    result.level = match case.level {
        Level::Required => reports::Level::Required,
        Level::Recommended => reports::Level::Recommended,
        Level::Proposed => reports::Level::Proposed,
        Level::Erratum => reports::Level::Erratum,
    };
    result.kep.clone_from(&case.kep);
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

fn report_step(cell: &Cell<'_>, name: StepName, document: &OwnedDoc) -> reports::Step {
    reports::Step {
        name: name.name().to_owned(),
        note: Some(describe_step(cell, name, document)),
        document: Some(yaml::write(document)),
    }
}
