//! The data of the page: the cells, and the counts, which the page does not compute itself.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use skewer_results::model::{Cell, Results, RunInfo};
use skewer_results::vocabulary::{Outcome, Status};

use super::cell_table::{CellRow, CellTable};
use crate::compare::cell_change::{CellChange, Trend};
use crate::compare::model::Comparison;
use crate::group::GroupKey;
use crate::run_report::{CitedDocument, EarlierRun, PageOptions, SourceLink};
use crate::summary::Summary;
use crate::summary::counts::Counts;
use crate::summary::overall_state::OverallState;
use crate::summary::run_problem::RunProblem;

#[derive(Serialize)]
pub(super) struct PageData<'a> {
    run: &'a RunInfo,
    partial: bool,
    /// State of the run.
    state: &'static str,
    /// Reasons other than failed cells why the run is not green.
    problems: Vec<ProblemData>,
    cells: CellTable<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<ComparisonData<'a>>,
    /// All statuses, in the order of tables, each with its meaning.
    statuses: Vec<(Status, &'static str)>,
    outcomes: Vec<(Outcome, &'static str)>,
    /// Statuses that make a run fail.
    failing: Vec<Status>,
    silent: Vec<Outcome>,
    /// Statuses of cells that the target did not run.
    unrun: Vec<Status>,
    summaries: Vec<SummaryData>,
    /// Documents that cases cite by a name.
    documents: &'a [CitedDocument],
    #[serde(skip_serializing_if = "Option::is_none")]
    source_link: Option<&'a SourceLink>,
    /// The other runs. The results of their cells are in the columns `run.N`.
    earlier_runs: Vec<EarlierRunData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_name: Option<&'a str>,
}

/// Another run, whose results are shown beside those of the run of the page.
#[derive(Serialize)]
struct EarlierRunData<'a> {
    name: &'a str,
    run: &'a RunInfo,
    counts: CountsData,
    /// Statuses and outcomes that occur, each with its number of cells.
    results: Vec<(Status, Option<Outcome>, usize)>,
}

/// A problem of the run that belongs to no cell.
#[derive(Serialize)]
struct ProblemData {
    kind: &'static str,
    text: String,
    /// Whether the run fails because of the problem.
    fails: bool,
}

/// The result of a comparison as a whole.
#[derive(Serialize)]
struct ComparisonData<'a> {
    old: &'a RunInfo,
    is_worse: bool,
    headline: String,
    /// Reasons why the new run is worse.
    problems: Vec<String>,
    notes: Vec<String>,
    /// Headings of the lists of cells, each with the number of cells in the list.
    counts: [(&'static str, usize); 7],
}

/// The counts of cells by one property.
#[derive(Serialize)]
struct SummaryData {
    key: String,
    groups: Vec<GroupData>,
    total_name: &'static str,
    total: CountsData,
}

#[derive(Serialize)]
struct GroupData {
    name: String,
    counts: CountsData,
}

#[derive(Serialize)]
struct CountsData {
    state: &'static str,
    cells: usize,
    silent: usize,
    statuses: BTreeMap<&'static str, usize>,
    outcomes: BTreeMap<&'static str, usize>,
}

impl<'a> PageData<'a> {
    pub(super) fn of(results: &'a Results, options: &'a PageOptions) -> Self {
        let rows = results.cells.iter().map(|cell| CellRow { cell, list: None, change: None });
        PageData::from_rows(results, rows, options)
    }

    /// Makes the data of a comparison: the cells of the new run, then the cells that only the old run has.
    pub(super) fn of_comparison(comparison: &'a Comparison<'a>) -> Self {
        let (old, new) = (comparison.old_run, comparison.new_run);
        let changes_by_id = changes_by_id(comparison);
        let row = |cell: &'a Cell| match changes_by_id.get(cell.id.as_str()) {
            Some((list, change)) => CellRow { cell, list: Some(*list), change: *change },
            None => CellRow { cell, list: Some("same"), change: None },
        };
        let gone = comparison.gone.iter().map(|cell| CellRow { cell, list: Some("gone"), change: None });
        let mut data = PageData::from_rows(new, new.cells.iter().map(row).chain(gone), &comparison.page);
        data.comparison = Some(ComparisonData {
            old: &old.run,
            is_worse: comparison.is_worse(),
            headline: comparison.headline(),
            problems: comparison
                .regressions
                .iter()
                .filter(|regression| !regression.is_of_cells())
                .map(ToString::to_string)
                .collect(),
            notes: comparison.caveats.iter().map(ToString::to_string).collect(),
            counts: comparison.counts(),
        });
        data
    }

    fn from_rows(
        results: &'a Results,
        rows: impl Iterator<Item = CellRow<'a>> + Clone,
        options: &'a PageOptions,
    ) -> Self {
        let keys = [GroupKey::Suite, GroupKey::Level, GroupKey::Document, GroupKey::Kep, GroupKey::Issue];
        let summaries: Vec<Summary> = keys.into_iter().map(|key| Summary::by(key, results)).collect();
        PageData {
            run: &results.run,
            partial: results.partial,
            state: summaries[0].state().as_str(),
            problems: summaries[0].problems().iter().map(ProblemData::of).collect(),
            cells: CellTable::of(rows, &options.earlier_runs),
            comparison: None,
            statuses: Status::ALL.iter().map(|status| (*status, status.meaning())).collect(),
            outcomes: Outcome::ALL.iter().map(|outcome| (*outcome, outcome.meaning())).collect(),
            failing: Status::ALL.iter().copied().filter(|status| status.is_failure()).collect(),
            silent: Outcome::ALL.iter().copied().filter(|outcome| outcome.is_silent()).collect(),
            unrun: Status::ALL.iter().copied().filter(|status| !status.was_run()).collect(),
            // There is always a table of suites. Another property has a table if cells have values for it.
            summaries: summaries
                .iter()
                .filter(|summary| *summary.key() == GroupKey::Suite || summary.groups().len() > 0)
                .map(SummaryData::of)
                .collect(),
            documents: &options.documents,
            source_link: options.source_link.as_ref(),
            earlier_runs: options.earlier_runs.iter().map(EarlierRunData::of).collect(),
            run_name: options.run_name.as_deref(),
        }
    }
}

/// Returns the changed cells of the new run by id, each with the name of its list and the change.
fn changes_by_id<'a>(
    comparison: &'a Comparison<'a>,
) -> HashMap<&'a str, (&'static str, Option<&'a CellChange<'a>>)> {
    let mut changes_by_id = HashMap::new();
    let lists = [
        ("worse", &comparison.worse),
        ("better", &comparison.better),
        ("changed", &comparison.changed),
        ("renamed", &comparison.renamed),
    ];
    for (list, changes) in lists {
        for change in changes {
            // A cell that was renamed and is worse is listed with the cells that are worse.
            let list = if change.trend == Trend::Worse { "worse" } else { list };
            changes_by_id.insert(change.new.id.as_str(), (list, Some(change)));
        }
    }
    changes_by_id.extend(comparison.new.iter().map(|cell| (cell.id.as_str(), ("new", None))));
    changes_by_id
}

impl ProblemData {
    fn of(problem: &RunProblem<'_>) -> Self {
        ProblemData { kind: problem.kind(), text: problem.to_string(), fails: problem.is_failure() }
    }
}

impl<'a> EarlierRunData<'a> {
    fn of(run: &'a EarlierRun) -> Self {
        let results =
            run.count_by_label().into_iter().map(|(label, count)| (label.status, label.outcome, count));
        EarlierRunData {
            name: &run.name,
            run: &run.info,
            counts: CountsData::of(&run.counts, run.state),
            results: results.collect(),
        }
    }
}

impl SummaryData {
    fn of(summary: &Summary) -> Self {
        let group = |(name, counts): (&str, &Counts)| GroupData {
            name: name.to_owned(),
            counts: CountsData::of(counts, summary.state_of(name, counts)),
        };
        SummaryData {
            key: summary.key().to_string(),
            groups: summary.groups().map(group).collect(),
            total_name: summary.total_name(),
            total: CountsData::of(summary.total(), summary.state()),
        }
    }
}

impl CountsData {
    fn of(counts: &Counts, state: OverallState) -> Self {
        let statuses = Status::ALL.iter().map(|status| (status.as_str(), counts.status(*status)));
        let outcomes = Outcome::ALL.iter().map(|outcome| (outcome.as_str(), counts.outcome(*outcome)));
        CountsData {
            state: state.as_str(),
            cells: counts.cells(),
            silent: counts.silent(),
            statuses: statuses.filter(|(_, count)| *count > 0).collect(),
            outcomes: outcomes.filter(|(_, count)| *count > 0).collect(),
        }
    }
}
