//! The report on a comparison of two runs.

use std::fmt::Write as _;

use skewer_results::control_characters::{escape_line, escape_text};
use skewer_results::model::Cell;

use super::failure::{paint_diff, push_field};
use super::tone::Tone;
use crate::compare::cell_change::{CellChange, Trend};
use crate::compare::model::Comparison;
use crate::compare::suite_changes::SuiteChanges;
use crate::pivot::ResultLabel;
use crate::style::{Style, display_width, wrap};

/// Renders the number of cells under each heading, then the cells. A cell that is worse is shown with a diff of its two
/// results and the command that runs it again. Any other cell is one line.
#[must_use]
pub fn comparison(comparison: &Comparison<'_>, style: Style) -> String {
    let counts: Vec<String> =
        comparison.counts().iter().map(|(name, count)| format!("{count} {name}")).collect();
    let tone = if comparison.is_worse() { Tone::Bad } else { Tone::Good };
    let headline = escape_line(&comparison.headline()).into_owned();
    let width = style.line_width();
    let headline = format!("{}: {}", style.paint(tone, &headline), counts.join(", "));
    let mut text = wrap(&headline, "", "  ", width);
    for regression in comparison.regressions.iter().filter(|regression| !regression.is_of_cells()) {
        let problem = escape_line(&regression.to_string()).into_owned();
        let problem = format!("{} {problem}", style.paint(Tone::Bad, "problem:"));
        text.push_str(&wrap(&problem, "", "  ", width));
    }
    for note in &comparison.caveats {
        let note = format!("{} {}", style.paint(Tone::Doubtful, "note:"), escape_line(&note.to_string()));
        text.push_str(&wrap(&note, "", "  ", width));
    }
    for group in comparison.worse_by_suite() {
        push_suite_changes(&mut text, &group, style);
    }
    let in_full =
        comparison.worse.iter().take(MAX_DETAILED_CELLS).map(|change| change_details(change, style));
    let others = comparison.worse.iter().skip(MAX_DETAILED_CELLS).map(|change| change_line(change, style));
    push_section(&mut text, style, Tone::Bad, "worse", in_full.chain(others));
    let lines = |changes: &[CellChange<'_>]| {
        changes.iter().map(|change| change_line(change, style)).collect::<Vec<_>>()
    };
    push_section(&mut text, style, Tone::Good, "better", lines(&comparison.better));
    push_section(&mut text, style, Tone::Doubtful, "changed", lines(&comparison.changed));
    push_section(
        &mut text,
        style,
        Tone::Strong,
        "new",
        comparison.new.iter().map(|cell| cell_line(cell, style)),
    );
    push_section(
        &mut text,
        style,
        Tone::Strong,
        "gone",
        comparison.gone.iter().map(|cell| cell_line(cell, style)),
    );
    let renamed = comparison.renamed.iter().map(|change| renamed_lines(change, style));
    push_section(&mut text, style, Tone::Strong, "renamed", renamed);
    text
}

/// Maximum number of cells that are shown with a diff. Further cells are one line each.
const MAX_DETAILED_CELLS: usize = 20;
/// Maximum number of cells that are listed under a heading. Further cells are only counted.
const MAX_LINES: usize = 50;

/// Maximum number of values of an axis that are named.
const MAX_VALUES_NAMED: usize = 6;

/// Adds the cells of a suite that are worse: their number, and how they are distributed over the axes.
fn push_suite_changes(text: &mut String, group: &SuiteChanges<'_>, style: Style) {
    let suite = escape_line(group.suite);
    let suite = style.paint(Tone::Strong, &suite);
    let _ = writeln!(text, "\n{suite}: {} of {} cells do worse", group.changes, group.cells);
    for (was, is, count) in &group.transitions {
        let _ = writeln!(text, "  {count:>6}  {was} -> {is}");
    }
    for spread in &group.axes {
        let named = spread.values.iter().take(MAX_VALUES_NAMED);
        let mut values: Vec<String> =
            named.map(|(value, worse, of)| format!("{} {worse} of {of}", escape_line(value))).collect();
        if spread.values.len() > MAX_VALUES_NAMED {
            values.push(format!("{} more values", spread.values.len() - MAX_VALUES_NAMED));
        }
        push_field(text, style, &escape_line(spread.axis), &values.join(", "));
    }
}

fn push_section(
    text: &mut String,
    style: Style,
    tone: Tone,
    heading: &str,
    entries: impl IntoIterator<Item = String>,
) {
    let mut left_out = 0_usize;
    for (index, entry) in entries.into_iter().enumerate() {
        if index == 0 {
            let _ = writeln!(text, "\n{}", style.paint(tone, heading));
        }
        if index < MAX_LINES { text.push_str(&entry) } else { left_out += 1 }
    }
    if left_out > 0 {
        let _ =
            writeln!(text, "  and {left_out} more, which `--report html=PATH` or `--report json=PATH` has");
    }
}

fn old_and_new_label(change: &CellChange<'_>, style: Style) -> String {
    let [old, new] = [change.old, change.new].map(|cell| {
        let label = ResultLabel::of(cell);
        style.paint(Tone::of(label), &label.to_string()).into_owned()
    });
    format!("{old} -> {new}")
}

fn change_line(change: &CellChange<'_>, style: Style) -> String {
    let mut labels = old_and_new_label(change, style);
    if change.trend == Trend::Neutral {
        let _ = write!(labels, "  ({})", change.differing_fields.join(", "));
    }
    id_line(&change.new.id, &labels, style)
}

/// Renders the id of a cell and its results: on one line, or below each other if the line would be too wide.
fn id_line(id: &str, labels: &str, style: Style) -> String {
    let id = escape_line(id);
    let width = display_width(&id) + display_width(labels) + 4;
    if style.fits(width) { format!("  {id}  {labels}\n") } else { format!("  {id}\n      {labels}\n") }
}

fn cell_line(cell: &Cell, style: Style) -> String {
    let label = ResultLabel::of(cell);
    id_line(&cell.id, &style.paint(Tone::of(label), &label.to_string()), style)
}

fn change_details(change: &CellChange<'_>, style: Style) -> String {
    let new = change.new;
    let mut text = id_line(&new.id, &old_and_new_label(change, style), style);
    if let Some(location) = &new.location {
        push_field(&mut text, style, "at", &location.to_string());
    }
    let message = new.message_text();
    for (name, value) in [("because", new.because.as_deref()), ("message", message.as_deref())] {
        if let Some(value) = value {
            push_field(&mut text, style, name, value);
        }
    }
    for line in escape_text(&change.diff().unwrap_or_default()).lines() {
        let _ = writeln!(text, "    {}", paint_diff(line, style));
    }
    if let Some(rerun) = &new.rerun {
        push_field(&mut text, style, "rerun", rerun);
    }
    text
}

fn renamed_lines(change: &CellChange<'_>, style: Style) -> String {
    let (old, new) = (escape_line(&change.old.id), escape_line(&change.new.id));
    let mut text = format!("  {old}\n    now {new}");
    if change.old.status != change.new.status || change.old.outcome != change.new.outcome {
        let word = match change.trend {
            Trend::Better => style.paint(Tone::Good, "better"),
            Trend::Neutral => style.paint(Tone::Doubtful, "changed"),
            Trend::Worse => style.paint(Tone::Bad, "worse"),
        };
        let _ = write!(text, "\n    {word}: {}", old_and_new_label(change, style));
    }
    text + "\n"
}
