//! The API versions of a resource.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skewer_yaml::Spanned;

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
