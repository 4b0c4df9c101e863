//! Counts over cells: the one aggregate that all renderers show.

use std::collections::HashMap;

use crate::group::GroupKey;
use crate::model::{Cell, Results};
use crate::natural_order;
use crate::vocabulary::{Outcome, Status};

/// Numbers of cells by status and outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    cells: usize,
    statuses: [usize; Status::ALL.len()],
    outcomes: [usize; Outcome::ALL.len()],
    silent: usize,
}

/// The result of some cells as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OverallState {
    /// Cells were run, and none makes the run fail.
    Green,
    /// No cell was run: all were skipped or unsupported, or there are none. This is not good news.
    NotRun,
    /// A cell makes the run fail.
    Red,
}

impl OverallState {
    /// The state in a word or two.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            OverallState::Green => "ok",
            OverallState::NotRun => "not run",
            OverallState::Red => "FAILED",
        }
    }
}

impl Counts {
    /// Counts one more cell.
    pub fn add(&mut self, cell: &Cell) {
        self.cells += 1;
        self.statuses[cell.status.index()] += 1;
        if let Some(outcome) = cell.outcome {
            self.outcomes[outcome.index()] += 1;
        }
        self.silent += usize::from(cell.is_silent());
    }

    /// All cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Cells with this status.
    #[must_use]
    pub fn status(&self, status: Status) -> usize {
        self.statuses[status.index()]
    }

    /// Cells with this outcome.
    #[must_use]
    pub fn outcome(&self, outcome: Outcome) -> usize {
        self.outcomes[outcome.index()]
    }

    /// Cells in which the request was accepted and quietly did something other than what was meant, those that
    /// a compatibility promise allows among them. Whatever their status: an expected silent loss is a silent
    /// loss.
    #[must_use]
    pub fn silent(&self) -> usize {
        self.silent
    }

    /// Cells that make the run fail.
    #[must_use]
    pub fn failures(&self) -> usize {
        self.count_statuses(Status::is_failure)
    }

    /// Cells that the target ran.
    #[must_use]
    pub fn run(&self) -> usize {
        self.count_statuses(Status::was_run)
    }

    /// Cells that were not run, each for a reason.
    #[must_use]
    pub fn not_run(&self) -> usize {
        self.cells - self.run()
    }

    /// The result as a whole.
    #[must_use]
    pub fn state(&self) -> OverallState {
        if self.failures() > 0 {
            OverallState::Red
        } else if self.run() == 0 {
            OverallState::NotRun
        } else {
            OverallState::Green
        }
    }

    fn count_statuses(&self, is_counted: impl Fn(Status) -> bool) -> usize {
        Status::ALL.iter().filter(|status| is_counted(**status)).map(|status| self.status(*status)).sum()
    }
}

impl<'a> FromIterator<&'a Cell> for Counts {
    fn from_iter<I: IntoIterator<Item = &'a Cell>>(cells: I) -> Self {
        let mut counts = Counts::default();
        for cell in cells {
            counts.add(cell);
        }
        counts
    }
}

/// Counts by group, most often by suite, and in total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    key: GroupKey,
    groups: HashMap<String, Counts>,
    total: Counts,
}

impl Default for Summary {
    fn default() -> Self {
        Summary::new(GroupKey::Suite)
    }
}

impl Summary {
    /// An empty summary by `key`; cells are [added](Summary::add) as they come.
    #[must_use]
    pub fn new(key: GroupKey) -> Self {
        Summary { key, groups: HashMap::new(), total: Counts::default() }
    }

    /// The summary of some results, by suite.
    #[must_use]
    pub fn of(results: &Results) -> Self {
        Summary::by(GroupKey::Suite, results)
    }

    /// The summary of some results, by `key`.
    #[must_use]
    pub fn by(key: GroupKey, results: &Results) -> Self {
        let mut summary = Summary::new(key);
        for cell in &results.cells {
            summary.add(cell);
        }
        summary
    }

    /// Counts one more cell. It counts in every group that it belongs to (a case can cite several issues), and
    /// once in the total.
    pub fn add(&mut self, cell: &Cell) {
        self.total.add(cell);
        self.key.for_each_value(cell, |group| {
            if let Some(counts) = self.groups.get_mut(group) {
                counts.add(cell);
            } else {
                self.groups.entry(group.to_owned()).or_default().add(cell);
            }
        });
    }

    /// The property by which the cells are grouped.
    #[must_use]
    pub fn key(&self) -> &GroupKey {
        &self.key
    }

    /// The groups, sorted by name (`1.9` before `1.10`).
    #[must_use]
    pub fn groups(&self) -> impl ExactSizeIterator<Item = (&str, &Counts)> {
        let mut groups: Vec<_> = self.groups.iter().map(|(name, counts)| (name.as_str(), counts)).collect();
        groups.sort_by(|left, right| natural_order::compare(left.0, right.0));
        groups.into_iter()
    }

    /// The counts over all cells.
    #[must_use]
    pub fn total(&self) -> &Counts {
        &self.total
    }

    /// The name for the counts over all cells. Not every cell cites a document or an issue, and then they are no
    /// total of the groups.
    #[must_use]
    pub fn total_name(&self) -> &'static str {
        match self.key {
            GroupKey::Suite | GroupKey::Case | GroupKey::Level | GroupKey::Status => "total",
            GroupKey::Outcome | GroupKey::Kep | GroupKey::Issue | GroupKey::Document | GroupKey::Axis(_) => {
                "all cells"
            }
        }
    }

    /// The groups in which no cell was run.
    pub fn not_run(&self) -> impl Iterator<Item = &str> {
        self.groups().filter(|(_, counts)| counts.state() == OverallState::NotRun).map(|(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn cell(suite: &str, status: Status) -> Cell {
        Cell::new(format!("{suite}/c"), suite, "c", status)
    }

    #[rstest]
    #[case::nothing(&[], OverallState::NotRun)]
    #[case::all_pass(&[Status::Pass, Status::Pass], OverallState::Green)]
    #[case::a_known_deviation_is_green(&[Status::Deviation], OverallState::Green)]
    #[case::a_skip_beside_a_pass_is_green(&[Status::Pass, Status::Skipped], OverallState::Green)]
    #[case::none_run_is_not_green(&[Status::Skipped, Status::Unsupported], OverallState::NotRun)]
    #[case::one_failure(&[Status::Pass, Status::Fail], OverallState::Red)]
    #[case::an_unexpected_pass_fails(&[Status::UnexpectedPass], OverallState::Red)]
    #[case::an_error_fails(&[Status::Pass, Status::Error], OverallState::Red)]
    #[case::a_crash_fails(&[Status::Pass, Status::Crash], OverallState::Red)]
    #[case::a_timeout_fails(&[Status::Skipped, Status::Timeout], OverallState::Red)]
    fn the_state_follows_from_the_counts(#[case] statuses: &[Status], #[case] state: OverallState) {
        let cells: Vec<Cell> = statuses.iter().map(|status| cell("s", *status)).collect();
        assert_eq!(cells.iter().collect::<Counts>().state(), state);
    }

    #[rstest]
    #[case(Outcome::Intended, None, false)]
    #[case(Outcome::Refused, None, false)]
    #[case(Outcome::Match, None, false)]
    #[case(Outcome::Mismatch, None, false)]
    #[case(Outcome::Ignored, None, true)]
    #[case(Outcome::Leftover, None, true)]
    #[case(Outcome::Lost, None, true)]
    #[case(Outcome::Diverged, None, true)]
    #[case(Outcome::AsBefore, None, true)]
    #[case(Outcome::AsBefore, Some(Outcome::Lost), true)]
    #[case(Outcome::AsBefore, Some(Outcome::Refused), false)]
    fn silent_cells_are_counted_even_when_they_pass(
        #[case] outcome: Outcome,
        #[case] covers: Option<Outcome>,
        #[case] silent: bool,
    ) {
        let cell = Cell { outcome: Some(outcome), covers, ..cell("s", Status::Pass) };
        assert_eq!([cell].iter().collect::<Counts>().silent(), usize::from(silent));
    }

    #[test]
    fn a_cell_counts_in_each_of_its_groups_and_once_in_the_total() {
        let mut summary = Summary::new(GroupKey::Issue);
        let both = vec!["1".to_owned(), "2".to_owned()];
        summary.add(&Cell { issue: both, ..cell("s", Status::Pass) });
        summary.add(&Cell { issue: vec!["2".to_owned()], ..cell("s", Status::Fail) });
        summary.add(&cell("s", Status::Pass));
        let groups: Vec<_> = summary.groups().map(|(name, counts)| (name, counts.cells())).collect();
        assert_eq!(groups, [("1", 1), ("2", 2)]);
        assert_eq!(summary.total().cells(), 3);
    }

    #[test]
    fn groups_without_a_run_are_named() {
        let mut summary = Summary::default();
        summary.add(&cell("b", Status::Skipped));
        summary.add(&cell("a", Status::Pass));
        assert_eq!(summary.not_run().collect::<Vec<_>>(), ["b"]);
    }
}
