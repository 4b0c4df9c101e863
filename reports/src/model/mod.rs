//! The results model: what one run found, cell by cell.
//!
//! A results file is one JSON object, [`Results`]. Its JSON Schema is `results.schema.json` beside this crate's
//! manifest. Within one [`VERSION`] fields may be added, and a reader passes over fields that it does not know;
//! what is there keeps its name and meaning.
//!
//! Nothing in it depends on the clock or the machine except [`Cell::duration_us`], which is left out when the
//! same run has to give the same bytes.

use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};

use crate::axes::Axes;
use crate::vocabulary::{Level, Outcome, ProblemKind, Status};

/// The version of the results model that this crate writes and reads.
pub const VERSION: u32 = 1;

/// The results of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Results {
    /// The version of the model: 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// How the run was made.
    pub run: RunInfo,
    /// What became of each cell. Ids are unique.
    pub cells: Vec<Cell>,
    /// Whether the run ended before every selected cell was run. It stands last in the file, because only the
    /// end of a run knows.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
    /// The problems of the run that belong to no cell. A run with problems is not good, whatever its cells are. They
    /// stand at the end of the file for the same reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
}

/// A problem of a run that belongs to no cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// A description, over several lines if need be.
    pub message: String,
}

/// How a run was made. The same for two runs that should give the same results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunInfo {
    /// The version of Skewer.
    pub tool_version: String,
    /// A hash over the case files, so that two runs of different corpora are told apart.
    pub corpus_hash: String,
    /// The implementation that was tested.
    pub target: Target,
    /// What the user asked for.
    #[serde(default, skip_serializing_if = "Selection::is_everything")]
    pub selection: Selection,
    /// How many cells the selection has, over all shards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<u64>,
}

/// An implementation under test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// Its name, for example `builtin`.
    pub name: String,
    /// Its version, where it tells one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The language it is written in, where it tells one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// Which cells of the corpus a run was to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// Patterns over cell ids; none selects all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// Conditions on axes, each as `name=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<String>,
    /// Whether the patterns are whole ids.
    #[serde(default, skip_serializing_if = "is_false")]
    pub exact: bool,
    /// Patterns over the ids of cells that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skip: Vec<String>,
    /// The levels asked for; none selects all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// Parts of the names of upstream issues, of which a cell must cite one; none selects all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
    /// Whether only cells are selected that cite a row of the KEP's matrix.
    #[serde(default, skip_serializing_if = "is_false")]
    pub kep: bool,
    /// The part of the selection that this run took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

impl Selection {
    /// Whether the whole corpus is selected.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        *self == Selection::default()
    }
}

/// One of several runs that share a selection, `index` of `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Shard {
    /// Which one, from 1.
    #[schemars(range(min = 1))]
    pub index: u32,
    /// Of how many.
    #[schemars(range(min = 1))]
    pub count: u32,
}

/// What became of one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The stable id, `suite/case[axis=value,…]`.
    pub id: String,
    /// The suite that the case is in.
    pub suite: Arc<str>,
    /// The case's id within the suite.
    pub case: Arc<str>,
    /// The point of the case's matrix.
    #[serde(default)]
    pub axes: Axes,
    /// How binding the expectation is.
    #[serde(default)]
    pub level: Level,
    /// The verdict.
    pub status: Status,
    /// What happened to the document; absent when the cell was not run to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// With `as-before`: the outcome that it would be without the compatibility promise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Outcome>,
    /// Rows of the KEP's table that the case cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kep: Vec<u32>,
    /// Upstream issues that the case cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issue: Vec<String>,
    /// The document and section that the case cites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// What the case is about, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Arc<str>>,
    /// The target that ran this cell, where it is not the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What was expected, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What happened, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// Why the expectation is what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<Arc<str>>,
    /// Paths at which the documents differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// What went wrong or why the cell was not run, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The entry of the target's deviation file that applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<Deviation>,
    /// Where the expectation is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// A command line that runs this cell alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun: Option<String>,
    /// The document that was expected, as YAML text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_document: Option<String>,
    /// The document that came out, as YAML text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual_document: Option<String>,
    /// The way of the documents from the stored object to the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// How long the cell took, in microseconds. The only field that differs between two equal runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
}

/// A place in one of the design documents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The document's name.
    pub document: Arc<str>,
    /// The section's heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Arc<str>>,
}

/// A known, explained difference of the target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Deviation {
    /// Why the target differs.
    pub reason: String,
    /// Where that is discussed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// A line of a case file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Location {
    /// The file, relative to the directory that the run was started for.
    pub file: Arc<str>,
    /// The line, from 1.
    #[schemars(range(min = 1))]
    pub line: u32,
}

/// One step of a cell, with the document as it was after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// What was done, for example `read` or `request`.
    pub name: String,
    /// What is worth knowing about it, for example which directives were recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The document, as YAML text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
}

impl Results {
    /// Complete results of the current version.
    #[must_use]
    pub fn new(run: RunInfo, cells: Vec<Cell>) -> Self {
        Results { version: VERSION, run, cells, partial: false, problems: Vec::new() }
    }

    /// The cells that make the run fail, in order.
    pub fn failures(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(|cell| cell.status.is_failure())
    }
}

impl Cell {
    /// A cell with the given names and verdict, of level `required`, and nothing else known about it.
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
            expected: None,
            actual: None,
            because: None,
            paths: Vec::new(),
            message: None,
            deviation: None,
            location: None,
            rerun: None,
            expected_document: None,
            actual_document: None,
            steps: Vec::new(),
            duration_us: None,
        }
    }

    /// Whether the target accepted the request and quietly did something other than what was meant.
    ///
    /// An `as-before` counts by the outcome that it covers, and counts as silent where that is not known.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        match (self.outcome, self.covers) {
            (Some(Outcome::AsBefore), Some(covered)) => covered.is_silent(),
            (outcome, _) => outcome.is_some_and(Outcome::is_silent),
        }
    }
}

/// Displays as the options of the command line, `everything` without any.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = self.patterns.iter().map(|pattern| format!("'{pattern}'")).collect();
        words.extend(self.exact.then(|| "--exact".to_owned()));
        words.extend(self.skip.iter().map(|pattern| format!("--skip '{pattern}'")));
        words.extend(self.axes.iter().map(|axis| format!("--axis '{axis}'")));
        words.extend(self.levels.iter().map(|level| format!("--level {level}")));
        words.extend(self.issues.iter().map(|issue| format!("--issue '{issue}'")));
        words.extend(self.kep.then(|| "--kep".to_owned()));
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

/// Displays as `file:line`, which editors and terminals make a link of.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Displays as `name` or `name version`.
impl fmt::Display for Target {
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

/// The JSON Schema (draft 2020-12) of a results file.
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
