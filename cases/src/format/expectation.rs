//! Exclusions and expectations.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use skewer_engine::OwnedDoc;
use skewer_engine::error::ManagerOperation;
use skewer_yaml::{OptionalField, Spanned, any_schema};

use super::collections::{OneOrMore, OrderedMap};
use super::final_state::FinalStateSpec;
use super::keywords::OutcomeName;

/// Points of the matrix that are impossible.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "ExclusionFile")]
pub struct ExclusionSpec {
    /// The condition: for each axis that is named, the values of the excluded cells.
    pub when: Spanned<OrderedMap<OneOrMore>>,
    /// The reason why the excluded cells are impossible.
    pub because: String,
}

/// The expected result of some cells.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "ExpectationFile")]
pub struct ExpectationSpec {
    /// The condition: for each axis that is named, the values of the matching cells. Without a condition, the
    /// expectation matches all cells.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub when: OrderedMap<OneOrMore>,
    /// The outcome of the intent. Only a skew case has an outcome.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub outcome: Option<OutcomeName>,
    /// The resulting document: the patched object, the patch, the stored object, or `true` or `false` for a case that checks
    /// two patches for conflicts. A skew case can expect only an outcome. If it expects a result as well, the final state must match both.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "any_schema")]
    pub result: OptionalField<OwnedDoc>,
    /// Whether the `result` is the stored object exactly as the server writes it. Otherwise, the values that only say that
    /// a field is not set (nulls, and zero values of Go types) can be left out. Only a case with a `body` has it.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub exact: Option<Spanned<bool>>,
    /// The kind of the error, if the operation must fail. `skewer explain` lists the kinds.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub error: Option<Spanned<String>>,
    /// The directive that is refused with the error `invalid-directive`, for example `$retainKeys`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub directive: Option<Spanned<String>>,
    /// The rule that the types of `declare` violate, for example `bad-strategy` or `discriminator-not-an-enum`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub rule: Option<Spanned<String>>,
    /// The field path of the error, for example `spec.ports[0]`. `.` is the whole object.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub at: Option<Spanned<String>>,
    /// The conflicts with other field managers, for the error `conflict` of a `server-side-apply`: the error must have
    /// exactly these conflicts, in any order.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub conflicts: Option<Spanned<Vec<ConflictSpec>>>,
    /// All owners of fields after an accepted request of a skew case, in any order. At least one request of the case
    /// must be a `server-side-apply`. Without one, the server keeps no managed fields.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub owners: Option<Spanned<Vec<OwnerSpec>>>,
    /// The final states of the cells, if the outcome or the kind of error does not determine them. Those of a patch case
    /// are errors. The first entry whose `when` matches a cell applies to it. The expectation needs a `because`: without one,
    /// the final states are not reviewed, and the run fails.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub final_states: Vec<Spanned<FinalStateSpec>>,
    /// Several answers. A cell may have any one of these answers. Beside them, the expectation has only `when`, `because`,
    /// `cites` and `worse`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub any_of: Vec<ExpectedAnswerSpec>,
    /// Whether the cells are known to have worse outcomes than those of the reference case, which `no-worse-than`
    /// names. With `worse: true`, it is an error if a cell does not have a worse outcome.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub worse: bool,
    /// The reason for the expectation. Text in straight quotation marks quotes one of the four design documents word for
    /// word, with `…` for words that are left out. Quotations of anything else have typographic marks (`“…”`). Only
    /// quotations in the built-in corpus are checked.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub because: Option<String>,
    /// The sentence of one of the four design documents from which the expectation follows, word for word, without
    /// quotation marks. `…` marks words that are left out. Messages about failing cells quote this sentence.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub cites: Option<String>,
}

impl ExpectationSpec {
    /// Expects a document.
    #[must_use]
    pub fn of_result(document: OwnedDoc) -> Self {
        ExpectationSpec { result: OptionalField::Given(document), ..ExpectationSpec::default() }
    }

    /// Expects an error of this kind.
    #[must_use]
    pub fn of_error(kind: &str) -> Self {
        ExpectationSpec { error: Some(kind.into()), ..ExpectationSpec::default() }
    }

    /// Joins the text of `because` and the sentence that `cites` quotes from a design document.
    pub(crate) fn reason(&self) -> Option<String> {
        let quoted = self.cites.as_ref().map(|sentence| format!("\"{sentence}\""));
        match (&self.because, quoted) {
            (Some(because), Some(quoted)) => Some(format!("{because} {quoted}")),
            (because, quoted) => quoted.or_else(|| because.clone()),
        }
    }
}

/// One of several answers that are allowed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "AnswerFile")]
pub struct ExpectedAnswerSpec {
    /// The outcome of the intent. Only a skew case has an outcome.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub outcome: Option<OutcomeName>,
    /// The resulting document.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(schema_with = "any_schema")]
    pub result: OptionalField<OwnedDoc>,
    /// Whether the `result` is the stored object exactly as the server writes it. Otherwise, the values that only say that
    /// a field is not set (nulls, and zero values of Go types) can be left out. Only a case with a `body` has it.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub exact: Option<Spanned<bool>>,
    /// The kind of the error, if the operation must fail.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub error: Option<Spanned<String>>,
    /// The directive that is refused with the error `invalid-directive`, for example `$retainKeys`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub directive: Option<Spanned<String>>,
    /// The rule that the types of `declare` violate.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub rule: Option<Spanned<String>>,
    /// The field path of the error.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub at: Option<Spanned<String>>,
    /// The conflicts with other field managers, for the error `conflict` of a `server-side-apply`: the error must have
    /// exactly these conflicts, in any order.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub conflicts: Option<Spanned<Vec<ConflictSpec>>>,
    /// All owners of fields after an accepted request of a skew case, in any order. At least one request of the case
    /// must be a `server-side-apply`. Without one, the server keeps no managed fields.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub owners: Option<Spanned<Vec<OwnerSpec>>>,
}

/// A conflict of a `server-side-apply` with another field manager.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "ConflictFile")]
pub struct ConflictSpec {
    /// The name of the other manager.
    pub manager: String,
    /// The path of the field in the notation of field sets, for example `.spec.ports[port=80,protocol="TCP"].name`.
    pub path: Spanned<String>,
}

/// An owner of fields: an entry of `metadata.managedFields`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "OwnerFile")]
pub struct OwnerSpec {
    /// The name of the field manager.
    pub manager: String,
    /// The operation by which the manager became an owner: `Apply` for a `server-side-apply`, `Update` for any other
    /// request.
    #[schemars(schema_with = "operation_schema")]
    pub operation: ManagerOperation,
    /// The subresource to which the requests were sent. Without it, they were sent to the main resource.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub subresource: Option<String>,
    /// The paths of all fields that the manager owns, in any order and in the notation of field sets, for example
    /// `.spec.ports[port=80,protocol="TCP"].name`.
    pub fields: Vec<Spanned<String>>,
}

fn operation_schema(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({"enum": [ManagerOperation::Apply.name(), ManagerOperation::Update.name()]})
}
