//! The capabilities and the questions of the scoreboard, as they are written in `runner/data/scoreboard.yaml`.

use std::collections::BTreeMap;

use serde::Deserialize;
use skewer_cases::yaml::{self, FileErrors};

/// The embedded file.
const BUILT_IN: &str = include_str!("../../data/scoreboard.yaml");

/// The capabilities and the questions of the scoreboard.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ladder {
    /// Short names of implementations.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The rungs, in order.
    pub capabilities: Vec<CapabilitySpec>,
    /// The questions.
    #[serde(default)]
    pub questions: Vec<QuestionSpec>,
}

/// A rung of the ladder.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CapabilitySpec {
    /// Stable id.
    pub id: String,
    /// Title. Code is between backquotes.
    pub title: String,
    /// Suites whose cells test the capability.
    pub suites: Vec<String>,
}

/// A question that the results of some cells answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct QuestionSpec {
    /// Stable id.
    pub id: String,
    /// The question. Code is between backquotes.
    pub title: String,
    /// Why the question matters.
    pub about: String,
    /// Whether the question is by which key a list is merged.
    #[serde(default)]
    pub merge_key: Option<MergeKeySpec>,
    /// Ids of the cells.
    pub cells: Vec<String>,
}

/// A list whose merge key is in question.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MergeKeySpec {
    /// Field path of the list, with dots.
    pub list: String,
    /// Keys that come into question. Each is a list of fields.
    pub candidates: Vec<Vec<String>>,
}

impl Ladder {
    /// Reads the embedded file.
    ///
    /// # Errors
    /// Fails if the file is invalid, which a test excludes.
    pub fn embedded() -> Result<Self, FileErrors> {
        yaml::read("runner/data/scoreboard.yaml", BUILT_IN.as_bytes())
    }

    /// Returns true if a cell of this suite belongs to a capability.
    #[must_use]
    pub fn has_suite(&self, suite: &str) -> bool {
        self.capabilities.iter().any(|capability| capability.suites.iter().any(|known| known == suite))
    }
}
