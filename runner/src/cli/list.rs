//! `skewer list`.

use clap::Args;

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::selection::SelectionArguments;
use crate::cli::arguments::target::TargetArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::output;
use crate::cli::target_failure::UnansweredCells;
use crate::execute::{Options, StepRecording, run_cell};

/// The arguments of `skewer list`.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    target: TargetArguments,
    /// Run the cells, and print the outcome of each cell beside its id. Implied by --kep.
    #[arg(long)]
    outcomes: bool,
}

/// Runs the command.
pub(super) fn list(arguments: &ListArguments) -> Result {
    let corpus = arguments.corpus.load()?;
    let cells = arguments.selection.select_cells(&corpus, &arguments.corpus)?.cells;
    let options = Options { steps: StepRecording::Never, ..Options::default() };
    let outcomes = arguments.outcomes || arguments.selection.kep;
    let target = if outcomes { Some(arguments.target.open(1)?) } else { None };
    let mut text = String::new();
    let mut unanswered = UnansweredCells::default();
    for cell in cells {
        text.push_str(&cell.id());
        if let Some(target) = &target {
            let result = run_cell(&cell, &**target, &options);
            unanswered.add(&result);
            text.push('\t');
            text.push_str(result.outcome.map_or(result.status.as_str(), |outcome| outcome.as_str()));
        }
        text.push('\n');
    }
    output::print(&text)?;
    target.and_then(|target| unanswered.failure(&*target)).map_or(Ok(Exit::Ok), Err)
}
