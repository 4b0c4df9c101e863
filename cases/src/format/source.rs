//! The sources of a suite: the document that it executes, and the types of its objects.

use schemars::JsonSchema;
use serde::Deserialize;
use skewer_engine::OwnedDoc;
use skewer_yaml::{OptionalField, Spanned, any_schema};

/// Where a claim comes from.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "SourceFile")]
pub struct SourceSpec {
    /// `strategic-merge-patch`, `retain-keys`, `patch-merge-key` or `kep-1027`, or the address of another document
    /// (`https://…`).
    pub document: Spanned<String>,
    /// The heading of the section; that of one of the four documents is checked.
    pub section: Spanned<String>,
}

/// The types of a suite's objects.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "SchemaFile")]
pub struct SchemaSpec {
    /// Go type declarations, as the documents print them. Beside `builtin` they are laid over the types of the
    /// release, to declare a union on them or to add a field: a struct that is there keeps its fields, and those that
    /// are declared again get the markers.
    #[serde(default)]
    pub go: Option<Spanned<String>>,
    /// An OpenAPI document, v2 or v3, or a `CustomResourceDefinition`.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub openapi: OptionalField<Spanned<OwnedDoc>>,
    /// A Kubernetes release whose built-in types are used: `kubernetes-1.N`, or `newest`.
    #[serde(default)]
    pub builtin: Option<Spanned<String>>,
    /// Patch metadata that a proposal adds to these types: `core/v1.ServiceSpec.ports:recommendedPatchMergeKey=port,name`.
    #[serde(default)]
    pub with: Vec<Spanned<String>>,
    /// The type of the objects: a type's name; with `builtin` also `apps/v1/Deployment`.
    pub root: Spanned<String>,
}
