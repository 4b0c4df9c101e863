//! What happens in every cell, as a document to be checked in.
//!
//! It says nothing that changes from run to run or with the version of the tool, so that a difference in it is a
//! difference in behaviour.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape::{code, code_outside_tables, prose};
use super::report::table;
use crate::group::{self, Key};
use crate::model::{Cell, Results};
use crate::pivot::{Mark, Names};
use crate::summary::Summary;

/// Counts by level, document and suite, then each suite with a table for each case: one row for each place in the
/// matrix, one column for each value of the last axis.
#[must_use]
pub fn compatibility(results: &Results) -> String {
    let target = code_outside_tables(&results.run.target.name);
    let mut text = format!("# Compatibility of {target}\n\n");
    text.push_str(
        "An outcome stands alone where the expectation is met, and with the verdict where it is not.\n",
    );
    for (heading, key) in [("By level", Key::Level), ("By document", Key::Document), ("By suite", Key::Suite)]
    {
        let summary = Summary::by(key, results);
        if summary.groups().len() > 0 {
            let _ = write!(text, "\n## {heading}\n\n{}", table(&summary));
        }
    }
    for (suite, cells) in group::by_suite(&results.cells) {
        let _ = writeln!(text, "\n## {}", code_outside_tables(suite));
        let (alone, in_matrix): (Vec<&Cell>, Vec<&Cell>) =
            cells.into_iter().partition(|cell| cell.axes.is_empty());
        lines(&mut text, &alone);
        for case in cases(&in_matrix) {
            matrix(&mut text, case);
        }
    }
    text
}

/// The cells of cases that have no axes, in one table.
fn lines(text: &mut String, cells: &[&Cell]) {
    if !cells.is_empty() {
        text.push_str("\n| case | | about |\n|:--|:--|:--|\n");
    }
    for cell in cells {
        let about = cell.about.as_deref().map(prose).unwrap_or_default();
        let _ = writeln!(text, "| {} | {} | {about} |", code(&cell.case), Mark::of(cell));
    }
}

/// The cells of each case; the cells of a case stand together.
fn cases<'a>(cells: &'a [&'a Cell]) -> impl Iterator<Item = &'a [&'a Cell]> {
    cells.chunk_by(|one, other| one.case == other.case)
}

fn matrix(text: &mut String, cells: &[&Cell]) {
    let Some(first) = cells.first() else { return };
    let _ = writeln!(text, "\n### {}\n", code_outside_tables(&first.case));
    if let Some(about) = &first.about {
        let _ = writeln!(text, "{}\n", prose(about));
    }
    let mut columns = Names::default();
    let mut rows = Names::default();
    let mut fields: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for cell in cells {
        let (row, column) = place(cell);
        let at = (rows.index(row), columns.index(column.to_owned()));
        fields.entry(at).or_default().push(Mark::of(cell).to_string());
    }
    let axis = first.axes.iter().last().map_or("", |(name, _)| name);
    text.push('|');
    for column in &columns.names {
        let _ = write!(text, " | {}", code(&format!("{axis}={column}")));
    }
    let _ = writeln!(text, " |\n|:--|{}", ":--|".repeat(columns.names.len()));
    for (row, name) in rows.names.iter().enumerate() {
        let _ = write!(text, "| {}", code(name));
        for column in 0..columns.names.len() {
            let marks = fields.get(&(row, column)).map(|marks| marks.join(", ")).unwrap_or_default();
            let _ = write!(text, " | {marks}");
        }
        text.push_str(" |\n");
    }
}

/// The row and the column of a cell: all axes but the last, and the value of the last.
fn place(cell: &Cell) -> (String, &str) {
    let mut axes: Vec<(&str, &str)> = cell.axes.iter().collect();
    let (_, column) = axes.pop().unwrap_or_default();
    let row: Vec<String> = axes.iter().map(|(name, value)| format!("{name}={value}")).collect();
    (row.join(", "), column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_whole_document() {
        insta::assert_snapshot!(compatibility(&samples::results()));
    }

    #[test]
    fn it_does_not_change_with_the_version_or_the_time_taken() {
        let mut later = samples::results();
        later.run.tool_version = "9".into();
        later.run.corpus_hash = "sha256:9".into();
        later.run.target.version = Some("9".into());
        for cell in &mut later.cells {
            cell.duration_us = Some(9);
        }
        assert_eq!(compatibility(&later), compatibility(&samples::results()));
    }
}
