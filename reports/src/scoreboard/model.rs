//! The scoreboard as data. `scoreboard.schema.json` describes its JSON form.

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};

/// The version of the scoreboard model.
pub const VERSION: u32 = 1;

/// The conformance of several implementations, side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scoreboard {
    /// The version of the model: 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// Version of Skewer.
    pub tool_version: String,
    /// Hash over the case files.
    pub corpus_hash: String,
    /// The implementations. Everything else refers to them by their index in this list.
    pub implementations: Vec<Implementation>,
    /// The rungs of the ladder, in order.
    pub capabilities: Vec<Capability>,
    /// Questions, each answered by the results of some cells.
    pub questions: Vec<Question>,
}

/// An implementation, and the run that tested it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Implementation {
    /// Short name with the version, for the head of a column: `kyaml 0.21.1`. No other implementation has it.
    pub label: String,
    /// Name, for example `sigs.k8s.io/kustomize/kyaml`.
    pub name: String,
    /// Version, if the implementation reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Programming language, if the implementation reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Command that runs the same cells.
    pub command: String,
    /// Counts of the cells of all capabilities.
    pub counts: ScoreboardCounts,
    /// Counts of all cells of the results file. They differ from [`counts`](Self::counts) if the run had other suites.
    pub all_cells: ScoreboardCounts,
    /// Number of capabilities that the implementation supports completely.
    pub supported: usize,
}

/// Counts of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Counts")]
pub struct ScoreboardCounts {
    /// Cells that ended as expected.
    pub passed: usize,
    /// Cells that ended in another way, known deviations included.
    pub wrong: usize,
    /// Those of the wrong cells in which a directive was stored as data.
    #[serde(default)]
    pub leaked: usize,
    /// Those of the wrong cells that the deviation file of the implementation explains.
    #[serde(default)]
    pub deviations: usize,
    /// Cells that the implementation does not support, or was not asked about.
    pub unsupported: usize,
    /// Cells without a result: skipped, not run, or an error of the case.
    #[serde(default)]
    pub not_run: usize,
}

impl ScoreboardCounts {
    /// Returns the number of cells with an answer of the implementation.
    #[must_use]
    pub fn answered(&self) -> usize {
        self.passed + self.wrong
    }
}

/// A rung of the ladder: a group of cells that test one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Capability {
    /// Stable id.
    pub id: String,
    /// Title. Code is between backquotes.
    pub title: String,
    /// Suites whose cells test the capability.
    pub suites: Vec<String>,
    /// Mark of each implementation.
    pub marks: Vec<Mark>,
}

/// The extent to which an implementation has a capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Support {
    /// All cells pass.
    Supported,
    /// Some cells pass, and the implementation does not support the others.
    Partial,
    /// At least one cell ended in another way than expected.
    Wrong,
    /// The implementation supports none of the cells.
    Unsupported,
    /// The results have none of the cells.
    NotRun,
}

/// How an implementation did on the cells of a capability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// The extent to which the implementation has the capability.
    pub support: Support,
    /// Counts of the cells.
    pub counts: ScoreboardCounts,
    /// The wrong cells. The one with the smallest documents comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong_cells: Vec<WrongCell>,
}

/// A cell that ended in another way than expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WrongCell {
    /// Id of the cell.
    pub id: String,
    /// Description of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Expected result, in words.
    pub expected: String,
    /// Actual result, in words.
    pub actual: String,
    /// Documents of the request, as YAML text.
    pub documents: Vec<Document>,
    /// Expected document, as YAML text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_document: Option<String>,
    /// Actual document, as YAML text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual_document: Option<String>,
    /// Reason for the difference, from the deviation file of the implementation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A document of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// Name of the step with the document, for example `stored` or `request`.
    pub name: String,
    /// The document, as YAML text.
    pub text: String,
}

/// A question that the results of some cells answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// Stable id.
    pub id: String,
    /// The question. Code is between backquotes.
    pub title: String,
    /// Why the question matters.
    pub about: String,
    /// Answers about the merge key of a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merge_keys: Vec<MergeKey>,
    /// The results of each cell.
    pub cells: Vec<CellResults>,
}

/// The key by which some implementations merge a list, found by comparing their results with those of each candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeKey {
    /// Kind of the requests, for example `strategic merge patch`.
    pub requests: String,
    /// The key in words: `port`, `port + protocol`, `no key (the list is replaced)`, or `none of the candidates`.
    pub key: String,
    /// Implementations, by index.
    pub implementations: Vec<usize>,
}

/// The results of one cell, grouped by what came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CellResults {
    /// Id of the cell.
    pub id: String,
    /// Description of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Documents of the request.
    pub documents: Vec<Document>,
    /// Groups of implementations with equal results. The expected result comes first.
    pub results: Vec<SharedResult>,
}

/// A result of a cell, with the implementations that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ResultGroup", description = "Implementations with the same result of a cell.")]
pub struct SharedResult {
    /// Result in words, for example `a result` or `refused: missing-merge-key`.
    pub result: String,
    /// Resulting document, as YAML text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Whether this is the expected result.
    pub is_expected: bool,
    /// Implementations, by index.
    pub implementations: Vec<usize>,
}

/// Returns the JSON Schema (draft 2020-12) of a scoreboard.
#[must_use]
pub fn schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Scoreboard>()
}
