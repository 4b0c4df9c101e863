//! Coverage as text, as Markdown and as JSON.

use std::fmt::Write;

use skewer_cases::design_documents::DESIGN_DOCUMENTS;
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Modify, Style, Width};

use super::{Coverage, Line, Verdict};

/// How wide a table may be where nobody says.
const WIDTH: usize = 120;

/// How narrow the column of the reasons becomes at most.
const NARROWEST: usize = 24;

/// What the table of the errors is called.
const ERRORS: &str = "Errors of the engine";

impl Coverage {
    /// Tables for a terminal, then what is missing, then a line that sums up.
    #[must_use]
    pub fn text(&self, width: Option<usize>) -> String {
        let mut text = String::new();
        for (title, lines) in self.parts() {
            let _ = writeln!(text, "{title}\n{}\n", table(&lines, Style::rounded(), width.unwrap_or(WIDTH)));
        }
        for fault in self.faults() {
            let _ = writeln!(text, "{}", complaint(fault));
        }
        text + &self.summary()
    }

    /// The same for a pull request.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (title, lines) in self.parts() {
            let _ = writeln!(text, "## {title}\n\n{}\n", table(&lines, Style::markdown(), usize::MAX));
        }
        for fault in self.faults() {
            let _ = writeln!(text, "- {}", complaint(fault));
        }
        text + &self.summary()
    }

    /// Every line with its counts and verdict, for programs.
    #[must_use]
    pub fn json(&self) -> String {
        // Maps with text as keys and numbers cannot fail to become JSON.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    fn parts(&self) -> impl Iterator<Item = (String, Vec<&Line>)> {
        let of = |name| self.sections.iter().filter(move |line| line.document == Some(name)).collect();
        let documents =
            DESIGN_DOCUMENTS.iter().map(move |d| (format!("{} ({})", d.title, d.name), of(d.name)));
        documents.chain([(ERRORS.to_owned(), self.errors.iter().collect())])
    }

    fn summary(&self) -> String {
        let say = |lines: &[Line], what: &str| {
            let count = |verdict| lines.iter().filter(|line| line.verdict == verdict).count();
            format!(
                "{} {what}: {} covered, {} exempt, {} uncovered, {} with a stale exemption\n",
                lines.len(),
                count(Verdict::Covered),
                count(Verdict::Exempt),
                count(Verdict::Uncovered),
                count(Verdict::StaleExemption)
            )
        };
        say(&self.sections, "sections") + &say(&self.errors, "kinds of errors")
    }
}

fn table<S>(lines: &[&Line], style: S, width: usize) -> Table
where
    S: tabled::settings::TableOption<
            tabled::grid::records::vec_records::VecRecords<tabled::grid::records::vec_records::Text<String>>,
            tabled::grid::config::ColoredConfig,
            tabled::grid::dimension::CompleteDimension,
        >,
{
    let mut builder = Builder::default();
    builder.push_record(["name", "cases", "cells", "", "because"]);
    for line in lines {
        builder.push_record([
            // A bar would end a cell of a Markdown table.
            line.name.replace('|', "\\|"),
            line.counts.cases.to_string(),
            line.counts.cells.to_string(),
            line.verdict.word().to_owned(),
            line.because.unwrap_or_default().to_owned(),
        ]);
    }
    let mut table = builder.build();
    table.with(style);
    table.with(Modify::new(Columns::new(1..3)).with(Alignment::right()));
    table.with(Modify::new(Rows::first()).with(Alignment::left()));
    let wide = table.total_width().saturating_sub(width);
    if wide > 0 {
        // Reasons are prose; names and numbers are not to be broken.
        let longest = lines.iter().filter_map(|line| line.because).map(str::len).max().unwrap_or_default();
        let left = longest.saturating_sub(wide).max(NARROWEST);
        table.with(Modify::new(Columns::last()).with(Width::wrap(left).keep_words(true)));
    }
    table
}

fn complaint(line: &Line) -> String {
    let what = match line.document {
        Some(document) => format!("the section \"{}\" of {document}", line.name),
        None => format!("the error {}", line.name),
    };
    match line.verdict {
        Verdict::StaleExemption => format!(
            "{what} is covered by {} cases: take its exemption out of runner/src/coverage/exempt.rs",
            line.counts.cases
        ),
        _ if line.document.is_some() => format!(
            "{what} is cited by no case: add one with that `source`, or say in runner/src/coverage/exempt.rs why it \
             has nothing to execute"
        ),
        _ => format!(
            "{what} is caused by no case: add one that expects it, or say in runner/src/coverage/exempt.rs why no case \
             can"
        ),
    }
}
