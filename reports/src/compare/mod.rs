//! Two runs, cell by cell: what got worse, what got better, what changed otherwise.
//!
//! [`Severity`] defines which of two results is worse. A cell whose id changed is recognised by what its case says.

mod change;
mod comparison;
mod json;
mod regression;
mod renamed_cells;
mod severity;
mod suite_changes;
#[cfg(test)]
mod tests;

pub use change::Change;
pub use comparison::{Caveat, Comparison};
pub use json::{schema, write_json};
pub use regression::Regression;
pub use severity::{Severity, Trend};
pub use suite_changes::{AxisChanges, SuiteChanges};
