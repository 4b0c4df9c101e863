//! Judging results by the known deviations of a target.

use skewer_cases::yaml::{Diagnostics, FileErrors};
use skewer_results::{Cell, Deviation, Reason, Status};

use super::known_deviation::{is_excusable, matches_cell_id};
use super::{Deviations, UNEXPLAINED};

/// A judge that applies a deviation file to results, and then checks the file for entries that excused no cell.
#[derive(Clone, Debug)]
pub struct DeviationJudge<'d> {
    deviations: &'d Deviations,
    /// How each entry was used, in the order of the file.
    entry_uses: Vec<EntryUse>,
}

#[derive(Clone, Debug, Default)]
struct EntryUse {
    has_excused: bool,
    /// Whether a covered cell fails the run, because it passed unexpectedly or failed in another way.
    has_failing_cell: bool,
    /// Whether a covered cell was not run because the target was given up.
    has_cell_not_run: bool,
}

impl<'d> DeviationJudge<'d> {
    /// Creates a judge without results.
    #[must_use]
    pub fn new(deviations: &'d Deviations) -> Self {
        DeviationJudge { deviations, entry_uses: vec![EntryUse::default(); deviations.entries.len()] }
    }

    /// Judges a result: a failure that an entry explains becomes a deviation, and a pass that contradicts an entry
    /// becomes an unexpected pass.
    #[must_use]
    pub fn judge(&mut self, mut cell: Cell) -> Cell {
        let entries = self.deviations.entries.iter().zip(&mut self.entry_uses);
        let mut covering: Vec<_> = entries.filter(|(entry, _)| entry.covers_cell(&cell.id)).collect();
        if is_excusable(cell.status) {
            if let Some((entry, entry_use)) =
                covering.iter_mut().find(|(entry, _)| entry.explains_failure(&cell))
            {
                entry_use.has_excused = true;
                cell.status = Status::Deviation;
                cell.deviation =
                    Some(Deviation { reason: entry.because.value.clone(), link: entry.link.clone() });
            } else if let Some((entry, _)) = covering.first() {
                cell.reasons.push(Reason::OtherDeviation {
                    known: entry.found.to_string().into(),
                    differences: cell
                        .actual
                        .as_ref()
                        .map(|answer| answer.differences.clone())
                        .unwrap_or_default(),
                    not_refused: cell.missing_error().map(str::to_owned),
                });
            }
        }
        let must_fail = covering.iter().find(|(entry, _)| !entry.sometimes);
        if let Some((entry, _)) = must_fail.filter(|_| cell.status == Status::Pass) {
            cell.status = Status::UnexpectedPass;
            cell.reasons = vec![Reason::ListedAsFailure {
                file: self.deviations.document().name().to_owned(),
                known: entry.found.to_string().into(),
            }];
        }
        for (_, entry_use) in covering {
            entry_use.has_failing_cell |= cell.status.is_failure();
            entry_use.has_cell_not_run |= cell.status == Status::NotRun;
        }
        cell
    }

    /// Returns the errors of the file after all results were judged. `cells` has the id of every cell of the corpus,
    /// and true if the cell was run.
    #[must_use]
    pub fn finish(self, cells: &[(String, bool)]) -> Option<FileErrors> {
        let diagnostics = Diagnostics::new();
        for (entry, entry_use) in self.deviations.entries.iter().zip(&self.entry_uses) {
            let mut all_were_run = !entry_use.has_cell_not_run;
            for pattern in &entry.cells.0 {
                let mut matched = cells.iter().filter(|(id, _)| matches_cell_id(pattern, id)).peekable();
                if matched.peek().is_none() {
                    diagnostics
                        .error(pattern.span, format!("no cell matches `{}`", **pattern))
                        .help("the case may have been renamed or removed");
                }
                all_were_run &= matched.all(|(_, was_run)| *was_run);
            }
            if all_were_run && !entry_use.has_excused && !entry_use.has_failing_cell && !entry.sometimes {
                diagnostics
                    .error(entry.found.span, "the entry excuses no cell: no cell that it covers failed")
                    .help("remove the entry, or run `skewer deviations --fix`");
            }
            if entry.because.value == UNEXPLAINED {
                diagnostics
                    .error(entry.because.span, "the deviation is unexplained: replace this by the reason");
            }
        }
        if diagnostics.is_empty() {
            return None;
        }
        Some(self.deviations.document().errors(diagnostics))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_results::{Answer, AnswerError};

    use super::*;

    fn deviations(entries: &str) -> Deviations {
        let text = format!("target: t\ndeviations:\n{entries}");
        Deviations::read("t.yaml", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"))
    }

    fn cell(id: &str, status: Status) -> Cell {
        let actual = Some(Answer::of_error(AnswerError::of_kind("conflict")));
        Cell { actual, ..Cell::new(id, "s", "c", status) }
    }

    /// Judges cells `(id, status)`. Returns their new statuses, and the errors of the file.
    fn judge_all(entries: &str, cells: &[(&str, Status)], not_run: &[&str]) -> (Vec<Status>, String) {
        let deviations = deviations(entries);
        let mut judge = DeviationJudge::new(&deviations);
        let mut statuses = Vec::new();
        let mut all: Vec<(String, bool)> = not_run.iter().map(|id| ((*id).to_owned(), false)).collect();
        for (id, status) in cells {
            let cell = judge.judge(cell(id, *status));
            statuses.push(cell.status);
            all.push(((*id).to_owned(), true));
        }
        (statuses, judge.finish(&all).map(|errors| errors.to_string()).unwrap_or_default())
    }

    const ENTRY: &str = "  - {cells: 's/a[*]', found: {error: conflict}, because: b}\n";

    #[rstest]
    #[case::a_failure_is_excused(Status::Fail, Status::Deviation)]
    #[case::a_crash_is_excused(Status::Crash, Status::Deviation)]
    #[case::a_pass_is_unexpected(Status::Pass, Status::UnexpectedPass)]
    #[case::a_mistake_of_the_case_is_not_excused(Status::Error, Status::Error)]
    #[case::unsupported_is_unchanged(Status::Unsupported, Status::Unsupported)]
    #[case::not_asked_is_unchanged(Status::NotAsked, Status::NotAsked)]
    fn the_status_of_a_covered_cell_changes(#[case] before: Status, #[case] after: Status) {
        let (statuses, _) = judge_all(ENTRY, &[("s/a[x=1]", before), ("s/b[x=1]", before)], &[]);
        assert_eq!(statuses, [after, before]);
    }

    #[test]
    fn a_failure_other_than_the_known_one_is_not_excused() {
        let (statuses, _) = judge_all(
            "  - {cells: s/a, found: {error: wrong-kind}, because: b}\n",
            &[("s/a", Status::Fail)],
            &[],
        );
        assert_eq!(statuses, [Status::Fail]);
    }

    #[test]
    fn a_passing_cell_of_a_pattern_is_an_unexpected_pass() {
        let (statuses, _) = judge_all(ENTRY, &[("s/a[x=1]", Status::Fail), ("s/a[x=2]", Status::Pass)], &[]);
        assert_eq!(statuses, [Status::Deviation, Status::UnexpectedPass]);
    }

    #[test]
    fn a_cell_marked_as_sometimes_failing_can_pass() {
        let entry = "  - {cells: s/a, found: {error: conflict}, because: b, sometimes: true}\n";
        for (before, after) in [(Status::Pass, Status::Pass), (Status::Fail, Status::Deviation)] {
            assert_eq!(judge_all(entry, &[("s/a", before)], &[]), (vec![after], String::new()));
        }
    }

    #[rstest]
    #[case::used(&[("s/a[x=1]", Status::Fail)], &[], "")]
    #[case::no_cell_matches(&[("s/b", Status::Fail)], &[], "t.yaml:3:13: no cell matches `s/a[*]`")]
    #[case::no_cell_was_excused(&[("s/a[x=1]", Status::Unsupported)], &[], "t.yaml:3:30: the entry excuses no cell")]
    #[case::no_cell_was_asked(&[("s/a[x=1]", Status::NotAsked)], &[], "t.yaml:3:30: the entry excuses no cell")]
    #[case::no_error_if_the_target_was_given_up(&[("s/a[x=1]", Status::NotRun)], &[], "")]
    #[case::no_error_after_a_partial_run(&[("s/a[x=1]", Status::Unsupported)], &["s/a[x=2]"], "")]
    fn an_entry_must_excuse_a_cell(
        #[case] cells: &[(&str, Status)],
        #[case] not_run: &[&str],
        #[case] expected: &str,
    ) {
        let (_, errors) = judge_all(ENTRY, cells, not_run);
        assert!(errors.starts_with(expected) && errors.is_empty() == expected.is_empty(), "{errors}");
    }

    #[test]
    fn a_pattern_without_a_star_matches_whole_ids() {
        let (statuses, _) = judge_all(
            "  - {cells: s/a, found: {error: conflict}, because: b}\n",
            &[("s/a", Status::Fail), ("s/ab", Status::Fail)],
            &[],
        );
        assert_eq!(statuses, [Status::Deviation, Status::Fail]);
    }

    #[test]
    fn an_unexplained_entry_is_an_error() {
        let entry = "  - {cells: s/a, found: {error: conflict}, because: unexplained}\n";
        assert!(judge_all(entry, &[("s/a", Status::Fail)], &[]).1.contains("the deviation is unexplained"));
    }
}
