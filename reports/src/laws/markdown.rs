//! The report in Markdown, for a pull request or a job summary.

use std::fmt::Write;

use super::model::{ChangeRow, RenderedExample, Report, VerdictSummary};
use crate::markdown::escape::{code_span, code_span_outside_tables, escape_prose, fenced_block};

/// Renders the report in Markdown: the table, then a section for each change that has examples.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let mut text = format!("# {}\n\n", report.subject.title());
    for law in &report.laws {
        let _ = writeln!(text, "- *{}*: {}", law.name, law.statement);
    }
    let _ = writeln!(text, "\n{}.\n", report.legend(". `*`"));
    let names: Vec<&str> = report.laws.iter().map(|law| law.name).collect();
    let _ = writeln!(
        text,
        "| {} | {} |\n|---|{}",
        report.subject.column(),
        names.join(" | "),
        "---|".repeat(names.len())
    );
    for row in &report.rows {
        let words: Vec<String> =
            row.verdicts.iter().map(|summary| escape_prose(&summary.table_text())).collect();
        let _ = writeln!(text, "| {} | {} |", code_span(row.directive), words.join(" | "));
    }
    report.rows.iter().for_each(|row| push_section(&mut text, row));
    text
}

fn push_section(text: &mut String, row: &ChangeRow) {
    if row.verdicts.iter().all(|summary| summary.examples.is_empty() && summary.search.is_none()) {
        return;
    }
    let _ = writeln!(text, "\n## {}", code_span_outside_tables(row.directive));
    if !row.about.is_empty() {
        let _ = writeln!(text, "\n{}.", escape_prose(row.about));
    }
    for summary in &row.verdicts {
        if let Some(search) = &summary.search {
            let _ = writeln!(text, "\n### {}: {}\n", summary.law, escape_prose(&summary.description()));
            for line in search.lines() {
                let _ = writeln!(text, "- {}", escape_prose(&line));
            }
        }
        for (number, example) in summary.examples.iter().enumerate() {
            push_example(text, summary, example, number == 0);
        }
    }
}

fn push_example(text: &mut String, summary: &VerdictSummary, example: &RenderedExample, is_first: bool) {
    let _ = writeln!(text, "\n### {}: {}", summary.law, escape_prose(&summary.heading(example)));
    if let Some(because) = summary.because.as_ref().filter(|_| is_first) {
        let _ = writeln!(text, "\n{}", escape_prose(because));
    }
    text.push('\n');
    for (era, patch) in [("old", &example.old_patch), ("new", &example.new_patch)] {
        if let Some(patch) = patch {
            let _ = writeln!(text, "- The {era} patch: {}", code_span_outside_tables(patch));
        }
    }
    if let Some(directive) = example.required_directive {
        let _ = writeln!(
            text,
            "- To run this case, first add {} to the directives.",
            code_span_outside_tables(directive)
        );
    }
    let _ = write!(text, "\n{}", fenced_block("yaml", &example.case));
}
