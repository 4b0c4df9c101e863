//! The state of some cells, or of a run, as a whole.

/// The state of some cells, or of a run, as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OverallState {
    /// Cells were run, and nothing makes the run fail.
    Green,
    /// Cells were run and none fails, but the run ended early, or no cell of a suite was run.
    Incomplete,
    /// No cell was run: the target was asked nothing that it supports, or there are no cells.
    NotRun,
    /// A cell makes the run fail, or the run has a problem that belongs to no cell.
    Red,
}

impl OverallState {
    /// All of them, from good to bad.
    pub const ALL: [Self; 4] = [Self::Green, Self::Incomplete, Self::NotRun, Self::Red];

    /// The state in a word or two.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            OverallState::Green => "ok",
            OverallState::Incomplete => "incomplete",
            OverallState::NotRun => "not run",
            OverallState::Red => "FAILED",
        }
    }
}
