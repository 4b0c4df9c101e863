//! Running cells: in parallel, with results in the order of the corpus.

mod cell;
mod describe;
mod verdict;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use skewer_cases::Cell;
use skewer_reports as reports;

use crate::targets::Target;

pub use cell::{error_of, run_cell};

/// What a run records beside the verdicts.
#[derive(Clone, Debug)]
pub struct Options {
    /// The documents of each step.
    pub steps: Steps,
    /// How long each cell took. Without it the same run gives the same bytes.
    pub durations: bool,
    /// What stands before an id in the line that reruns a cell.
    pub rerun: String,
    /// Ends the run early when it is set. Cells that end after that have no result: a target that got the same
    /// interrupt may have failed in them for no other reason.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Which cells keep the documents of their steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// None.
    Never,
    /// Those that fail.
    Failures,
    /// All.
    Always,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            steps: Steps::Failures,
            durations: false,
            rerun: "skewer run --exact".to_owned(),
            stop: None,
        }
    }
}

impl Options {
    fn stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// How many cells are run before their results are handed on: enough to keep every thread at work, few enough
/// to keep memory flat.
const BATCH: usize = 2048;

/// Runs cells on a target and hands each result on, in the order of the cells. Stops at the first error of
/// `sink`, and when [`Options::stop`] is set.
///
/// While the results of one batch are handed on, the next is run: `sink` is not what the other threads wait for.
pub fn run<'a, E: Send>(
    mut cells: impl Iterator<Item = Cell<'a>>,
    target: &dyn Target,
    options: &Options,
    mut sink: impl FnMut(reports::Cell) -> Result<(), E> + Send,
) -> Result<(), E> {
    let mut results: Vec<reports::Cell> = Vec::new();
    loop {
        let batch: Vec<Cell<'a>> = cells.by_ref().take(BATCH).collect();
        let run_one = |cell| {
            let result = (!options.stopped()).then(|| run_cell(cell, target, options));
            result.filter(|_| !options.stopped())
        };
        let run = || batch.par_iter().filter_map(run_one).collect();
        let (next, handed_on) = rayon::join(run, || results.into_iter().try_for_each(&mut sink));
        handed_on?;
        results = next;
        if results.is_empty() {
            return Ok(());
        }
    }
}
