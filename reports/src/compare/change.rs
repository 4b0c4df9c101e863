//! The difference between two results of one cell.

use super::severity::{Severity, Trend};
use crate::diff;
use crate::model::Cell;
use crate::vocabulary::Status;

/// One cell in both runs.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The cell in the old run.
    pub old: &'a Cell,
    /// The cell in the new run.
    pub new: &'a Cell,
    /// Whether the new run is better or worse.
    pub trend: Trend,
    /// Whether the runs are of different targets.
    across_targets: bool,
}

impl<'a> Change<'a> {
    /// Compares two results of a cell. A cell that was run and is not run any more does worse, whatever it did: it is
    /// verified no longer. Of two targets, one that does not support the cell, or is not asked, is not worse for that.
    pub(super) fn of(old: &'a Cell, new: &'a Cell, across_targets: bool) -> Self {
        let is_of_target = |cell: &Cell| matches!(cell.status, Status::Unsupported | Status::NotAsked);
        let trend = match (Severity::of(old), Severity::of(new)) {
            _ if across_targets && (is_of_target(old) || is_of_target(new)) => Trend::Neutral,
            _ if old.status.was_run() && !new.status.was_run() => Trend::Worse,
            (Some(old), Some(new)) => new.compared_with(old),
            _ => Trend::Neutral,
        };
        Change { old, new, trend, across_targets }
    }

    /// The unified diff from what came out in the old run to what came out in the new one. Where the old cell kept
    /// no document, most likely because it did well, what the new cell should have given stands for it.
    #[must_use]
    pub fn diff(&self) -> Option<String> {
        let Some((old, new)) = self.old.actual_document.as_ref().zip(self.new.actual_document.as_ref())
        else {
            return diff::of_cell(self.new);
        };
        Some(diff::unified(("old", old), ("new", new))).filter(|diff| !diff.is_empty())
    }

    /// The result in words. Every implementation has messages of its own: between two of them, a refusal is
    /// its kind.
    fn describe_actual(&self, cell: &'a Cell) -> Option<&'a str> {
        let words = cell.actual.as_deref()?;
        let is_refusal = self.across_targets && words.contains(REFUSAL_PREFIX);
        Some(words.split_once(" (").filter(|_| is_refusal).map_or(words, |(kind, _)| kind))
    }

    /// The names of the fields that differ, of those that say what the cell does.
    #[must_use]
    pub fn differing_fields(&self) -> Vec<&'static str> {
        let (old, new) = (self.old, self.new);
        let fields = [
            ("status", old.status != new.status),
            ("outcome", old.outcome != new.outcome || old.covers != new.covers),
            ("level", old.level != new.level),
            ("expected", old.expected != new.expected),
            ("actual", self.describe_actual(old) != self.describe_actual(new)),
            ("expected_document", old.expected_document != new.expected_document),
            ("actual_document", old.actual_document != new.actual_document),
            ("paths", old.paths != new.paths),
        ];
        fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
    }
}

/// The beginning of the words for a refusal: `refused: conflict (what was said)`.
const REFUSAL_PREFIX: &str = "refused: ";
