//! Answers as values: how a request or an operation ended, or how it should end.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vocabulary::{DifferenceKind, Outcome};

/// A text of another program, such as the message of an error, a panic or a server.
///
/// The text is shown, and never taken apart: it has neither `Deref` nor `AsRef`. Whoever changes a message must not
/// change a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ForeignText(String);

impl ForeignText {
    /// Returns true if the text contains `part`. A deviation file names such a part where nothing but the text tells a
    /// failure from others.
    #[must_use]
    pub fn has_part(&self, part: &str) -> bool {
        self.0.contains(part)
    }
}

impl<T: Into<String>> From<T> for ForeignText {
    fn from(text: T) -> Self {
        ForeignText(text.into())
    }
}

impl fmt::Display for ForeignText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An answer to a request or an operation. A cell has the actual answer, and the answers that are expected. An expected
/// answer has only what the expectation is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Outcome of a scenario. `refused` is left out beside an error, which says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Outcome that the answer would have without the compatibility promise. Absent unless the outcome is `as-before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Outcome>,
    /// Error of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<AnswerError>>,
    /// What else the answer has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub has: Vec<AnswerPart>,
    /// Kinds of differences of the document from the expected one. Only the actual answer of a failed cell has some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<DifferenceKind>,
    /// Directives that the document has as data. Their paths are those of the cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaks: Vec<String>,
    /// Verdict on a law. Absent unless the cell is about a law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<LawVerdict>,
    /// Words of an older results file that stand for none of these values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<ForeignText>,
}

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerPart {
    /// A document: the result of an operation, or the stored object.
    Result,
    /// The owners of the fields of the stored object.
    Owners,
    /// Types whose declarations are accepted.
    Types,
}

/// The error of a refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct AnswerError {
    /// Id of the kind, such as `missing-merge-key`.
    pub kind: String,
    /// Name of the directive that is invalid, if the error names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<String>,
    /// Field path of the error, if it is known. That of the whole document is `.`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Rules that type declarations break.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Conflicts with other field managers that are expected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<OwnedField>,
    /// Message of the implementation. Absent in an expected answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<ForeignText>,
}

/// A field and the manager that owns it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct OwnedField {
    /// Name of the manager.
    pub manager: String,
    /// Path of the field.
    pub path: String,
}

/// A verdict on a law of patch evolution.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct LawVerdict {
    /// The verdict, such as `kept` or `broken`.
    pub verdict: String,
    /// The condition under which the law is broken, such as `with the directives of today`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

/// What the actual answer was compared with, if not with the expectation of the case. The expected answer of the cell is
/// then that of the reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reference {
    /// The simulation of a release.
    Simulation {
        /// Name of the release, such as `kubernetes-1.28`.
        release: String,
    },
    /// The reference case at the same point.
    Case {
        /// Id of the cell of the reference case.
        id: String,
        /// Whether the actual answer is worse. The opposite is expected.
        is_worse: bool,
    },
}

impl Answer {
    /// Makes an answer with an outcome.
    #[must_use]
    pub fn of_outcome(outcome: Outcome) -> Self {
        Answer { outcome: Some(outcome), ..Answer::default() }
    }

    /// Makes an answer that is a refusal.
    #[must_use]
    pub fn of_error(error: AnswerError) -> Self {
        Answer { error: Some(Box::new(error)), ..Answer::default() }
    }

    /// Makes an answer with a part.
    #[must_use]
    pub fn of_part(part: AnswerPart) -> Self {
        Answer { has: vec![part], ..Answer::default() }
    }

    /// Makes an answer that is a verdict on a law.
    #[must_use]
    pub fn of_verdict(verdict: impl Into<String>, condition: Option<String>) -> Self {
        Answer { verdict: Some(LawVerdict { verdict: verdict.into(), condition }), ..Answer::default() }
    }

    /// Makes an answer from words that stand for no values.
    #[must_use]
    pub fn of_words(words: impl Into<ForeignText>) -> Self {
        Answer { told: Some(words.into()), ..Answer::default() }
    }

    /// Returns the answer without the words of the implementation: without the message of the error, and without the
    /// path, which some implementations do not name.
    #[must_use]
    pub fn without_details(mut self) -> Self {
        if let Some(error) = &mut self.error {
            (error.path, error.message) = (None, None);
        }
        self
    }

    /// Returns true if both answers are the same. The message of an error is not compared: it can be worded in another way.
    /// Files of version 1 have the path of an actual error only in its message, so that a missing path beside a message is
    /// any path.
    #[must_use]
    pub fn is_same(&self, other: &Answer) -> bool {
        let comparable =
            |answer: &Answer| Answer { differences: Vec::new(), ..answer.clone().without_details() };
        let is_any_path = |error: &AnswerError| error.path.is_none() && error.message.is_some();
        let is_same_path = match (&self.error, &other.error) {
            (Some(error), Some(other)) => {
                error.path == other.path || is_any_path(error) || is_any_path(other)
            }
            _ => true,
        };
        is_same_path && comparable(self) == comparable(other)
    }
}

impl AnswerError {
    /// Makes an error of a kind.
    #[must_use]
    pub fn of_kind(kind: impl Into<String>) -> Self {
        AnswerError { kind: kind.into(), ..AnswerError::default() }
    }
}
