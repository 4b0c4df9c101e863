//! The keywords of the format: levels and outcomes.

use schemars::JsonSchema;
use serde::Deserialize;
use skewer_engine::skew::Outcome;

/// The conformance level of a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Kubernetes has the behaviour, and an implementation must have it.
    #[default]
    Required,
    /// An implementation should have the behaviour.
    Recommended,
    /// The behaviour is that of a proposal that never shipped.
    Proposed,
    /// A document contradicts itself or the shipped behaviour.
    Erratum,
}

impl Level {
    /// Returns the word in files and reports.
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

/// The outcome of an intent, in the words of the engine's [`Outcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeName {
    /// The final state is the ideal, or was refused for the same reason.
    Intended,
    /// The final state is that of the old client on the old server.
    AsBefore,
    /// The request failed, and the client knows it.
    Refused,
    /// Nothing changed, although something should have changed.
    Ignored,
    /// A field that should have been removed remains.
    Leftover,
    /// A field that should exist is missing.
    Lost,
    /// The final state differs in another way.
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
