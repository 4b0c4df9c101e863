//! `skewer topology`.

use clap::Args;
use skewer_cases::Cell;
use skewer_execute::execute::StepRecording;
use skewer_reports::topology as reports;

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::target::TargetArguments;
use crate::cli::collect_results::collect_results;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;
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
    let cells: Vec<Cell<'_>> = corpus.cells().filter(|cell| &*cell.case.suite == reports::SUITE).collect();
    if cells.is_empty() {
        let message = format!("the corpus has no suite {}", reports::SUITE);
        return Err(Failure::new(Exit::NothingSelected, message));
    }
    let results = collect_results(cells, &arguments.target, StepRecording::Always)?;
    let effects = topology::analyze(&results).map_err(|message| Failure::new(Exit::CellFailed, message))?;
    output::print_document(&reports::markdown(&effects))?;
    Ok(Exit::Ok)
}
