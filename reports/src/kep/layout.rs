//! The report as headings, paragraphs and tables, for whoever writes them.

use serde::Serialize;

use super::{Conclusion, Difference, Finding, Report, Row, Table, Tally};
use crate::words::Outcome;

/// A part of the report.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Block {
    /// A heading, from 1.
    Heading(u8, String),
    /// A paragraph.
    Text(Vec<Inline>),
    /// What the KEP says.
    Quote(String),
    /// Rows under a head.
    Table(Grid),
}

/// A table. Columns from `numbers` on hold numbers.
#[derive(Serialize)]
pub(crate) struct Grid {
    pub(super) head: Vec<String>,
    pub(super) numbers: usize,
    pub(super) rows: Vec<Vec<Inline>>,
}

/// A piece of text.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Inline {
    Plain(String),
    Code(String),
    Strong(String),
}

fn plain(text: impl Into<String>) -> Inline {
    Inline::Plain(text.into())
}

fn code(text: impl Into<String>) -> Inline {
    Inline::Code(text.into())
}

fn strong(text: impl Into<String>) -> Inline {
    Inline::Strong(text.into())
}

fn number(n: usize) -> Inline {
    plain(if n == 0 { "·".to_owned() } else { n.to_string() })
}

fn text(text: &str) -> Block {
    Block::Text(vec![plain(text)])
}

fn heading(level: u8, text: impl Into<String>) -> Block {
    Block::Heading(level, text.into())
}

pub(crate) fn blocks(report: &Report) -> Vec<Block> {
    let mut blocks = Vec::new();
    introduction(&mut blocks, report);
    tables(&mut blocks, report);
    conclusions(&mut blocks, report);
    cited(&mut blocks, report);
    against(&mut blocks, report);
    differences(&mut blocks, report);
    blocks
}

fn introduction(blocks: &mut Vec<Block>, report: &Report) {
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
    blocks.push(Block::Text(run));
}

fn tables(blocks: &mut Vec<Block>, report: &Report) {
    blocks.push(heading(2, "What becomes of an intent"));
    for table in &report.tables {
        blocks.push(heading(3, capitalized(&table.unions)));
        blocks.push(Block::Table(tally_grid(table)));
    }
}

fn tally_grid(table: &Table) -> Grid {
    let head =
        ["policy", "cells", "intended", "refused", "ignored", "leftover", "lost", "diverged", "silent"];
    let row = |tally: &Tally| {
        let counts = [
            tally.cells,
            tally.intended,
            tally.refused,
            tally.ignored,
            tally.leftover,
            tally.lost,
            tally.diverged,
            tally.silent(),
        ];
        [code(&tally.policy)].into_iter().chain(counts.map(number)).collect()
    };
    Grid { head: head.map(str::to_owned).into(), numbers: 1, rows: table.policies.iter().map(row).collect() }
}

fn conclusions(blocks: &mut Vec<Block>, report: &Report) {
    blocks.push(heading(2, "The four conclusions of the KEP"));
    blocks.push(text(
        "Each with the points of the matrix that it speaks of, what becomes of them, and whether it follows: for a \
         union without a discriminator under every policy, for one with a discriminator under kep-1027.",
    ));
    blocks.push(Block::Table(verdict_grid(&report.conclusions)));
    for conclusion in &report.conclusions {
        let [without, with] = conclusion.cited;
        let about = capitalized(&conclusion.about);
        blocks.push(heading(3, format!("Cases #{without} and #{with}: {about}")));
        blocks.push(Block::Quote(conclusion.says.clone()));
        let when: Vec<String> =
            conclusion.when.iter().map(|[axis, value]| format!("{axis}={value}")).collect();
        blocks.push(Block::Text(vec![plain("Points: "), code(when.join(", "))]));
        blocks.push(Block::Table(conclusion_grid(conclusion)));
        for finding in &conclusion.findings {
            blocks.push(Block::Text(verdict(finding)));
        }
        blocks.extend(conclusion.note.as_deref().map(text));
    }
}

fn conclusion_grid(conclusion: &Conclusion) -> Grid {
    let mut head = vec!["policy".to_owned()];
    for finding in &conclusion.findings {
        head.push(format!("{}, no discriminator", finding.unions));
        head.push(format!("{}, discriminator", finding.unions));
    }
    let policies = conclusion.findings.first().map(|finding| finding.without.as_slice()).unwrap_or_default();
    let row = |(place, tally): (usize, &Tally)| {
        let of = |tallies: &[Tally]| plain(tallies.get(place).map(Tally::described).unwrap_or_default());
        let counts = conclusion.findings.iter().flat_map(|finding| [of(&finding.without), of(&finding.with)]);
        [code(&tally.policy)].into_iter().chain(counts).collect()
    };
    let rows: Vec<Vec<Inline>> = policies.iter().enumerate().map(row).collect();
    Grid { numbers: head.len(), head, rows }
}

/// All conclusions at a glance.
fn verdict_grid(conclusions: &[Conclusion]) -> Grid {
    let mut head = vec!["cases".to_owned(), "conclusion".to_owned()];
    if let Some(first) = conclusions.first() {
        head.extend(first.findings.iter().map(|finding| format!("{} unions", finding.unions)));
    }
    let row = |conclusion: &Conclusion| {
        let [without, with] = conclusion.cited;
        let mut row = vec![plain(format!("#{without}, #{with}")), plain(&conclusion.about)];
        row.extend(conclusion.findings.iter().map(|finding| plain(finding.verdict.as_str())));
        row
    };
    let rows = conclusions.iter().map(row).collect();
    Grid { numbers: head.len(), head, rows }
}

fn verdict(finding: &Finding) -> Vec<Inline> {
    let head = format!("{} unions: {}.", capitalized(&finding.unions), finding.verdict.as_str());
    vec![strong(head), plain(format!(" {}", finding.why))]
}

fn cited(blocks: &mut Vec<Block>, report: &Report) {
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
    let row = |row: &Row| {
        let outcomes = row.outcomes.iter().map(|outcome| word(*outcome));
        [plain(row.row.to_string()), code(&row.case)].into_iter().chain(outcomes).collect()
    };
    let head: Vec<String> = head.map(str::to_owned).collect();
    let rows = report.rows.iter().map(row).collect();
    blocks.push(Block::Table(Grid { numbers: head.len(), head, rows }));
}

fn against(blocks: &mut Vec<Block>, report: &Report) {
    if report.against.is_empty() {
        return;
    }
    blocks.push(heading(2, "kep-1027 against the others"));
    blocks.push(text(
        "Point by point. As intended is better than refused, and refused than silent; which kind of silent makes no \
         difference.",
    ));
    let head = ["kep-1027 against", "better", "same", "worse"].map(str::to_owned).into();
    let row = |against: &super::Against| {
        let counts = [against.better, against.same, against.worse];
        [code(&against.policy)].into_iter().chain(counts.map(number)).collect()
    };
    let rows = report.against.iter().map(row).collect();
    blocks.push(Block::Table(Grid { head, numbers: 1, rows }));
}

fn differences(blocks: &mut Vec<Block>, report: &Report) {
    blocks.push(heading(2, "Where the policies differ"));
    let differing: usize = report.differences.iter().map(|difference| difference.points).sum();
    blocks.push(text(&format!(
        "At {differing} of {} points not all policies do the same. A row holds for every point that fits; an axis that \
         is not named may have any value. All policies do the same at the other points.",
        report.points
    )));
    let mut union = None;
    let mut rows: Vec<Vec<Inline>> = Vec::new();
    for difference in &report.differences {
        if union != Some(difference.union) {
            push_differences(blocks, report, &mut rows);
            blocks.push(heading(3, capitalized(difference.union.described())));
            union = Some(difference.union);
        }
        rows.push(difference_row(difference));
    }
    push_differences(blocks, report, &mut rows);
}

fn push_differences(blocks: &mut Vec<Block>, report: &Report, rows: &mut Vec<Vec<Inline>>) {
    if rows.is_empty() {
        return;
    }
    let head = ["when", "points"].into_iter().chain(report.policies.iter().map(String::as_str));
    let head: Vec<String> = head.map(str::to_owned).collect();
    blocks.push(Block::Table(Grid { numbers: head.len(), head, rows: std::mem::take(rows) }));
}

fn difference_row(difference: &Difference) -> Vec<Inline> {
    let condition = |on: &super::Condition| format!("{}={}", on.axis, on.values.join(" or "));
    let when: Vec<String> = difference.when.iter().map(condition).collect();
    let outcomes = difference.outcomes.iter().map(|outcome| word(*outcome));
    [code(when.join(", ")), number(difference.points)].into_iter().chain(outcomes).collect()
}

/// What is loud or silent stands out.
fn word(outcome: Option<Outcome>) -> Inline {
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
