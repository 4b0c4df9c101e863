//! Pinned final states: the stored document or the refusal that cells must end with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skewer_engine::OwnedDoc;
use skewer_yaml::{OptionalField, Spanned, any_schema};

use super::collections::{OneOrMore, OrderedMap};

/// A final state that is written by hand. It is one of these: a literal document (`result`), edits to another document
/// (`of`), or an error (`error`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "FinalStateFile")]
pub struct FinalStateSpec {
    /// The condition: for each axis that is named, the values of the matching cells. Without a condition, the entry
    /// matches all cells. The first entry that matches a cell applies to it.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub when: OrderedMap<OneOrMore>,
    /// The stored document.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "any_schema")]
    pub result: OptionalField<OwnedDoc>,
    /// The document from which the stored document is made by `set` and `remove`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub of: Option<Spanned<BaseName>>,
    /// Values by field path, such as `union.type` or `spec.ports[0].name`. They are set before fields are removed.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub set: OrderedMap<OwnedDoc>,
    /// Field paths to remove.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub remove: Vec<Spanned<String>>,
    /// The kind of the error with which the request is refused.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub error: Option<Spanned<String>>,
    /// The field path of the error. `.` is the whole object.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub at: Option<Spanned<String>>,
}

/// The document that `of` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BaseName {
    /// The live object.
    Live,
    /// The ideal: the document that the server would store if both parties were up to date.
    Ideal,
}
