//! Exclusions and expectations.

use schemars::JsonSchema;
use serde::Deserialize;
use skewer_engine::OwnedDoc;
use skewer_yaml::{OptionalField, Spanned, any_schema};

use super::collections::{OneOrMore, OrderedMap};
use super::keywords::OutcomeName;

/// Points of the matrix that cannot be.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "ExclusionFile")]
pub struct ExclusionSpec {
    /// Which: for each axis named, one of the values.
    pub when: Spanned<OrderedMap<OneOrMore>>,
    /// Why they cannot be.
    pub because: String,
}

/// What comes of some cells.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "ExpectationFile")]
pub struct ExpectationSpec {
    /// Which: for each axis named, one of the values; all cells when left out.
    #[serde(default)]
    pub when: OrderedMap<OneOrMore>,
    /// What becomes of the intent (skew cases).
    #[serde(default)]
    pub outcome: Option<OutcomeName>,
    /// The document that results: the patched object, the patch, or what is stored. In skew cases it follows
    /// from the scenario, and what is written here is checked against it.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub result: OptionalField<OwnedDoc>,
    /// The kind of the error that refuses it.
    #[serde(default)]
    pub error: Option<Spanned<String>>,
    /// The directive that is refused, with the error `invalid-directive`: `$retainKeys`.
    #[serde(default)]
    pub directive: Option<Spanned<String>>,
    /// The rule that the types of `declare` break: `bad-strategy`, `discriminator-not-an-enum`.
    #[serde(default)]
    pub rule: Option<Spanned<String>>,
    /// Several answers of which each is right.
    #[serde(default)]
    pub any_of: Vec<ExpectedAnswerSpec>,
    /// These cells do worse than those of the case that `no-worse-than` names, and that is known. It is an error
    /// when one does not.
    #[serde(default)]
    pub worse: bool,
    /// Why.
    #[serde(default)]
    pub because: Option<String>,
    /// The sentence of the source from which it follows, word for word. Whoever breaks the cells is shown it.
    #[serde(default)]
    pub cites: Option<String>,
}

impl ExpectationSpec {
    /// Joins the reason and the quoted sentence of the source.
    pub(crate) fn reason(&self) -> Option<String> {
        let quoted = self.cites.as_ref().map(|sentence| format!("\"{sentence}\""));
        match (&self.because, quoted) {
            (Some(because), Some(quoted)) => Some(format!("{because} {quoted}")),
            (because, quoted) => quoted.or_else(|| because.clone()),
        }
    }
}

/// One of several right answers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "AnswerFile")]
pub struct ExpectedAnswerSpec {
    /// What becomes of the intent (skew cases).
    #[serde(default)]
    pub outcome: Option<OutcomeName>,
    /// The document that results.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub result: OptionalField<OwnedDoc>,
    /// The kind of the error that refuses it.
    #[serde(default)]
    pub error: Option<Spanned<String>>,
    /// The directive that is refused, with the error `invalid-directive`: `$retainKeys`.
    #[serde(default)]
    pub directive: Option<Spanned<String>>,
    /// The rule that the types of `declare` break.
    #[serde(default)]
    pub rule: Option<Spanned<String>>,
}
