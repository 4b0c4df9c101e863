//! The report as headings, paragraphs and tables, for whoever writes them.

use serde::Serialize;

use super::conclusions::{Conclusion, Finding};
use super::matrix::CitedRow;
use super::policies::{AxisCondition, PolicyComparison, PolicyCounts, PolicyDifference, PolicyTable};
use super::report::Report;
use crate::vocabulary::Outcome;

/// A part of the report.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReportBlock {
    /// A heading, from 1.
    Heading(u8, String),
    /// A paragraph.
    Text(Vec<InlineText>),
    /// The words of the KEP.
    Quote(String),
    /// Rows under a head.
    Table(TextTable),
}

/// A table. Columns from `first_number_column` on hold numbers.
#[derive(Serialize)]
pub(crate) struct TextTable {
    pub(super) head: Vec<String>,
    #[serde(rename = "numbers")]
    pub(super) first_number_column: usize,
    pub(super) rows: Vec<Vec<InlineText>>,
}

/// A piece of text.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum InlineText {
    Plain(String),
    Code(String),
    Strong(String),
}

fn plain(text: impl Into<String>) -> InlineText {
    InlineText::Plain(text.into())
}

fn code(text: impl Into<String>) -> InlineText {
    InlineText::Code(text.into())
}

fn strong(text: impl Into<String>) -> InlineText {
    InlineText::Strong(text.into())
}

fn number(n: usize) -> InlineText {
    plain(if n == 0 { "·".to_owned() } else { n.to_string() })
}

fn text(text: &str) -> ReportBlock {
    ReportBlock::Text(vec![plain(text)])
}

fn heading(level: u8, text: impl Into<String>) -> ReportBlock {
    ReportBlock::Heading(level, text.into())
}

pub(crate) fn report_blocks(report: &Report) -> Vec<ReportBlock> {
    let mut blocks = Vec::new();
    introduction(&mut blocks, report);
    tables(&mut blocks, report);
    conclusions(&mut blocks, report);
    cited_rows(&mut blocks, report);
    kep_policy_comparisons(&mut blocks, report);
    differences(&mut blocks, report);
    blocks
}

fn introduction(blocks: &mut Vec<ReportBlock>, report: &Report) {
    blocks.push(heading(1, "KEP-1027, Union types: the test matrix, by policy"));
    blocks.push(text(
        "The KEP argues from a test matrix that is not public text. This is one that runs: what is done to a union, by \
         a client that knows all members or not, that holds objects in types or in raw maps, to a server that knows \
         all members or not, with each kind of request, for unions with and without a discriminator, optional and \
         required. Each point is run under every policy that a server can have; what is stored is held against what \
         the same intent gives with everyone up to date. Every number is counted in the results of the run.",
    ));
    blocks.push(text(
        "Intended: that was reached. Refused: loud, the stored object is untouched. The rest is silent: accepted, and \
         nothing changed (ignored), something remains that should have gone (leftover), something is missing (lost), \
         or different in another way (diverged). What everyone up to date gets is asked under the same policy: what a \
         policy lets everybody do is intended under it.",
    ));
    let policies = report.policies.len();
    let mut run = vec![
        plain(format!("{} points under {policies} policies, {} cells, on ", report.points, report.cells)),
        code(&report.target),
        plain("."),
    ];
    if report.failed > 0 {
        run.push(strong(format!(" {} cells do not do what the corpus expects.", report.failed)));
    }
    if report.not_run > 0 {
        run.push(strong(format!(" {} cells were not run, and are counted nowhere.", report.not_run)));
    }
    blocks.push(ReportBlock::Text(run));
}

fn tables(blocks: &mut Vec<ReportBlock>, report: &Report) {
    blocks.push(heading(2, "What becomes of an intent"));
    for table in &report.tables {
        blocks.push(heading(3, capitalized(&table.unions)));
        blocks.push(ReportBlock::Table(policy_table(table)));
    }
}

fn policy_table(table: &PolicyTable) -> TextTable {
    let head =
        ["policy", "cells", "intended", "refused", "ignored", "leftover", "lost", "diverged", "silent"];
    let row = |counts: &PolicyCounts| {
        let numbers = [
            counts.cells,
            counts.intended,
            counts.refused,
            counts.ignored,
            counts.leftover,
            counts.lost,
            counts.diverged,
            counts.silent(),
        ];
        [code(&counts.policy)].into_iter().chain(numbers.map(number)).collect()
    };
    TextTable {
        head: head.map(str::to_owned).into(),
        first_number_column: 1,
        rows: table.policies.iter().map(row).collect(),
    }
}

fn conclusions(blocks: &mut Vec<ReportBlock>, report: &Report) {
    blocks.push(heading(2, "The four conclusions of the KEP"));
    blocks.push(text(
        "Each with the points of the matrix that it speaks of, what becomes of them, and whether it follows: for a \
         union without a discriminator under every policy, for one with a discriminator under kep-1027.",
    ));
    blocks.push(ReportBlock::Table(overview_table(&report.conclusions)));
    for conclusion in &report.conclusions {
        let [without, with] = conclusion.cited;
        let about = capitalized(&conclusion.about);
        blocks.push(heading(3, format!("Cases #{without} and #{with}: {about}")));
        blocks.push(ReportBlock::Quote(conclusion.says.clone()));
        let when: Vec<String> =
            conclusion.when.iter().map(|[axis, value]| format!("{axis}={value}")).collect();
        blocks.push(ReportBlock::Text(vec![plain("Points: "), code(when.join(", "))]));
        blocks.push(ReportBlock::Table(conclusion_table(conclusion)));
        for finding in &conclusion.findings {
            blocks.push(ReportBlock::Text(finding_text(finding)));
        }
        blocks.extend(conclusion.note.as_deref().map(text));
    }
}

fn conclusion_table(conclusion: &Conclusion) -> TextTable {
    let mut head = vec!["policy".to_owned()];
    for finding in &conclusion.findings {
        head.push(format!("{}, no discriminator", finding.unions));
        head.push(format!("{}, discriminator", finding.unions));
    }
    let policies = conclusion.findings.first().map(|finding| finding.without.as_slice()).unwrap_or_default();
    let row = |(index, counts): (usize, &PolicyCounts)| {
        let of = |counts: &[PolicyCounts]| {
            plain(counts.get(index).map(PolicyCounts::description).unwrap_or_default())
        };
        let fields = conclusion.findings.iter().flat_map(|finding| [of(&finding.without), of(&finding.with)]);
        [code(&counts.policy)].into_iter().chain(fields).collect()
    };
    let rows: Vec<Vec<InlineText>> = policies.iter().enumerate().map(row).collect();
    TextTable { first_number_column: head.len(), head, rows }
}

/// A table of all conclusions.
fn overview_table(conclusions: &[Conclusion]) -> TextTable {
    let mut head = vec!["cases".to_owned(), "conclusion".to_owned()];
    if let Some(first) = conclusions.first() {
        head.extend(first.findings.iter().map(|finding| format!("{} unions", finding.unions)));
    }
    let row = |conclusion: &Conclusion| {
        let [without, with] = conclusion.cited;
        let mut row = vec![plain(format!("#{without}, #{with}")), plain(&conclusion.about)];
        row.extend(conclusion.findings.iter().map(|finding| plain(finding.status.as_str())));
        row
    };
    let rows = conclusions.iter().map(row).collect();
    TextTable { first_number_column: head.len(), head, rows }
}

fn finding_text(finding: &Finding) -> Vec<InlineText> {
    let head = format!("{} unions: {}.", capitalized(&finding.unions), finding.status.as_str());
    vec![strong(head), plain(format!(" {}", finding.why))]
}

fn cited_rows(blocks: &mut Vec<ReportBlock>, report: &Report) {
    if report.rows.is_empty() {
        return;
    }
    blocks.push(heading(2, "The rows that the KEP cites"));
    blocks.push(text(
        "Where the numbers stand in the sheet is a reconstruction from the eight that are cited. The conclusion from \
         row 16 reads as if the member were kept; by the rules of the KEP the request is refused, so that the client \
         cannot update other parts of the object either.",
    ));
    let head = ["row", "case"].into_iter().chain(report.policies.iter().map(String::as_str));
    let row = |row: &CitedRow| {
        let outcomes = row.outcomes.iter().map(|outcome| outcome_text(*outcome));
        [plain(row.row.to_string()), code(&row.case)].into_iter().chain(outcomes).collect()
    };
    let head: Vec<String> = head.map(str::to_owned).collect();
    let rows = report.rows.iter().map(row).collect();
    blocks.push(ReportBlock::Table(TextTable { first_number_column: head.len(), head, rows }));
}

fn kep_policy_comparisons(blocks: &mut Vec<ReportBlock>, report: &Report) {
    if report.comparisons.is_empty() {
        return;
    }
    blocks.push(heading(2, "kep-1027 against the others"));
    blocks.push(text(
        "Point by point. As intended is better than refused, and refused than silent; which kind of silent makes no \
         difference.",
    ));
    let head = ["kep-1027 against", "better", "same", "worse"].map(str::to_owned).into();
    let row = |comparison: &PolicyComparison| {
        let numbers = [comparison.better, comparison.same, comparison.worse];
        [code(&comparison.policy)].into_iter().chain(numbers.map(number)).collect()
    };
    let rows = report.comparisons.iter().map(row).collect();
    blocks.push(ReportBlock::Table(TextTable { head, first_number_column: 1, rows }));
}

fn differences(blocks: &mut Vec<ReportBlock>, report: &Report) {
    blocks.push(heading(2, "Where the policies differ"));
    let differing: usize = report.differences.iter().map(|difference| difference.points).sum();
    blocks.push(text(&format!(
        "At {differing} of {} points not all policies do the same. A row holds for every point that fits; an axis that \
         is not named may have any value. All policies do the same at the other points.",
        report.points
    )));
    let mut union = None;
    let mut rows: Vec<Vec<InlineText>> = Vec::new();
    for difference in &report.differences {
        if union != Some(difference.union) {
            flush_difference_table(blocks, report, &mut rows);
            blocks.push(heading(3, capitalized(difference.union.description())));
            union = Some(difference.union);
        }
        rows.push(difference_row(difference));
    }
    flush_difference_table(blocks, report, &mut rows);
}

fn flush_difference_table(blocks: &mut Vec<ReportBlock>, report: &Report, rows: &mut Vec<Vec<InlineText>>) {
    if rows.is_empty() {
        return;
    }
    let head = ["when", "points"].into_iter().chain(report.policies.iter().map(String::as_str));
    let head: Vec<String> = head.map(str::to_owned).collect();
    blocks.push(ReportBlock::Table(TextTable {
        first_number_column: head.len(),
        head,
        rows: std::mem::take(rows),
    }));
}

fn difference_row(difference: &PolicyDifference) -> Vec<InlineText> {
    let condition = |on: &AxisCondition| format!("{}={}", on.axis, on.values.join(" or "));
    let when: Vec<String> = difference.when.iter().map(condition).collect();
    let outcomes = difference.outcomes.iter().map(|outcome| outcome_text(*outcome));
    [code(when.join(", ")), number(difference.points)].into_iter().chain(outcomes).collect()
}

/// The word for an outcome; a silent one stands out.
fn outcome_text(outcome: Option<Outcome>) -> InlineText {
    match outcome {
        None => plain("not run"),
        Some(outcome) if outcome.is_silent() => strong(outcome.as_str()),
        Some(outcome) => plain(outcome.as_str()),
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
