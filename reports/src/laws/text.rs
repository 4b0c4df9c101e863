//! The report for a terminal: the table, then each example as a suite file with comments.

use std::fmt::Write;

use tabled::builder::Builder;
use tabled::settings::peaker::Priority;
use tabled::settings::{Style as TableStyle, Width};

use super::model::{BenefitSearchText, ChangeRow, RenderedExample, Report, VerdictSummary};
use crate::terminal::Style;
use crate::wrap::wrap;

/// Renders the report for a terminal. Each block of lines from a comment to the next empty line is a suite file, which
/// can be added to the corpus, so that its lines are as long as in the corpus.
#[must_use]
pub fn text(report: &Report, style: Style) -> String {
    let mut builder = Builder::default();
    builder.push_record([report.subject.column()].into_iter().chain(report.laws.iter().map(|law| law.name)));
    for row in &report.rows {
        let words = row.verdicts.iter().map(VerdictSummary::table_text);
        builder.push_record([row.directive.to_owned()].into_iter().chain(words));
    }
    let mut table = builder.build();
    table.with(TableStyle::rounded());
    if let Some(width) = style.width {
        // The widest column gives way first, so that no verdict is broken.
        table.with(Width::wrap(width).keep_words(true).priority(Priority::max(true)));
    }
    let mut text = format!("{table}\n");
    text.push_str(&wrap(&report.legend("; `*`"), "", "", style.line_width()));
    for row in &report.rows {
        for summary in &row.verdicts {
            if let Some(search) = &summary.search {
                push_search(&mut text, row, summary, search);
            }
            for example in &summary.examples {
                push_example(&mut text, (row, summary), example, style);
            }
        }
    }
    text
}

fn push_search(text: &mut String, row: &ChangeRow, summary: &VerdictSummary, search: &BenefitSearchText) {
    let _ = writeln!(text, "\n# {}, {}: {}.", row.directive, summary.law, summary.description());
    for line in search.lines() {
        let _ = writeln!(text, "# - {line}.");
    }
}

fn push_example(
    text: &mut String,
    (row, summary): (&ChangeRow, &VerdictSummary),
    example: &RenderedExample,
    style: Style,
) {
    let _ = writeln!(text, "\n# {}, {}: {}.", row.directive, summary.law, summary.heading(example));
    if let Some(because) = &summary.because {
        text.push_str(&wrap(&format!("On record: {because}"), "# ", "# ", style.line_width()));
    }
    for (era, patch) in [("old", &example.old_patch), ("new", &example.new_patch)] {
        if let Some(patch) = patch {
            let _ = writeln!(text, "# The {era} patch: {patch}");
        }
    }
    if let Some(directive) = example.required_directive {
        let _ = writeln!(text, "# To run this case, first add {directive} to the directives.");
    }
    text.push_str(&example.case);
}
