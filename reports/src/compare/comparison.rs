//! The comparison as data.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use super::change::Change;
use super::regression::Regression;
use super::renamed_cells;
use super::severity::Trend;
use super::suite_changes::{self, SuiteChanges};
use crate::model::{Cell, Results};

/// A new run compared with an old one. Lists are in the order of the new run, [`gone`](Comparison::gone) in that
/// of the old one.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    runs: (&'a Results, &'a Results),
    /// Reasons to trust the rest less.
    pub caveats: Vec<Caveat>,
    /// Cells that do worse.
    pub worse: Vec<Change<'a>>,
    /// Cells that do better.
    pub better: Vec<Change<'a>>,
    /// Cells that do something else which is neither, cells that the old run did not run, and, where the runs are of
    /// different targets, cells that one of them does not support or is not asked.
    pub changed: Vec<Change<'a>>,
    /// Cells that only the new run has.
    pub new: Vec<&'a Cell>,
    /// Cells that only the old run has.
    pub gone: Vec<&'a Cell>,
    /// Cells that have another id in the new run, whatever became of them.
    pub renamed: Vec<Change<'a>>,
    /// Number of cells without any difference.
    pub same: usize,
    /// The ids of the cells that may be gone.
    accepted_gone: HashSet<&'a str>,
}

/// A reason to trust a comparison less: a difference between the runs themselves, or an old run that ended early. What
/// makes the new run worse is a [`Regression`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caveat {
    /// Another implementation was tested, or another version of it.
    Target {
        /// In the old run.
        old: String,
        /// In the new run.
        new: String,
    },
    /// The case files differ.
    Corpus,
    /// Other cells were selected, and none is gone.
    Selection {
        /// In the old run.
        old: String,
        /// In the new run.
        new: String,
    },
    /// The old run ended early.
    PartialOld,
}

impl<'a> Comparison<'a> {
    /// Compares two runs.
    #[must_use]
    pub fn of(old: &'a Results, new: &'a Results) -> Self {
        let mut comparison = Comparison::empty(old, new);
        let across_targets = comparison.is_across_targets();
        let change = |old, new| Change::of(old, new, across_targets);
        let mut old_by_id: HashMap<&str, &Cell> =
            old.cells.iter().map(|cell| (cell.id.as_str(), cell)).collect();
        for cell in &new.cells {
            match old_by_id.remove(cell.id.as_str()) {
                Some(old) => comparison.add_change(change(old, cell)),
                None => comparison.new.push(cell),
            }
        }
        comparison.gone = old.cells.iter().filter(|cell| old_by_id.contains_key(cell.id.as_str())).collect();
        let pairs = renamed_cells::take_pairs(&mut comparison.gone, &mut comparison.new);
        comparison.renamed = pairs.into_iter().map(|(old, new)| change(old, new)).collect();
        comparison.caveats = comparison.find_caveats();
        comparison
    }

    fn empty(old: &'a Results, new: &'a Results) -> Self {
        Comparison {
            runs: (old, new),
            caveats: Vec::new(),
            worse: Vec::new(),
            better: Vec::new(),
            changed: Vec::new(),
            new: Vec::new(),
            gone: Vec::new(),
            renamed: Vec::new(),
            same: 0,
            accepted_gone: HashSet::new(),
        }
    }

    /// Accepts that cells are gone, by their ids in the old run. The new run is then not worse for them, unless it ended
    /// early or selected other cells.
    pub fn accept_gone(&mut self, is_accepted: impl Fn(&str) -> bool) {
        let ids = self.gone.iter().map(|cell| cell.id.as_str());
        self.accepted_gone.extend(ids.filter(|id| is_accepted(id)));
    }

    /// Whether the runs are of different targets, side by side, and not of one before and after a change.
    #[must_use]
    pub fn is_across_targets(&self) -> bool {
        self.runs.0.run.target.name != self.runs.1.run.target.name
    }

    /// The result in a few words.
    #[must_use]
    pub fn headline(&self) -> String {
        let [old, new] = [self.runs.0, self.runs.1].map(|results| &results.run.target.name);
        let across = self.is_across_targets();
        let regressions = self.regressions();
        let mut words: Vec<String> = Vec::new();
        for regression in &regressions {
            let headline = match regression {
                Regression::Cells { .. } if across => format!("cells do worse on {new} than on {old}"),
                regression => regression.headline().to_owned(),
            };
            if !words.contains(&headline) {
                words.push(headline);
            }
        }
        match words.is_empty() {
            false => words.join(", "),
            true if across => format!("nothing does worse on {new} than on {old}"),
            true => "nothing got worse".to_owned(),
        }
    }

    /// The reasons for which the new run is worse.
    #[must_use]
    pub fn regressions(&self) -> Vec<Regression> {
        let (old, new) = self.runs;
        let renamed = self.renamed.iter().filter(|change| change.trend == Trend::Worse);
        let worse = self.worse.len() + renamed.count();
        let gone = self.gone.len();
        let mut regressions = Vec::new();
        if worse > 0 {
            regressions.push(Regression::Cells { cells: worse });
        }
        if new.partial {
            let (cells, selected) = (new.cells.len(), new.run.selected);
            regressions.push(Regression::Partial { cells, selected, gone });
        }
        if gone > 0 && old.run.selection != new.run.selection {
            let [old, new] = [old, new].map(|results| results.run.selection.to_string());
            regressions.push(Regression::Selection { old, new, gone });
        }
        // Cells that were not selected or not reached are gone for that reason.
        if !regressions.iter().any(|r| matches!(r, Regression::Partial { .. } | Regression::Selection { .. }))
        {
            regressions.extend(self.unaccepted_gone());
        }
        let added = new.problems.iter().filter(|problem| !old.problems.contains(problem));
        regressions.extend(added.map(|problem| Regression::Problem {
            message: problem.message.lines().next().unwrap_or_default().to_owned(),
        }));
        regressions
    }

    fn unaccepted_gone(&self) -> Option<Regression> {
        let left: HashSet<&str> = self.runs.1.cells.iter().map(|cell| &*cell.suite).collect();
        let mut suites = BTreeSet::new();
        let mut cells = 0;
        for cell in self.gone.iter().filter(|cell| !self.accepted_gone.contains(cell.id.as_str())) {
            cells += 1;
            if !left.contains(&*cell.suite) {
                suites.insert(cell.suite.to_string());
            }
        }
        (cells > 0).then(|| Regression::Gone { cells, suites: suites.into_iter().collect() })
    }

    /// The old and the new run.
    #[must_use]
    pub fn runs(&self) -> (&'a Results, &'a Results) {
        self.runs
    }

    /// The cells that do worse, under their old id or a new one, by suite.
    #[must_use]
    pub fn worse_by_suite(&self) -> Vec<SuiteChanges<'a>> {
        let renamed = self.renamed.iter().filter(|change| change.trend == Trend::Worse);
        suite_changes::group_by_suite(self.worse.iter().chain(renamed).copied(), &self.runs.1.cells)
    }

    /// Whether the new run is worse for [any reason](Comparison::regressions). Cells that are new have nothing to be
    /// compared with.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        !self.regressions().is_empty()
    }

    /// The headings that reports use, with how many cells stand under each.
    #[must_use]
    pub fn counts(&self) -> [(&'static str, usize); 7] {
        [
            ("worse", self.worse.len()),
            ("better", self.better.len()),
            ("changed", self.changed.len()),
            ("new", self.new.len()),
            ("gone", self.gone.len()),
            ("renamed", self.renamed.len()),
            ("same", self.same),
        ]
    }

    fn find_caveats(&self) -> Vec<Caveat> {
        let (old, new) = self.runs;
        let [old_target, new_target] = [old, new].map(|results| results.run.target.to_string());
        let [old_selection, new_selection] = [old, new].map(|results| results.run.selection.to_string());
        let selects_otherwise = old.run.selection != new.run.selection && self.gone.is_empty();
        let caveats = [
            (old.run.target != new.run.target).then_some(Caveat::Target { old: old_target, new: new_target }),
            (old.run.corpus_hash != new.run.corpus_hash).then_some(Caveat::Corpus),
            selects_otherwise.then_some(Caveat::Selection { old: old_selection, new: new_selection }),
            old.partial.then_some(Caveat::PartialOld),
        ];
        caveats.into_iter().flatten().collect()
    }

    fn add_change(&mut self, change: Change<'a>) {
        match change.trend {
            Trend::Worse => self.worse.push(change),
            Trend::Better => self.better.push(change),
            Trend::Neutral if change.differing_fields().is_empty() => self.same += 1,
            Trend::Neutral => self.changed.push(change),
        }
    }
}

impl fmt::Display for Caveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Caveat::Target { old, new } => write!(f, "the target was {old} and is {new}"),
            Caveat::Corpus => f.write_str("the case files differ between the runs"),
            Caveat::Selection { old, new } => write!(f, "the old run selected {old} and the new one {new}"),
            Caveat::PartialOld => f.write_str("the old run ended early, so that cells may seem new"),
        }
    }
}
