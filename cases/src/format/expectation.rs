//! Exclusions and expectations.

use schemars::JsonSchema;
use serde::Deserialize;
use skewer_engine::OwnedDoc;
use skewer_yaml::{OptionalField, Spanned, any_schema};

use super::collections::{OneOrMore, OrderedMap};
use super::keywords::OutcomeName;

/// Impossible points of the matrix.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "ExclusionFile")]
pub struct ExclusionSpec {
    /// The condition: for each axis named, one of the values.
    pub when: Spanned<OrderedMap<OneOrMore>>,
    /// The reason why the excluded cells are impossible.
    pub because: String,
}

/// The expected result of some cells.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "ExpectationFile")]
pub struct ExpectationSpec {
    /// The condition: for each axis named, one of the values. Without it, the expectation matches all cells.
    #[serde(default)]
    pub when: OrderedMap<OneOrMore>,
    /// The outcome of the intent (skew cases).
    #[serde(default)]
    pub outcome: Option<OutcomeName>,
    /// The resulting document: the patched object, the patch, or the stored object. In a skew case the outcome is enough,
    /// and a document that is written is compared with the result, too.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub result: OptionalField<OwnedDoc>,
    /// The kind of the error.
    #[serde(default)]
    pub error: Option<Spanned<String>>,
    /// The directive that is refused, with the error `invalid-directive`: `$retainKeys`.
    #[serde(default)]
    pub directive: Option<Spanned<String>>,
    /// The rule that the types of `declare` break: `bad-strategy`, `discriminator-not-an-enum`.
    #[serde(default)]
    pub rule: Option<Spanned<String>>,
    /// Several answers, each of which is right.
    #[serde(default)]
    pub any_of: Vec<ExpectedAnswerSpec>,
    /// Whether these cells are known to have worse outcomes than those of the reference case, which `no-worse-than` names.
    /// A cell that does not is an error.
    #[serde(default)]
    pub worse: bool,
    /// The reason.
    #[serde(default)]
    pub because: Option<String>,
    /// The sentence of the source from which the expectation follows, word for word. Messages about failing cells quote it.
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
    /// The outcome of the intent (skew cases).
    #[serde(default)]
    pub outcome: Option<OutcomeName>,
    /// The resulting document.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub result: OptionalField<OwnedDoc>,
    /// The kind of the error.
    #[serde(default)]
    pub error: Option<Spanned<String>>,
    /// The directive that is refused, with the error `invalid-directive`: `$retainKeys`.
    #[serde(default)]
    pub directive: Option<Spanned<String>>,
    /// The rule that the types of `declare` break.
    #[serde(default)]
    pub rule: Option<Spanned<String>>,
}
