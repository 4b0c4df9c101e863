//! The report on the laws of patch evolution: its model and its formats.
//!
//! [`LawsReport`] is plain data. The runner checks the laws and compares the verdicts with the recorded ones.
//! [`text`], [`markdown`] and [`html`] render the report; JSON is written by serde.

mod layout;
mod model;
#[cfg(test)]
mod tests;
mod text;

pub use self::layout::{html, markdown};
pub use self::model::{
    BenefitSearchText, ChangeRow, LawText, LawsReport, RecordComparison, RenderedExample, ReportSubject,
    SearchedGroup, SituationCounts, VerdictKind, VerdictSummary, ViolationKind,
};
pub use self::text::text;
