//! The outcomes of a case as text, for snapshots.

use std::fmt::Write;

use skewer::execute::{Options, StepRecording, run_cell};
use skewer::targets::Target;
use skewer_cases::Case;
use skewer_reports::Cell;

/// Maximum number of cells of a case that is described with documents. For a larger case, one line lists the outcomes
/// for all values of the last axis.
const MAX_CELLS_IN_FULL: usize = 64;

/// Describes the outcomes of all cells of a case on a target.
pub(crate) fn outcome_text(case: &Case, target: &dyn Target) -> String {
    let cells = case
        .cells()
        .map(|cell| run_cell(&cell, target, &Options { steps: StepRecording::Always, ..Options::default() }));
    let cells: Vec<_> = cells.collect();
    let text = if cells.len() > MAX_CELLS_IN_FULL {
        table_rows(&cells)
    } else {
        cells.iter().map(cell_in_full).collect()
    };
    format!("{}\n{text}", case.id)
}

/// Describes a cell: its point, its outcome, the paths that differ from the ideal, and the resulting document.
fn cell_in_full(cell: &Cell) -> String {
    let point: Vec<_> = cell.axes.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
    let differs = if cell.paths.is_empty() { String::new() } else { format!(" ({})", cell.paths.join(", ")) };
    let mut text = format!("  [{}] {}{differs}\n", point.join(","), outcome_word(cell));
    let result_step = cell.steps.iter().rev().find(|step| step.name == "result");
    let document = result_step.and_then(|step| step.document.as_deref()).or(cell.actual.as_deref());
    for line in document.unwrap_or_default().lines() {
        let _ = writeln!(text, "      {line}");
    }
    text
}

fn table_rows(cells: &[Cell]) -> String {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for cell in cells {
        let mut point: Vec<_> = cell.axes.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
        let last = point.pop().unwrap_or_default();
        let entry = format!("{last} {}", outcome_word(cell));
        let row = point.join(",");
        match rows.last_mut().filter(|(last_row, _)| *last_row == row) {
            Some((_, entries)) => entries.push(entry),
            None => rows.push((row, vec![entry])),
        }
    }
    rows.iter().fold(String::new(), |mut text, (row, entries)| {
        let _ = writeln!(text, "  [{row}] {}", entries.join(", "));
        text
    })
}

fn outcome_word(cell: &Cell) -> &'static str {
    cell.outcome.map_or(cell.status.as_str(), |outcome| outcome.as_str())
}
