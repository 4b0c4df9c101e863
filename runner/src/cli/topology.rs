//! `skewer topology`.

use clap::Args;
use skewer_cases::Cell;
use skewer_reports::{Results, RunInfo, markdown};

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::target::TargetArguments;
use crate::cli::arguments::target::reported_target;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;
use crate::cli::target_failure::UnansweredCells;
use crate::cli::workers::{thread_count, with_threads};
use crate::execute::{self, Options, StepRecording};
use crate::topology;

/// The arguments of `skewer topology`.
#[derive(Debug, Args)]
pub(super) struct TopologyArguments {
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    target: TargetArguments,
}

/// Runs the command: runs the suite, and prints the report in Markdown.
pub(super) fn topology(arguments: &TopologyArguments) -> Result {
    let corpus = arguments.corpus.load()?;
    let cells: Vec<Cell<'_>> = corpus.cells().filter(|cell| &*cell.case.suite == topology::SUITE).collect();
    if cells.is_empty() {
        let message = format!("the corpus has no suite {}", topology::SUITE);
        return Err(Failure::new(Exit::NothingSelected, message));
    }
    let threads = thread_count(None, cells.len());
    let target = arguments.target.open(threads)?;
    let options = Options { steps: StepRecording::Always, ..Options::default() };
    let mut results = Vec::new();
    let mut unanswered = UnansweredCells::default();
    with_threads(threads, || {
        execute::run(cells.into_iter(), &*target, &options, |cell| {
            unanswered.add(&cell);
            results.push(cell);
            Ok::<(), Failure>(())
        })
    })??;
    if let Some(failure) = unanswered.failure(&*target) {
        return Err(failure);
    }
    let info = RunInfo { target: reported_target(&*target), ..RunInfo::default() };
    let report = topology::analyze(&Results::new(info, results))
        .map_err(|message| Failure::new(Exit::CellFailed, message))?;
    output::print_document(&markdown::topology(&report))?;
    Ok(Exit::Ok)
}
