//! Numbers of cells by status and outcome.

use super::overall_state::OverallState;
use crate::model::Cell;
use crate::vocabulary::{Outcome, Status};

/// Numbers of cells by status and outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    cells: usize,
    statuses: [usize; Status::ALL.len()],
    outcomes: [usize; Outcome::ALL.len()],
    silent: usize,
}

impl Counts {
    /// Counts one more cell.
    pub fn add(&mut self, cell: &Cell) {
        self.cells += 1;
        self.statuses[cell.status.index()] += 1;
        if let Some(outcome) = cell.outcome {
            self.outcomes[outcome.index()] += 1;
        }
        self.silent += usize::from(cell.is_silent());
    }

    /// All cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Cells with this status.
    #[must_use]
    pub fn status(&self, status: Status) -> usize {
        self.statuses[status.index()]
    }

    /// Cells with this outcome.
    #[must_use]
    pub fn outcome(&self, outcome: Outcome) -> usize {
        self.outcomes[outcome.index()]
    }

    /// Cells in which the request was accepted and quietly did something other than what was meant, those that
    /// a compatibility promise allows among them. Whatever their status: an expected silent loss is a silent
    /// loss.
    #[must_use]
    pub fn silent(&self) -> usize {
        self.silent
    }

    /// Cells that make the run fail.
    #[must_use]
    pub fn failures(&self) -> usize {
        self.count_statuses(Status::is_failure)
    }

    /// Cells that the target ran.
    #[must_use]
    pub fn run(&self) -> usize {
        self.count_statuses(Status::was_run)
    }

    /// Cells that were not run, each for a reason.
    #[must_use]
    pub fn not_run(&self) -> usize {
        self.cells - self.run()
    }

    /// The state of these cells. The state of a run is that of its [summary](super::Summary::state).
    #[must_use]
    pub fn state(&self) -> OverallState {
        if self.failures() > 0 {
            OverallState::Red
        } else if self.run() == 0 {
            OverallState::NotRun
        } else if self.status(Status::NotRun) > 0 {
            OverallState::Incomplete
        } else {
            OverallState::Green
        }
    }

    fn count_statuses(&self, is_counted: impl Fn(Status) -> bool) -> usize {
        Status::ALL.iter().filter(|status| is_counted(**status)).map(|status| self.status(*status)).sum()
    }
}

impl<'a> FromIterator<&'a Cell> for Counts {
    fn from_iter<I: IntoIterator<Item = &'a Cell>>(cells: I) -> Self {
        let mut counts = Counts::default();
        for cell in cells {
            counts.add(cell);
        }
        counts
    }
}
