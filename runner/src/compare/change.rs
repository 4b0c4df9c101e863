//! The comparison of two results of one cell.

use skewer_reports::compare::{CellChange, Trend};
use skewer_reports::{Cell, Status};

use super::severity::Severity;

/// Compares two results of a cell.
///
/// A cell that was run and is not run any more is worse, whatever its result was, because its behaviour is not checked
/// any more. If the runs are of different targets, a cell is not worse only because one target does not support it or
/// was not asked.
pub(super) fn change<'a>(old: &'a Cell, new: &'a Cell, is_across_targets: bool) -> CellChange<'a> {
    let is_unanswered = |cell: &Cell| matches!(cell.status, Status::Unsupported | Status::NotAsked);
    let trend = match (Severity::of(old), Severity::of(new)) {
        _ if is_across_targets && (is_unanswered(old) || is_unanswered(new)) => Trend::Neutral,
        _ if old.status.was_run() && !new.status.was_run() => Trend::Worse,
        (Some(old), Some(new)) => new.compared_with(old),
        _ => Trend::Neutral,
    };
    CellChange { old, new, trend, differing_fields: differing_fields(old, new, is_across_targets) }
}

/// Returns the names of the fields in which the two results differ.
fn differing_fields(old: &Cell, new: &Cell, is_across_targets: bool) -> Vec<&'static str> {
    let actual = |cell| actual_text(cell, is_across_targets);
    let fields = [
        ("status", old.status != new.status),
        ("outcome", old.outcome != new.outcome || old.covers != new.covers),
        ("level", old.level != new.level),
        ("expected", old.expected != new.expected),
        ("actual", actual(old) != actual(new)),
        ("expected_document", old.expected_document != new.expected_document),
        ("actual_document", old.actual_document != new.actual_document),
        ("paths", old.paths != new.paths),
    ];
    fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

/// Returns the result in words. If the runs are of different targets, the message of a refusal is left out, because
/// each implementation has its own messages. Only the error kind is compared then.
fn actual_text(cell: &Cell, is_across_targets: bool) -> Option<&str> {
    let text = cell.actual.as_deref()?;
    let is_kind_only = is_across_targets && text.contains(REFUSAL_PREFIX);
    Some(text.split_once(" (").filter(|_| is_kind_only).map_or(text, |(kind, _)| kind))
}

/// Beginning of the words for a refusal: `refused: conflict (message)`.
const REFUSAL_PREFIX: &str = "refused: ";
