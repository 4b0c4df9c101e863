//! The comparison as data.

use std::collections::HashMap;
use std::fmt;

use super::badness::{Badness, Verdict};
use super::group::{self, Group};
use super::rename;
use crate::diff;
use crate::model::{Cell, Results};
use crate::words::Status;

/// A new run compared with an old one. Lists are in the order of the new run, [`gone`](Comparison::gone) in that
/// of the old one.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    runs: (&'a Results, &'a Results),
    /// What a reader should know before trusting the rest.
    pub notes: Vec<Note>,
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
    /// How many cells are as they were.
    pub same: usize,
}

/// One cell in both runs.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The cell in the old run.
    pub old: &'a Cell,
    /// The cell in the new run.
    pub new: &'a Cell,
    /// Which is worse.
    pub verdict: Verdict,
    /// Whether the runs are of different targets.
    across_targets: bool,
}

/// A difference between the runs themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
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
        let mut comparison = Comparison::nothing(old, new);
        let across = comparison.is_across_targets();
        let change = |old, new| Change::of(old, new, across);
        let mut old_by_id: HashMap<&str, &Cell> =
            old.cells.iter().map(|cell| (cell.id.as_str(), cell)).collect();
        for cell in &new.cells {
            match old_by_id.remove(cell.id.as_str()) {
                Some(old) => comparison.add(change(old, cell)),
                None => comparison.new.push(cell),
            }
        }
        comparison.gone = old.cells.iter().filter(|cell| old_by_id.contains_key(cell.id.as_str())).collect();
        let pairs = rename::align(&mut comparison.gone, &mut comparison.new);
        comparison.renamed = pairs.into_iter().map(|(old, new)| change(old, new)).collect();
        comparison
    }

    fn nothing(old: &'a Results, new: &'a Results) -> Self {
        Comparison {
            runs: (old, new),
            notes: notes(old, new),
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

    /// What it comes to, in a few words.
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
    pub fn worse_by_suite(&self) -> Vec<Group<'a>> {
        let renamed = self.renamed.iter().filter(|change| change.verdict == Verdict::Worse);
        group::by_suite(self.worse.iter().chain(renamed).copied(), &self.runs.1.cells)
    }

    /// Whether any cell does worse, under its old id or a new one. Cells that are new or gone have nothing to be
    /// compared with.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        !self.worse.is_empty() || self.renamed.iter().any(|change| change.verdict == Verdict::Worse)
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

    fn add(&mut self, change: Change<'a>) {
        match change.verdict {
            Verdict::Worse => self.worse.push(change),
            Verdict::Better => self.better.push(change),
            Verdict::Level if change.differing().is_empty() => self.same += 1,
            Verdict::Level => self.changed.push(change),
        }
    }
}

impl<'a> Change<'a> {
    /// Of two implementations, one that says that it does not support a cell is not worse for that.
    fn of(old: &'a Cell, new: &'a Cell, across_targets: bool) -> Self {
        let answers = ![old, new].iter().any(|cell| cell.status == Status::Unsupported);
        let verdict = match (Badness::of(old), Badness::of(new)) {
            (Some(old), Some(new)) if answers || !across_targets => new.against(old),
            _ => Verdict::Level,
        };
        Change { old, new, verdict, across_targets }
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

    /// What happened, in words. Every implementation has messages of its own: between two of them, a refusal is
    /// its kind.
    fn says(&self, cell: &'a Cell) -> Option<&'a str> {
        let words = cell.actual.as_deref()?;
        let is_refusal = self.across_targets && words.contains(REFUSED);
        Some(words.split_once(" (").filter(|_| is_refusal).map_or(words, |(kind, _)| kind))
    }

    /// The names of the fields that differ, of those that say what the cell does.
    #[must_use]
    pub fn differing(&self) -> Vec<&'static str> {
        let (old, new) = (self.old, self.new);
        let fields = [
            ("status", old.status != new.status),
            ("outcome", old.outcome != new.outcome || old.covers != new.covers),
            ("level", old.level != new.level),
            ("expected", old.expected != new.expected),
            ("actual", self.says(old) != self.says(new)),
            ("expected_document", old.expected_document != new.expected_document),
            ("actual_document", old.actual_document != new.actual_document),
            ("paths", old.paths != new.paths),
        ];
        fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
    }
}

/// How the words for a refusal begin: `refused: conflict (what was said)`.
const REFUSED: &str = "refused: ";

fn notes(old: &Results, new: &Results) -> Vec<Note> {
    let target = |results: &Results| results.run.target.to_string();
    let asked = |results: &Results| results.run.selection.clone();
    let notes = [
        (old.run.target != new.run.target).then(|| Note::Target { old: target(old), new: target(new) }),
        (old.run.corpus_hash != new.run.corpus_hash).then_some(Note::Corpus),
        (asked(old) != asked(new)).then_some(Note::Selection),
        old.partial.then_some(Note::PartialOld),
        new.partial.then_some(Note::PartialNew),
    ];
    notes.into_iter().flatten().collect()
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Target { old, new } => write!(f, "the target was {old} and is {new}"),
            Note::Corpus => f.write_str("the case files differ between the runs"),
            Note::Selection => f.write_str("the runs selected different cells"),
            Note::PartialOld => f.write_str("the old run ended early, so that cells may seem new"),
            Note::PartialNew => f.write_str("the new run ended early, so that cells may seem gone"),
        }
    }
}
