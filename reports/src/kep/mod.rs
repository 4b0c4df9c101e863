//! The report on the matrix of KEP-1027, by union policy: its model and its formats.
//!
//! [`Report`] is plain data. The runner computes it from the results of a run and decides which conclusions of the KEP
//! follow. [`text`], [`markdown`] and [`html`] render the report; JSON is written by serde.

mod layout;
mod model;
#[cfg(test)]
mod tests;

pub(crate) use self::layout::report_blocks;
pub use self::model::{
    AxisCondition, CitedRow, Conclusion, ConclusionStatus, Finding, PolicyComparison, PolicyCounts,
    PolicyDifference, PolicyTable, Report, SheetRow, UnionKind,
};
use crate::blocks;
pub use crate::html::kep_page as html;
use crate::terminal::Style;

/// Renders the report for a terminal. A table that is too wide becomes a list.
#[must_use]
pub fn text(report: &Report, style: Style) -> String {
    blocks::text(&report_blocks(report), style)
}

/// Renders the report in Markdown, to be checked in or for a pull request.
#[must_use]
pub fn markdown(report: &Report) -> String {
    blocks::markdown(&report_blocks(report))
}
