//! Results as text for a terminal: a summary by suite, then the failures, grouped by kind. A failure is shown with a
//! diff and a command that runs the cell again.
//!
//! Without colour the text is plain, and equal results have equal text. Tables fit the width of the terminal. A table
//! that is too wide is shown with fewer columns or as a list, and no text is cut off. Control characters from a target
//! or a case are shown as escapes, so that they cannot control the terminal.

mod comparison;
mod counts;
mod failure;
mod pivot;
mod result_groups;
mod summary;
#[cfg(test)]
mod tests;
mod tone;

pub use comparison::comparison;
pub use counts::counts;
pub use failure::failure;
pub use pivot::pivot;
pub use result_groups::{CellNoun, report, result_groups};
pub use summary::{short_summary, summary};

pub use crate::style::Style;
