//! Results as text for a terminal: a summary by suite, then what failed, each with a diff and a line to paste.
//!
//! Without colour the text is plain and the same for the same results. Given a width, tables keep within it:
//! first they are split, then they become lists; nothing is cut off. Control characters that come from a target
//! or a case are shown as escapes, so that they can't steer the terminal.

mod comparison;
mod failure;
mod pivot;
mod report;
mod style;
mod summary;
#[cfg(test)]
mod tests;

pub use comparison::comparison;
pub use failure::{failure, failures, failures_left_out};
pub use pivot::pivot;
pub use report::report;
pub use style::Style;
pub use summary::summary;
