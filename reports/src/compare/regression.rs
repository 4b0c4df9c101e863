//! The reasons why a new run is worse than an old one.

use std::fmt;

/// A reason why the new run is worse than the old one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Regression {
    /// Cells are worse.
    Cells {
        /// The number of cells that are worse.
        cells: usize,
    },
    /// The new run ended early.
    Partial {
        /// The number of cells of the new run.
        cells: usize,
        /// The number of cells that the new run selected, if known.
        selected: Option<u64>,
        /// The number of cells that only the old run has.
        gone: usize,
    },
    /// The new run selected other cells, and lacks cells of the old run.
    Selection {
        /// The selection of the old run.
        old: String,
        /// The selection of the new run.
        new: String,
        /// The number of cells that only the old run has.
        gone: usize,
    },
    /// The new run selected cells of the old run that are not in its results, and the user did not allow this.
    Gone {
        /// The number of cells that are gone.
        cells: usize,
        /// The suites of which no cell is left.
        suites: Vec<String>,
    },
    /// The new run has a problem that belongs to no cell.
    Problem {
        /// The first line of the message of the problem.
        message: String,
    },
}

impl Regression {
    /// Returns true if the reason is that cells are worse. Reports for people list these cells one by one.
    #[must_use]
    pub fn is_of_cells(&self) -> bool {
        matches!(self, Regression::Cells { .. })
    }

    /// Returns the reason in a few words.
    #[must_use]
    pub fn headline(&self) -> &'static str {
        match self {
            Regression::Cells { .. } => "cells got worse",
            Regression::Partial { .. } => "the new run ended early",
            Regression::Selection { .. } => "the new run selected fewer cells",
            Regression::Gone { .. } => "cells are gone",
            Regression::Problem { .. } => "the new run has a problem",
        }
    }
}

/// Maximum number of suites that a message names.
const MAX_SUITES_NAMED: usize = 10;

/// Displays as a sentence with the reason and, if there is one, the solution.
impl fmt::Display for Regression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Regression::Cells { cells: 1 } => f.write_str("1 cell does worse"),
            Regression::Cells { cells } => write!(f, "{cells} cells do worse"),
            Regression::Partial { cells, selected, gone } => {
                let of = selected.map(|selected| format!(" of {selected}")).unwrap_or_default();
                write!(
                    f,
                    "the new run ended early, after {cells}{of} cells, so that {gone} of the old run cannot be \
                     compared: let the new run finish"
                )
            }
            Regression::Selection { old, new, gone } => write!(
                f,
                "the old run selected {old} and the new one {new}, which leaves {gone} cells of the old run out: \
                 select the same for both"
            ),
            Regression::Gone { cells, suites } => {
                let noun = if *cells == 1 { "cell of the old run is" } else { "cells of the old run are" };
                write!(f, "{cells} {noun} gone")?;
                if !suites.is_empty() {
                    let named: Vec<&str> = suites.iter().take(MAX_SUITES_NAMED).map(String::as_str).collect();
                    write!(f, ", with all of {}", named.join(", "))?;
                    if suites.len() > named.len() {
                        write!(f, " and {} more suites", suites.len() - named.len())?;
                    }
                }
                let subject = if *cells == 1 { "it was" } else { "they were" };
                write!(f, "; if {subject} taken out on purpose, accept that with --allow-gone")
            }
            Regression::Problem { message } => write!(f, "the new run has a problem: {message}"),
        }
    }
}
