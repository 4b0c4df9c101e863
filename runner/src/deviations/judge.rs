use skewer_cases::yaml::{Diagnostics, FileErrors};
use skewer_reports::{Cell, Deviation, Status};

use super::entry::{is_excusable, names};
use super::{Deviations, UNEXPLAINED};

/// Holds results against a deviation file, one after the other, and in the end the file against the results.
#[derive(Clone, Debug)]
pub struct Judge<'d> {
    deviations: &'d Deviations,
    /// By entry.
    seen: Vec<Seen>,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    /// It excused a failure.
    excused: bool,
    /// A cell that it names passed, or failed in another way: that cell fails the run already.
    failed: bool,
}

impl<'d> Judge<'d> {
    /// Nothing was seen yet.
    #[must_use]
    pub fn new(deviations: &'d Deviations) -> Self {
        Judge { deviations, seen: vec![Seen::default(); deviations.entries.len()] }
    }

    /// Judges a result anew: a failure may be a known deviation, and a pass an unexpected one.
    pub fn judge(&mut self, cell: &mut Cell) {
        let entries = self.deviations.entries.iter().zip(&mut self.seen);
        let mut named: Vec<_> = entries.filter(|(entry, _)| entry.names(&cell.id)).collect();
        if is_excusable(cell.status) {
            if let Some((entry, seen)) = named.iter_mut().find(|(entry, _)| entry.explains(cell)) {
                seen.excused = true;
                cell.status = Status::Deviation;
                cell.deviation =
                    Some(Deviation { reason: entry.because.value.clone(), link: entry.link.clone() });
            } else if let Some((entry, _)) = named.first() {
                let known = format!("a deviation is known here, but a different one: {}", *entry.found);
                cell.message =
                    Some(cell.message.take().map_or(known.clone(), |held| format!("{held}\n{known}")));
            }
        }
        if cell.status == Status::Pass
            && let Some((entry, _)) = named.iter().find(|(entry, _)| !entry.sometimes)
        {
            cell.status = Status::UnexpectedPass;
            cell.message =
                Some(format!("{} says that this fails: {}", self.deviations.document().name(), *entry.found));
        }
        if cell.status.is_failure() {
            for (_, seen) in named {
                seen.failed = true;
            }
        }
    }

    /// What is wrong with the file, now that the results are known. `cells` are the ids of the whole corpus,
    /// each with whether the cell was run.
    #[must_use]
    pub fn finish(self, cells: &[(String, bool)]) -> Option<FileErrors> {
        let diagnostics = Diagnostics::new();
        for (entry, seen) in self.deviations.entries.iter().zip(&self.seen) {
            let mut all_run = true;
            for pattern in &entry.cells.0 {
                let mut matched = cells.iter().filter(|(id, _)| names(pattern, id)).peekable();
                if matched.peek().is_none() {
                    diagnostics
                        .error(pattern.span, format!("no cell matches `{}`", **pattern))
                        .help("was the case renamed or taken out?");
                }
                all_run &= matched.all(|(_, run)| *run);
            }
            if all_run && !seen.excused && !seen.failed && !entry.sometimes {
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
        Some(self.deviations.document().errors(diagnostics.into_vec()))
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

    /// Judges cells `(id, status)` and gives back their statuses, and what is wrong with the file.
    fn judged(entries: &str, cells: &[(&str, Status)], not_run: &[&str]) -> (Vec<Status>, String) {
        let deviations = deviations(entries);
        let mut judge = Judge::new(&deviations);
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
    fn statuses_are_judged_anew(#[case] before: Status, #[case] after: Status) {
        let (statuses, _) = judged(ENTRY, &[("s/a[x=1]", before), ("s/b[x=1]", before)], &[]);
        assert_eq!(statuses, [after, before]);
    }

    #[test]
    fn the_reason_must_be_the_one_that_is_known() {
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
    fn what_fails_sometimes_may_pass() {
        let entry = "  - {cells: s/a, found: 'refused: conflict', because: b, sometimes: true}\n";
        for (before, after) in [(Status::Pass, Status::Pass), (Status::Fail, Status::Deviation)] {
            assert_eq!(judged(entry, &[("s/a", before)], &[]), (vec![after], String::new()));
        }
    }

    #[rstest]
    #[case::used(&[("s/a[x=1]", Status::Fail)], &[], "")]
    #[case::nothing_matches(&[("s/b", Status::Fail)], &[], "t.yaml:3:13: no cell matches `s/a[*]`")]
    #[case::nothing_was_excused(&[("s/a[x=1]", Status::Unsupported)], &[], "t.yaml:3:30: the entry excuses no cell")]
    #[case::a_partial_run_cannot_tell(&[("s/a[x=1]", Status::Unsupported)], &["s/a[x=2]"], "")]
    fn an_entry_must_be_of_use(
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
    fn somebody_must_say_why() {
        let entry = "  - {cells: s/a, found: refused, because: unexplained}\n";
        assert!(judged(entry, &[("s/a", Status::Fail)], &[]).1.contains("nobody has said yet why"));
    }
}
