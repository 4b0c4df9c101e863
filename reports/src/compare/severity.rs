//! The order of results from good to bad.

use std::cmp::Ordering;

use crate::model::Cell;
use crate::vocabulary::{Outcome, Status};

/// The severity of a cell's result: by status, then by outcome, a loud one before a silent one.
///
/// An unexpected pass is as good as a pass: the target does what it should, and the file that says otherwise is
/// the run's business. A cell that was skipped or not asked has no severity, since nothing is known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Severity {
    status: u8,
    outcome: Option<(u8, u8)>,
}

/// Whether a new result is better or worse than an old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trend {
    /// Less bad.
    Better,
    /// Neither better nor worse.
    Neutral,
    /// Worse.
    Worse,
}

impl Severity {
    /// The severity of a cell, unless nothing is known about it.
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
        Some(Severity { status, outcome })
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

/// Loud before silent: a refusal is seen and can be acted on.
fn outcome_rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Intended | Outcome::Match => 0,
        Outcome::AsBefore => 1,
        Outcome::Refused => 2,
        Outcome::Mismatch => 3,
        Outcome::Ignored => 4,
        Outcome::Leftover => 5,
        Outcome::Lost => 6,
        Outcome::Diverged => 7,
    }
}
