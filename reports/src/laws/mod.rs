//! The report on the laws of patch evolution: its model and its formats.
//!
//! [`LawsReport`] is plain data. The runner checks the laws and compares the verdicts with the recorded ones.
//! [`text`], [`markdown`] and [`html`] render the report; JSON is written by serde.

mod layout;
mod model;
#[cfg(test)]
mod tests;
mod text;

pub use self::model::{
    BenefitSearchText, ChangeRow, LawText, LawsReport, RecordComparison, RenderedExample, ReportSubject,
    SearchedGroup, SituationCounts, VerdictKind, VerdictSummary, ViolationKind,
};
pub use self::text::text;
use crate::blocks;

/// Renders the report in Markdown, for a pull request or a job summary.
#[must_use]
pub fn markdown(report: &LawsReport) -> String {
    blocks::markdown::document(&layout::report_blocks(report), 1)
}

/// Renders the report as a page.
#[must_use]
pub fn html(report: &LawsReport) -> String {
    blocks::html::page(&layout::report_blocks(report))
}
