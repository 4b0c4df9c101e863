//! One entry of a deviation file.

use serde::Deserialize;
use skewer_cases::format::OneOrMore;
use skewer_cases::yaml::Spanned;
use skewer_results::{Cell, Status};

use super::known_failure::KnownFailures;
use crate::execute::pattern_matches;

/// One known deviation.
#[derive(Clone, Debug, Deserialize)]
pub struct KnownDeviation {
    /// Patterns of cell ids.
    pub cells: OneOrMore,
    /// The failures.
    pub found: Spanned<KnownFailures>,
    /// The reason for the deviation.
    pub because: Spanned<String>,
    /// A link to a discussion.
    #[serde(default)]
    pub link: Option<String>,
    /// Whether the answer changes from run to run.
    #[serde(default)]
    pub sometimes: bool,
}

impl KnownDeviation {
    /// Returns true if a pattern of the entry matches the id of a cell.
    #[must_use]
    pub fn covers_cell(&self, id: &str) -> bool {
        self.cells.0.iter().any(|pattern| matches_cell_id(pattern, id))
    }

    /// Returns true if the failure of a cell is the known one.
    #[must_use]
    pub fn explains_failure(&self, cell: &Cell) -> bool {
        self.found.is_of(cell)
    }
}

/// Returns true if a pattern matches the id of a cell. A pattern without `*` must be the whole id, so that an entry
/// does not match cells that are added later.
pub(super) fn matches_cell_id(pattern: &str, id: &str) -> bool {
    if pattern.contains('*') { pattern_matches(pattern, id) } else { pattern == id }
}

/// Returns true if a deviation can excuse a status. A mistake in the case (`Status::Error`) cannot be excused.
pub(super) fn is_excusable(status: Status) -> bool {
    matches!(status, Status::Fail | Status::Crash | Status::Timeout)
}
