//! The counts over cells that renderers show, and the [state](OverallState) of a run.

pub(crate) mod counts;
pub(crate) mod overall_state;
pub(crate) mod run_problem;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use skewer_results::model::{Cell, Problem, Results};
use skewer_results::vocabulary::Status;

use crate::group::GroupKey;
use crate::natural_order;

pub use counts::Counts;
pub use overall_state::OverallState;
pub use run_problem::RunProblem;

/// The counts over cells by group (by default by suite) and in total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    key: GroupKey,
    groups: HashMap<String, Counts>,
    /// Counts by suite, if the groups are not the suites.
    suites: HashMap<String, Counts>,
    total: Counts,
    end: RunEnd,
}

/// The part of a run that is known only when it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunEnd {
    /// Whether the run ended early.
    pub partial: bool,
    /// Number of selected cells, if known.
    pub selected: Option<u64>,
    /// Problems that belong to no cell.
    pub problems: Vec<Problem>,
}

impl Default for Summary {
    fn default() -> Self {
        Summary::new(GroupKey::Suite)
    }
}

impl Summary {
    /// Makes an empty summary. Cells are [added](Summary::add) one by one.
    #[must_use]
    pub fn new(key: GroupKey) -> Self {
        Summary {
            key,
            groups: HashMap::new(),
            suites: HashMap::new(),
            total: Counts::default(),
            end: RunEnd::default(),
        }
    }

    /// Summarizes results by suite.
    #[must_use]
    pub fn of(results: &Results) -> Self {
        Summary::by(GroupKey::Suite, results)
    }

    /// Summarizes results by a key.
    #[must_use]
    pub fn by(key: GroupKey, results: &Results) -> Self {
        let mut summary = Summary::new(key);
        for cell in &results.cells {
            summary.add(cell);
        }
        summary.set_end(RunEnd {
            partial: results.partial,
            selected: results.run.selected,
            problems: results.problems.clone(),
        });
        summary
    }

    /// Sets the end of the run. Without this call, the summary is that of a complete run without problems.
    pub fn set_end(&mut self, end: RunEnd) {
        self.end = end;
    }

    /// Counts a cell: in each of its groups (a case can cite several issues), and once in the total.
    pub fn add(&mut self, cell: &Cell) {
        self.total.add(cell);
        self.key.for_each_value(cell, |group| count_in(&mut self.groups, group, cell));
        if self.key != GroupKey::Suite {
            count_in(&mut self.suites, &cell.suite, cell);
        }
    }

    /// Returns the end of the run.
    #[must_use]
    pub fn end(&self) -> &RunEnd {
        &self.end
    }

    /// Returns the state of the run.
    #[must_use]
    pub fn state(&self) -> OverallState {
        OverallState::of(&self.total, &self.problems())
    }

    /// Returns the state of a group. A suite that a problem of the run concerns has failed.
    #[must_use]
    pub fn state_of(&self, group: &str, counts: &Counts) -> OverallState {
        let mut concerned = self.end.problems.iter().filter_map(|problem| problem.suite.as_deref());
        if self.key == GroupKey::Suite && concerned.any(|suite| suite == group) {
            return OverallState::Red;
        }
        counts.state()
    }

    /// Returns the reasons other than failed cells why the run is not green.
    #[must_use]
    pub fn problems(&self) -> Vec<RunProblem<'_>> {
        let mut problems: Vec<RunProblem<'_>> = self.end.problems.iter().map(RunProblem::Recorded).collect();
        if self.end.partial {
            problems.push(RunProblem::Partial { cells: self.total.cells(), selected: self.end.selected });
        }
        let given_up = self.total.status(Status::NotRun);
        if given_up > 0 {
            problems.push(RunProblem::GivenUp { cells: given_up });
        }
        if self.total.cells() == 0 {
            problems.push(RunProblem::NoCells);
        }
        let suites = if self.key == GroupKey::Suite { &self.groups } else { &self.suites };
        let not_run: Vec<&str> = sorted_by_name(suites)
            .into_iter()
            .filter(|(_, counts)| counts.run() == 0)
            .map(|(name, _)| name)
            .collect();
        if !not_run.is_empty() {
            let is_all = not_run.len() == suites.len();
            problems.push(RunProblem::SuitesNotRun { suites: not_run, is_all });
        }
        problems
    }

    /// Returns the property by which the cells are grouped.
    #[must_use]
    pub fn key(&self) -> &GroupKey {
        &self.key
    }

    /// Returns the groups, sorted by name (`1.9` before `1.10`).
    #[must_use]
    pub fn groups(&self) -> impl ExactSizeIterator<Item = (&str, &Counts)> {
        sorted_by_name(&self.groups).into_iter()
    }

    /// Returns the counts over all cells.
    #[must_use]
    pub fn total(&self) -> &Counts {
        &self.total
    }

    /// Returns the number of cells of a suite.
    #[must_use]
    pub fn cells_of_suite(&self, suite: &str) -> usize {
        let suites = if self.key == GroupKey::Suite { &self.groups } else { &self.suites };
        suites.get(suite).map_or(0, Counts::cells)
    }

    /// Returns the heading of the counts over all cells: `total` if each cell is in exactly one group, otherwise `all
    /// cells`.
    #[must_use]
    pub fn total_name(&self) -> &'static str {
        match self.key {
            GroupKey::Suite | GroupKey::Case | GroupKey::Level | GroupKey::Status => "total",
            GroupKey::Outcome | GroupKey::Kep | GroupKey::Issue | GroupKey::Document | GroupKey::Axis(_) => {
                "all cells"
            }
        }
    }

    /// Returns the groups in which no cell was run.
    pub fn not_run(&self) -> impl Iterator<Item = &str> {
        self.groups().filter(|(_, counts)| counts.run() == 0).map(|(name, _)| name)
    }
}

fn count_in(groups: &mut HashMap<String, Counts>, name: &str, cell: &Cell) {
    if let Some(counts) = groups.get_mut(name) {
        counts.add(cell);
    } else {
        groups.entry(name.to_owned()).or_default().add(cell);
    }
}

fn sorted_by_name(groups: &HashMap<String, Counts>) -> Vec<(&str, &Counts)> {
    let mut groups: Vec<_> = groups.iter().map(|(name, counts)| (name.as_str(), counts)).collect();
    groups.sort_by(|left, right| natural_order::compare(left.0, right.0));
    groups
}
