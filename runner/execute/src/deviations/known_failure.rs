//! How a target fails a cell, by value.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use skewer_engine::ErrorKind;
use skewer_results::{AnswerError, Cell, DifferenceKind, ForeignText, Outcome, Reason, Status};

/// The failure of a cell, as an entry of a deviation file describes it. Each value that is given must be that of the cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct KnownFailure {
    /// The status.
    #[serde(default)]
    pub status: Option<Status>,
    /// The outcome.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// The kind of the error with which the cell is refused.
    #[serde(default)]
    pub error: Option<ErrorKind>,
    /// The path of the error.
    #[serde(default)]
    pub path: Option<String>,
    /// The kind of the expected error, if the request is accepted.
    #[serde(default)]
    pub not_refused: Option<ErrorKind>,
    /// All directives that the document has as data.
    #[serde(default)]
    pub leaks: Vec<String>,
    /// All kinds of differences of the document from the expected one.
    #[serde(default)]
    pub difference: Vec<DifferenceKind>,
    /// A manager that does not own the expected fields.
    #[serde(default)]
    pub owners: Option<String>,
    /// A part of the document, as YAML text.
    #[serde(default)]
    pub stored: Option<String>,
    /// A part of a text of the target: the message of an error, or the description of a crash. It is for failures that
    /// nothing else tells apart, because another version of the target can have other texts.
    #[serde(default)]
    pub message: Option<String>,
}

impl KnownFailure {
    /// Returns the values that tell the failure of a cell from failures of other causes. The texts of the target are not
    /// among them.
    #[must_use]
    pub fn of(cell: &Cell) -> Self {
        let none = KnownFailure::default();
        let answer = cell.actual.as_ref();
        let leaks = answer.map_or(&[][..], |answer| &answer.leaks);
        let differences = answer.map_or(&[][..], |answer| &answer.differences);
        let kind_of = |id: &str| ErrorKind::from_id(id);
        if !leaks.is_empty() {
            KnownFailure { leaks: leaks.to_vec(), ..none }
        } else if let Some(missing) = cell.missing_error() {
            KnownFailure { not_refused: kind_of(missing), ..none }
        } else if !differences.is_empty() {
            KnownFailure { difference: differences.to_vec(), ..none }
        } else if let Some(error) = error_of(cell) {
            KnownFailure { error: kind_of(&error.kind), ..none }
        } else if let Some(manager) = managers_of(cell).next() {
            KnownFailure { owners: Some(manager.to_owned()), ..none }
        } else if cell.outcome.is_some() {
            KnownFailure { outcome: cell.outcome, ..none }
        } else {
            KnownFailure { status: Some(cell.status), ..none }
        }
    }

    /// Returns true if no value is given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == KnownFailure::default()
    }

    /// Returns true if a cell fails so.
    #[must_use]
    pub fn is_of(&self, cell: &Cell) -> bool {
        let answer = cell.actual.as_ref();
        let error = error_of(cell);
        let has_leaks = || answer.is_some_and(|answer| answer.leaks == self.leaks);
        let has_difference = || answer.is_some_and(|answer| answer.differences == self.difference);
        let has_message = |part: &String| texts_of(cell).any(|text| text.has_part(part));
        self.status.is_none_or(|status| cell.status == status)
            && self.outcome.is_none_or(|outcome| cell.outcome == Some(outcome))
            && self.error.is_none_or(|kind| error.is_some_and(|error| error.kind == kind.id()))
            && self
                .path
                .as_ref()
                .is_none_or(|path| error.is_some_and(|error| error.path.as_ref() == Some(path)))
            && self.not_refused.is_none_or(|kind| cell.missing_error() == Some(kind.id()))
            && (self.leaks.is_empty() || has_leaks())
            && (self.difference.is_empty() || has_difference())
            && self.owners.as_ref().is_none_or(|owner| managers_of(cell).any(|manager| manager == owner))
            && self.stored.as_ref().is_none_or(|part| {
                cell.actual_document.as_ref().is_some_and(|document| document.contains(part.as_str()))
            })
            && self.message.as_ref().is_none_or(has_message)
    }

    /// Returns the given values with their keys. Each value is written in the flow style of YAML.
    fn values(&self) -> Vec<(&'static str, String)> {
        let text = |text: &Option<String>| text.as_ref().map(|text| quoted(text));
        let list = |items: Vec<String>| (!items.is_empty()).then(|| format!("[{}]", items.join(", ")));
        let id = |kind: ErrorKind| kind.id().to_owned();
        let values = [
            ("status", self.status.map(|status| status.to_string())),
            ("outcome", self.outcome.map(|outcome| outcome.to_string())),
            ("error", self.error.map(id)),
            ("path", text(&self.path)),
            ("not-refused", self.not_refused.map(id)),
            ("leaks", list(self.leaks.clone())),
            ("difference", list(self.difference.iter().map(ToString::to_string).collect())),
            ("owners", text(&self.owners)),
            ("stored", text(&self.stored)),
            ("message", text(&self.message)),
        ];
        values.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }
}

/// Returns a text in quotation marks, with the escapes that JSON and YAML have in common.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Displays as a map in the flow style of YAML: `{error: conflict, message: "of the target"}`.
impl fmt::Display for KnownFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values().into_iter().map(|(key, value)| format!("{key}: {value}"));
        write!(f, "{{{}}}", values.collect::<Vec<_>>().join(", "))
    }
}

/// The ways in which cells fail for one cause: one failure, or a list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFailures(pub Vec<KnownFailure>);

impl KnownFailures {
    /// Returns true if a failure is missing, or has no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty() || self.0.iter().any(KnownFailure::is_empty)
    }

    /// Returns true if a cell fails in one of the ways.
    #[must_use]
    pub fn is_of(&self, cell: &Cell) -> bool {
        self.0.iter().any(|failure| failure.is_of(cell))
    }
}

impl<'de> Deserialize<'de> for KnownFailures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMore;

        impl<'de> Visitor<'de> for OneOrMore {
            type Value = Vec<KnownFailure>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a failure, such as `{error: conflict}`, or a list of failures")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                KnownFailure::deserialize(MapAccessDeserializer::new(map)).map(|failure| vec![failure])
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut failures = Vec::new();
                while let Some(failure) = list.next_element()? {
                    failures.push(failure);
                }
                Ok(failures)
            }
        }

        deserializer.deserialize_any(OneOrMore).map(KnownFailures)
    }
}

/// Displays the failures with `or` between them.
impl fmt::Display for KnownFailures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, failure) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { " or " };
            write!(f, "{separator}{failure}")?;
        }
        Ok(())
    }
}

/// Returns the error with which a cell or an earlier request is refused.
fn error_of(cell: &Cell) -> Option<&AnswerError> {
    let earlier = || {
        cell.reasons.iter().find_map(|reason| match reason {
            Reason::TargetRefusedEarlierRequest(error) => Some(error),
            _ => None,
        })
    };
    cell.actual.as_ref().and_then(|answer| answer.error.as_deref()).or_else(earlier)
}

/// Returns the managers that do not own the expected fields.
fn managers_of(cell: &Cell) -> impl Iterator<Item = &str> {
    let owners = cell.reasons.iter().filter_map(|reason| match reason {
        Reason::OwnersDiffer(owners) => Some(owners),
        _ => None,
    });
    owners.flatten().map(|owner| owner.manager.as_str())
}

/// Returns the texts of the target.
pub(super) fn texts_of(cell: &Cell) -> impl Iterator<Item = &ForeignText> {
    let of_reasons = cell.reasons.iter().filter_map(|reason| match reason {
        Reason::Crash(text)
        | Reason::TimedOut(text)
        | Reason::Told(text)
        | Reason::Panic { panic: text, .. } => Some(text),
        _ => None,
    });
    error_of(cell).and_then(|error| error.message.as_ref()).into_iter().chain(of_reasons)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_cases::yaml;
    use skewer_results::{Answer, AnswerPart, OwnerDifference};

    use super::*;

    fn failed(actual: Answer) -> Cell {
        let outcome = actual.outcome.or(Some(Outcome::Mismatch));
        Cell { actual: Some(actual), outcome, ..Cell::new("s/c", "s", "c", Status::Fail) }
    }

    fn refused() -> Cell {
        let error = AnswerError {
            path: Some("spec.a".to_owned()),
            message: Some("owned by \"x\"".into()),
            ..AnswerError::of_kind("conflict")
        };
        failed(Answer::of_error(error))
    }

    fn leaked() -> Cell {
        let leaks = vec!["$patch".to_owned(), "$retainKeys".to_owned()];
        let cell = failed(Answer { leaks, ..Answer::of_part(AnswerPart::Result) });
        Cell { outcome: Some(Outcome::Leaked), actual_document: Some("a:\n  $patch: x\n".to_owned()), ..cell }
    }

    fn different() -> Cell {
        let differences = vec![DifferenceKind::MissingItems, DifferenceKind::OtherValues];
        failed(Answer { differences, ..Answer::of_part(AnswerPart::Result) })
    }

    fn accepted() -> Cell {
        let expected = vec![Answer::of_error(AnswerError::of_kind("conflict"))];
        Cell {
            expected,
            actual_document: Some("a: 1\n".to_owned()),
            ..failed(Answer::of_part(AnswerPart::Result))
        }
    }

    fn other_owners() -> Cell {
        let owner = OwnerDifference {
            manager: "helm".to_owned(),
            operation: "Apply".to_owned(),
            subresource: None,
            expected: Vec::new(),
            actual: Vec::new(),
        };
        Cell {
            reasons: vec![Reason::OwnersDiffer(vec![owner])],
            ..failed(Answer::of_outcome(Outcome::Intended))
        }
    }

    fn crashed() -> Cell {
        Cell {
            reasons: vec![Reason::Crash("panic: nil".into())],
            ..Cell::new("s/c", "s", "c", Status::Crash)
        }
    }

    fn known(text: &str) -> KnownFailure {
        let parsed = yaml::parse_lenient("t", text.as_bytes()).unwrap();
        parsed.decode().unwrap_or_else(|errors| panic!("{errors}"))
    }

    #[rstest]
    #[case::error(refused(), "{error: conflict}", "{error: wrong-kind}")]
    #[case::path(refused(), "{path: spec.a}", "{path: spec}")]
    #[case::message(
        refused(),
        "{error: conflict, message: owned by}",
        "{error: conflict, message: owned by y}"
    )]
    #[case::leaks(leaked(), "{leaks: [$patch, $retainKeys]}", "{leaks: [$patch]}")]
    #[case::outcome(leaked(), "{outcome: leaked, stored: $patch}", "{outcome: lost}")]
    #[case::stored(leaked(), "{stored: '$patch: x'}", "{stored: $retainKeys}")]
    #[case::difference(
        different(),
        "{difference: [missing-items, other-values]}",
        "{difference: [missing-items]}"
    )]
    #[case::accepted(accepted(), "{not-refused: conflict}", "{not-refused: wrong-kind}")]
    #[case::owners(other_owners(), "{owners: helm}", "{owners: kubectl}")]
    #[case::crash(crashed(), "{status: crash, message: 'panic: nil'}", "{status: timeout, message: panic}")]
    fn every_given_value_must_be_that_of_the_cell(
        #[case] cell: Cell,
        #[case] same: &str,
        #[case] other: &str,
    ) {
        assert!(known(same).is_of(&cell) && !known(other).is_of(&cell), "{cell:?}");
        // The words of a report change nothing.
        let of_cell = KnownFailure::of(&cell);
        assert!(!of_cell.is_empty() && of_cell.is_of(&cell), "{of_cell}");
        assert_eq!(known(&of_cell.to_string()), of_cell);
    }

    #[test]
    fn a_cause_can_have_several_failures() {
        let parsed =
            yaml::parse_lenient("t", b"[{error: wrong-kind}, {leaks: [$patch, $retainKeys]}]").unwrap();
        let failures: KnownFailures = parsed.decode().unwrap_or_else(|errors| panic!("{errors}"));
        assert!(failures.is_of(&leaked()) && !failures.is_of(&refused()));
        assert_eq!(failures.to_string(), "{error: wrong-kind} or {leaks: [$patch, $retainKeys]}");
        let one: KnownFailures = yaml::parse_lenient("t", b"{error: conflict}").unwrap().decode().unwrap();
        assert!(one.is_of(&refused()) && !one.is_empty());
    }

    #[test]
    fn the_text_of_an_earlier_request_is_found() {
        let error = AnswerError { message: Some("Apply failed".into()), ..AnswerError::of_kind("conflict") };
        let reasons = vec![Reason::TargetRefusedEarlierRequest(error)];
        let cell = Cell { reasons, ..Cell::new("s/c", "s", "c", Status::Fail) };
        assert!(known("{error: conflict, message: Apply failed}").is_of(&cell));
    }
}
