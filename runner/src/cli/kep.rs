//! `skewer kep`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use skewer_cases::Cell;
use skewer_execute::execute::{CellSelection, StepRecording};
use skewer_execute::kep;
use skewer_reports::kep as reports;
use skewer_results::Results;

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::report::read_results;
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
    #[arg(long, value_enum, default_value_t = KepFormat::Text)]
    format: KepFormat,
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    target: TargetArguments,
}

/// The value of `--format` of `skewer kep`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum KepFormat {
    /// For a terminal.
    Text,
    /// For a pull request, or to be checked in.
    Markdown,
    /// One self-contained page for a browser.
    Html,
    /// For programs.
    Json,
    /// The rows of the KEP's sheet, for a spreadsheet.
    Csv,
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
        KepFormat::Text => {
            Stream::Output.print_styled(&reports::text(&report, Stream::Output.style()))?;
        }
        KepFormat::Markdown => output::print_document(&reports::markdown(&report))?,
        KepFormat::Html => output::print_document(&reports::html(&report))?,
        KepFormat::Json => output::print_json(&report)?,
        KepFormat::Csv => output::print_document(&reports::csv(&report))?,
    }
    Ok(if kep::is_confirmed(&report) { Exit::Ok } else { Exit::CellFailed })
}

/// Runs the matrix, its part with both kinds of types, and the rows that the KEP cites.
fn run_matrix(arguments: &KepArguments) -> Result<Results> {
    let corpus = arguments.corpus.load_selected(&CellSelection { kep: true, ..CellSelection::default() })?;
    let is_kep_cell = |cell: &Cell<'_>| {
        [kep::SUITE, kep::TYPES_SUITE].contains(&&*cell.case.suite) || !cell.kep_rows().is_empty()
    };
    let is_wanted = |cell: &Cell<'_>| is_kep_cell(cell) && arguments.target.can_be_asked(cell);
    let mut cells: Vec<Cell<'_>> = corpus.cells().filter(is_wanted).collect();
    cells.sort_by_cached_key(Cell::id);
    collect_results(cells, &arguments.target, StepRecording::Never)
}
