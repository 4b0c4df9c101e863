//! The reasons, beside the cells that fail, for which a run is not green.

use std::fmt;

use crate::model::Problem;

/// A reason, beside the cells that fail, for which a run is not green.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunProblem<'a> {
    /// A problem that the results have on record.
    Recorded(&'a Problem),
    /// The run ended early.
    Partial {
        /// The number of cells with a result.
        cells: usize,
        /// The number of cells that were selected, where it is known.
        selected: Option<u64>,
    },
    /// The target was given up before these cells were run.
    GivenUp {
        /// The number of the cells.
        cells: usize,
    },
    /// No cell of some suites was run.
    SuitesNotRun {
        /// The names of the suites.
        suites: Vec<&'a str>,
        /// Whether these are all suites.
        is_all: bool,
    },
    /// The run has no cells.
    NoCells,
}

impl RunProblem<'_> {
    /// Whether the run fails because of it. Other problems make it incomplete.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(self, RunProblem::Recorded(_))
    }

    /// The kind of problem in a word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            RunProblem::Recorded(problem) => problem.kind.as_str(),
            RunProblem::Partial { .. } => "partial",
            RunProblem::GivenUp { .. } | RunProblem::SuitesNotRun { .. } | RunProblem::NoCells => "not-run",
        }
    }

    /// The problem on one line: for a problem on record, the first line of its message.
    #[must_use]
    pub fn line(&self) -> String {
        let text = self.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    }
}

/// Displays as a sentence; a problem on record as its whole message.
impl fmt::Display for RunProblem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunProblem::Recorded(problem) => f.write_str(problem.message.trim_end()),
            RunProblem::Partial { cells, selected } => {
                let of = selected.map(|selected| format!(" of {selected}")).unwrap_or_default();
                write!(f, "the run ended early, after {cells}{of} cells")
            }
            RunProblem::GivenUp { cells } => {
                write!(f, "the target was given up: {cells} cells were not run")
            }
            RunProblem::SuitesNotRun { suites, is_all: true } if suites.len() > 1 => {
                write!(f, "no cell was run of any of {} suites", suites.len())
            }
            RunProblem::SuitesNotRun { suites, .. } => {
                write!(f, "no cell was run of {}", suites.join(", "))
            }
            RunProblem::NoCells => f.write_str("no cell was run"),
        }
    }
}
