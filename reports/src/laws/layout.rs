//! The report as blocks: the table, and the examples to which its verdicts link.

use super::model::{BenefitSearchText, ChangeRow, LawsReport, RenderedExample, VerdictKind, VerdictSummary};
use crate::blocks::{
    self, Block, Column, Inline, Line, Table, Tone, TonedWord, anchored_heading, code, details, heading,
    link, list, paragraph, plain,
};

/// Renders the report in Markdown, for a pull request or a job summary.
#[must_use]
pub fn markdown(report: &LawsReport) -> String {
    blocks::markdown::document(&report_blocks(report), 1)
}

/// Renders the report as a page.
#[must_use]
pub fn html(report: &LawsReport) -> String {
    blocks::html::page(&report_blocks(report))
}

/// Lays out the report: the table, then a section for each change that has examples.
pub(super) fn report_blocks(report: &LawsReport) -> Vec<Block> {
    let laws = report
        .laws
        .iter()
        .map(|law| [Inline::Emphasis(law.name.to_owned()), plain(format!(": {}", law.statement))]);
    let mut blocks = vec![
        heading(1, plain(report.subject.title())),
        list(laws),
        paragraph(report.legend(Line::from([plain(". "), code("*")])).with(plain("."))),
        Block::Table(verdict_table(report)),
    ];
    for (number, row) in report.rows.iter().enumerate() {
        push_section(&mut blocks, row, number);
    }
    blocks
}

/// Makes the table of all verdicts.
pub(super) fn verdict_table(report: &LawsReport) -> Table {
    let laws = report
        .laws
        .iter()
        .map(|law| Column { title: Some(law.statement.to_owned()), ..Column::text(plain(law.name)) });
    let columns = Column::texts([report.subject.column()]).chain(laws);
    Table::new(columns).with(report.rows.iter().enumerate().map(|(number, row)| {
        let verdicts = row.verdicts.iter().map(move |summary| verdict(summary, number));
        [code(row.directive)].into_iter().chain(verdicts)
    }))
}

fn verdict(summary: &VerdictSummary, row: usize) -> Inline {
    let tone = match summary.verdict {
        VerdictKind::Kept => Tone::Good,
        VerdictKind::NotShown => Tone::Doubtful,
        VerdictKind::Broken => Tone::Bad,
    };
    let badge = Inline::Badge(TonedWord { tone, text: summary.table_text(), title: None });
    if has_section(summary) { link(anchor(row, summary), badge) } else { badge }
}

/// Returns true if there is something to read about a verdict.
fn has_section(summary: &VerdictSummary) -> bool {
    !summary.examples.is_empty() || summary.search.is_some()
}

/// Returns the anchor of the examples of a verdict.
fn anchor(row: usize, summary: &VerdictSummary) -> String {
    format!("{row}-{}", summary.law)
}

/// Adds the examples of a change, and where a benefit was searched.
fn push_section(blocks: &mut Vec<Block>, row: &ChangeRow, number: usize) {
    let verdicts: Vec<&VerdictSummary> = row.verdicts.iter().filter(|summary| has_section(summary)).collect();
    if verdicts.is_empty() {
        return;
    }
    blocks.push(heading(2, code(row.directive)));
    if !row.about.is_empty() {
        blocks.push(paragraph(plain(format!("{}.", row.about))));
    }
    for summary in verdicts {
        let title = plain(format!("{}: {}", summary.law, summary.description()));
        blocks.push(anchored_heading(3, anchor(number, summary), title));
        blocks.extend(summary.because.as_ref().map(|because| paragraph(plain(because))));
        blocks.extend(summary.search.as_ref().map(|search| list(search_lines(search))));
        blocks.extend(summary.examples.iter().map(|example| example_details(summary, example)));
    }
}

fn search_lines(search: &BenefitSearchText) -> impl Iterator<Item = Inline> {
    search.lines().into_iter().map(plain)
}

fn example_details(summary: &VerdictSummary, example: &RenderedExample) -> Block {
    let lines = example
        .lines()
        .into_iter()
        .map(|[before, content, after]| [plain(before), code(content), plain(after)]);
    details(plain(summary.heading(example)), vec![list(lines), Block::Code("yaml", example.case.clone())])
}
