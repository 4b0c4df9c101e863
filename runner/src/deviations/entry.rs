use serde::Deserialize;
use skewer_cases::format::OneOrMore;
use skewer_cases::yaml::Spanned;
use skewer_reports::{Cell, Status};

use crate::execute::pattern_matches;

/// One known deviation.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    /// Patterns of cell ids.
    pub cells: OneOrMore,
    /// A part of what the target does.
    pub found: Spanned<String>,
    /// Why it does.
    pub because: Spanned<String>,
    /// Where that is discussed.
    #[serde(default)]
    pub link: Option<String>,
    /// Its answer changes from run to run.
    #[serde(default)]
    pub sometimes: bool,
}

impl Entry {
    /// Does it speak of a cell?
    #[must_use]
    pub fn names(&self, id: &str) -> bool {
        self.cells.0.iter().any(|pattern| names(pattern, id))
    }

    /// Is this what the target was known to do?
    #[must_use]
    pub fn explains(&self, cell: &Cell) -> bool {
        happened(cell).contains(self.found.as_str())
    }
}

/// Does a pattern name a cell? Without `*` it is a whole id: an entry should not come to speak of cells that are
/// added later.
pub(super) fn names(pattern: &str, id: &str) -> bool {
    if pattern.contains('*') { pattern_matches(pattern, id) } else { pattern == id }
}

/// May a deviation excuse this status? A mistake in the case is nobody's deviation.
pub(super) fn is_excusable(status: Status) -> bool {
    matches!(status, Status::Fail | Status::Crash | Status::Timeout)
}

/// What the target did, as text to look in.
fn happened(cell: &Cell) -> String {
    let parts = [cell.actual.as_deref(), cell.message.as_deref(), cell.actual_document.as_deref()];
    let parts: Vec<&str> = std::iter::once(cell.status.as_str()).chain(parts.into_iter().flatten()).collect();
    parts.join("\n")
}
