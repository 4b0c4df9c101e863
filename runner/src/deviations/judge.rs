//! The judging of results by a deviation file.

use skewer_cases::yaml::{Diagnostics, FileErrors};
use skewer_reports::{Cell, Deviation, Status};

use super::known_deviation::{is_excusable, matches_cell_id};
use super::{Deviations, UNEXPLAINED};

/// Judges results by a deviation file, one after the other, and then the file by the results.
#[derive(Clone, Debug)]
pub struct DeviationJudge<'d> {
    deviations: &'d Deviations,
    /// The use of each entry, in the order of the file.
    entry_uses: Vec<EntryUse>,
}

#[derive(Clone, Debug, Default)]
struct EntryUse {
    /// Whether it excused a failure.
    has_excused: bool,
    /// Whether a cell that it covers passed or failed in another way. Such a cell fails the run already.
    has_failing_cell: bool,
    /// Whether the target was given up before a cell that it covers was run.
    has_cell_not_run: bool,
}

impl<'d> DeviationJudge<'d> {
    /// Makes a judge that has seen no results.
    #[must_use]
    pub fn new(deviations: &'d Deviations) -> Self {
        DeviationJudge { deviations, entry_uses: vec![EntryUse::default(); deviations.entries.len()] }
    }

    /// Changes the status of a result: a failure can be a known deviation, and a pass can be unexpected.
    pub fn judge(&mut self, cell: &mut Cell) {
        let entries = self.deviations.entries.iter().zip(&mut self.entry_uses);
        let mut covering: Vec<_> = entries.filter(|(entry, _)| entry.covers_cell(&cell.id)).collect();
        if is_excusable(cell.status) {
            if let Some((entry, entry_use)) =
                covering.iter_mut().find(|(entry, _)| entry.explains_failure(cell))
            {
                entry_use.has_excused = true;
                cell.status = Status::Deviation;
                cell.deviation =
                    Some(Deviation { reason: entry.because.value.clone(), link: entry.link.clone() });
            } else if let Some((entry, _)) = covering.first() {
                let known = format!("a deviation is known here, but a different one: {}", *entry.found);
                cell.message =
                    Some(cell.message.take().map_or(known.clone(), |message| format!("{message}\n{known}")));
            }
        }
        let must_fail = covering.iter().find(|(entry, _)| !entry.sometimes);
        if let Some((entry, _)) = must_fail.filter(|_| cell.status == Status::Pass) {
            cell.status = Status::UnexpectedPass;
            cell.message =
                Some(format!("{} says that this fails: {}", self.deviations.document().name(), *entry.found));
        }
        for (_, entry_use) in covering {
            entry_use.has_failing_cell |= cell.status.is_failure();
            entry_use.has_cell_not_run |= cell.status == Status::NotRun;
        }
    }

    /// Returns what is wrong with the file, after all results. `cells` has the id of each cell of the corpus, and whether
    /// it was run.
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
                        .help("was the case renamed or taken out?");
                }
                all_were_run &= matched.all(|(_, was_run)| *was_run);
            }
            if all_were_run && !entry_use.has_excused && !entry_use.has_failing_cell && !entry.sometimes {
                diagnostics
                    .error(entry.found.span, "the entry excuses no cell: none of those that it names fails")
                    .help("take it out; `skewer deviations --fix` does");
            }
            if entry.because.value == UNEXPLAINED {
                diagnostics.error(entry.because.span, "nobody has said yet why the target does this");
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

    use super::*;

    fn deviations(entries: &str) -> Deviations {
        let text = format!("target: t\ndeviations:\n{entries}");
        Deviations::read("t.yaml", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"))
    }

    fn cell(id: &str, status: Status) -> Cell {
        Cell { actual: Some("refused: conflict (x)".to_owned()), ..Cell::new(id, "s", "c", status) }
    }

    /// Judges cells `(id, status)`, and returns their statuses and what is wrong with the file.
    fn judged(entries: &str, cells: &[(&str, Status)], not_run: &[&str]) -> (Vec<Status>, String) {
        let deviations = deviations(entries);
        let mut judge = DeviationJudge::new(&deviations);
        let mut statuses = Vec::new();
        let mut all: Vec<(String, bool)> = not_run.iter().map(|id| ((*id).to_owned(), false)).collect();
        for (id, status) in cells {
            let mut cell = cell(id, *status);
            judge.judge(&mut cell);
            statuses.push(cell.status);
            all.push(((*id).to_owned(), true));
        }
        (statuses, judge.finish(&all).map(|errors| errors.to_string()).unwrap_or_default())
    }

    const ENTRY: &str = "  - {cells: 's/a[*]', found: 'refused: conflict', because: b}\n";

    #[rstest]
    #[case::a_failure_is_excused(Status::Fail, Status::Deviation)]
    #[case::a_crash_is_excused(Status::Crash, Status::Deviation)]
    #[case::a_pass_is_unexpected(Status::Pass, Status::UnexpectedPass)]
    #[case::a_mistake_of_the_case_is_not_excused(Status::Error, Status::Error)]
    #[case::unsupported_stays(Status::Unsupported, Status::Unsupported)]
    #[case::not_asked_stays(Status::NotAsked, Status::NotAsked)]
    fn statuses_are_judged_anew(#[case] before: Status, #[case] after: Status) {
        let (statuses, _) = judged(ENTRY, &[("s/a[x=1]", before), ("s/b[x=1]", before)], &[]);
        assert_eq!(statuses, [after, before]);
    }

    #[test]
    fn another_failure_than_the_known_one_is_not_excused() {
        let (statuses, _) = judged(
            "  - {cells: s/a, found: 'refused: wrong-kind', because: b}\n",
            &[("s/a", Status::Fail)],
            &[],
        );
        assert_eq!(statuses, [Status::Fail]);
    }

    #[test]
    fn an_entry_that_is_too_broad_fails() {
        let (statuses, _) = judged(ENTRY, &[("s/a[x=1]", Status::Fail), ("s/a[x=2]", Status::Pass)], &[]);
        assert_eq!(statuses, [Status::Deviation, Status::UnexpectedPass]);
    }

    #[test]
    fn a_cell_that_fails_sometimes_can_pass() {
        let entry = "  - {cells: s/a, found: 'refused: conflict', because: b, sometimes: true}\n";
        for (before, after) in [(Status::Pass, Status::Pass), (Status::Fail, Status::Deviation)] {
            assert_eq!(judged(entry, &[("s/a", before)], &[]), (vec![after], String::new()));
        }
    }

    #[rstest]
    #[case::used(&[("s/a[x=1]", Status::Fail)], &[], "")]
    #[case::nothing_matches(&[("s/b", Status::Fail)], &[], "t.yaml:3:13: no cell matches `s/a[*]`")]
    #[case::nothing_was_excused(&[("s/a[x=1]", Status::Unsupported)], &[], "t.yaml:3:30: the entry excuses no cell")]
    #[case::nothing_was_asked(&[("s/a[x=1]", Status::NotAsked)], &[], "t.yaml:3:30: the entry excuses no cell")]
    #[case::a_target_that_was_given_up_cannot_tell(&[("s/a[x=1]", Status::NotRun)], &[], "")]
    #[case::a_partial_run_cannot_tell(&[("s/a[x=1]", Status::Unsupported)], &["s/a[x=2]"], "")]
    fn an_entry_must_excuse_a_cell(
        #[case] cells: &[(&str, Status)],
        #[case] not_run: &[&str],
        #[case] expected: &str,
    ) {
        let (_, wrong) = judged(ENTRY, cells, not_run);
        assert!(wrong.starts_with(expected) && wrong.is_empty() == expected.is_empty(), "{wrong}");
    }

    #[test]
    fn a_pattern_without_a_star_is_a_whole_id() {
        let (statuses, _) = judged(
            "  - {cells: s/a, found: refused, because: b}\n",
            &[("s/a", Status::Fail), ("s/ab", Status::Fail)],
            &[],
        );
        assert_eq!(statuses, [Status::Deviation, Status::Fail]);
    }

    #[test]
    fn an_unexplained_entry_is_an_error() {
        let entry = "  - {cells: s/a, found: refused, because: unexplained}\n";
        assert!(judged(entry, &[("s/a", Status::Fail)], &[]).1.contains("nobody has said yet why"));
    }
}
