//! The report on the laws of patch evolution: its model and its formats.
//!
//! [`Report`] is plain data. The runner checks the laws and compares the verdicts with the recorded ones.
//! [`text`], [`markdown`] and [`html`] render the report; JSON is written by serde.

mod markdown;
mod model;
#[cfg(test)]
mod tests;
mod text;

pub use self::markdown::markdown;
pub use self::model::{
    BenefitSearchText, ChangeRow, LawText, RecordComparison, RenderedExample, Report, ReportSubject,
    SearchedGroup, SituationCounts, VerdictKind, VerdictSummary, ViolationKind,
};
pub use self::text::text;
pub use crate::html::laws_page as html;
