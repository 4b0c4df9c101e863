//! The report in Markdown.

use std::fmt::Write as _;

use super::model::{MutantRow, Report, Verdict};
use crate::markdown::escape::{code_span, code_span_outside_tables, escape_prose};

const INTRODUCTION: &str = "\
A *mutant* is the built-in engine with one semantic difference: a directive or one of its hooks is missing, a union policy \
is another one or lacks a rule, a step of the server is left out, the patch metadata of a field is different. The cells \
are run on each mutant, and are compared with the ideals of the unchanged engine. A cell *notices* a mutant if it fails. \
A cell is *unnoticed* if it ends in another state and still passes. A mutant is *equivalent* if no cell ends in another \
state, for a reason that is known.
";

/// Renders the counts of the families as a section, for the compatibility report.
#[must_use]
pub fn summary_table(report: &Report) -> String {
    let mut text = format!("## Mutants of the engine\n\n{INTRODUCTION}\n");
    text.push_str("| family | mutants | noticed | unnoticed | no change | equivalent | cells noticed | cells unnoticed |\n");
    text.push_str("|:--|--:|--:|--:|--:|--:|--:|--:|\n");
    for family in report.families() {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            escape_prose(family.title),
            family.mutants,
            family.count(Verdict::Noticed),
            family.count(Verdict::Unnoticed),
            family.count(Verdict::NoChange) + family.count(Verdict::StaleEquivalence),
            family.count(Verdict::Equivalent),
            family.noticed_cells,
            family.unnoticed_cells
        );
    }
    let blind: Vec<String> = report.blind_kep_rows().iter().map(ToString::to_string).collect();
    if !blind.is_empty() {
        let _ =
            writeln!(text, "\nThe cells of these rows of KEP-1027 noticed no mutant: {}.", blind.join(", "));
    }
    text
}

/// Renders the whole report: the counts, all mutants, and the reasons of equivalent ones.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let mut text = summary_table(report);
    text.push_str("\n### All mutants\n\n| mutant | verdict | noticed | unnoticed |\n|:--|:--|--:|--:|\n");
    for row in &report.mutants {
        let verdict = if row.verdict.is_fault() {
            format!("**{}**", row.verdict.label())
        } else {
            row.verdict.label().to_owned()
        };
        let _ =
            writeln!(text, "| {} | {verdict} | {} | {} |", code_span(&row.name), row.noticed, row.unnoticed);
    }
    push_list(&mut text, "Equivalent mutants", report, |row| row.because.clone());
    push_list(&mut text, "Mutants that change no cell", report, |row| {
        (row.verdict == Verdict::NoChange).then(|| row.about.clone())
    });
    text
}

fn push_list(
    text: &mut String,
    title: &str,
    report: &Report,
    describe: impl Fn(&MutantRow) -> Option<String>,
) {
    let mut rows = report.mutants.iter().filter_map(|row| Some((row, describe(row)?))).peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "\n### {title}\n");
    for (row, description) in rows {
        let _ = writeln!(text, "- {}: {}", code_span_outside_tables(&row.name), escape_prose(&description));
    }
}
