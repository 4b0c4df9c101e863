//! One case of a suite.

use schemars::JsonSchema;
use serde::Deserialize;
use skewer_engine::OwnedDoc;
use skewer_yaml::{OptionalField, Spanned, any_schema};

use super::axes::{AxesSpec, PartySpec};
use super::collections::OrderedMap;
use super::documents::{self, DocumentKey, DocumentsSpec, deserialize_with_documents};
use super::expectation::{ExclusionSpec, ExpectationSpec};
use super::intent::IntentSpec;
use super::keywords::Level;
use super::request_name::RequestName;
use super::source::{SchemaSpec, SourceSpec};

/// A case: an operation, its matrix, and the expected results.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(deny_unknown_fields, rename = "CaseFile", transform = documents::add_to_case_schema)]
pub struct CaseSpec {
    /// The name within the suite: lower case, digits and dashes.
    pub id: Spanned<String>,
    /// What the case shows.
    #[serde(default)]
    pub about: Option<String>,
    /// The document and section, where they differ from the suite's.
    #[serde(default)]
    pub source: Option<SourceSpec>,
    /// How binding the case is, where it differs from the suite's.
    #[serde(default)]
    pub level: Option<Level>,
    /// Rows of the KEP's test matrix that the case is.
    #[serde(default)]
    pub kep: Vec<u32>,
    /// Upstream issues that the case is about: `kubernetes/kubernetes#39188`.
    #[serde(default)]
    pub issue: Vec<String>,
    /// What an up-to-date party knows, where it differs from the suite's.
    #[serde(default)]
    pub profile: Option<Spanned<String>>,
    /// The types, where they differ from the suite's.
    #[serde(default)]
    pub schema: Option<SchemaSpec>,
    /// Axes beside the suite's.
    #[serde(default)]
    pub axes: AxesSpec,
    /// The point of the matrix that a compatibility promise speaks of, where it differs from the suite's.
    #[serde(default)]
    pub before: OrderedMap<Spanned<String>>,
    /// Another skew case of the suite, above this one and with the same axes: no cell may do worse than the cell at
    /// the same point there. Done as meant (or as before) is better than refused, and refused better than silent; what
    /// is refused is refused, even if everybody up to date is. Cells that do worse all the same are said to by
    /// `worse: true` in their expectation.
    #[serde(default)]
    pub no_worse_than: Option<Spanned<String>>,
    /// Points of the matrix that cannot be, beside the suite's.
    #[serde(default)]
    pub exclude: Vec<ExclusionSpec>,
    /// Who sends (skew cases, and patches that are created).
    #[serde(default)]
    pub client: Option<PartySpec>,
    /// Who stores (skew cases, and patches that are applied).
    #[serde(default)]
    pub server: Option<PartySpec>,
    /// The documents of the operation.
    #[serde(skip)]
    pub documents: DocumentsSpec,
    /// What the user wants (skew cases).
    #[serde(default)]
    pub intent: Option<IntentSpec>,
    /// What is sent: in skew cases `create`, `update`, `apply` or one of the merge patches; in patch cases
    /// `json-merge-patch` or `json-patch` instead of the strategic merge patch that is the default.
    #[serde(default)]
    pub request: Option<RequestName>,
    /// How a three-way patch is created.
    #[serde(default)]
    pub three_way: Option<ThreeWaySpec>,
    /// Types that are refused: the `error` is `invalid-schema`, and `rule` says what is wrong with them.
    #[serde(default)]
    pub declare: Option<DeclareSpec>,
    /// Fields in the documents of this case that no party knows, on purpose: `spec.foo`, `ports[].foo` in the items
    /// of a list, `spec.$other` for a directive that does not exist. Any other field that is in no type of the case is
    /// an error, and so is a path here that is known, or that no document has.
    #[serde(default)]
    pub unknown_fields: Vec<Spanned<String>>,
    /// Paths, written likewise, at which documents of this case have a value of the wrong type on purpose. Any other
    /// value that does not have the type of its field is an error.
    #[serde(default)]
    pub wrong_types: Vec<Spanned<String>>,
    /// What comes of it: for each cell the first that applies.
    pub expect: Vec<Spanned<ExpectationSpec>>,
}

deserialize_with_documents!(CaseSpec, DocumentKey::all());

/// Types that are to be read, and are no types of any object.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "DeclareFile")]
pub struct DeclareSpec {
    /// Go type declarations.
    #[serde(default)]
    pub go: Option<Spanned<String>>,
    /// An OpenAPI document, v2 or v3, or a `CustomResourceDefinition`.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub openapi: OptionalField<Spanned<OwnedDoc>>,
}

/// How a three-way patch is created.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "ThreeWayFile")]
pub struct ThreeWaySpec {
    /// The modified document wins over changes in live; otherwise they are a conflict.
    #[serde(default)]
    pub overwrite: bool,
    /// Keys of the object that the patch must not change.
    #[serde(default)]
    pub keys_unchanged: Vec<String>,
    /// Keys of its metadata that the patch must not change.
    #[serde(default)]
    pub metadata_keys_unchanged: Vec<String>,
}
