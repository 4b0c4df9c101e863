//! The count of the cells of all suites that are loaded together.

use std::sync::{Mutex, PoisonError};

use crate::case_files::TooManyCells;
use crate::matrix::MAX_CELLS;

/// Maximum number of cases that the error names.
const MAX_NAMED_CASES: usize = 5;

/// The number of cells so far, and the biggest cases. Suites are loaded at the same time, and share it.
#[derive(Default)]
pub(crate) struct CellCount {
    state: Mutex<TooManyCells>,
}

impl CellCount {
    /// Adds the cells of a case; `name` is its position and its name. Once there are too many, there is no use in looking
    /// at each of them.
    pub(super) fn add(&self, size: usize, name: impl FnOnce() -> String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.total = state.total.saturating_add(size);
        let is_big = state.biggest.last().is_none_or(|(_, smallest)| size > *smallest);
        if is_big || state.biggest.len() < MAX_NAMED_CASES {
            state.biggest.push((name(), size));
            // Stable: of cases with equally many cells the first ones are named.
            state.biggest.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
            state.biggest.truncate(MAX_NAMED_CASES);
        }
    }

    /// Returns true if there are more cells than can be run.
    pub(super) fn is_exceeded(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).total > MAX_CELLS
    }

    /// Returns the count if there are more cells than can be run.
    pub(crate) fn into_excess(self) -> Option<TooManyCells> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        (state.total > MAX_CELLS).then_some(state)
    }
}
