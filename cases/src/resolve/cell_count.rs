//! The count of the cells of all suites that are loaded together.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::matrix::MAX_CELLS;

/// Maximum number of cases that the error about too many cells names.
const MAX_NAMED_CASES: usize = 5;

/// The number of cells counted so far, and the largest cases. Suites are loaded in parallel and share one count.
#[derive(Default)]
pub(crate) struct CellCount {
    state: Mutex<TooManyCells>,
}

impl CellCount {
    /// Adds the cells of a case. `name` returns the source position and the name of the case. Once the limit is
    /// exceeded, the cells are no longer checked one by one.
    pub(super) fn add(&self, size: usize, name: impl FnOnce() -> String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.total = state.total.saturating_add(size);
        let is_big = state.biggest.last().is_none_or(|(_, smallest)| size > *smallest);
        if is_big || state.biggest.len() < MAX_NAMED_CASES {
            state.biggest.push((name(), size));
            // The sort is stable: of cases with the same number of cells, the first ones are named.
            state.biggest.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
            state.biggest.truncate(MAX_NAMED_CASES);
        }
    }

    /// Returns true if there are more cells than the limit allows.
    pub(super) fn is_exceeded(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).total > MAX_CELLS
    }

    /// Returns the count if there are more cells than the limit allows.
    pub(crate) fn into_excess(self) -> Option<TooManyCells> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        (state.total > MAX_CELLS).then_some(state)
    }
}

/// The numbers of cells of a corpus that has more cells than can be run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TooManyCells {
    /// The total number of cells, including excluded points.
    pub total: usize,
    /// The largest cases in descending order. The text contains the source position and the name of the case, and the
    /// number is that of its cells.
    pub biggest: Vec<(String, usize)>,
}

impl fmt::Display for TooManyCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the corpus has {} cells, but at most {MAX_CELLS} can be run", self.total)?;
        writeln!(f, "the largest cases:")?;
        for (case, size) in &self.biggest {
            writeln!(f, "  {case}: {size} cells")?;
        }
        f.write_str("help: remove axes or values from these cases, or load fewer suites at a time (--corpus)")
    }
}
