//! Runs cells and keeps their results, for commands that make a report of their own from them.

use skewer_cases::Cell;
use skewer_execute::execute::{self, ExecutionOptions, StepRecording};
use skewer_results::{Results, RunInfo};

use crate::cli::arguments::target::TargetArguments;
use crate::cli::failure::{Failure, Result};
use crate::cli::progress::Progress;
use crate::cli::target_failure::UnansweredCells;
use crate::cli::workers::{thread_count, with_threads};

/// Runs cells on the target of the command line and returns their results.
///
/// # Errors
/// Fails if the target cannot be started, or does not answer all cells.
pub(super) fn collect_results(
    cells: Vec<Cell<'_>>,
    arguments: &TargetArguments,
    steps: StepRecording,
) -> Result<Results> {
    let threads = thread_count(None, cells.len());
    let target = arguments.open(threads)?;
    let options = ExecutionOptions { steps, ..ExecutionOptions::default() };
    let progress = Progress::of(cells.len() as u64, "cells");
    let mut results = Vec::new();
    let mut unanswered = UnansweredCells::default();
    with_threads(threads, || {
        execute::run(cells.into_iter(), &*target, &options, |cell| {
            progress.add(1);
            unanswered.add(&cell);
            results.push(cell);
            Ok::<(), Failure>(())
        })
    })??;
    if let Some(failure) = unanswered.failure(&*target) {
        return Err(failure);
    }
    let info = RunInfo { target: arguments.describe(&*target), ..RunInfo::default() };
    Ok(Results::new(info, results))
}
