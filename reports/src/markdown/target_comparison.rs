//! Two targets side by side, as a Markdown file to be checked in.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape::{code_span, code_span_outside_tables, escape_prose};
use crate::compare::{Change, Comparison, Trend};
use crate::model::Cell;
use crate::pivot::ResultLabel;
use crate::vocabulary::Status;

/// Renders how often two targets agree, suite by suite, then every reason for a difference.
///
/// The text does not contain the version of the tool or of the corpus. If the text changes, the behaviour of a target
/// or the corpus has changed.
#[must_use]
pub fn target_comparison(comparison: &Comparison<'_>) -> String {
    let (old, new) = (comparison.old_run, comparison.new_run);
    let one = code_span_outside_tables(&old.run.target.name);
    let other = code_span_outside_tables(&new.run.target.to_string());
    let mut text = format!("# {other} beside {one}\n\n");
    let _ = writeln!(
        text,
        "Every cell of the corpus was run on both. The targets *agree* on a cell if their results are equal; refusals \
         are equal if their error kinds are. A *deviation* is a known and explained difference. A target can declare \
         that it does not support a cell. A cell is *not asked* if its outcome needs no answer from the target."
    );
    suite_table(&mut text, new.cells.iter().map(|cell| (cell, agreement(comparison, cell))));
    reasons_section(&mut text, "Deviations", new, Status::Deviation, |cell| {
        cell.deviation.as_ref().map(|deviation| deviation.reason.clone())
    });
    reasons_section(&mut text, "Not supported", new, Status::Unsupported, Cell::message_text);
    reasons_section(&mut text, "Not asked", new, Status::NotAsked, Cell::message_text);
    differences_section(&mut text, comparison);
    text
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
    let differs_here = |change: &&Change<'_>| change.new.id == cell.id && is_different(change);
    match cell.status {
        Status::Deviation => Agreement::Deviates,
        Status::Unsupported => Agreement::Unsupported,
        Status::NotAsked => Agreement::NotAsked,
        _ if all_changes(comparison).any(|change| differs_here(&change)) => Agreement::Differs,
        _ => Agreement::Agrees,
    }
}

fn all_changes<'a>(comparison: &'a Comparison<'_>) -> impl Iterator<Item = &'a Change<'a>> {
    comparison.worse.iter().chain(&comparison.better).chain(&comparison.changed)
}

/// Returns true if the targets have different results. The messages of refusals are not compared.
fn is_different(change: &Change<'_>) -> bool {
    change.trend != Trend::Neutral || ResultLabel::of(change.old) != ResultLabel::of(change.new)
}

fn suite_table<'a>(text: &mut String, cells: impl Iterator<Item = (&'a Cell, Agreement)>) {
    let mut counts: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    for (cell, agreement) in cells {
        counts.entry(&cell.suite).or_default()[agreement as usize] += 1;
    }
    text.push_str(
        "\n| suite | cells | agree | deviations | unsupported | not asked | differ |\n\
         |:--|--:|--:|--:|--:|--:|--:|\n",
    );
    let mut row = |name: &str, counts: [usize; 5]| {
        let _ = write!(text, "| {name} | {} |", counts.iter().sum::<usize>());
        for count in counts {
            let _ = if count == 0 { write!(text, " |") } else { write!(text, " {count} |") };
        }
        text.push('\n');
    };
    let mut total = [0; 5];
    for (suite, counts) in counts {
        row(&code_span(suite), counts);
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
    row("**total**", total);
}

/// Adds the cells that have a status, grouped by reason. The ids of a small group are listed.
fn reasons_section(
    text: &mut String,
    heading: &str,
    results: &crate::model::Results,
    status: Status,
    reason: impl Fn(&Cell) -> Option<String>,
) {
    const IDS_NAMED: usize = 20;
    let mut by_reason: BTreeMap<String, Vec<&Cell>> = BTreeMap::new();
    for cell in results.cells.iter().filter(|cell| cell.status == status) {
        by_reason
            .entry(reason(cell).unwrap_or_else(|| "no reason was given".to_owned()))
            .or_default()
            .push(cell);
    }
    if !by_reason.is_empty() {
        let _ = writeln!(text, "\n## {heading}");
    }
    for (reason, cells) in by_reason {
        let noun = if cells.len() == 1 { "cell" } else { "cells" };
        let _ = writeln!(text, "\n{} ({} {noun})", escape_prose(&reason), cells.len());
        if cells.len() <= IDS_NAMED {
            text.push('\n');
        }
        for cell in cells.iter().filter(|_| cells.len() <= IDS_NAMED) {
            let _ = writeln!(text, "- {}", code_span_outside_tables(&cell.id));
        }
    }
}

/// Adds a table of the differences without a known reason.
fn differences_section(text: &mut String, comparison: &Comparison<'_>) {
    let answered = |change: &&Change<'_>| {
        let is_explained =
            matches!(change.new.status, Status::Deviation | Status::Unsupported | Status::NotAsked);
        !is_explained && is_different(change)
    };
    let differing: Vec<&Change<'_>> = all_changes(comparison).filter(answered).collect();
    if differing.is_empty() {
        return;
    }
    let (old, new) = (comparison.old_run, comparison.new_run);
    let [one, other] = [old, new].map(|results| code_span(&results.run.target.name));
    let _ = writeln!(text, "\n## Differences\n\n| cell | {one} | {other} |\n|:--|:--|:--|");
    for change in differing {
        let [one, other] = [change.old, change.new].map(ResultLabel::of);
        let _ = writeln!(text, "| {} | {one} | {other} |", code_span(&change.new.id));
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
