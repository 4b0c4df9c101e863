//! The keywords of the format: levels, outcomes, requests.

use schemars::JsonSchema;
use serde::Deserialize;
use skewer_engine::skew::{Outcome, PatchFormat, Request};

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

/// What a client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequestName {
    /// The whole object, new: `live` is left out.
    Create,
    /// The whole object.
    Update,
    /// A JSON merge patch: the difference of what was read and what was edited.
    JsonMergePatch,
    /// A strategic merge patch: the same difference with the client's metadata and directives.
    StrategicMergePatch,
    /// A strategic merge patch from last-applied, modified and live, as kubectl apply sends it.
    Apply,
    /// A JSON patch (RFC 6902), a list of operations: in patch cases only, since nobody creates one from documents.
    JsonPatch,
}

impl RequestName {
    /// The request of a skew case; none for a format that only patch cases have.
    #[must_use]
    pub fn request(self) -> Option<Request> {
        Some(match self {
            RequestName::Create => Request::Create,
            RequestName::Update => Request::Update,
            RequestName::JsonMergePatch => Request::JsonMergePatch,
            RequestName::StrategicMergePatch => Request::StrategicMergePatch,
            RequestName::Apply => Request::Apply,
            RequestName::JsonPatch => return None,
        })
    }

    /// Returns the format of the patch; `None` for a request that is none, or whose format depends on the types.
    #[must_use]
    pub fn format(self) -> Option<PatchFormat> {
        match self {
            RequestName::StrategicMergePatch => Some(PatchFormat::StrategicMergePatch),
            RequestName::JsonMergePatch => Some(PatchFormat::JsonMergePatch),
            RequestName::JsonPatch => Some(PatchFormat::JsonPatch),
            RequestName::Create | RequestName::Update | RequestName::Apply => None,
        }
    }

    /// The word in case files and cell ids.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.request().map_or("json-patch", Request::name)
    }
}
