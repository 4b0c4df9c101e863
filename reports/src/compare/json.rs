//! A comparison as JSON, for programs. Its JSON Schema is `comparison.schema.json` in the folder of this crate.

use std::io;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;
use skewer_results::axes::Axes;
use skewer_results::json;
use skewer_results::model::{Cell, Location, RunInfo};
use skewer_results::vocabulary::{Level, Outcome, Status};

use super::cell_change::CellChange;
use super::model::Comparison;
use super::suite_changes::SuiteChanges;

/// Version of the JSON format of comparisons.
const VERSION: u32 = 1;

/// The comparison of two runs.
#[derive(Serialize, JsonSchema)]
struct ComparisonDocument<'a> {
    /// Version of this format: 1.
    version: u32,
    /// Properties of the old run.
    old: &'a RunInfo,
    /// Properties of the new run.
    new: &'a RunInfo,
    /// Reasons why the comparison is less reliable, each in a sentence.
    notes: Vec<String>,
    /// `worse` if the new run is worse, otherwise `ok`. The exit code of `skewer compare` depends on this state.
    state: &'static str,
    /// Whether the new run is worse.
    is_worse: bool,
    /// Reasons why the new run is worse, each in a sentence.
    problems: Vec<String>,
    /// Number of cells without any difference.
    same: usize,
    /// Suites with cells that are worse, with the distribution of these cells over the axes.
    worse_by_suite: Vec<SuiteDocument<'a>>,
    /// Cells whose new result is worse.
    worse: Vec<ComparedCell<'a>>,
    /// Cells whose new result is better.
    better: Vec<ComparedCell<'a>>,
    /// Cells whose results differ, where neither result is better.
    changed: Vec<ComparedCell<'a>>,
    /// Cells that only the new run has.
    new_cells: Vec<ComparedCell<'a>>,
    /// Cells that only the old run has.
    gone: Vec<ComparedCell<'a>>,
    /// Cells that have another id in the new run, whether their new result is better, worse or neither.
    renamed: Vec<ComparedCell<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct SuiteDocument<'a> {
    #[serde(rename = "suite")]
    name: &'a str,
    /// Number of cells that are worse.
    worse: usize,
    /// Number of cells of the suite in the new run.
    cells: usize,
    axes: Vec<AxisDocument<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct AxisDocument<'a> {
    axis: &'a str,
    values: Vec<AxisValueDocument<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct AxisValueDocument<'a> {
    value: &'a str,
    worse: usize,
    cells: usize,
}

/// A cell that is in one of the two runs, or in both.
#[derive(Serialize, JsonSchema)]
struct ComparedCell<'a> {
    /// Id of the cell in the new run, or in the old run if the new run does not have the cell.
    id: &'a str,
    /// Id of the cell in the old run. Absent if both runs use the same id.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_id: Option<&'a str>,
    suite: &'a str,
    axes: &'a Axes,
    level: Level,
    /// Result of the cell in the old run. Absent if only the new run has the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<CellResult>,
    /// Result of the cell in the new run. Absent if only the old run has the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<CellResult>,
    /// Names of the fields in which the two results differ.
    differing: Vec<&'static str>,
    /// Unified diff of the actual documents of the two runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<&'a Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rerun: Option<&'a str>,
}

/// Result of a cell in one run.
#[derive(Serialize, JsonSchema)]
struct CellResult {
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    covers: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// Writes a comparison as JSON.
///
/// # Errors
///
/// Errors of writing.
pub fn write_json(comparison: &Comparison<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    json::write_pretty(&ComparisonDocument::of(comparison), out)
}

/// Returns the JSON Schema (draft 2020-12) of a comparison.
#[must_use]
pub fn schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<ComparisonDocument<'static>>()
}

impl<'a> ComparisonDocument<'a> {
    fn of(comparison: &Comparison<'a>) -> Self {
        let changes = |changes: &[CellChange<'a>]| changes.iter().map(ComparedCell::changed).collect();
        ComparisonDocument {
            version: VERSION,
            old: &comparison.old_run.run,
            new: &comparison.new_run.run,
            notes: comparison.caveats.iter().map(ToString::to_string).collect(),
            state: if comparison.is_worse() { "worse" } else { "ok" },
            is_worse: comparison.is_worse(),
            problems: comparison.regressions.iter().map(ToString::to_string).collect(),
            same: comparison.same,
            worse_by_suite: comparison.worse_by_suite().iter().map(SuiteDocument::of).collect(),
            worse: changes(&comparison.worse),
            better: changes(&comparison.better),
            changed: changes(&comparison.changed),
            new_cells: comparison
                .new
                .iter()
                .map(|cell| ComparedCell { new: Some(CellResult::of(cell)), ..ComparedCell::of(cell) })
                .collect(),
            gone: comparison
                .gone
                .iter()
                .map(|cell| ComparedCell { old: Some(CellResult::of(cell)), ..ComparedCell::of(cell) })
                .collect(),
            renamed: changes(&comparison.renamed),
        }
    }
}

impl<'a> SuiteDocument<'a> {
    fn of(group: &SuiteChanges<'a>) -> Self {
        let value =
            |&(value, worse, cells): &(&'a str, usize, usize)| AxisValueDocument { value, worse, cells };
        let axes = group.axes.iter().map(|spread| AxisDocument {
            axis: spread.axis,
            values: spread.values.iter().map(value).collect(),
        });
        SuiteDocument { name: group.suite, worse: group.changes, cells: group.cells, axes: axes.collect() }
    }
}

impl<'a> ComparedCell<'a> {
    fn of(cell: &'a Cell) -> Self {
        ComparedCell {
            id: &cell.id,
            old_id: None,
            suite: &cell.suite,
            axes: &cell.axes,
            level: cell.level,
            old: None,
            new: None,
            differing: Vec::new(),
            diff: None,
            because: cell.because.as_deref(),
            location: cell.location.as_ref(),
            rerun: cell.rerun.as_deref(),
        }
    }

    fn changed(change: &CellChange<'a>) -> Self {
        ComparedCell {
            old_id: (change.old.id != change.new.id).then_some(&change.old.id),
            old: Some(CellResult::of(change.old)),
            new: Some(CellResult::of(change.new)),
            differing: change.differing_fields.clone(),
            diff: change.diff(),
            ..ComparedCell::of(change.new)
        }
    }
}

impl CellResult {
    fn of(cell: &Cell) -> Self {
        CellResult {
            status: cell.status,
            outcome: cell.outcome,
            covers: cell.covers,
            actual: cell.actual_text(),
            message: cell.message_text(),
        }
    }
}
