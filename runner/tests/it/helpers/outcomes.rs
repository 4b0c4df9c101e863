//! The outcomes of a case as text, for snapshots.

use std::collections::HashMap;
use std::fmt::Write;

use skewer_cases::Case;
use skewer_execute::execute::{ExecutionOptions, StepRecording, run_cell};
use skewer_reports::pivot::ResultLabel;
use skewer_results::{Cell, Status};
use skewer_targets::Target;

/// Maximum number of cells of a case that are described with a document each. In a larger case, each distinct final
/// state is described once and numbered, and a table gives the number of each cell.
const MAX_CELLS_IN_FULL: usize = 64;

/// Describes the outcomes of all cells of a case on a target.
pub(crate) fn outcome_text(case: &Case, target: &dyn Target) -> String {
    let cells = case.cells().map(|cell| {
        run_cell(
            &cell,
            target,
            &ExecutionOptions { steps: StepRecording::Always, ..ExecutionOptions::default() },
        )
    });
    let cells: Vec<_> = cells.collect();
    let text = if cells.len() > MAX_CELLS_IN_FULL {
        numbered_states(&cells)
    } else {
        cells.iter().map(cell_in_full).collect()
    };
    format!("{}\n{text}", case.id)
}

/// Describes a cell: its point, its outcome, the paths that differ from the ideal, and the resulting document.
fn cell_in_full(cell: &Cell) -> String {
    let point: Vec<_> = cell.axes.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
    format!("  [{}] {}", point.join(","), final_state(cell))
}

/// Describes the outcome of a cell, the paths that differ from the ideal, and the resulting document or error.
fn final_state(cell: &Cell) -> String {
    let differs = if cell.paths.is_empty() { String::new() } else { format!(" ({})", cell.paths.join(", ")) };
    let mut text = format!("{}{differs}\n", outcome_word(cell));
    let result_step = cell.steps.iter().rev().find(|step| step.name == "result");
    let document = result_step.and_then(|step| step.document.clone()).or_else(|| cell.actual_text());
    for line in document.unwrap_or_default().lines() {
        let _ = writeln!(text, "      {line}");
    }
    text
}

/// Describes each distinct final state once, with a number, and then gives the number of each cell. Cells that differ
/// only on the last axis share a line.
fn numbered_states(cells: &[Cell]) -> String {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut text = String::new();
    let mut rows: Vec<(String, Vec<(String, usize)>)> = Vec::new();
    for cell in cells {
        let state = final_state(cell);
        let next = numbers.len() + 1;
        let number = *numbers.entry(state.clone()).or_insert(next);
        if number == next {
            let _ = write!(text, "  #{number} {state}");
        }
        let mut point: Vec<_> = cell.axes.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
        let last = point.pop().unwrap_or_default();
        let row = point.join(",");
        match rows.last_mut().filter(|(last_row, _)| *last_row == row) {
            Some((_, entries)) => entries.push((last, number)),
            None => rows.push((row, vec![(last, number)])),
        }
    }
    for (row, entries) in rows {
        let first = entries[0].1;
        let numbers = if entries.iter().all(|(_, number)| *number == first) {
            format!("#{first}")
        } else {
            entries.iter().map(|(last, number)| format!("{last} #{number}")).collect::<Vec<_>>().join(", ")
        };
        let _ = writeln!(text, "  [{row}] {numbers}");
    }
    text
}

fn outcome_word(cell: &Cell) -> String {
    ResultLabel { status: Status::Pass, ..ResultLabel::of(cell) }.to_string()
}
