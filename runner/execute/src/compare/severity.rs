//! The order of results from good to bad.

use std::cmp::Ordering;

use skewer_reports::compare::Trend;
use skewer_results::{Cell, Outcome, Status};

/// The severity of a cell's result. It is ordered by status, then by outcome.
///
/// An unexpected pass is as good as a pass, because the target has the expected result. The stale entry of the
/// deviation file is a problem of the run. A cell that was skipped or not asked has no severity, because nothing is
/// known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResultSeverity {
    status: u8,
    outcome: Option<(u8, u8)>,
}

impl ResultSeverity {
    /// Returns the severity of a cell. Returns `None` if nothing is known about the cell.
    #[must_use]
    pub fn of(cell: &Cell) -> Option<Self> {
        let status = match cell.status {
            Status::Pass | Status::UnexpectedPass => 0,
            Status::Deviation => 1,
            Status::Unsupported => 2,
            Status::Fail => 3,
            Status::Error => 4,
            Status::Timeout => 5,
            Status::Crash => 6,
            Status::Skipped | Status::NotAsked | Status::NotRun => return None,
        };
        let outcome =
            cell.outcome.map(|outcome| (outcome_rank(outcome), cell.covers.map_or(0, outcome_rank)));
        Some(ResultSeverity { status, outcome })
    }

    /// Compares the new result of a cell, `self`, with the old one.
    #[must_use]
    pub fn compared_with(self, old: Self) -> Trend {
        let by_outcome = || match (self.outcome, old.outcome) {
            (Some(new), Some(old)) => new.cmp(&old),
            _ => Ordering::Equal,
        };
        match self.status.cmp(&old.status).then_with(by_outcome) {
            Ordering::Less => Trend::Better,
            Ordering::Equal => Trend::Neutral,
            Ordering::Greater => Trend::Worse,
        }
    }
}

/// Ranks an outcome from good to bad. A refusal is better than a silent outcome, because the user sees an error and can
/// act. A leaked directive is worst: the result has something that was never meant to be stored.
fn outcome_rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Intended | Outcome::Rejected | Outcome::Match => 0,
        Outcome::AsBefore => 1,
        Outcome::Refused => 2,
        Outcome::Mismatch => 3,
        Outcome::Ignored => 4,
        Outcome::Leftover => 5,
        Outcome::Lost => 6,
        Outcome::Diverged => 7,
        Outcome::WronglyAccepted => 8,
        Outcome::Leaked => 9,
    }
}
