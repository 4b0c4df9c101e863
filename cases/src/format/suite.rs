//! A suite file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skewer_yaml::Spanned;

use super::axes::{AxesSpec, OverlaySpec};
use super::case::CaseSpec;
use super::collections::{OneOrMore, OrderedMap};
use super::directives::DirectiveSpec;
use super::expectation::ExclusionSpec;
use super::final_state::FinalStateSpec;
use super::keywords::Level;
use super::source::{SchemaSpec, SourceSpec};

/// The version of the case format that this crate reads. It changes if a key is removed or gets another meaning; a new key
/// does not change it.
pub const FORMAT_VERSION: u32 = 1;

/// A suite: one YAML file with cases about one subject.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "SuiteFile")]
pub struct SuiteSpec {
    /// The name of the suite: the path of the file below the corpus folder, without `.yaml`. A file that a command names by
    /// itself can have any name.
    pub suite: Spanned<String>,
    /// The version of the case format: 1. Without this key, it is 1.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub format_version: Option<Spanned<u32>>,
    /// The subject of the suite, for readers of the design documents. Text in straight quotation marks quotes one of the
    /// four documents, as in `because`.
    pub about: String,
    /// The document and section that the suite tests. A case can name another section.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub source: Option<SourceSpec>,
    /// The conformance level of the cases. Without this key, it is `required`. A case can set its own level.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub level: Option<Level>,
    /// The directives of an up-to-date party: `today` (all that shipped), `proposed` (those of proposals as well), or
    /// `kubernetes-1.N`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub profile: Option<Spanned<String>>,
    /// Directives that Skewer does not have, by name (`$appendOnly`): an implementation has them. The built-in engine treats
    /// the key of such a directive as an ordinary field.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub directives: OrderedMap<DirectiveSpec>,
    /// The types of the objects. A case can have its own types.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub schema: Option<Spanned<SchemaSpec>>,
    /// The axes of the matrix of every case. A case can add axes.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub axes: AxesSpec,
    /// Contributions to some points of the matrix, for what no single axis value can contribute: a document that depends
    /// on the values of two axes, for example, or the `configuration` of a `server-side-apply` beside other requests.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub overlays: Vec<Spanned<OverlaySpec>>,
    /// The point of the matrix to which a compatibility promise refers. A cell is allowed to have the same result as the
    /// cell at this point (outcome `as-before`). Axes that are not named keep the value of the cell. Without this key, no
    /// promise covers the cases.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub before: OrderedMap<Spanned<String>>,
    /// The ideals of the cells, written by hand: stored documents (`result`, or `of: live`) or errors. The first entry
    /// that matches a cell applies to it. A cell fails if the ideal that Skewer computes is another one, because the
    /// outcome of the cell is a comparison with the ideal. Without a matching entry, the ideal is not checked.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub ideals: Vec<Spanned<FinalStateSpec>>,
    /// Points of the matrix that are impossible, and therefore have no cell.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub exclude: Vec<ExclusionSpec>,
    /// Rows of the KEP's test matrix, each as a set of cells.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub kep_rows: Vec<RowGroupSpec>,
    /// The cases.
    pub cases: Vec<CaseSpec>,
}

/// Returns the JSON Schema of a suite file, for editors.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(SuiteSpec);
    schema.insert("title".to_owned(), "A suite of Skewer cases".into());
    schema
}

/// A key of a suite file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatKey {
    /// The part of the file that has the key: `suite`, `case`, `party`, `expectation`.
    pub part: String,
    /// The key.
    pub name: String,
    /// The description, as in the JSON Schema.
    pub about: String,
}

/// Returns the keys of a suite file, by part. Axis values and overlays have the keys of a case.
#[must_use]
pub fn keys() -> Vec<FormatKey> {
    let schema = json_schema().to_value();
    let definitions = schema["$defs"].as_object().into_iter().flatten();
    let definitions =
        definitions.filter(|(name, _)| !["SettingFile", "OverlayFile"].contains(&name.as_str()));
    let parts = definitions.map(|(name, part)| (name.as_str(), part)).chain([("SuiteFile", &schema)]);
    let mut keys = Vec::new();
    for (part, definition) in parts {
        for (name, key) in definition["properties"].as_object().into_iter().flatten() {
            let about = key["description"].as_str().unwrap_or_default();
            let part = part_name(part);
            keys.extend((!about.is_empty()).then(|| FormatKey {
                part,
                name: name.clone(),
                about: about.replace('\n', " "),
            }));
        }
    }
    keys
}

/// Returns the name of a part of a suite file by that of its definition in the JSON Schema: `other-request` for
/// `OtherRequestFile`.
#[must_use]
pub fn part_name(definition: &str) -> String {
    let mut name = String::new();
    for letter in definition.strip_suffix("File").unwrap_or(definition).chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// Consecutive rows of the KEP's test matrix. The sheet is not public: which cells a row describes is a reconstruction,
/// except for the rows that the KEP cites.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "RowGroupFile")]
pub struct RowGroupSpec {
    /// The number of the first row.
    pub first: u32,
    /// The condition that the cells of all these rows fulfil: for each axis that is named, the values of the cells.
    pub when: OrderedMap<OneOrMore>,
    /// For each row, a condition in addition to that of the group.
    pub rows: Vec<Spanned<OrderedMap<OneOrMore>>>,
    /// The numbers of the rows that the KEP cites. The other rows are reconstructed.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub cited: Vec<Spanned<u32>>,
}
