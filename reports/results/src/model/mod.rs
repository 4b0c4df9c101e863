//! The results model: the results of one run, cell by cell.
//!
//! A results file is one JSON object, [`Results`]. Its JSON Schema is `reports/results.schema.json`.
//! Within one [`VERSION`] fields may be added, and a reader ignores fields that it does not know. Existing fields keep
//! their names and meanings.
//!
//! The only field that depends on the clock or the machine is [`Cell::duration_us`]. Without it, equal runs have equal
//! files.

mod answer;
mod reason;
mod words;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};

use crate::axes::Axes;
use crate::vocabulary::{Level, Outcome, ProblemKind, Status};

pub use answer::{Answer, AnswerError, AnswerPart, ForeignText, LawVerdict, OwnedField, Reference};
pub use reason::{
    AskedParty, EarlierRequest, OwnerDifference, PinnedState, Reason, RefusedRequest, RequestList,
};

/// The version of the results model that this crate writes. It also reads version 1.
pub const VERSION: u32 = 2;

/// The results of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Results {
    /// The version of the model: 2.
    #[schemars(range(min = 2, max = 2))]
    pub version: u32,
    /// Properties of the run.
    pub run: RunInfo,
    /// Results of the cells. Ids are unique.
    pub cells: Vec<Cell>,
    /// Whether the run ended early, before every selected cell was run. The field follows the cells, because its value
    /// is known only at the end of a run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
    /// Problems of the run that belong to no cell. A run with problems fails, whatever the results of its cells are.
    /// The field follows the cells, because problems are known only at the end of a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
}

/// A problem of a run that belongs to no cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Kind of problem.
    pub kind: ProblemKind,
    /// Description, of one or more lines.
    pub message: String,
    /// The suite that the problem concerns, if it is one suite. The suite then counts as failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<String>,
}

/// Properties of a run. Two runs with equal properties should have equal results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunInfo {
    /// Version of Skewer.
    pub tool_version: String,
    /// Hash over the case files. It differs between runs of different corpora.
    pub corpus_hash: String,
    /// Implementation that was tested.
    pub target: RunTarget,
    /// Selection of cells that the user asked for.
    #[serde(default, skip_serializing_if = "Selection::is_everything")]
    pub selection: Selection,
    /// Number of selected cells, over all shards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<u64>,
    /// Properties of the run that the user gave, such as the commit or the date. They have no effect on the results.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub info: BTreeMap<String, String>,
}

/// An implementation under test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Target")]
pub struct RunTarget {
    /// Name, for example `builtin`.
    pub name: String,
    /// Version, if the target reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Programming language, if the target reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Options of the command line that chose the target, with a space before each: ` --target 'kyaml'`. Absent for the
    /// built-in engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
}

/// The selection of cells for a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// Patterns for cell ids. An empty list selects all cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// Conditions on axes, each as `name=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<String>,
    /// Whether a pattern must be a whole id. Otherwise a part of an id is enough.
    #[serde(default, skip_serializing_if = "is_false")]
    pub exact: bool,
    /// Patterns for ids of cells that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skip: Vec<String>,
    /// Levels. An empty list selects all levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// Parts of names of upstream issues. A cell is selected if it cites an issue whose name contains one of them. An
    /// empty list selects all cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
    /// Whether only cells that cite a row of the KEP's matrix are selected.
    #[serde(default, skip_serializing_if = "is_false")]
    pub kep: bool,
    /// Numbers of rows of the KEP's matrix. A cell is selected if it covers one of them. An empty list selects all cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kep_rows: Vec<u32>,
    /// The shard of the selection that was run. Absent if the whole selection was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

impl Selection {
    /// Returns true if the whole corpus is selected.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        *self == Selection::default()
    }
}

/// One of `count` runs that divide a selection among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Shard {
    /// Number of the shard, from 1.
    #[schemars(range(min = 1))]
    pub index: u32,
    /// Number of all shards.
    #[schemars(range(min = 1))]
    pub count: u32,
}

/// The result of one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Stable id of the cell, `suite/case[axis=value,…]`.
    pub id: String,
    /// Suite of the case.
    pub suite: Arc<str>,
    /// Id of the case within the suite.
    pub case: Arc<str>,
    /// Value of each axis in this cell.
    #[serde(default)]
    pub axes: Axes,
    /// Level of the expectation: how binding it is.
    #[serde(default)]
    pub level: Level,
    /// Status of the cell.
    pub status: Status,
    /// Outcome of the cell. Absent if the cell was not run to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Outcome that the cell would have without the compatibility promise. Absent unless the outcome is `as-before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Outcome>,
    /// Rows of the KEP's table that the case cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kep: Vec<u32>,
    /// Upstream issues that the case cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issue: Vec<String>,
    /// Document and section that the case cites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Description of the case, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Arc<str>>,
    /// Target that ran the cell, if it is not the target of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Expected answers. One of them is enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "words::list_or_words")]
    pub expected: Vec<Answer>,
    /// Actual answer.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "words::answer_or_words")]
    pub actual: Option<Answer>,
    /// What the actual answer was compared with, if not with the expectation of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
    /// Reason for the expectation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<Arc<str>>,
    /// Field paths at which the documents differ, or at which directives [leaked](Outcome::Leaked).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Other field managers with which the request conflicts, and the fields that they own and the request changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Owner>,
    /// Reasons for the status, for example why the cell was not run.
    #[serde(
        default,
        alias = "message",
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "words::list_or_words"
    )]
    pub reasons: Vec<Reason>,
    /// Entry of the deviation file of the target that applies to the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<Deviation>,
    /// File and line of the expectation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Command line that runs only this cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun: Option<String>,
    /// Expected document, as YAML text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_document: Option<String>,
    /// Actual document, as YAML text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual_document: Option<String>,
    /// Steps from the stored object to the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Duration in microseconds. It is the only field that differs between two equal runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
}

/// A section of a design document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The document's name.
    pub document: Arc<str>,
    /// The section's heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Arc<str>>,
}

/// A known and explained difference of the target from the expected result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Deviation {
    /// Reason for the difference.
    pub reason: String,
    /// Link to a discussion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// A line of a case file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Location {
    /// Path of the file, relative to the root directory of the run.
    pub file: Arc<str>,
    /// The line, from 1.
    #[schemars(range(min = 1))]
    pub line: u32,
}

/// One step of a cell, with the document after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Name of the step, for example `read` or `request`.
    pub name: String,
    /// A remark, for example the directives that were recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Document after the step, as YAML text. Its managed fields are in `owners`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Owners of the fields of the document, in the order of its managed fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<Owner>,
}

/// A field manager, and fields that it owns: an entry of managed fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Owner {
    /// Name of the manager.
    pub manager: String,
    /// Operation with which the manager became an owner: `Apply` or `Update`.
    pub operation: String,
    /// API version in which the fields are named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Subresource through which the manager wrote the fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subresource: Option<String>,
    /// Paths of the fields, such as `.spec.ports[port=80].name`.
    pub fields: Vec<String>,
    /// Those of the fields that the object does not have: they were removed after the managed fields were computed, for
    /// example by a union policy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent_fields: Vec<String>,
}

impl Results {
    /// Makes complete results of the current version.
    #[must_use]
    pub fn new(run: RunInfo, cells: Vec<Cell>) -> Self {
        Results { version: VERSION, run, cells, partial: false, problems: Vec::new() }
    }

    /// Returns the cells that make the run fail, in order.
    pub fn failures(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(|cell| cell.status.is_failure())
    }
}

impl Cell {
    /// Makes a cell of level `required` with the given names and status. All other fields are empty.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        suite: impl Into<Arc<str>>,
        case: impl Into<Arc<str>>,
        status: Status,
    ) -> Self {
        Cell {
            id: id.into(),
            suite: suite.into(),
            case: case.into(),
            axes: Axes::new(),
            level: Level::Required,
            status,
            outcome: None,
            covers: None,
            kep: Vec::new(),
            issue: Vec::new(),
            source: None,
            about: None,
            target: None,
            expected: Vec::new(),
            actual: None,
            reference: None,
            because: None,
            paths: Vec::new(),
            conflicts: Vec::new(),
            reasons: Vec::new(),
            deviation: None,
            location: None,
            rerun: None,
            expected_document: None,
            actual_document: None,
            steps: Vec::new(),
            duration_us: None,
        }
    }

    /// Returns the kind of the expected error, if the request was accepted although its refusal is expected.
    #[must_use]
    pub fn missing_error(&self) -> Option<&str> {
        let is_refused = self.actual.as_ref().is_none_or(|answer| answer.error.is_some());
        let expected = self.expected.first().and_then(|answer| answer.error.as_ref());
        expected.filter(|_| !is_refused && self.actual_document.is_some()).map(|error| error.kind.as_str())
    }

    /// Returns true if the request was accepted although the result differs from the ideal, so that the user sees no
    /// error. A cell with the outcome `as-before` is not silent.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.outcome.is_some_and(Outcome::is_silent)
    }
}

/// Displays as options of the command line, or as `everything` if the whole corpus is selected.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = self.patterns.iter().map(|pattern| format!("'{pattern}'")).collect();
        words.extend(self.exact.then(|| "--exact".to_owned()));
        words.extend(self.skip.iter().map(|pattern| format!("--skip '{pattern}'")));
        words.extend(self.axes.iter().map(|axis| format!("--axis '{axis}'")));
        words.extend(self.levels.iter().map(|level| format!("--level {level}")));
        words.extend(self.issues.iter().map(|issue| format!("--issue '{issue}'")));
        words.extend(self.kep.then(|| "--kep".to_owned()));
        words.extend(self.kep_rows.iter().map(|row| format!("--row {row}")));
        words.extend(self.shard.map(|shard| format!("--shard {shard}")));
        f.write_str(if words.is_empty() { "everything" } else { "" })?;
        f.write_str(&words.join(" "))
    }
}

/// Displays as `document, section`.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.document)?;
        self.section.as_ref().map_or(Ok(()), |section| write!(f, ", {section}"))
    }
}

/// Displays as `file:line`, which editors and terminals show as a link.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Displays as `name` or `name version`.
impl fmt::Display for RunTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.version.as_ref().map_or(Ok(()), |version| write!(f, " {version}"))
    }
}

/// Displays as `index/count`.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// Returns the JSON Schema (draft 2020-12) of a results file.
#[must_use]
pub fn schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Results>()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests;
