//! `skewer run --accept`.

use std::fmt::Write;
use std::path::PathBuf;

use skewer_cases::Cell;
use skewer_execute::accept;
use skewer_results::control_characters::escape_line;
use skewer_results::{Problem, ProblemKind};
use skewer_targets::BuiltInTarget;

use crate::cli::arguments::output_path::OutputPath;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

/// Writes the final states of the cells into their suite files.
pub(super) fn accept_final_states(cells: &[Cell<'_>]) -> Result {
    let read = |file: &str| {
        std::fs::read_to_string(file)
            .map_err(|error| Failure::could_not_run(format!("{file} cannot be read: {error}")))
    };
    let files = accept::accept(cells, &BuiltInTarget, read)?;
    let mut text = String::new();
    for file in &files {
        let path = OutputPath::from(PathBuf::from(&file.file));
        path.write(|out| out.write_all(file.text.as_bytes()))?;
        let _ = writeln!(
            text,
            "{}: final states added to {} expectations, {} expectations added",
            escape_line(&file.file),
            file.pinned,
            file.added
        );
        for line in &file.skipped {
            let _ =
                writeln!(text, "  line {line} was not changed: write the expectation with one key per line");
        }
    }
    let added: usize = files.iter().map(|file| file.added).sum();
    if files.is_empty() {
        text.push_str("nothing to accept: each cell passes, and its final state is known\n");
    }
    if added > 0 {
        let _ = writeln!(text, "review the {added} expectations that were added, and give each a `because`");
    }
    output::print(&text)?;
    Ok(if added > 0 { Exit::CellFailed } else { Exit::Ok })
}

/// Returns a problem for each expectation whose final states nobody has reviewed yet.
pub(super) fn unreviewed_expectations(cells: &[Cell<'_>]) -> Vec<Problem> {
    let mut unreviewed: Vec<_> = cells.iter().filter(|cell| cell.expectation.is_unreviewed()).collect();
    unreviewed.sort_by_key(|cell| (&cell.expectation.location.file, cell.expectation.location.line));
    unreviewed.dedup_by_key(|cell| &cell.expectation.location);
    let problem = |cell: &Cell<'_>| Problem {
        kind: ProblemKind::Unreviewed,
        message: format!(
            "{}:{}: the final states are not reviewed: check that they are right, and say why in a `because`",
            cell.expectation.location.file, cell.expectation.location.line
        ),
        suite: Some(cell.case.suite.to_string()),
    };
    unreviewed.into_iter().map(problem).collect()
}
