//! The state of a run, or of a group of cells.

use skewer_results::vocabulary::Status;

use super::counts::Counts;
use super::run_problem::RunProblem;

/// The state of a run, or of a group of cells.
///
/// The state follows from the statuses of the cells, which the runner decides, and from the recorded problems of the
/// run. Every report and the exit code use this type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OverallState {
    /// Cells were run, and nothing makes the run fail.
    Green,
    /// Cells were run and none fails. But the run ended early, or it has a suite of which no cell was run.
    Incomplete,
    /// No cell was run: there are no cells, or the target supports no cell that it was asked to run.
    NotRun,
    /// A cell makes the run fail, or the run has a problem that belongs to no cell.
    Red,
}

impl OverallState {
    /// All states, from good to bad.
    pub const ALL: [Self; 4] = [Self::Green, Self::Incomplete, Self::NotRun, Self::Red];

    /// Returns the word for the state in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            OverallState::Green => "ok",
            OverallState::Incomplete => "incomplete",
            OverallState::NotRun => "not run",
            OverallState::Red => "FAILED",
        }
    }

    /// Determines the state of a run or of a group of cells. Only a run can have problems.
    pub(super) fn of(counts: &Counts, problems: &[RunProblem<'_>]) -> Self {
        if counts.failures() > 0 || problems.iter().any(RunProblem::is_failure) {
            OverallState::Red
        } else if counts.run() == 0 {
            OverallState::NotRun
        } else if counts.status(Status::NotRun) > 0 || !problems.is_empty() {
            OverallState::Incomplete
        } else {
            OverallState::Green
        }
    }
}

impl Counts {
    /// Returns the state of these cells. The state of a run is that of its [summary](super::Summary::state).
    #[must_use]
    pub fn state(&self) -> OverallState {
        OverallState::of(self, &[])
    }
}
