//! The comparison as data.

use std::collections::HashMap;
use std::fmt;

use super::change::Change;
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
    /// Cells that do something else which is neither, cells that one of the runs skipped, and, where the runs are of
    /// different targets, cells that one of them does not support.
    pub changed: Vec<Change<'a>>,
    /// Cells that only the new run has.
    pub new: Vec<&'a Cell>,
    /// Cells that only the old run has.
    pub gone: Vec<&'a Cell>,
    /// Cells that have another id in the new run, whatever became of them.
    pub renamed: Vec<Change<'a>>,
    /// Number of cells without any difference.
    pub same: usize,
}

/// A reason to trust a comparison less: a difference between the runs themselves, or a run that ended early.
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
    /// Other cells were selected.
    Selection,
    /// The old run ended early.
    PartialOld,
    /// The new run ended early.
    PartialNew,
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
        comparison
    }

    fn empty(old: &'a Results, new: &'a Results) -> Self {
        Comparison {
            runs: (old, new),
            caveats: caveats(old, new),
            worse: Vec::new(),
            better: Vec::new(),
            changed: Vec::new(),
            new: Vec::new(),
            gone: Vec::new(),
            renamed: Vec::new(),
            same: 0,
        }
    }

    /// Whether the runs are of different targets, side by side, and not of one before and after a change.
    #[must_use]
    pub fn is_across_targets(&self) -> bool {
        self.runs.0.run.target.name != self.runs.1.run.target.name
    }

    /// The result in a few words.
    #[must_use]
    pub fn headline(&self) -> String {
        let what = if self.is_worse() { "cells" } else { "nothing" };
        if self.is_across_targets() {
            let [old, new] = [self.runs.0, self.runs.1].map(|results| &results.run.target.name);
            let verb = if self.is_worse() { "do" } else { "does" };
            return format!("{what} {verb} worse on {new} than on {old}");
        }
        format!("{what} got worse")
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

    /// Whether any cell does worse, under its old id or a new one. Cells that are new or gone have nothing to be
    /// compared with.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        !self.worse.is_empty() || self.renamed.iter().any(|change| change.trend == Trend::Worse)
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

    fn add_change(&mut self, change: Change<'a>) {
        match change.trend {
            Trend::Worse => self.worse.push(change),
            Trend::Better => self.better.push(change),
            Trend::Neutral if change.differing_fields().is_empty() => self.same += 1,
            Trend::Neutral => self.changed.push(change),
        }
    }
}

fn caveats(old: &Results, new: &Results) -> Vec<Caveat> {
    let target = |results: &Results| results.run.target.to_string();
    let selection = |results: &Results| results.run.selection.clone();
    let caveats = [
        (old.run.target != new.run.target).then(|| Caveat::Target { old: target(old), new: target(new) }),
        (old.run.corpus_hash != new.run.corpus_hash).then_some(Caveat::Corpus),
        (selection(old) != selection(new)).then_some(Caveat::Selection),
        old.partial.then_some(Caveat::PartialOld),
        new.partial.then_some(Caveat::PartialNew),
    ];
    caveats.into_iter().flatten().collect()
}

impl fmt::Display for Caveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Caveat::Target { old, new } => write!(f, "the target was {old} and is {new}"),
            Caveat::Corpus => f.write_str("the case files differ between the runs"),
            Caveat::Selection => f.write_str("the runs selected different cells"),
            Caveat::PartialOld => f.write_str("the old run ended early, so that cells may seem new"),
            Caveat::PartialNew => f.write_str("the new run ended early, so that cells may seem gone"),
        }
    }
}
