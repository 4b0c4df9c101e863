//! The change of one cell between two runs.

use skewer_results::model::Cell;

use crate::diff;

/// The two results of a cell that is in both runs, which can be equal.
#[derive(Clone, Debug)]
pub struct CellChange<'a> {
    /// The cell in the old run.
    pub old: &'a Cell,
    /// The cell in the new run.
    pub new: &'a Cell,
    /// Whether the new result is better or worse than the old one.
    pub trend: Trend,
    /// Names of the fields of [`Cell`] in which the two results differ.
    pub differing_fields: Vec<&'static str>,
}

/// The relation of a new result to an old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trend {
    /// The new result is better.
    Better,
    /// Neither result is better.
    Neutral,
    /// The new result is worse.
    Worse,
}

impl CellChange<'_> {
    /// Returns the unified diff from the old actual document to the new one. If a run has no actual document, which is
    /// usual for a cell that passes, returns the diff from the expected to the actual document of the new run.
    #[must_use]
    pub fn diff(&self) -> Option<String> {
        let documents = self.old.actual_document.as_ref().zip(self.new.actual_document.as_ref());
        let Some((old, new)) = documents else { return diff::of_cell(self.new) };
        Some(diff::unified(
            diff::NamedText { name: "old", text: old },
            diff::NamedText { name: "new", text: new },
        ))
        .filter(|diff| !diff.is_empty())
    }
}
