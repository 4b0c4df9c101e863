//! The report on semantic mutants: whether the cells of the corpus notice a changed engine.
//!
//! [`MutantsReport`] is plain data. The runner tries the mutants and decides the verdicts. [`text`] and [`markdown`]
//! render the report; JSON is written by serde.

mod layout;
pub(crate) mod model;
#[cfg(test)]
mod tests;
mod text;

pub use self::model::{FamilySummary, Ideals, KepRow, MutantRow, MutantsReport, Verdict};
pub use self::text::text;
use crate::blocks;

/// Renders the counts of the families as a section in Markdown, for the compatibility report.
#[must_use]
pub fn summary_table(report: &MutantsReport) -> String {
    blocks::markdown::document(&layout::summary_blocks(report), 1)
}

/// Renders the whole report in Markdown, for a pull request.
#[must_use]
pub fn markdown(report: &MutantsReport) -> String {
    blocks::markdown::document(&layout::report_blocks(report), 1)
}
