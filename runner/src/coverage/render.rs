//! Rendering of coverage as text and as Markdown.

use std::fmt::Write;

use skewer_cases::design_documents::DESIGN_DOCUMENTS;
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Modify, Style, Width};

use super::{Coverage, CoverageRow, CoverageStatus};

/// Width of a table if the width of the output is unknown.
const DEFAULT_WIDTH: usize = 120;

/// Minimum width of the column of reasons.
const MIN_REASON_WIDTH: usize = 24;

/// Title of the table of error kinds.
const ERROR_TABLE_TITLE: &str = "Error kinds of the engine";

impl Coverage {
    /// Renders the tables, the faults and a summary for a terminal.
    #[must_use]
    pub fn text(&self, width: Option<usize>) -> String {
        let mut text = String::new();
        for (title, rows) in self.tables() {
            let _ = writeln!(
                text,
                "{title}\n{}\n",
                table(&rows, Style::rounded(), width.unwrap_or(DEFAULT_WIDTH))
            );
        }
        for fault in self.faults() {
            let _ = writeln!(text, "{}", fault_message(fault));
        }
        text + &self.summary()
    }

    /// Renders the tables, the faults and a summary as Markdown, for a pull request.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (title, rows) in self.tables() {
            let _ = writeln!(text, "## {title}\n\n{}\n", table(&rows, Style::markdown(), usize::MAX));
        }
        for fault in self.faults() {
            let _ = writeln!(text, "- {}", fault_message(fault));
        }
        text + &self.summary()
    }

    fn tables(&self) -> impl Iterator<Item = (String, Vec<&CoverageRow>)> {
        let rows_of = |name| self.sections.iter().filter(move |row| row.document == Some(name)).collect();
        let documents =
            DESIGN_DOCUMENTS.iter().map(move |d| (format!("{} ({})", d.title, d.name), rows_of(d.name)));
        documents.chain([(ERROR_TABLE_TITLE.to_owned(), self.errors.iter().collect())])
    }

    fn summary(&self) -> String {
        let summary_line = |rows: &[CoverageRow], subject: &str| {
            let count = |status| rows.iter().filter(|row| row.status == status).count();
            format!(
                "{} {subject}: {} covered, {} exempt, {} uncovered, {} with a stale exemption\n",
                rows.len(),
                count(CoverageStatus::Covered),
                count(CoverageStatus::Exempt),
                count(CoverageStatus::Uncovered),
                count(CoverageStatus::StaleExemption)
            )
        };
        summary_line(&self.sections, "sections") + &summary_line(&self.errors, "error kinds")
    }
}

fn table<S>(rows: &[&CoverageRow], style: S, width: usize) -> Table
where
    S: tabled::settings::TableOption<
            tabled::grid::records::vec_records::VecRecords<tabled::grid::records::vec_records::Text<String>>,
            tabled::grid::config::ColoredConfig,
            tabled::grid::dimension::CompleteDimension,
        >,
{
    let mut builder = Builder::default();
    builder.push_record(["name", "cases", "cells", "", "because"]);
    for row in rows {
        builder.push_record([
            // An unescaped bar would end a cell of a Markdown table.
            row.name.replace('|', "\\|"),
            row.counts.cases.to_string(),
            row.counts.cells.to_string(),
            row.status.label().to_owned(),
            row.because.unwrap_or_default().to_owned(),
        ]);
    }
    let mut table = builder.build();
    table.with(style);
    table.with(Modify::new(Columns::new(1..3)).with(Alignment::right()));
    table.with(Modify::new(Rows::first()).with(Alignment::left()));
    let excess = table.total_width().saturating_sub(width);
    if excess > 0 {
        // Only the column of reasons can be wrapped.
        let longest = rows.iter().filter_map(|row| row.because).map(str::len).max().unwrap_or_default();
        let reason_width = longest.saturating_sub(excess).max(MIN_REASON_WIDTH);
        table.with(Modify::new(Columns::last()).with(Width::wrap(reason_width).keep_words(true)));
    }
    table
}

fn fault_message(row: &CoverageRow) -> String {
    let subject = match row.document {
        Some(document) => format!("section \"{}\" of {document}", row.name),
        None => format!("error kind {}", row.name),
    };
    match row.status {
        CoverageStatus::StaleExemption => format!(
            "{subject} is covered by {} cases: remove its exemption from runner/src/coverage/exempt.rs",
            row.counts.cases
        ),
        _ if row.document.is_some() => format!(
            "{subject} is not cited by any case: add a case with this `source`, or add an exemption with a reason to \
             runner/src/coverage/exempt.rs"
        ),
        _ => format!(
            "{subject} is not expected by any case: add a case that expects it, or add an exemption with a reason to \
             runner/src/coverage/exempt.rs"
        ),
    }
}
