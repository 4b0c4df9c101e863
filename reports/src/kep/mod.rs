//! The report on the matrix of KEP-1027, by union policy: its model and its formats.
//!
//! [`KepReport`] is plain data. The runner computes it from the results of a run and decides which conclusions of the KEP
//! follow. [`text`], [`markdown`] and [`html`] render the report, and [`csv`] the rows of the sheet; JSON is written by serde.

pub(crate) mod layout;
pub(crate) mod model;
#[cfg(test)]
mod tests;

pub use self::layout::{csv, html, markdown, text};
pub use self::model::{
    AxisCondition, CitedRow, Conclusion, ConclusionFinding, ConclusionStatus, KepReport, PolicyComparison,
    PolicyCounts, PolicyDifference, PolicyTable, RowTypes, SHEET_DIMENSIONS, SheetRow, TypeComparison,
    TypeDependence, TypeDifference, UnionKind,
};
