//! What the page is given: the results, and everything that a page must not work out by itself.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::cell_table::{Row, Table};
use crate::compare::{Change, Comparison, Trend};
use crate::group::GroupKey;
use crate::kep;
use crate::kep::layout::{self, ReportBlock};
use crate::model::{Cell, Results, RunInfo};
use crate::summary::{Counts, Summary};
use crate::vocabulary::{Outcome, Status};

#[derive(Serialize)]
pub(super) struct Data<'a> {
    run: &'a RunInfo,
    partial: bool,
    cells: Table<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Compared<'a>>,
    /// All statuses, in the order in which tables show them, each with what it means.
    statuses: Vec<(Status, &'static str)>,
    outcomes: Vec<(Outcome, &'static str)>,
    /// The statuses that make a run fail.
    failing: Vec<Status>,
    /// The outcomes of which the user is not told.
    silent: Vec<Outcome>,
    /// The suites of which nothing was run.
    not_run: Vec<String>,
    summaries: Vec<Summarised>,
    /// What the union policies do, as headings, texts and tables; empty where no policy was run.
    policies: Vec<ReportBlock>,
}

/// What a comparison says as a whole.
#[derive(Serialize)]
struct Compared<'a> {
    old: &'a RunInfo,
    is_worse: bool,
    headline: String,
    notes: Vec<String>,
    /// The headings and how many cells stand under each.
    counts: [(&'static str, usize); 7],
}

/// A summary by one key.
#[derive(Serialize)]
struct Summarised {
    key: String,
    groups: Vec<SuiteChanges>,
    total_name: &'static str,
    total: Tally,
}

#[derive(Serialize)]
struct SuiteChanges {
    name: String,
    counts: Tally,
}

#[derive(Serialize)]
struct Tally {
    state: &'static str,
    cells: usize,
    silent: usize,
    statuses: BTreeMap<&'static str, usize>,
    outcomes: BTreeMap<&'static str, usize>,
}

impl<'a> Data<'a> {
    pub(super) fn of(results: &'a Results) -> Self {
        Data::with(results, results.cells.iter().map(|cell| Row { cell, change: None, old: None }))
    }

    /// The new run, then the cells that only the old one has.
    pub(super) fn compared(comparison: &Comparison<'a>) -> Self {
        let (old, new) = comparison.runs();
        let headings = headings(comparison);
        let row = |cell: &'a Cell| match headings.get(cell.id.as_str()) {
            Some((change, old)) => Row { cell, change: Some(*change), old: *old },
            None => Row { cell, change: Some("same"), old: None },
        };
        let gone = comparison.gone.iter().map(|cell| Row { cell, change: Some("gone"), old: None });
        let mut data = Data::with(new, new.cells.iter().map(row).chain(gone));
        data.comparison = Some(Compared {
            old: &old.run,
            is_worse: comparison.is_worse(),
            headline: comparison.headline(),
            notes: comparison.caveats.iter().map(ToString::to_string).collect(),
            counts: comparison.counts(),
        });
        data
    }

    fn with(results: &'a Results, rows: impl Iterator<Item = Row<'a>>) -> Self {
        let keys = [GroupKey::Suite, GroupKey::Level, GroupKey::Document, GroupKey::Kep, GroupKey::Issue];
        let summaries: Vec<Summary> = keys.into_iter().map(|key| Summary::by(key, results)).collect();
        Data {
            run: &results.run,
            partial: results.partial,
            cells: Table::of(rows),
            comparison: None,
            statuses: Status::ALL.iter().map(|status| (*status, status.meaning())).collect(),
            outcomes: Outcome::ALL.iter().map(|outcome| (*outcome, outcome.meaning())).collect(),
            failing: Status::ALL.iter().copied().filter(|status| status.is_failure()).collect(),
            silent: Outcome::ALL.iter().copied().filter(|outcome| outcome.is_silent()).collect(),
            not_run: summaries[0].not_run().map(str::to_owned).collect(),
            // Suites always have a table; of the others, those that the cases say something about.
            summaries: summaries
                .iter()
                .filter(|summary| *summary.key() == GroupKey::Suite || summary.groups().len() > 0)
                .map(Summarised::of)
                .collect(),
            policies: kep::Report::of(results).map(|report| layout::layout(&report)).unwrap_or_default(),
        }
    }
}

/// The heading of each cell of the new run that is not as it was, and the cell in the old run.
fn headings<'a>(comparison: &Comparison<'a>) -> HashMap<&'a str, (&'static str, Option<Change<'a>>)> {
    let mut headings = HashMap::new();
    let lists = [
        ("worse", &comparison.worse),
        ("better", &comparison.better),
        ("changed", &comparison.changed),
        ("renamed", &comparison.renamed),
    ];
    for (heading, changes) in lists {
        for change in changes {
            // A cell that moved and broke is looked for among what broke.
            let heading = if change.trend == Trend::Worse { "worse" } else { heading };
            headings.insert(change.new.id.as_str(), (heading, Some(*change)));
        }
    }
    headings.extend(comparison.new.iter().map(|cell| (cell.id.as_str(), ("new", None))));
    headings
}

impl Summarised {
    fn of(summary: &Summary) -> Self {
        let group = |(name, counts): (&str, &Counts)| SuiteChanges {
            name: name.to_owned(),
            counts: Tally::of(counts),
        };
        Summarised {
            key: summary.key().to_string(),
            groups: summary.groups().map(group).collect(),
            total_name: summary.total_name(),
            total: Tally::of(summary.total()),
        }
    }
}

impl Tally {
    fn of(counts: &Counts) -> Self {
        let statuses = Status::ALL.iter().map(|status| (status.as_str(), counts.status(*status)));
        let outcomes = Outcome::ALL.iter().map(|outcome| (outcome.as_str(), counts.outcome(*outcome)));
        Tally {
            state: counts.state().as_str(),
            cells: counts.cells(),
            silent: counts.silent(),
            statuses: statuses.filter(|(_, count)| *count > 0).collect(),
            outcomes: outcomes.filter(|(_, count)| *count > 0).collect(),
        }
    }
}
