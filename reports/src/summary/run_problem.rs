//! The reasons other than failed cells why a run is not green.

use std::fmt;

use skewer_results::model::Problem;

/// A reason other than a failed cell why a run is not green.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunProblem<'a> {
    /// A problem that the results file contains.
    Recorded(&'a Problem),
    /// The run ended early.
    Partial {
        /// Number of cells with a result.
        cells: usize,
        /// Number of selected cells, if known.
        selected: Option<u64>,
    },
    /// The target was given up, so that cells were not run.
    GivenUp {
        /// Number of cells that were not run.
        cells: usize,
    },
    /// No cell of some suites was run.
    SuitesNotRun {
        /// Names of the suites.
        suites: Vec<&'a str>,
        /// Whether all suites of the run are among them.
        is_all: bool,
    },
    /// The run has no cells.
    NoCells,
}

impl RunProblem<'_> {
    /// Returns true if the run fails because of the problem. Other problems make the run incomplete.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(self, RunProblem::Recorded(_))
    }

    /// Returns the kind of problem in a word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            RunProblem::Recorded(problem) => problem.kind.as_str(),
            RunProblem::Partial { .. } => "partial",
            RunProblem::GivenUp { .. } | RunProblem::SuitesNotRun { .. } | RunProblem::NoCells => "not-run",
        }
    }

    /// Returns the problem on one line. For a recorded problem, this is the first line of the message.
    #[must_use]
    pub fn line(&self) -> String {
        let text = self.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    }
}

/// Maximum number of suites that a sentence lists. The table of suites has all of them.
const MAX_SUITES: usize = 6;

/// Displays as a sentence. A recorded problem is displayed as its whole message.
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
                let listed = suites[..suites.len().min(MAX_SUITES)].join(", ");
                write!(f, "no cell was run of {listed}")?;
                match suites.len().saturating_sub(MAX_SUITES) {
                    0 => Ok(()),
                    1 => f.write_str(" and 1 more suite"),
                    more => write!(f, " and {more} more suites"),
                }
            }
            RunProblem::NoCells => f.write_str("no cell was run"),
        }
    }
}
