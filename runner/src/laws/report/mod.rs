//! The report of the verdicts, as a model, and the formats that it is printed in: one file each.
//!
//! No format judges.

mod cells;
mod html;
mod markdown;
mod model;
mod text;

pub use self::cells::{SUITE, cells};
pub use self::html::html;
pub use self::markdown::markdown;
pub use self::model::{
    ChangeRow, ExampleSelection, RenderedExample, Report, SituationCounts, VerdictSummary,
};
pub use self::text::text;

#[cfg(test)]
mod tests;
