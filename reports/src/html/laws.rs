//! The report on the laws of patch evolution as a page: the table, and the examples to which its verdicts link.

use super::frame;
use super::markup::{Column, Markup, Tone, badge, block, code, heading, inline, link, table};
use crate::laws::{BenefitSearchText, ChangeRow, RenderedExample, Report, VerdictKind, VerdictSummary};

/// Renders the report as a page.
#[must_use]
pub fn laws_page(report: &Report) -> String {
    let title = report.subject.title();
    let counts = format!("{}.", report.legend(". *"));
    let mut article = Markup::from_iter([
        heading((1, 1), &[], title),
        block("p", &[], counts),
        verdict_table(report),
        law_list(report),
    ]);
    for (number, row) in report.rows.iter().enumerate() {
        article.push(section(row, number));
    }
    frame::document(title, &article)
}

fn verdict_table(report: &Report) -> Markup {
    let directive = Column { name: report.subject.column(), ..Column::default() };
    let laws = report.laws.iter().map(|law| Column {
        name: law.name,
        title: Some(law.statement),
        ..Column::default()
    });
    let columns: Vec<Column<'_>> = [directive].into_iter().chain(laws).collect();
    let rows = report.rows.iter().enumerate().map(|(number, row)| {
        let verdicts = row.verdicts.iter().map(|summary| verdict_badge(summary, number));
        [code(row.directive)].into_iter().chain(verdicts).collect()
    });
    table(&columns, rows)
}

fn verdict_badge(summary: &VerdictSummary, row: usize) -> Markup {
    let tone = match summary.verdict {
        VerdictKind::Kept => Tone::Good,
        VerdictKind::NotShown => Tone::Doubtful,
        VerdictKind::Broken => Tone::Bad,
    };
    let badge = badge(tone, None, summary.table_text());
    if has_section(summary) { link(&anchor(row, summary), badge) } else { badge }
}

/// Returns true if there is something to read about a verdict.
fn has_section(summary: &VerdictSummary) -> bool {
    !summary.examples.is_empty() || summary.search.is_some()
}

fn law_list(report: &Report) -> Markup {
    let entries =
        report.laws.iter().flat_map(|law| [inline("dt", &[], law.name), block("dd", &[], law.statement)]);
    block("dl", &[], entries.collect::<Markup>())
}

/// Returns the anchor of the examples of a verdict.
fn anchor(row: usize, summary: &VerdictSummary) -> String {
    format!("{row}-{}", summary.law)
}

/// Renders the examples of a change, and where a benefit was searched. Empty if there is neither.
fn section(row: &ChangeRow, number: usize) -> Markup {
    let mut section = Markup::default();
    let verdicts: Vec<&VerdictSummary> = row.verdicts.iter().filter(|summary| has_section(summary)).collect();
    if verdicts.is_empty() {
        return section;
    }
    section.push(heading((2, 2), &[], code(row.directive)));
    if !row.about.is_empty() {
        section.push(block("p", &[], format!("{}.", row.about)));
    }
    for summary in verdicts {
        section.push(heading((3, 3), &[("id", &anchor(number, summary))], summary.law));
        section.push(summary.because.iter().map(|because| block("p", &[], because)).collect::<Markup>());
        let search = summary.search.iter().flat_map(BenefitSearchText::lines);
        let search: Markup = search.map(|line| block("li", &[], line)).collect();
        section.push(if summary.search.is_some() { block("ul", &[], search) } else { search });
        section.push(summary.examples.iter().map(|example| details(summary, example)).collect::<Markup>());
    }
    section
}

fn details(summary: &VerdictSummary, example: &RenderedExample) -> Markup {
    let line = |before: &str, content: &str, after: &str| {
        block("p", &[], Markup::from_iter([before.into(), code(content), after.into()]))
    };
    let mut details = block("summary", &[], summary.heading(example));
    for (era, patch) in [("old", &example.old_patch), ("new", &example.new_patch)] {
        details.push(
            patch.iter().map(|patch| line(&format!("The {era} patch: "), patch, "")).collect::<Markup>(),
        );
    }
    let requirement = example
        .required_directive
        .map(|name| line("To run this case, first add ", name, " to the directives."));
    details.push(requirement.into_iter().collect::<Markup>());
    details.push(block("pre", &[], &example.case));
    block("details", &[], details)
}
