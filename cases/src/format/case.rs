//! A case of a suite, with the API versions of its resource.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skewer_engine::OwnedDoc;
use skewer_yaml::{OptionalField, Spanned, any_schema};

use super::axes::{AxesSpec, OverlaySpec};
use super::collections::OrderedMap;
use super::documents::{self, DocumentKey};
use super::expectation::{ExclusionSpec, ExpectationSpec};
use super::final_state::FinalStateSpec;
use super::setting::{self, SettingSpec, deserialize_with_setting};
use super::source::SourceSpec;

/// A case: an operation, its matrix, and the expected results.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(deny_unknown_fields, rename = "CaseFile", transform = setting::add_to_schema, transform = documents::add_to_case_schema)]
pub struct CaseSpec {
    /// The name of the case within the suite, usually of lower case letters, digits and dashes.
    pub id: Spanned<String>,
    /// A description of the case. Text in straight quotation marks quotes one of the four design documents, as in
    /// `because`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub about: Option<String>,
    /// The document and section that the case tests, if they differ from those of the suite.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub source: Option<SourceSpec>,
    /// The rows of the KEP's test matrix that the case covers.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub kep: Vec<u32>,
    /// The upstream issues that the case is about: `kubernetes/kubernetes#39188`, or an address.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub issue: Vec<String>,
    /// The directives of an up-to-date party, if they differ from those of the suite.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub profile: Option<Spanned<String>>,
    /// Axes in addition to those of the suite. An axis with the same name replaces that of the suite.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub axes: AxesSpec,
    /// Contributions to some points of the matrix, after those of the suite.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub overlays: Vec<Spanned<OverlaySpec>>,
    /// The point of the matrix to which a compatibility promise refers, if it differs from that of the suite.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub before: OrderedMap<Spanned<String>>,
    /// The name of the reference case: another skew case of the suite, above this one and with the same axes, in the same
    /// order and with the same values. No cell
    /// may have a worse outcome than the cell of the reference case at the same point. `intended` and `as-before` are
    /// better than a refusal, and a refusal is better than any silent outcome. Here a refusal is never as good as
    /// `intended`, even if up-to-date parties would be refused as well. The expectation of cells that are known to be
    /// worse has `worse: true`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub no_worse_than: Option<Spanned<String>>,
    /// Impossible points of the matrix, in addition to those of the suite.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub exclude: Vec<ExclusionSpec>,
    /// The parties, documents, intent and requests, as far as they do not depend on the point of the matrix.
    #[serde(flatten, skip_deserializing)]
    #[schemars(skip)]
    pub setting: SettingSpec,
    /// The options with which a patch is created.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub three_way: Option<ThreeWaySpec>,
    /// The name of the field manager that sends the request of a `server-side-apply` or `managed-update`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub manager: Option<Spanned<String>>,
    /// Whether a `server-side-apply` takes fields from other managers. Otherwise, a field of another manager with another
    /// value is a conflict.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub force: Option<Spanned<bool>>,
    /// The API versions of the resource of a `server-side-apply` or `managed-update`, with the conversions between them.
    /// Without them, the resource has one version: that of the request. A version that a live object or its managed
    /// fields have and that is not listed does not exist any more.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub versions: Option<Spanned<Vec<VersionSpec>>>,
    /// The names of the managers of client-side apply whose fields the `manager` takes over. Such a case has a `live`
    /// object and no other document: it migrates the managed fields as clients do before they use server-side apply.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub csa_managers: Option<Spanned<Vec<String>>>,
    /// Invalid type declarations. The expected `error` is `invalid-schema`, and `rule` names the rule that the
    /// declarations violate.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub declare: Option<DeclareSpec>,
    /// Paths of fields in the documents of this case that deliberately belong to no type: `spec.foo`, `ports[].foo` for
    /// a field in the items of a list, `spec.$other` for a directive that does not exist. Any other field that is in no
    /// type of the case is an error. A listed path is an error if a type has the field, or if no document has the
    /// field.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub unknown_fields: Vec<Spanned<String>>,
    /// Paths at which documents of this case deliberately have a value of the wrong type. The notation is that of
    /// `unknown-fields`. Any other value that does not have the type of its field is an error.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub wrong_types: Vec<Spanned<String>>,
    /// The ideals of the cells, written by hand, before those of the suite. See `ideals` of the suite.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub ideals: Vec<Spanned<FinalStateSpec>>,
    /// The expected results. The first expectation that matches a cell applies to it.
    pub expect: Vec<Spanned<ExpectationSpec>>,
}

deserialize_with_setting!(CaseSpec, DocumentKey::all());

/// Type declarations that are only read and checked. No object of the case has these types.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "DeclareFile")]
pub struct DeclareSpec {
    /// Go type declarations.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub go: Option<Spanned<String>>,
    /// An OpenAPI document, v2 or v3, or a `CustomResourceDefinition`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "any_schema")]
    pub openapi: OptionalField<Spanned<OwnedDoc>>,
}

/// The options with which a patch is created.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "ThreeWayFile")]
pub struct ThreeWaySpec {
    /// Whether the modified document overwrites fields that were changed in the live object. Otherwise, such a change
    /// is a conflict.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub overwrite: bool,
    /// The keys of the object that the patch must not change.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub keys_unchanged: Vec<String>,
    /// The keys in the `metadata` of the object that the patch must not change.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub metadata_keys_unchanged: Vec<String>,
}

/// An API version of the resource, and its conversion from and to the other versions. No library contains the
/// conversions of built-in types, so that a case declares which fields have another path.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "VersionFile")]
pub struct VersionSpec {
    /// The API version: `apps/v1`.
    pub api_version: Spanned<String>,
    /// The type of the objects in this version, if it differs from the `root` of the schema.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub root: Option<Spanned<String>>,
    /// The fields that have another path in this version. All other fields have the same path in all versions: without
    /// renames, a conversion only changes `apiVersion`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub renames: Vec<RenameSpec>,
    /// The paths of the fields that requests of this version do not change (`status`, for the main resource). Nobody
    /// becomes an owner of these fields.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub reset_fields: Vec<Spanned<String>>,
}

/// A field with another path in one version. A path is a list of field names, such as `spec.replicas`, and does not lead
/// through lists.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "RenameFile")]
pub struct RenameSpec {
    /// The path in the versions that do not rename the field.
    pub hub: Spanned<String>,
    /// The path in this version.
    pub version: Spanned<String>,
}
