//! The report in Markdown, for a pull request or a job summary.

use std::fmt::Write;

use super::model::{ChangeRow, RenderedExample, Report, STAR_LEGEND, VerdictSummary};
use crate::laws::law::Law;

/// Renders the report in Markdown: the table, then a section for each change that has examples.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let mut text = String::from("# The laws of patch evolution\n\n");
    for law in Law::ALL {
        let _ = writeln!(text, "- *{}*: {}", law.name(), law.statement());
    }
    let _ = writeln!(text, "\n{}. {STAR_LEGEND}.\n", report.situation_counts.sentence());
    let _ = writeln!(text, "| directive | {} |", Law::ALL.map(Law::name).join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(Law::ALL.len()));
    for row in &report.rows {
        let words: Vec<String> =
            row.verdicts.iter().map(|summary| summary.table_text().replace('*', "\\*")).collect();
        let _ =
            writeln!(text, "| {} | {} |", code_span(row.directive).replace('|', "\\|"), words.join(" | "));
    }
    report.rows.iter().for_each(|row| write_section(&mut text, row));
    text
}

fn write_section(text: &mut String, row: &ChangeRow) {
    if row.verdicts.iter().all(|summary| summary.examples.is_empty()) {
        return;
    }
    let _ = writeln!(text, "\n## {}", code_span(row.directive));
    if !row.about.is_empty() {
        let _ = writeln!(text, "\n{}.", escape_markdown(row.about));
    }
    for summary in &row.verdicts {
        for (number, example) in summary.examples.iter().enumerate() {
            write_example(text, summary, example, number == 0);
        }
    }
}

fn write_example(text: &mut String, summary: &VerdictSummary, example: &RenderedExample, is_first: bool) {
    let _ = writeln!(text, "\n### {}: {}", summary.law.name(), summary.heading(example));
    if let Some(because) = summary.because.as_ref().filter(|_| is_first) {
        let _ = writeln!(text, "\n{}", escape_markdown(because));
    }
    text.push('\n');
    for (era, patch) in [("old", &example.old_patch), ("new", &example.new_patch)] {
        if let Some(patch) = patch {
            let _ = writeln!(text, "- The {era} patch: {}", code_span(patch));
        }
    }
    if let Some(directive) = example.required_directive {
        let _ = writeln!(text, "- To run it, put {} into the registry.", code_span(directive));
    }
    let fence = "`".repeat(longest_backtick_run(&example.case).max(2) + 1);
    let _ = writeln!(text, "\n{fence}yaml\n{}\n{fence}", example.case.trim_end());
}

/// Escapes text so that Markdown shows it unchanged.
fn escape_markdown(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '&' => text.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '$' => text.extend(['\\', c]),
            c => text.push(c),
        }
    }
    text
}

/// Renders text as a code span, whatever backticks it contains.
fn code_span(words: &str) -> String {
    let fence = "`".repeat(longest_backtick_run(words) + 1);
    let pad = if words.starts_with('`') || words.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{words}{pad}{fence}")
}

fn longest_backtick_run(words: &str) -> usize {
    words.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
