//! `skewer list`.

use std::path::{Path, PathBuf};

use clap::Args;
use skewer_execute::execute::{ExecutionOptions, StepRecording, run_cell};
use skewer_results::{Cell, Status};

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::report::read_results;
use crate::cli::arguments::result_filter::{OutcomeArgument, ResultFilter, outcome_parser, status_parser};
use crate::cli::arguments::selection::SelectionArguments;
use crate::cli::arguments::target::TargetArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;
use crate::cli::target_failure::UnansweredCells;

/// The arguments of `skewer list`.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    target: TargetArguments,
    /// Print the outcome of each cell beside its id. The cells are run, unless there is a results file. Implied by
    /// --kep.
    #[arg(long)]
    outcomes: bool,
    /// Only cells with this status; can be given several times. The cells are run, unless there is a results file.
    #[arg(long = "status", value_name = "STATUS", value_parser = status_parser())]
    statuses: Vec<Status>,
    /// Only cells with this outcome; can be given several times. `silent` is any outcome that is wrong although the
    /// request was accepted. The cells are run, unless there is a results file.
    #[arg(long = "outcome", value_name = "OUTCOME", value_parser = outcome_parser())]
    outcome: Vec<OutcomeArgument>,
    /// List the cells of this results file, instead of the corpus. `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["corpus", "target", "client_target", "server_target"])]
    results: Option<PathBuf>,
}

impl ListArguments {
    fn shows_outcomes(&self) -> bool {
        self.outcomes || self.selection.kep
    }

    fn filter(&self) -> Option<ResultFilter> {
        ResultFilter::new(&self.statuses, &self.outcome)
    }
}

pub(super) fn list(arguments: &ListArguments) -> Result {
    match &arguments.results {
        Some(path) => list_results(arguments, path),
        None => list_corpus(arguments),
    }
}

fn list_results(arguments: &ListArguments, path: &Path) -> Result {
    let results = read_results(path)?;
    let cells = arguments.selection.select_results(&results.cells, &path.display().to_string())?;
    let filter = arguments.filter();
    let mut lines = Lines::default();
    for cell in &cells {
        if filter.as_ref().is_none_or(|filter| filter.accepts(cell)) {
            lines.add(&cell.id, arguments.shows_outcomes().then_some(*cell));
        }
    }
    lines.print(filter.as_ref(), cells.iter().copied())
}

fn list_corpus(arguments: &ListArguments) -> Result {
    let corpus = arguments.corpus.load_selected(&arguments.selection.selection())?;
    let cells = arguments.selection.select_cells(&corpus, &arguments.corpus)?.cells;
    let filter = arguments.filter();
    let mut lines = Lines::default();
    if !arguments.shows_outcomes() && filter.is_none() {
        for cell in cells {
            lines.add(&cell.id(), None);
        }
        return lines.print(None, []);
    }
    let options = ExecutionOptions { steps: StepRecording::Never, ..ExecutionOptions::default() };
    let target = arguments.target.open(1)?;
    let mut unanswered = UnansweredCells::default();
    let mut left_out: Vec<Cell> = Vec::new();
    for cell in cells {
        let result = run_cell(&cell, &*target, &options);
        unanswered.add(&result);
        if filter.as_ref().is_none_or(|filter| filter.accepts(&result)) {
            lines.add(&result.id, arguments.shows_outcomes().then_some(&result));
        } else if lines.text.is_empty() {
            // Only for the message if no cell matches.
            left_out.push(result);
        }
    }
    let printed = lines.print(filter.as_ref(), &left_out);
    unanswered.failure(&*target).map_or(printed, Err)
}

#[derive(Debug, Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn add(&mut self, id: &str, result: Option<&Cell>) {
        self.text.push_str(id);
        if let Some(result) = result {
            self.text.push('\t');
            self.text.push_str(result.outcome.map_or(result.status.as_str(), |outcome| outcome.as_str()));
        }
        self.text.push('\n');
    }

    /// Prints the list. Fails if a filter left out all of the `cells`.
    fn print<'c>(&self, filter: Option<&ResultFilter>, cells: impl IntoIterator<Item = &'c Cell>) -> Result {
        if let Some(filter) = filter.filter(|_| self.text.is_empty()) {
            return Err(Failure::new(Exit::NothingSelected, filter.describe_no_match(cells)));
        }
        output::print(&self.text).map(|()| Exit::Ok)
    }
}
