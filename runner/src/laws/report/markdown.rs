//! For a pull request or a job summary.

use std::fmt::Write;

use super::super::law::Law;
use super::{Entry, Report, Row, STAR, Shown};

/// The report in Markdown: the table, then a section for each change that has something to show.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let mut text = String::from("# The laws of patch evolution\n\n");
    for law in Law::ALL {
        let _ = writeln!(text, "- *{}*: {}", law.name(), law.about());
    }
    let _ = writeln!(text, "\n{}. {STAR}.\n", report.tried.sentence());
    let _ = writeln!(text, "| directive | {} |", Law::ALL.map(Law::name).join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(Law::ALL.len()));
    for row in &report.rows {
        let words: Vec<String> = row.verdicts.iter().map(|entry| entry.cell().replace('*', "\\*")).collect();
        let _ = writeln!(text, "| {} | {} |", code(row.directive).replace('|', "\\|"), words.join(" | "));
    }
    report.rows.iter().for_each(|row| section(&mut text, row));
    text
}

fn section(text: &mut String, row: &Row) {
    if row.verdicts.iter().all(|entry| entry.examples.is_empty()) {
        return;
    }
    let _ = writeln!(text, "\n## {}", code(row.directive));
    if !row.about.is_empty() {
        let _ = writeln!(text, "\n{}.", prose(row.about));
    }
    for entry in &row.verdicts {
        for (number, example) in entry.examples.iter().enumerate() {
            shown(text, entry, example, number == 0);
        }
    }
}

fn shown(text: &mut String, entry: &Entry, example: &Shown, is_first: bool) {
    let _ = writeln!(text, "\n### {}: {}", entry.law.name(), entry.heading(example));
    if let Some(because) = entry.because.as_ref().filter(|_| is_first) {
        let _ = writeln!(text, "\n{}", prose(because));
    }
    text.push('\n');
    for (era, patch) in [("old", &example.old_patch), ("new", &example.new_patch)] {
        if let Some(patch) = patch {
            let _ = writeln!(text, "- The {era} patch: {}", code(patch));
        }
    }
    if let Some(directive) = example.needs {
        let _ = writeln!(text, "- To run it, put {} into the registry.", code(directive));
    }
    let fence = "`".repeat(longest_row_of_backticks(&example.case).max(2) + 1);
    let _ = writeln!(text, "\n{fence}yaml\n{}\n{fence}", example.case.trim_end());
}

/// Words that mean nothing in Markdown.
fn prose(words: &str) -> String {
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

/// Words as code, whatever backticks are in them.
fn code(words: &str) -> String {
    let fence = "`".repeat(longest_row_of_backticks(words) + 1);
    let pad = if words.starts_with('`') || words.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{words}{pad}{fence}")
}

fn longest_row_of_backticks(words: &str) -> usize {
    words.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
