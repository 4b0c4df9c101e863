//! The report on semantic mutants: whether the cells of the corpus notice a changed engine.
//!
//! [`MutantsReport`] is plain data. The runner tries the mutants and decides the verdicts. [`text`] and [`markdown`]
//! render the report; JSON is written by serde.

mod layout;
pub(crate) mod model;
#[cfg(test)]
mod tests;
mod text;

pub use self::layout::{markdown, summary_table};
pub use self::model::{FamilySummary, Ideals, MutantRow, MutantsReport, NoticedRow, Verdict};
pub use self::text::text;
