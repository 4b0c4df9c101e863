//! The report on the design documents: for each of their sentences, whether the cells that decide it confirm it.
//!
//! [`DocumentsReport`] is plain data. `skewer-lab` computes the verdicts. [`text`] and [`markdown`] render the report; JSON
//! is written by serde.

mod layout;
mod model;
#[cfg(test)]
mod tests;

pub use self::layout::{markdown, text};
pub use self::model::{DocumentVerdicts, DocumentsReport, SentenceRow, SentenceVerdict};
