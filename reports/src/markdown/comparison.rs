//! The report on a comparison of two runs.

use std::fmt::Write as _;

use super::escape::{code_span, code_span_outside_tables, escape_html, escape_prose, fenced_block};
use super::size_limit::SizeLimit;
use crate::compare::{AxisChanges, Change, Comparison, SuiteChanges, Trend};
use crate::model::Cell;
use crate::pivot::ResultLabel;

/// Renders the number of cells under each heading. The cells that are worse follow, each folded up. Other cells are in
/// one table for each heading.
#[must_use]
pub fn comparison(comparison: &Comparison<'_>, limit: SizeLimit) -> String {
    let mut text = format!("## Skewer: {}\n\n|", escape_prose(&comparison.headline()));
    for (name, _) in comparison.counts() {
        let _ = write!(text, " {name} |");
    }
    let _ = write!(text, "\n|{}\n|", "--:|".repeat(comparison.counts().len()));
    for (_, count) in comparison.counts() {
        let _ = write!(text, " {count} |");
    }
    text.push('\n');
    for regression in comparison.regressions.iter().filter(|regression| !regression.is_of_cells()) {
        let _ = writeln!(text, "\n> ❌ {}", escape_prose(&regression.to_string()));
    }
    for note in &comparison.caveats {
        let _ = writeln!(text, "\n> {}", escape_prose(&note.to_string()));
    }
    push_suite_table(&mut text, &comparison.worse_by_suite());
    let sections = sections(comparison);
    limit.append_sections(&mut text, sections.into_iter());
    text
}

/// Maximum number of values of an axis that a table names.
const MAX_VALUES_NAMED: usize = 6;

/// Adds a table of the suites with cells that are worse, with the numbers of these cells on each axis.
fn push_suite_table(text: &mut String, groups: &[SuiteChanges<'_>]) {
    if groups.is_empty() {
        return;
    }
    text.push_str("\n| suite | worse | of | was → is | on the axes |\n|:--|--:|--:|:--|:--|\n");
    for group in groups {
        let transitions: Vec<String> =
            group.transitions.iter().map(|(was, is, count)| format!("{count} {was} → {is}")).collect();
        let axes: Vec<String> = group.axes.iter().map(axis_changes_text).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            code_span(group.suite),
            group.changes,
            group.cells,
            transitions.join("<br>"),
            axes.join("<br>")
        );
    }
}

/// Renders the changes on an axis, such as `client`: `new` 3 of 4, `old` 1 of 4.
fn axis_changes_text(changes: &AxisChanges<'_>) -> String {
    let named = changes.values.iter().take(MAX_VALUES_NAMED);
    let mut values: Vec<String> =
        named.map(|(value, worse, of)| format!("{} {worse} of {of}", code_span(value))).collect();
    if changes.values.len() > MAX_VALUES_NAMED {
        values.push(format!("{} more values", changes.values.len() - MAX_VALUES_NAMED));
    }
    format!("{}: {}", code_span(changes.axis), values.join(", "))
}

/// Renders each cell. The first cell under a heading contains the heading.
fn sections(comparison: &Comparison<'_>) -> Vec<String> {
    let mut sections = Vec::new();
    push_section(&mut sections, "Worse", "\n", comparison.worse.iter().map(change_details));
    let change = |change: &Change<'_>| {
        let [old, new] = [change.old, change.new].map(|cell| ResultLabel::of(cell).to_string());
        let is_neutral = change.trend == Trend::Neutral;
        let differing = if is_neutral { change.differing_fields.join(", ") } else { String::new() };
        format!("| {} | {old} | {new} | {differing} |\n", code_span(&change.new.id))
    };
    let head = "\n| cell | was | is | differs in |\n|:--|:--|:--|:--|\n";
    push_section(&mut sections, "Better", head, comparison.better.iter().map(change));
    push_section(&mut sections, "Changed", head, comparison.changed.iter().map(change));
    let alone = |cell: &&Cell| format!("| {} | {} |\n", code_span(&cell.id), ResultLabel::of(cell));
    push_section(&mut sections, "New", "\n| cell | is |\n|:--|:--|\n", comparison.new.iter().map(alone));
    push_section(&mut sections, "Gone", "\n| cell | was |\n|:--|:--|\n", comparison.gone.iter().map(alone));
    let renamed = |change: &Change<'_>| {
        let [old, new] = [change.old, change.new].map(ResultLabel::of);
        let labels = if old == new { new.to_string() } else { format!("{old}, now {new}") };
        let sign = if change.trend == Trend::Worse { "❌ " } else { "" };
        format!("| {} | {} | {sign}{labels} |\n", code_span(&change.old.id), code_span(&change.new.id))
    };
    let head = "\n| was | is | |\n|:--|:--|:--|\n";
    push_section(&mut sections, "Renamed", head, comparison.renamed.iter().map(renamed));
    sections
}

fn push_section(
    sections: &mut Vec<String>,
    heading: &str,
    head: &str,
    entries: impl Iterator<Item = String>,
) {
    sections.extend(entries.enumerate().map(|(index, entry)| match index {
        0 => format!("\n### {heading}\n{head}{entry}"),
        _ => entry,
    }));
}

fn change_details(change: &Change<'_>) -> String {
    let (old, new) = (change.old, change.new);
    let [was, is] = [old, new].map(|cell| ResultLabel::of(cell).to_string());
    let id = escape_html(&new.id);
    let mut text = format!("<details><summary><code>{id}</code> {was} → {is}</summary>\n\n");
    if let Some(location) = &new.location {
        let _ = writeln!(text, "- at: {}", code_span_outside_tables(&location.to_string()));
    }
    if let Some(because) = &new.because {
        let _ = writeln!(text, "- because: {}", escape_prose(because));
    }
    text.push('\n');
    if let Some(message) = new.message_text() {
        let _ = writeln!(text, "{}", fenced_block("text", &message));
    }
    if let Some(diff) = change.diff() {
        let _ = writeln!(text, "{}", fenced_block("diff", &diff));
    }
    if let Some(rerun) = &new.rerun {
        let _ = writeln!(text, "{}", fenced_block("sh", rerun));
    }
    text.push_str("</details>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support;

    #[test]
    fn the_whole_comparison() {
        let (old, new) = test_support::sample_runs();
        insta::assert_snapshot!(comparison(&test_support::compared(&old, &new), SizeLimit::default()));
    }

    #[test]
    fn cells_beyond_the_size_limit_are_counted() {
        let (old, new) = test_support::sample_runs();
        let compared = test_support::compared(&old, &new);
        let whole = comparison(&compared, SizeLimit::default());
        for limit in [700, 900, whole.len() - 1] {
            let text = comparison(&compared, SizeLimit { max_bytes: Some(limit) });
            assert!(text.len() <= limit && text.contains("no room here"), "{limit}: {text}");
        }
    }
}
