//! The report on one run.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape::{code_span, code_span_outside_tables, escape_html, escape_prose, fenced_block};
use super::size_limit::SizeLimit;
use crate::diff;
use crate::model::{Cell, Deviation, Results};
use crate::summary::{Counts, OverallState, RunProblem, Summary};
use crate::vocabulary::{Outcome, Status};

/// Renders the summary by suite, then the failures, each folded up.
#[must_use]
pub fn report(results: &Results, limit: SizeLimit) -> String {
    let summary = Summary::of(results);
    let mut text = heading(results, &summary);
    text.push_str(&counts_table(&summary));
    let failures: Vec<&Cell> = results.failures().collect();
    limit.append_sections(&mut text, failures.into_iter().map(failure_details));
    limit.append(&mut text, &known_deviations(results));
    text
}

fn heading(results: &Results, summary: &Summary) -> String {
    let total = summary.total();
    let words = match summary.state() {
        OverallState::Green => cells_ok(total),
        OverallState::Incomplete => format!("incomplete, {}", cells_ok(total)),
        OverallState::NotRun => "no cell was run".to_owned(),
        OverallState::Red if total.failures() == 0 => {
            format!("failed, {}, and the run has problems", cells_ok(total))
        }
        OverallState::Red => format!("{} of {} cells failed", total.failures(), total.cells()),
    };
    let run = &results.run;
    let mut text = format!("## Skewer: {words}\n\n");
    let _ = writeln!(
        text,
        "Target {}, corpus {}, Skewer {}.",
        code_span_outside_tables(&run.target.to_string()),
        code_span_outside_tables(&run.corpus_hash),
        code_span_outside_tables(&run.tool_version)
    );
    push_problems(&mut text, summary);
    text.push('\n');
    text
}

/// Returns the number of cells that passed, and that of the known deviations.
fn cells_ok(total: &Counts) -> String {
    let passed = format!("{} cells ok", total.status(Status::Pass));
    match total.status(Status::Deviation) {
        0 => passed,
        1 => format!("{passed}, 1 known deviation"),
        deviations => format!("{passed}, {deviations} known deviations"),
    }
}

/// Adds a paragraph for each problem of the run. All suites of which no cell was run share a paragraph.
fn push_problems(text: &mut String, summary: &Summary) {
    for problem in summary.problems() {
        let _ = match problem {
            RunProblem::SuitesNotRun { suites, is_all: false } => {
                let names: Vec<String> = suites.iter().map(|name| code_span_outside_tables(name)).collect();
                writeln!(text, "\n**No cell was run** of {}.", names.join(", "))
            }
            RunProblem::Recorded(recorded) => {
                let _ = writeln!(text, "\n**Problem** ({}):\n", recorded.kind);
                writeln!(text, "{}", fenced_block("text", recorded.message.trim_end()).trim_end())
            }
            RunProblem::Partial { .. } => {
                writeln!(text, "\n**Partial:** {}.", escape_prose(&problem.to_string()))
            }
            RunProblem::GivenUp { .. } | RunProblem::SuitesNotRun { .. } | RunProblem::NoCells => {
                writeln!(text, "\n**Not run:** {}.", escape_prose(&problem.to_string()))
            }
        };
    }
}

/// Renders the counts by group and in total.
pub(super) fn counts_table(summary: &Summary) -> String {
    let total = summary.total();
    let statuses: Vec<Status> =
        Status::ALL.iter().copied().filter(|status| total.status(*status) > 0).collect();
    let outcomes: Vec<Outcome> =
        Outcome::ALL.iter().copied().filter(|outcome| total.outcome(*outcome) > 0).collect();
    let mut text = format!("| {} | | cells |", summary.key());
    for word in statuses.iter().map(|s| s.as_str()).chain(outcomes.iter().map(|o| o.as_str())) {
        let _ = write!(text, " {word} |");
    }
    text.push_str(" silent |\n|:--|:--|--:|");
    text.push_str(&"--:|".repeat(statuses.len() + outcomes.len() + 1));
    text.push('\n');
    let mut row = |name: &str, counts: &Counts, state: OverallState| {
        let _ = write!(text, "| {name} | {} | {} |", state_emoji(state), counts.cells());
        let in_statuses = statuses.iter().map(|status| counts.status(*status));
        let in_outcomes = outcomes.iter().map(|outcome| counts.outcome(*outcome));
        for count in in_statuses.chain(in_outcomes).chain([counts.silent()]) {
            // Fields with 0 are empty, so that other numbers are easy to see.
            let _ = if count == 0 { write!(text, " |") } else { write!(text, " {count} |") };
        }
        text.push('\n');
    };
    for (name, counts) in summary.groups() {
        row(&code_span(name), counts, counts.state());
    }
    row(&format!("**{}**", summary.total_name()), total, summary.state());
    text
}

fn state_emoji(state: OverallState) -> &'static str {
    match state {
        OverallState::Green => "✅",
        OverallState::Incomplete => "⚠️ incomplete",
        OverallState::NotRun => "⚪ not run",
        OverallState::Red => "❌",
    }
}

/// Renders the reasons of the known deviations, folded up, each with its number of cells. The most frequent is first.
fn known_deviations(results: &Results) -> String {
    let mut counts: BTreeMap<&Deviation, usize> = BTreeMap::new();
    let deviating = results.cells.iter().filter(|cell| cell.status == Status::Deviation);
    for deviation in deviating.filter_map(|cell| cell.deviation.as_ref()) {
        *counts.entry(deviation).or_default() += 1;
    }
    if counts.is_empty() {
        return String::new();
    }
    let mut reasons: Vec<(&Deviation, usize)> = counts.into_iter().collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    let mut text =
        "\n<details><summary>Known deviations</summary>\n\n| cells | reason |\n|--:|:--|\n".to_owned();
    for (deviation, count) in reasons {
        let link = deviation.link.as_deref().map(|link| format!(" {}", code_span(link))).unwrap_or_default();
        let _ = writeln!(text, "| {count} | {}{link} |", escape_prose(&deviation.reason));
    }
    text.push_str("\n</details>\n");
    text
}

fn failure_details(cell: &Cell) -> String {
    let mut text =
        format!("\n<details><summary>{} <code>{}</code></summary>\n\n", cell.status, escape_html(&cell.id));
    let mut item = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "- {name}: {value}");
        }
    };
    if let Some(location) = &cell.location {
        item("at", &code_span_outside_tables(&location.to_string()));
    }
    let code = |text: Option<String>| text.as_deref().map(code_span_outside_tables).unwrap_or_default();
    item("expected", &code(cell.expected_text()));
    item("actual", &code(cell.actual_or_outcome()));
    item("because", &cell.because.as_deref().map(escape_prose).unwrap_or_default());
    if let Some(source) = &cell.source {
        item("source", &escape_prose(&source.to_string()));
    }
    let paths: Vec<String> = cell.paths.iter().map(|path| code_span_outside_tables(path)).collect();
    item("differs at", &paths.join(", "));
    if let Some(deviation) = &cell.deviation {
        item("deviation", &escape_prose(&deviation.reason));
    }
    text.push('\n');
    if let Some(message) = cell.message_text() {
        let _ = writeln!(text, "{}", fenced_block("text", &message));
    }
    if let Some(diff) = diff::of_cell(cell) {
        let _ = writeln!(text, "{}", fenced_block("diff", &diff));
    }
    if let Some(rerun) = &cell.rerun {
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
    fn the_whole_report() {
        insta::assert_snapshot!(report(&test_support::sample_results(), SizeLimit::default()));
    }

    #[test]
    fn cells_beyond_the_size_limit_are_counted() {
        let whole = report(&test_support::sample_results(), SizeLimit::default());
        // The known deviations are last, and are left out if they do not fit.
        let end_of_cells = whole.find("\n<details><summary>Known deviations").unwrap();
        for limit in [1500, 1800, 2200, end_of_cells - 1] {
            let text = report(&test_support::sample_results(), SizeLimit { max_bytes: Some(limit) });
            assert!(text.len() <= limit, "{limit}: {}", text.len());
            assert!(text.contains(" more cells, for which there is no room here"), "{limit}");
        }
        assert_eq!(
            report(&test_support::sample_results(), SizeLimit { max_bytes: Some(whole.len()) }),
            whole
        );
    }

    #[test]
    fn the_heading_says_when_nothing_was_run() {
        let results = Results::new(test_support::run_info(), Vec::new());
        assert!(report(&results, SizeLimit::default()).starts_with("## Skewer: no cell was run\n"));
    }

    #[test]
    fn foreign_text_adds_no_html() {
        let text = report(&test_support::hostile_results(), SizeLimit::default());
        let allowed = ["details>", "/details>", "summary>", "/summary>", "code>", "/code>"];
        let mut outside = String::new();
        let mut in_block = false;
        for line in text.lines() {
            if line.starts_with("```") {
                in_block = !in_block;
            } else if !in_block {
                outside.push_str(&without_code(line));
            }
        }
        for (_, tag) in outside.match_indices('<').map(|(at, _)| outside.split_at(at + 1)) {
            assert!(allowed.iter().any(|name| tag.starts_with(name)), "{tag}");
        }
    }

    /// Removes the code spans of a line, in which HTML is text.
    fn without_code(line: &str) -> String {
        line.split('`').step_by(2).collect()
    }
}
