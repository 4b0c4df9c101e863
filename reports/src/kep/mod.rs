//! The report on the matrix of KEP-1027, by union policy: its model and its formats.
//!
//! [`KepReport`] is plain data. The runner computes it from the results of a run and decides which conclusions of the KEP
//! follow. [`text`], [`markdown`] and [`html`] render the report; JSON is written by serde.

pub(crate) mod layout;
pub(crate) mod model;
#[cfg(test)]
mod tests;

pub use self::model::{
    AxisCondition, CitedRow, Conclusion, ConclusionFinding, ConclusionStatus, KepReport, PolicyComparison,
    PolicyCounts, PolicyDifference, PolicyTable, SheetRow, UnionKind,
};
use crate::blocks;
use crate::terminal::style::Style;

/// Renders the report for a terminal. A table that is too wide becomes a list.
#[must_use]
pub fn text(report: &KepReport, style: Style) -> String {
    blocks::text::document(&layout::report_blocks(report), style)
}

/// Renders the report in Markdown, to be checked in or for a pull request.
#[must_use]
pub fn markdown(report: &KepReport) -> String {
    blocks::markdown::document(&layout::report_blocks(report), 1)
}

/// Renders the report as a page.
#[must_use]
pub fn html(report: &KepReport) -> String {
    blocks::html::page(&layout::report_blocks(report))
}
