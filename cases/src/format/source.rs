//! The sources of a suite: the document that it tests, and the types of its objects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skewer_engine::OwnedDoc;
use skewer_yaml::{OptionalField, Spanned, any_schema};

/// The document or upstream code from which the expectations follow.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "SourceFile")]
pub struct SourceSpec {
    /// The document: `strategic-merge-patch`, `retain-keys`, `patch-merge-key` or `kep-1027`, or the address of another
    /// document (`https://…`).
    pub document: Spanned<String>,
    /// The heading of the section. If the document is one of the four that have a name, it must have a section with
    /// this heading.
    pub section: Spanned<String>,
}

/// The types of the objects of a suite: one of `go`, `openapi`, `crd` and `builtin`, or `go` over `builtin`, or `old` and
/// `new`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "SchemaFile")]
pub struct SchemaSpec {
    /// Go type declarations. Together with `builtin`, they are overlaid on the types of the release, to declare a union
    /// or to add a field. A struct of the release keeps its fields; a field that is declared again gets the markers of
    /// the new declaration.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub go: Option<Spanned<String>>,
    /// An OpenAPI document, v2 or v3, or a `CustomResourceDefinition`: the document itself, and no path of a file.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "any_schema")]
    pub openapi: OptionalField<Spanned<OwnedDoc>>,
    /// A `CustomResourceDefinition`: the document itself, or the path of its file, relative to the suite file. `FILE#v1`
    /// names the version of the objects, which is necessary if there are several. Servers prune, default and validate the
    /// objects by the definition.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "any_schema")]
    pub crd: OptionalField<Spanned<OwnedDoc>>,
    /// The embedded Kubernetes release whose built-in types are used: `kubernetes-1.N`, or `newest`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub builtin: Option<Spanned<String>>,
    /// Patch metadata that a proposal adds to the types:
    /// `core/v1.ServiceSpec.ports:recommendedPatchMergeKey=port,name`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub with: Vec<Spanned<String>>,
    /// The types before a change. A party has them if it has `schema: old`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub old: Option<Box<SchemaSpec>>,
    /// The types after the change, which all other parties have.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub new: Option<Box<SchemaSpec>>,
    /// The type of the objects: the name of a type or, with `builtin`, also a name such as `apps/v1/Deployment`. A case,
    /// an axis value or an overlay can name another type. The default for a `crd` is its kind. `old` and `new` can each have
    /// a `root`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub root: Option<Spanned<String>>,
}

impl SchemaSpec {
    /// Returns types that are declared in Go. YAML has no tabs in indentation, so that they become spaces.
    #[must_use]
    pub fn of_go(source: &str, root: &str) -> Self {
        let go = Some(source.replace('\t', "  ").into());
        SchemaSpec { go, root: Some(root.into()), ..SchemaSpec::default() }
    }

    /// Returns true if the schema has no types of its own.
    pub(crate) fn has_no_types(&self) -> bool {
        self.go.is_none()
            && self.openapi.as_ref().is_none()
            && self.crd.as_ref().is_none()
            && self.builtin.is_none()
            && self.with.is_empty()
    }
}
