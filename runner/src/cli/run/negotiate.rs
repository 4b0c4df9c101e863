//! `skewer run --negotiate`: the cells of clients that send patches, without and with negotiation.

use std::collections::HashMap;

use skewer_cases::{Case, Cell};
use skewer_execute::execute::StepRecording;
use skewer_execute::visible_severity::negotiation_effect;
use skewer_reports::negotiation::{self, NegotiatedCell, NegotiationReport};
use skewer_results as results;

use crate::cli::arguments::report::FormatArgument;
use crate::cli::arguments::target::TargetArguments;
use crate::cli::collect_results::collect_results;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::{self, Stream};

/// Runs the cells with both clients, and prints the report.
pub(super) fn negotiate(cells: Vec<Cell<'_>>, target: &TargetArguments, format: FormatArgument) -> Result {
    let selected = cells.len();
    let cells: Vec<Cell<'_>> = cells.into_iter().filter(Cell::sends_patch).collect();
    if cells.is_empty() {
        let message = format!(
            "in none of the {selected} selected cells a client sends a patch: expected cells with the request json-merge-patch, \
             strategic-merge-patch or client-side-apply for `--negotiate`"
        );
        return Err(Failure::new(Exit::NothingSelected, message));
    }
    let report = report(&cells, |cells| collect_results(cells, target, StepRecording::Never))?;
    if report.cells.is_empty() {
        let message =
            format!("the target decided none of the {} cells with and without negotiation", cells.len());
        return Err(Failure::new(Exit::NothingSelected, message));
    }
    match format {
        FormatArgument::Text => {
            Stream::Output.print_styled(&negotiation::text(&report, Stream::Output.style()))?;
        }
        FormatArgument::Markdown => output::print_document(&negotiation::markdown(&report))?,
        FormatArgument::Html => output::print_document(&negotiation::html(&report))?,
        FormatArgument::Json => output::print_json(&report)?,
    }
    Ok(Exit::Ok)
}

/// Returns the outcomes of cells without and with negotiation. `run` runs cells, and keeps their order.
fn report(
    cells: &[Cell<'_>],
    run: impl Fn(Vec<Cell<'_>>) -> Result<results::Results>,
) -> Result<NegotiationReport> {
    let mut cases: Vec<Case> = Vec::new();
    for cells in cells.chunk_by(|a, b| std::ptr::eq(a.case, b.case)) {
        let case = cells[0].case;
        let negotiating = case.negotiating().map_err(|error| {
            Failure::could_not_run(format!(
                "{}/{}: the parties cannot negotiate: {error}",
                case.suite, case.id
            ))
        })?;
        cases.extend(negotiating);
    }
    let by_name: HashMap<_, &Case> = cases.iter().map(|case| ((&case.suite, &case.id), case)).collect();
    let negotiated = cells.iter().filter_map(|cell| {
        let case = by_name.get(&(&cell.case.suite, &cell.case.id))?;
        case.cell(cell.number())
    });
    let (without, with) = (run(cells.to_vec())?, run(negotiated.collect())?);
    let mut report = NegotiationReport::default();
    for ((cell, without), with) in cells.iter().zip(&without.cells).zip(&with.cells) {
        match negotiated_cell(cell, without, with) {
            Some(cell) => report.cells.push(cell),
            None => report.undecided += 1,
        }
    }
    Ok(report)
}

/// Returns a cell with both outcomes. `None` if one of the runs has no outcome.
fn negotiated_cell(cell: &Cell<'_>, without: &results::Cell, with: &results::Cell) -> Option<NegotiatedCell> {
    let (own_version, negotiated) = (without.outcome?, with.outcome?);
    Some(NegotiatedCell {
        id: without.id.clone(),
        suite: without.suite.to_string(),
        own_version,
        negotiated,
        effect: negotiation_effect(own_version, negotiated),
        has_promise: cell.case.promise.is_some(),
    })
}
