//! A suite file.

use schemars::JsonSchema;
use serde::Deserialize;
use skewer_yaml::Spanned;

use super::axes::AxesSpec;
use super::case::CaseSpec;
use super::collections::OrderedMap;
use super::expectation::ExclusionSpec;
use super::keywords::Level;
use super::source::{SchemaSpec, SourceSpec};

/// One YAML file: cases about one thing, with what they share.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "SuiteFile")]
pub struct SuiteSpec {
    /// The suite's name: the file's path below the corpus folder, without `.yaml`.
    pub suite: Spanned<String>,
    /// What the suite is about, for somebody who reads the documents.
    pub about: String,
    /// The document and section that the suite executes; a case can have its own.
    #[serde(default)]
    pub source: Option<SourceSpec>,
    /// How binding the cases are; a case can have its own.
    #[serde(default)]
    pub level: Option<Level>,
    /// What a party knows that is up to date: `today` (all that shipped), `proposed` (all there is), or
    /// `kubernetes-1.N`.
    #[serde(default)]
    pub profile: Option<Spanned<String>>,
    /// The types; a case can have its own.
    #[serde(default)]
    pub schema: Option<SchemaSpec>,
    /// The axes of every case's matrix; a case can have more.
    #[serde(default)]
    pub axes: AxesSpec,
    /// The point of the matrix that a compatibility promise speaks of: cells may end as they do there
    /// (`as-before`). Without it no promise covers the cases.
    #[serde(default)]
    pub before: OrderedMap<Spanned<String>>,
    /// Points of the matrix that cannot be.
    #[serde(default)]
    pub exclude: Vec<ExclusionSpec>,
    /// The cases.
    pub cases: Vec<CaseSpec>,
}
