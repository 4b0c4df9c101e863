//! `skewer kep`.

use std::path::PathBuf;

use clap::Args;
use skewer_cases::Cell;
use skewer_execute::execute::{CellSelection, StepRecording};
use skewer_execute::kep;
use skewer_reports::{Results, kep as reports};

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::report::{FormatArgument, read_results};
use crate::cli::arguments::target::TargetArguments;
use crate::cli::collect_results::collect_results;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::{self, Stream};

/// The arguments of `skewer kep`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exits with 1 if a conclusion of the KEP does not follow, or a cell of the matrix does not do what \
                  the corpus expects."
)]
pub(super) struct KepArguments {
    /// A results file, as `skewer run --report json=PATH` writes it; - is standard input. Without it the matrix is run.
    results: Option<PathBuf>,
    /// Format of the report.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    target: TargetArguments,
}

pub(super) fn kep(arguments: &KepArguments) -> Result {
    let results = match &arguments.results {
        Some(path) => read_results(path)?,
        None => run_matrix(arguments)?,
    };
    let Some(report) = kep::analyze(&results) else {
        let message = format!("no cell of {} has a union policy", kep::SUITE);
        return Err(Failure::new(Exit::NothingSelected, message));
    };
    match arguments.format {
        FormatArgument::Text => {
            Stream::Output.print_styled(&reports::text(&report, Stream::Output.style()))?;
        }
        FormatArgument::Markdown => output::print_document(&reports::markdown(&report))?,
        FormatArgument::Html => output::print_document(&reports::html(&report))?,
        FormatArgument::Json => output::print_json(&report)?,
    }
    Ok(if kep::is_confirmed(&report) { Exit::Ok } else { Exit::CellFailed })
}

/// Runs the matrix and the rows that the KEP cites.
fn run_matrix(arguments: &KepArguments) -> Result<Results> {
    let corpus = arguments.corpus.load_selected(&CellSelection { kep: true, ..CellSelection::default() })?;
    let is_kep_cell = |cell: &Cell<'_>| &*cell.case.suite == kep::SUITE || !cell.kep_rows().is_empty();
    let mut cells: Vec<Cell<'_>> = corpus.cells().filter(is_kep_cell).collect();
    cells.sort_by_cached_key(Cell::id);
    collect_results(cells, &arguments.target, StepRecording::Never)
}
