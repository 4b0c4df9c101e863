//! The keywords of the format: levels and outcomes.

use schemars::JsonSchema;
use serde::Deserialize;
use skewer_engine::skew::Outcome;

/// How binding a case is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Kubernetes behaves so, and an implementation must.
    #[default]
    Required,
    /// An implementation should.
    Recommended,
    /// Described by a proposal that never shipped.
    Proposed,
    /// A place where a document contradicts itself or what shipped.
    Erratum,
}

impl Level {
    /// The word in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::Required => "required",
            Level::Recommended => "recommended",
            Level::Proposed => "proposed",
            Level::Erratum => "erratum",
        }
    }
}

/// What becomes of an intent; the words of the engine's [`Outcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeName {
    /// The ideal was reached, or refused for the same reason.
    Intended,
    /// What the old client on the old server gets.
    AsBefore,
    /// The request failed: loud.
    Refused,
    /// Nothing changed though something should have: silent.
    Ignored,
    /// Something that should be gone remains: silent.
    Leftover,
    /// Something that should be there is missing: silent.
    Lost,
    /// Different in another way: silent.
    Diverged,
}

impl From<OutcomeName> for Outcome {
    fn from(name: OutcomeName) -> Self {
        match name {
            OutcomeName::Intended => Outcome::Intended,
            OutcomeName::AsBefore => Outcome::AsBefore,
            OutcomeName::Refused => Outcome::Refused,
            OutcomeName::Ignored => Outcome::Ignored,
            OutcomeName::Leftover => Outcome::Leftover,
            OutcomeName::Lost => Outcome::Lost,
            OutcomeName::Diverged => Outcome::Diverged,
        }
    }
}
