//! The report on one run.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use skewer_results::model::{Cell, Deviation, Results};
use skewer_results::vocabulary::{Outcome, Status};

use crate::blocks::markdown::LimitedReport;
use crate::blocks::markdown::size_limit::SizeLimit;
use crate::blocks::{
    Block, Column, Inline, Line, Table, code, count, details, heading, list, number, paragraph, plain, strong,
};
use crate::diff;
use crate::summary::Summary;
use crate::summary::counts::Counts;
use crate::summary::overall_state::OverallState;
use crate::summary::run_problem::RunProblem;

/// Renders the summary by suite, then the failures, each folded up.
#[must_use]
pub fn report(results: &Results, limit: SizeLimit) -> String {
    let summary = Summary::of(results);
    let mut head = heading_blocks(results, &summary);
    head.push(Block::Table(counts_table(&summary)));
    let cells = results.failures().map(failure_details).collect();
    LimitedReport { head, cells, end: known_deviations(results).into_iter().collect() }.render(limit)
}

fn heading_blocks(results: &Results, summary: &Summary) -> Vec<Block> {
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
    let mut blocks = vec![
        heading(2, plain(format!("Skewer: {words}"))),
        paragraph([
            plain("Target "),
            code(run.target.to_string()),
            plain(", corpus "),
            code(&run.corpus_hash),
            plain(", Skewer "),
            code(&run.tool_version),
            plain("."),
        ]),
    ];
    blocks.extend(summary.problems().iter().flat_map(problem_blocks));
    blocks
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

/// Lays out a problem of the run. All suites of which no cell was run share a paragraph.
fn problem_blocks(problem: &RunProblem<'_>) -> Vec<Block> {
    let sentence = |label: &str| vec![paragraph([strong(label), plain(format!(" {problem}."))])];
    match problem {
        RunProblem::SuitesNotRun { suites, is_all: false } => {
            let names = Line::join(suites.iter().map(|name| code(*name)), &plain(", "));
            let start = Line::from([strong("No cell was run"), plain(" of ")]);
            vec![paragraph(start.with(names).with(plain(".")))]
        }
        RunProblem::Recorded(recorded) => vec![
            paragraph([strong("Problem"), plain(format!(" ({}):", recorded.kind))]),
            Block::Code("text", recorded.message.clone()),
        ],
        RunProblem::Partial { .. } => sentence("Partial:"),
        RunProblem::GivenUp { .. } | RunProblem::SuitesNotRun { .. } | RunProblem::NoCells => {
            sentence("Not run:")
        }
    }
}

/// Makes the table of the counts by group and in total.
fn counts_table(summary: &Summary) -> Table {
    let total = summary.total();
    let statuses: Vec<Status> =
        Status::ALL.iter().copied().filter(|status| total.status(*status) > 0).collect();
    let outcomes: Vec<Outcome> =
        Outcome::ALL.iter().copied().filter(|outcome| total.outcome(*outcome) > 0).collect();
    let words = statuses.iter().map(|s| s.as_str()).chain(outcomes.iter().map(|o| o.as_str()));
    let words = ["cells"].into_iter().chain(words).chain(["silent"]);
    let columns = [plain(summary.key().to_string()), plain("")].map(Column::text);
    let columns = columns.into_iter().chain(words.map(|word| Column::number(plain(word))));
    let row = |name: Inline, counts: &Counts, state: OverallState| {
        let in_statuses = statuses.iter().map(|status| counts.status(*status));
        let in_outcomes = outcomes.iter().map(|outcome| counts.outcome(*outcome));
        let counted = in_statuses.chain(in_outcomes).chain([counts.silent()]).map(count);
        let row = [name, Inline::Own(state_emoji(state).to_owned()), number(counts.cells())]
            .into_iter()
            .chain(counted);
        row.collect::<Vec<Inline>>()
    };
    let groups =
        summary.groups().map(|(name, counts)| row(code(name), counts, summary.state_of(name, counts)));
    let total = row(strong(summary.total_name()), total, summary.state());
    Table::new(columns).with(groups.chain([total]))
}

fn state_emoji(state: OverallState) -> &'static str {
    match state {
        OverallState::Green => "✅",
        OverallState::Incomplete => "⚠️ incomplete",
        OverallState::NotRun => "⚪ not run",
        OverallState::Red => "❌",
    }
}

/// Lays out the reasons of the known deviations, folded up, each with its number of cells. The most frequent is first.
fn known_deviations(results: &Results) -> Option<Block> {
    let mut counts: BTreeMap<&Deviation, usize> = BTreeMap::new();
    let deviating = results.cells.iter().filter(|cell| cell.status == Status::Deviation);
    for deviation in deviating.filter_map(|cell| cell.deviation.as_ref()) {
        *counts.entry(deviation).or_default() += 1;
    }
    let mut reasons: Vec<(&Deviation, usize)> = counts.into_iter().collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    let table = Table::new([Column::number(plain("cells")), Column::text(plain("reason"))]);
    let table = table.with(reasons.into_iter().map(|(deviation, count)| {
        let link = deviation.link.as_ref().map(|link| [plain(" "), code(link)]).into_iter().flatten();
        [Line::from(number(count)), Line([plain(&deviation.reason)].into_iter().chain(link).collect())]
    }));
    (!table.rows.is_empty()).then(|| details(plain("Known deviations"), vec![Block::Table(table)]))
}

fn failure_details(cell: &Cell) -> Block {
    let mut items: Vec<Line> = Vec::new();
    let mut item = |name: &str, value: Line| {
        if !value.is_empty() {
            items.push(Line::from(plain(format!("{name}: "))).with(value));
        }
    };
    let coded = |text: Option<&str>| Line(text.map(code).into_iter().collect());
    let prose = |text: Option<String>| Line(text.map(plain).into_iter().collect());
    item("at", coded(cell.location.as_ref().map(ToString::to_string).as_deref()));
    item("expected", coded(cell.expected_text().as_deref()));
    item("actual", coded(cell.actual_or_outcome().as_deref()));
    item("because", prose(cell.because.as_deref().map(str::to_owned)));
    item("source", prose(cell.source.as_ref().map(ToString::to_string)));
    item(cell.paths_label(), Line::join(cell.paths.iter().map(code), &plain(", ")));
    item("deviation", prose(cell.deviation.as_ref().map(|deviation| deviation.reason.clone())));
    let mut content = vec![list(items)];
    let code_block =
        |language: &'static str, text: Option<String>| text.map(|text| Block::Code(language, text));
    content.extend(code_block("text", cell.message_text()));
    content.extend(code_block("diff", diff::of_cell(cell)));
    content.extend(code_block("sh", cell.rerun.as_deref().map(str::to_owned)));
    details([plain(format!("{} ", cell.status)), code(&cell.id)], content)
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
