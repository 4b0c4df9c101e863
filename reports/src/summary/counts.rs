//! The numbers of cells by status and outcome.

use skewer_results::model::Cell;
use skewer_results::vocabulary::{Outcome, Status};

/// The numbers of cells by status and outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    cells: usize,
    statuses: [usize; Status::ALL.len()],
    outcomes: [usize; Outcome::ALL.len()],
    silent: usize,
}

impl Counts {
    /// Counts a cell.
    pub fn add(&mut self, cell: &Cell) {
        self.cells += 1;
        self.statuses[cell.status.index()] += 1;
        if let Some(outcome) = cell.outcome {
            self.outcomes[outcome.index()] += 1;
        }
        self.silent += usize::from(cell.is_silent());
    }

    /// Returns the number of all cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Returns the number of cells with a status.
    #[must_use]
    pub fn status(&self, status: Status) -> usize {
        self.statuses[status.index()]
    }

    /// Returns the number of cells with an outcome.
    #[must_use]
    pub fn outcome(&self, outcome: Outcome) -> usize {
        self.outcomes[outcome.index()]
    }

    /// Returns the number of cells with a [silent](Cell::is_silent) outcome, whatever their status. A silent outcome
    /// counts even if the case expects it or a compatibility promise permits it.
    #[must_use]
    pub fn silent(&self) -> usize {
        self.silent
    }

    /// Returns the number of cells that make the run fail.
    #[must_use]
    pub fn failures(&self) -> usize {
        self.count_statuses(Status::is_failure)
    }

    /// Returns the number of cells that the target ran.
    #[must_use]
    pub fn run(&self) -> usize {
        self.count_statuses(Status::was_run)
    }

    /// Returns the number of cells that were not run, for any reason.
    #[must_use]
    pub fn not_run(&self) -> usize {
        self.cells - self.run()
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
