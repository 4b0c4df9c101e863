//! `skewer topology`: the analysis of changes of a topology, which [`skewer_reports::topology`] renders.

use clap::Args;
use skewer_cases::Cell;
use skewer_cases::yaml::{read_document, write_flow};
use skewer_engine::{Doc, OwnedDoc};
use skewer_execute::execute::{CellSelection, StepRecording};
use skewer_reports::topology::{self as reports, TopologyEffects};
use skewer_results::Results;

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::target::TargetArguments;
use crate::cli::collect_results::collect_results;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

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
    let suite = CellSelection { patterns: vec![reports::SUITE.to_owned()], ..CellSelection::default() };
    let corpus = arguments.corpus.load_selected(&suite)?;
    let cells: Vec<Cell<'_>> = corpus.cells().filter(|cell| &*cell.case.suite == reports::SUITE).collect();
    if cells.is_empty() {
        let message = format!("the corpus has no suite {}", reports::SUITE);
        return Err(Failure::new(Exit::NothingSelected, message));
    }
    let results = collect_results(cells, &arguments.target, StepRecording::Always)?;
    let effects = analyze(&results).map_err(|message| Failure::new(Exit::CellFailed, message))?;
    output::print_document(&reports::markdown(&effects)).map(|()| Exit::Ok)
}

/// Reads the changes from the results of the suite [`SUITE`](reports::SUITE) with the documents of all steps.
///
/// # Errors
///
/// Errors of [`reports::analyze`].
pub fn analyze(results: &Results) -> std::result::Result<TopologyEffects<'_>, String> {
    reports::analyze(results, |document| {
        let document = read_document(reports::SUITE, document.as_bytes()).ok()?;
        Some(write_flow(&without_zero_values(document)))
    })
}

/// Removes the zero values of Go types.
fn without_zero_values(document: OwnedDoc) -> OwnedDoc {
    let is_zero = |value: &OwnedDoc| match value {
        Doc::Null => true,
        Doc::String(text) => text.is_empty(),
        Doc::Map(map) => map.is_empty(),
        _ => false,
    };
    match document {
        Doc::Map(map) => {
            let members = map.into_iter().map(|(key, value)| (key, without_zero_values(value)));
            Doc::Map(members.filter(|(_, value)| !is_zero(value)).collect())
        }
        Doc::List(items) => Doc::List(items.into_iter().map(without_zero_values).collect()),
        other => other,
    }
}
