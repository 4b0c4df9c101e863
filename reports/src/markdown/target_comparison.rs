//! Two targets side by side, as a Markdown file to be checked in.

use std::collections::BTreeMap;

use skewer_results::model::Cell;
use skewer_results::vocabulary::Status;

use crate::blocks::{
    self, Block, Column, Inline, Table, code, count, heading, list, number, own, paragraph, plain, strong,
};
use crate::compare::cell_change::{CellChange, Trend};
use crate::compare::model::Comparison;
use crate::pivot::ResultLabel;

/// Renders how often two targets agree, suite by suite, then every reason for a difference.
///
/// The text does not contain the version of the tool or of the corpus. If the text changes, the behaviour of a target
/// or the corpus has changed.
#[must_use]
pub fn target_comparison(comparison: &Comparison<'_>) -> String {
    let (old, new) = (comparison.old_run, comparison.new_run);
    let title = [code(new.run.target.to_string()), plain(" beside "), code(&old.run.target.name)];
    let mut blocks = vec![
        heading(1, title),
        paragraph(own(
            "Every cell of the corpus was run on both. The targets *agree* on a cell if their results are equal; refusals \
             are equal if their error kinds are. A *deviation* is a known and explained difference. A target can declare \
             that it does not support a cell. A cell is *not asked* if its outcome needs no answer from the target.",
        )),
        Block::Table(suite_table(comparison)),
    ];
    let deviation = |cell: &'_ Cell| cell.deviation.as_ref().map(|deviation| deviation.reason.clone());
    push_reasons(
        &mut blocks,
        "Deviations",
        new.cells.iter().filter(|cell| cell.status == Status::Deviation),
        deviation,
    );
    push_reasons(
        &mut blocks,
        "Not supported",
        new.cells.iter().filter(|cell| cell.status == Status::Unsupported),
        Cell::message_text,
    );
    push_reasons(
        &mut blocks,
        "Not asked",
        new.cells.iter().filter(|cell| cell.status == Status::NotAsked),
        Cell::message_text,
    );
    push_differences(&mut blocks, comparison);
    blocks::markdown::document(&blocks, 1)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Agreement {
    Agrees,
    Deviates,
    Unsupported,
    NotAsked,
    Differs,
}

fn agreement(comparison: &Comparison<'_>, cell: &Cell) -> Agreement {
    let differs_here = |change: &&CellChange<'_>| change.new.id == cell.id && is_different(change);
    match cell.status {
        Status::Deviation => Agreement::Deviates,
        Status::Unsupported => Agreement::Unsupported,
        Status::NotAsked => Agreement::NotAsked,
        _ if all_changes(comparison).any(|change| differs_here(&change)) => Agreement::Differs,
        _ => Agreement::Agrees,
    }
}

fn all_changes<'a>(comparison: &'a Comparison<'_>) -> impl Iterator<Item = &'a CellChange<'a>> {
    comparison.worse.iter().chain(&comparison.better).chain(&comparison.changed)
}

/// Returns true if the targets have different results. The messages of refusals are not compared.
fn is_different(change: &CellChange<'_>) -> bool {
    change.trend != Trend::Neutral || ResultLabel::of(change.old) != ResultLabel::of(change.new)
}

fn suite_table(comparison: &Comparison<'_>) -> Table {
    let mut counts: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    for cell in &comparison.new_run.cells {
        counts.entry(&cell.suite).or_default()[agreement(comparison, cell) as usize] += 1;
    }
    let numbers = ["cells", "agree", "deviations", "unsupported", "not asked", "differ"];
    let mut table = Table::new(Column::texts(["suite"]).chain(Column::numbers(numbers)));
    let mut row = |name: Inline, counts: [usize; 5]| {
        table.push([name, number(counts.iter().sum::<usize>())].into_iter().chain(counts.map(count)));
    };
    let mut total = [0; 5];
    for (suite, counts) in counts {
        row(code(suite), counts);
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
    row(strong("total"), total);
    table
}

/// Adds cells, grouped by reason. The ids of a small group are listed.
fn push_reasons<'a>(
    blocks: &mut Vec<Block>,
    title: &str,
    cells: impl Iterator<Item = &'a Cell>,
    reason: impl Fn(&Cell) -> Option<String>,
) {
    const IDS_NAMED: usize = 20;
    let mut by_reason: BTreeMap<String, Vec<&Cell>> = BTreeMap::new();
    for cell in cells {
        let reason = reason(cell).unwrap_or_else(|| "no reason was given".to_owned());
        by_reason.entry(reason).or_default().push(cell);
    }
    if !by_reason.is_empty() {
        blocks.push(heading(2, plain(title)));
    }
    for (reason, cells) in by_reason {
        let noun = if cells.len() == 1 { "cell" } else { "cells" };
        let number = format!(" ({} {noun})", cells.len());
        blocks.push(paragraph([plain(reason), plain(number)]));
        if cells.len() <= IDS_NAMED {
            blocks.push(list(cells.iter().map(|cell| code(&cell.id))));
        }
    }
}

/// Adds a table of the differences without a known reason.
fn push_differences(blocks: &mut Vec<Block>, comparison: &Comparison<'_>) {
    let answered = |change: &&CellChange<'_>| {
        let is_explained =
            matches!(change.new.status, Status::Deviation | Status::Unsupported | Status::NotAsked);
        !is_explained && is_different(change)
    };
    let [one, other] = [comparison.old_run, comparison.new_run].map(|results| code(&results.run.target.name));
    let rows = all_changes(comparison).filter(answered).map(|change| {
        let [one, other] = [change.old, change.new].map(|cell| plain(ResultLabel::of(cell).to_string()));
        [code(&change.new.id), one, other]
    });
    let table = Table::new([plain("cell"), one, other].map(Column::text)).with(rows);
    if !table.rows.is_empty() {
        blocks.extend([heading(2, plain("Differences")), Block::Table(table)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support;

    #[test]
    fn the_whole_document() {
        let (old, mut new) = test_support::sample_runs();
        new.run.target.name = "reference".into();
        insta::assert_snapshot!(target_comparison(&test_support::compared(&old, &new)));
    }
}
