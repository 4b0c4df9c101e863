//! The comparison of two runs: its model and its JSON.
//!
//! [`Comparison`] is plain data. The runner compares the runs, and decides which cells are better or worse and whether
//! the new run is worse. The renderers are in [`terminal`](crate::terminal), [`markdown`](crate::markdown) and
//! [`html`](crate::html); [`write_json`] is for programs.

mod json;
mod model;
mod regression;
mod suite_changes;
#[cfg(test)]
mod tests;

pub use json::{schema, write_json};
pub use model::{Caveat, Change, Comparison, Trend};
pub use regression::Regression;
pub use suite_changes::{AxisChanges, SuiteChanges};
