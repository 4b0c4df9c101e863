//! Results that several tests use.

use crate::model::{Problem, Results};
use crate::vocabulary::ProblemKind;

/// Returns a run that contains everything that a report can show.
pub(crate) fn sample_results() -> Results {
    crate::json::parse(include_bytes!("../tests/sample.json")).unwrap()
}

/// Returns a problem of a run that belongs to no cell.
pub(crate) fn problem(message: &str) -> Problem {
    Problem { kind: ProblemKind::Deviations, message: message.to_owned(), suite: None }
}
