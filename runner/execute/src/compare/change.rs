//! The comparison of two results of one cell.

use skewer_reports::compare::{CellChange, Trend};
use skewer_results::{Answer, Cell, Status};

use super::severity::ResultSeverity;

/// Compares two results of a cell.
///
/// A cell that was run and is not run any more is worse, whatever its result was, because its behaviour is not checked
/// any more. If the runs are of different targets, a cell is not worse only because one target does not support it or
/// was not asked.
pub(super) fn change<'a>(old: &'a Cell, new: &'a Cell, is_across_targets: bool) -> CellChange<'a> {
    let is_unanswered = |cell: &Cell| matches!(cell.status, Status::Unsupported | Status::NotAsked);
    let trend = match (ResultSeverity::of(old), ResultSeverity::of(new)) {
        _ if is_across_targets && (is_unanswered(old) || is_unanswered(new)) => Trend::Neutral,
        _ if old.status.was_run() && !new.status.was_run() => Trend::Worse,
        (Some(old), Some(new)) => new.compared_with(old),
        _ => Trend::Neutral,
    };
    CellChange { old, new, trend, differing_fields: differing_fields(old, new, is_across_targets) }
}

/// Returns the names of the fields in which the two results differ.
fn differing_fields(old: &Cell, new: &Cell, is_across_targets: bool) -> Vec<&'static str> {
    let fields = [
        ("status", old.status != new.status),
        ("outcome", old.outcome != new.outcome || old.covers != new.covers),
        ("level", old.level != new.level),
        ("expected", old.reference != new.reference || !is_same(&old.expected, &new.expected)),
        ("actual", old.reference != new.reference || !is_same_actual(old, new, is_across_targets)),
        ("expected_document", old.expected_document != new.expected_document),
        ("actual_document", old.actual_document != new.actual_document),
        ("paths", old.paths != new.paths),
    ];
    fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

/// Returns true if the actual answers are the same. If the runs are of different targets, only the kinds of errors are
/// compared, because some implementations name no path.
fn is_same_actual(old: &Cell, new: &Cell, is_across_targets: bool) -> bool {
    let actual = |cell: &Cell| {
        let answer = cell.actual.clone();
        if is_across_targets { answer.map(Answer::without_details) } else { answer }
    };
    is_same(actual(old).as_slice(), actual(new).as_slice())
}

fn is_same(old: &[Answer], new: &[Answer]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.is_same(new))
}
