//! The report on semantic mutants: whether the cells of the corpus notice a changed engine.
//!
//! [`Report`] is plain data. The runner tries the mutants and decides the verdicts. [`text`] and [`markdown`] render the
//! report; JSON is written by serde.

mod markdown;
mod model;
#[cfg(test)]
mod tests;
mod text;

pub use self::markdown::{markdown, summary_table};
pub use self::model::{FamilySummary, Ideals, KepRow, MutantRow, Report, Verdict};
pub use self::text::text;
