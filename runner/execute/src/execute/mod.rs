//! The execution of cells. Cells run in parallel, and their results have the order of the corpus.

mod answers;
mod api_server;
mod asked_target;
mod cell;
mod differences;
mod evaluation;
mod ideals;
mod judge;
mod leaks;
#[cfg(feature = "servers")]
mod live;
mod observed;
mod options;
mod owners;
pub mod panics;
mod pinned_states;
pub mod prepared;
mod record;
pub mod same_end;
mod selection;
mod simulation;
mod step_notes;

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use skewer_cases::Cell;
use skewer_results as results;
use skewer_targets::Target;

use self::cell::run_cell_of_run;
use self::ideals::Ideals;

pub use api_server::final_state_on_api_server;
#[doc(hidden)]
pub use api_server::test_support as api_server_test_support;
pub use cell::run_cell;
pub use observed::{ObservedStates, final_error, observe_states};
pub use options::{ExecutionOptions, ManagedFieldsForm, StepRecording};
pub use selection::pattern_matches;
pub use selection::{CellSelection, SelectableCell, SelectionCondition, level_of_cases};

/// Runs cells on a target and passes each result to `sink`, in the order of the cells. Stops at the first error of
/// `sink`, and when [`ExecutionOptions::stop`] is set.
///
/// While the results of one batch are passed on, the next batch is already run, so that no thread waits for `sink`.
///
/// # Errors
/// Fails with the error of `sink`.
pub fn run<'a, E: Send>(
    mut cells: impl Iterator<Item = Cell<'a>>,
    target: &dyn Target,
    options: &ExecutionOptions,
    mut sink: impl FnMut(results::Cell) -> Result<(), E> + Send,
) -> Result<(), E> {
    let mut results: Vec<results::Cell> = Vec::new();
    let has_sink_failed = AtomicBool::new(false);
    let ideals = Ideals::default();
    let is_stopped = || options.is_stopped() || has_sink_failed.load(Ordering::Relaxed);
    loop {
        let batch: Vec<Cell<'a>> = cells.by_ref().take(options.batch.max(1)).collect();
        let run_one = |cell| {
            let result = (!is_stopped()).then(|| run_cell_of_run(cell, target, options, Some(&ideals)));
            result.filter(|_| !is_stopped())
        };
        let run = || batch.par_iter().filter_map(run_one).collect();
        let mut pass_on =
            |result| sink(result).inspect_err(|_| has_sink_failed.store(true, Ordering::Relaxed));
        let (next, passed_on) = rayon::join(run, || results.into_iter().try_for_each(&mut pass_on));
        passed_on?;
        results = next;
        if results.is_empty() {
            return Ok(());
        }
    }
}
