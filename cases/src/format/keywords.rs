//! The keywords of the case format: levels, outcomes, and the memory of lists.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skewer_engine::patch::SpareCapacity;
use skewer_skew::Outcome;

/// The conformance level of a case.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Kubernetes behaves as the case says, and an implementation must do the same.
    #[default]
    Required,
    /// An implementation should behave as the case says.
    Recommended,
    /// The case tests a proposal that never shipped.
    Proposed,
    /// The case tests a point where a document contradicts itself or the shipped behaviour.
    Erratum,
}

impl Level {
    /// Returns the keyword of the level in files and reports.
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

/// One of the two schemas of a case.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SchemaName {
    /// The schema before a change.
    Old,
    /// The schema after the change, which is that of an up-to-date party.
    #[default]
    New,
}

/// Where a party holds the lists of an object when it merges a patch. It affects the order of lists of scalars with repeated
/// items, because upstream removes the repeated items in the memory behind the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lists {
    /// In lists that were decoded from JSON, as in `kubectl patch --local`. The decoder leaves spare capacity behind the
    /// items.
    Decoded,
    /// In the structs of an API server. Their lists have no spare capacity.
    Structs,
}

impl From<Lists> for SpareCapacity {
    fn from(lists: Lists) -> Self {
        match lists {
            Lists::Decoded => SpareCapacity::AsDecoded,
            Lists::Structs => SpareCapacity::None,
        }
    }
}

/// The outcome of an intent. The keywords are those of the engine's [`Outcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeName {
    /// The ideal was stored.
    Intended,
    /// The ideal is a refusal, and the request was refused with an error of the same kind at the same field path.
    Rejected,
    /// The final state is that of the old client on the old server.
    AsBefore,
    /// The request was refused, although the ideal is a stored object or a refusal for another reason.
    Refused,
    /// The stored object did not change, although it changes in the ideal. Owners of fields do not count. The outcomes below apply
    /// only to an object that changed.
    Ignored,
    /// The final state has everything that the ideal has, and more: a field that should have been removed remains.
    Leftover,
    /// The final state lacks something that the ideal has, and has nothing more.
    Lost,
    /// The final state differs from the ideal in another way: a value, the order of a list, or a field too many and another one too
    /// few.
    Diverged,
    /// The ideal is a refusal, but the request was accepted.
    WronglyAccepted,
}

impl From<OutcomeName> for Outcome {
    fn from(name: OutcomeName) -> Self {
        match name {
            OutcomeName::Intended => Outcome::Intended,
            OutcomeName::Rejected => Outcome::Rejected,
            OutcomeName::AsBefore => Outcome::AsBefore,
            OutcomeName::Refused => Outcome::Refused,
            OutcomeName::Ignored => Outcome::Ignored,
            OutcomeName::Leftover => Outcome::Leftover,
            OutcomeName::Lost => Outcome::Lost,
            OutcomeName::Diverged => Outcome::Diverged,
            OutcomeName::WronglyAccepted => Outcome::WronglyAccepted,
        }
    }
}

impl From<Outcome> for OutcomeName {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Intended => OutcomeName::Intended,
            Outcome::Rejected => OutcomeName::Rejected,
            Outcome::AsBefore => OutcomeName::AsBefore,
            Outcome::Refused => OutcomeName::Refused,
            Outcome::Ignored => OutcomeName::Ignored,
            Outcome::Leftover => OutcomeName::Leftover,
            Outcome::Lost => OutcomeName::Lost,
            Outcome::Diverged => OutcomeName::Diverged,
            Outcome::WronglyAccepted => OutcomeName::WronglyAccepted,
        }
    }
}
