//! Two targets side by side, as a document to be checked in.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape::{code, code_outside_tables, prose};
use crate::compare::{Change, Comparison, Verdict};
use crate::model::Cell;
use crate::pivot::Mark;
use crate::words::Status;

/// How often one target agrees with another, suite by suite, then every reason for which it does not.
///
/// It says nothing of the tool or the corpus as such, so that a difference in it is a difference between the targets.
#[must_use]
pub fn beside(comparison: &Comparison<'_>) -> String {
    let (old, new) = comparison.runs();
    let one = code_outside_tables(&old.run.target.name);
    let other = code_outside_tables(&new.run.target.to_string());
    let mut text = format!("# {other} beside {one}\n\n");
    let _ = writeln!(
        text,
        "Every cell of the corpus on both. They *agree* where they do the same, a refusal being the same where its \
         kind is; a *deviation* is known and explained; what a target says that it does not support is no answer."
    );
    suites(&mut text, new.cells.iter().map(|cell| (cell, kind(comparison, cell))));
    reasons(&mut text, "Deviations", new, Status::Deviation, |cell| {
        cell.deviation.as_ref().map(|deviation| deviation.reason.as_str())
    });
    reasons(&mut text, "Not supported", new, Status::Unsupported, |cell| cell.message.as_deref());
    differences(&mut text, comparison);
    text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Agrees,
    Deviates,
    Unsupported,
    Differs,
}

fn kind(comparison: &Comparison<'_>, cell: &Cell) -> Kind {
    let differs = |change: &&Change<'_>| change.new.id == cell.id && differs(change);
    match cell.status {
        Status::Deviation => Kind::Deviates,
        Status::Unsupported => Kind::Unsupported,
        _ if changes(comparison).any(|change| differs(&change)) => Kind::Differs,
        _ => Kind::Agrees,
    }
}

fn changes<'a>(comparison: &'a Comparison<'_>) -> impl Iterator<Item = &'a Change<'a>> {
    comparison.worse.iter().chain(&comparison.better).chain(&comparison.changed)
}

/// Whether the targets do something else. The words of a refusal are each target's own.
fn differs(change: &Change<'_>) -> bool {
    change.verdict != Verdict::Level || Mark::of(change.old) != Mark::of(change.new)
}

fn suites<'a>(text: &mut String, cells: impl Iterator<Item = (&'a Cell, Kind)>) {
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for (cell, kind) in cells {
        counts.entry(&cell.suite).or_default()[kind as usize] += 1;
    }
    text.push_str(
        "\n| suite | cells | agree | deviations | unsupported | differ |\n|:--|--:|--:|--:|--:|--:|\n",
    );
    let mut row = |name: &str, counts: [usize; 4]| {
        let _ = write!(text, "| {name} | {} |", counts.iter().sum::<usize>());
        for count in counts {
            let _ = if count == 0 { write!(text, " |") } else { write!(text, " {count} |") };
        }
        text.push('\n');
    };
    let mut total = [0; 4];
    for (suite, counts) in counts {
        row(&code(suite), counts);
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
    row("**total**", total);
}

/// The cells of a status by the reason given, the ids of few cells with it.
fn reasons(
    text: &mut String,
    heading: &str,
    results: &crate::model::Results,
    status: Status,
    reason: impl Fn(&Cell) -> Option<&str>,
) {
    const IDS_NAMED: usize = 20;
    let mut by_reason: BTreeMap<&str, Vec<&Cell>> = BTreeMap::new();
    for cell in results.cells.iter().filter(|cell| cell.status == status) {
        by_reason.entry(reason(cell).unwrap_or("no reason was given")).or_default().push(cell);
    }
    if !by_reason.is_empty() {
        let _ = writeln!(text, "\n## {heading}");
    }
    for (reason, cells) in by_reason {
        let noun = if cells.len() == 1 { "cell" } else { "cells" };
        let _ = writeln!(text, "\n{} ({} {noun})", prose(reason), cells.len());
        if cells.len() <= IDS_NAMED {
            text.push('\n');
        }
        for cell in cells.iter().filter(|_| cells.len() <= IDS_NAMED) {
            let _ = writeln!(text, "- {}", code_outside_tables(&cell.id));
        }
    }
}

/// What nothing explains.
fn differences(text: &mut String, comparison: &Comparison<'_>) {
    let answered = |change: &&Change<'_>| {
        !matches!(change.new.status, Status::Deviation | Status::Unsupported) && differs(change)
    };
    let differing: Vec<&Change<'_>> = changes(comparison).filter(answered).collect();
    if differing.is_empty() {
        return;
    }
    let (old, new) = comparison.runs();
    let [one, other] = [old, new].map(|results| code(&results.run.target.name));
    let _ = writeln!(text, "\n## Differences\n\n| cell | {one} | {other} |\n|:--|:--|:--|");
    for change in differing {
        let [one, other] = [change.old, change.new].map(Mark::of);
        let _ = writeln!(text, "| {} | {one} | {other} |", code(&change.new.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_whole_document() {
        let (old, mut new) = samples::two_runs();
        new.run.target.name = "reference".into();
        insta::assert_snapshot!(beside(&Comparison::of(&old, &new)));
    }
}
