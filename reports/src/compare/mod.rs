//! Two runs, cell by cell: what got worse, what got better, what moved.
//!
//! The order of verdicts is defined once, by [`Badness`]. A cell whose id changed is found again by its content.

mod badness;
mod comparison;
mod format;
mod group;
mod json;
mod rename;
#[cfg(test)]
mod tests;

pub use badness::{Badness, Verdict};
pub use comparison::{Change, Comparison, Note};
pub use format::Format;
pub use group::{Group, Spread};
pub use json::schema;
