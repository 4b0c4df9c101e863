//! For a terminal: the table, then each example as a suite file under comments.

use std::fmt::Write;

use tabled::builder::Builder;
use tabled::settings::Style;

use super::super::law::Law;
use super::{Report, Row, STAR, Shown};

/// The report for a terminal. From a comment to the next blank line stands a file that can go into the corpus.
#[must_use]
pub fn text(report: &Report) -> String {
    let mut builder = Builder::default();
    builder.push_record(["directive"].into_iter().chain(Law::ALL.map(Law::name)));
    for row in &report.rows {
        let words = row.verdicts.iter().map(super::Entry::cell);
        builder.push_record([row.directive.to_owned()].into_iter().chain(words));
    }
    let mut table = builder.build();
    table.with(Style::rounded());
    let mut text = format!("{table}\n{}; {STAR}\n", report.tried.sentence());
    for row in &report.rows {
        for entry in &row.verdicts {
            for example in &entry.examples {
                shown(&mut text, row, entry, example);
            }
        }
    }
    text
}

fn shown(text: &mut String, row: &Row, entry: &super::Entry, example: &Shown) {
    let _ = writeln!(text, "\n# {}, {}: {}.", row.directive, entry.law.name(), entry.heading(example));
    if let Some(because) = &entry.because {
        let _ = writeln!(text, "# On record: {because}");
    }
    for (era, patch) in [("old", &example.old_patch), ("new", &example.new_patch)] {
        if let Some(patch) = patch {
            let _ = writeln!(text, "# The {era} patch: {patch}");
        }
    }
    if let Some(directive) = example.needs {
        let _ = writeln!(text, "# To run it, put {directive} into the registry.");
    }
    text.push_str(&example.case);
}
