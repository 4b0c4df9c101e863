//! The comparison of two runs: its model and its JSON.
//!
//! [`Comparison`] is plain data. The runner compares the runs, and decides which cells are better or worse and whether
//! the new run is worse. The renderers are in [`terminal`](crate::terminal), [`markdown`](crate::markdown) and
//! [`html`](crate::html); [`write_json`] is for programs.

pub(crate) mod cell_change;
pub(crate) mod json;
pub(crate) mod model;
pub(crate) mod regression;
pub(crate) mod suite_changes;
#[cfg(test)]
mod tests;

pub use cell_change::{CellChange, Trend};
pub use json::{schema, write_json};
pub use model::{Caveat, Comparison};
pub use regression::Regression;
pub use suite_changes::{AxisChanges, SuiteChanges};
