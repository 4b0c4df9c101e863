//! The comparison as data.

use skewer_results::model::{Cell, Results};

use super::cell_change::{CellChange, Trend};
use super::regression::Regression;
use super::suite_changes::{self, SuiteChanges};
use crate::kep::model::KepReport;
use crate::run_report::PageOptions;

/// A new run compared with an old one.
///
/// Lists are in the order of the new run; [`gone`](Comparison::gone) is in the order of the old run. A cell is in
/// exactly one list, unless its results are equal.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The old run.
    pub old_run: &'a Results,
    /// The new run.
    pub new_run: &'a Results,
    /// Whether the runs are of different targets, so that neither is the earlier one.
    pub is_across_targets: bool,
    /// Reasons why the new run is worse.
    pub regressions: Vec<Regression>,
    /// Reasons why the comparison is less reliable.
    pub caveats: Vec<Caveat>,
    /// Cells whose new result is worse.
    pub worse: Vec<CellChange<'a>>,
    /// Cells whose new result is better.
    pub better: Vec<CellChange<'a>>,
    /// Cells whose results differ, where neither result is better.
    pub changed: Vec<CellChange<'a>>,
    /// Cells that only the new run has.
    pub new: Vec<&'a Cell>,
    /// Cells that only the old run has.
    pub gone: Vec<&'a Cell>,
    /// Cells that have another id in the new run, whether their new result is better, worse or neither.
    pub renamed: Vec<CellChange<'a>>,
    /// Number of cells without any difference.
    pub same: usize,
    /// The report on KEP-1027 of the new run, if it ran the matrix.
    pub kep: Option<KepReport>,
    /// Additions to the HTML report that are not in the results.
    pub page: PageOptions,
}

/// A reason why a comparison is less reliable: the runs differ in more than their results, or the old run ended early.
/// A [`Regression`], in contrast, is a reason why the new run is worse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caveat {
    /// The runs are of different targets, or of different versions of a target.
    Target {
        /// The target of the old run.
        old: String,
        /// The target of the new run.
        new: String,
    },
    /// The case files differ.
    Corpus,
    /// The selections differ, and no cell is gone.
    Selection {
        /// The selection of the old run.
        old: String,
        /// The selection of the new run.
        new: String,
    },
    /// The old run ended early.
    PartialOld,
}

impl<'a> Comparison<'a> {
    /// Creates a comparison to which no cells have been added yet.
    #[must_use]
    pub fn without_cells(old: &'a Results, new: &'a Results) -> Self {
        Comparison {
            old_run: old,
            new_run: new,
            is_across_targets: old.run.target.name != new.run.target.name,
            regressions: Vec::new(),
            caveats: Vec::new(),
            worse: Vec::new(),
            better: Vec::new(),
            changed: Vec::new(),
            new: Vec::new(),
            gone: Vec::new(),
            renamed: Vec::new(),
            same: 0,
            kep: None,
            page: PageOptions::default(),
        }
    }

    /// Returns true if there is any [reason](Comparison::regressions) why the new run is worse.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        !self.regressions.is_empty()
    }

    /// Returns the result of the comparison in a few words.
    #[must_use]
    pub fn headline(&self) -> String {
        let [old, new] = [self.old_run, self.new_run].map(|results| &results.run.target.name);
        let mut headlines: Vec<String> = Vec::new();
        for regression in &self.regressions {
            let headline = match regression {
                Regression::Cells { .. } if self.is_across_targets => {
                    format!("cells do worse on {new} than on {old}")
                }
                regression => regression.headline().to_owned(),
            };
            if !headlines.contains(&headline) {
                headlines.push(headline);
            }
        }
        match headlines.is_empty() {
            false => headlines.join(", "),
            true if self.is_across_targets => format!("nothing does worse on {new} than on {old}"),
            true => "nothing got worse".to_owned(),
        }
    }

    /// Returns all cells that are worse, including cells that were renamed.
    pub fn all_worse(&self) -> impl Iterator<Item = &CellChange<'a>> {
        let renamed = self.renamed.iter().filter(|change| change.trend == Trend::Worse);
        self.worse.iter().chain(renamed)
    }

    /// Groups [all cells that are worse](Comparison::all_worse) by suite.
    #[must_use]
    pub fn worse_by_suite(&self) -> Vec<SuiteChanges<'a>> {
        suite_changes::group_by_suite(self.all_worse(), &self.new_run.cells)
    }

    /// Returns the headings under which reports list cells, each with the number of these cells.
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
}

/// Displays as a sentence without its full stop.
impl std::fmt::Display for Caveat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Caveat::Target { old, new } => write!(f, "the target was {old} and is {new}"),
            Caveat::Corpus => f.write_str("the case files differ between the runs"),
            Caveat::Selection { old, new } => write!(f, "the old run selected {old} and the new one {new}"),
            Caveat::PartialOld => f.write_str("the old run ended early, so that cells may seem new"),
        }
    }
}
