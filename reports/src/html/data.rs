//! What the page is given: the results, and everything that a page must not work out by itself.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::group::Key;
use crate::model::Results;
use crate::summary::{Counts, Summary};
use crate::words::{Outcome, Status};

#[derive(Serialize)]
pub(super) struct Data<'a> {
    results: &'a Results,
    /// All statuses, in the order in which tables show them.
    statuses: Vec<Status>,
    outcomes: Vec<Outcome>,
    /// The statuses that make a run fail.
    failing: Vec<Status>,
    /// The outcomes of which the user is not told.
    silent: Vec<Outcome>,
    /// The suites of which nothing was run.
    not_run: Vec<String>,
    summaries: Vec<Table>,
}

/// A summary by one key.
#[derive(Serialize)]
struct Table {
    key: String,
    groups: Vec<Group>,
    total_name: &'static str,
    total: Row,
}

#[derive(Serialize)]
struct Group {
    name: String,
    counts: Row,
}

#[derive(Serialize)]
struct Row {
    state: &'static str,
    cells: usize,
    silent: usize,
    statuses: BTreeMap<&'static str, usize>,
    outcomes: BTreeMap<&'static str, usize>,
}

impl<'a> Data<'a> {
    pub(super) fn of(results: &'a Results) -> Self {
        let keys = [Key::Suite, Key::Level, Key::Document, Key::Kep, Key::Issue];
        let summaries: Vec<Summary> = keys.into_iter().map(|key| Summary::by(key, results)).collect();
        Data {
            results,
            statuses: Status::ALL.to_vec(),
            outcomes: Outcome::ALL.to_vec(),
            failing: Status::ALL.iter().copied().filter(|status| status.is_failure()).collect(),
            silent: Outcome::ALL.iter().copied().filter(|outcome| outcome.is_silent()).collect(),
            not_run: summaries[0].not_run().map(str::to_owned).collect(),
            // Suites always have a table; of the others, those that the cases say something about.
            summaries: summaries
                .iter()
                .filter(|summary| *summary.key() == Key::Suite || summary.groups().len() > 0)
                .map(Table::of)
                .collect(),
        }
    }
}

impl Table {
    fn of(summary: &Summary) -> Self {
        let group =
            |(name, counts): (&str, &Counts)| Group { name: name.to_owned(), counts: Row::of(counts) };
        Table {
            key: summary.key().to_string(),
            groups: summary.groups().map(group).collect(),
            total_name: summary.total_name(),
            total: Row::of(summary.total()),
        }
    }
}

impl Row {
    fn of(counts: &Counts) -> Self {
        let statuses = Status::ALL.iter().map(|status| (status.as_str(), counts.status(*status)));
        let outcomes = Outcome::ALL.iter().map(|outcome| (outcome.as_str(), counts.outcome(*outcome)));
        Row {
            state: counts.state().as_str(),
            cells: counts.cells(),
            silent: counts.silent(),
            statuses: statuses.filter(|(_, count)| *count > 0).collect(),
            outcomes: outcomes.filter(|(_, count)| *count > 0).collect(),
        }
    }
}
