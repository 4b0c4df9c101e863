//! The sentences of results: the only place that puts answers and reasons into words. All renderers use it.
//!
//! Nothing takes a sentence apart, except the reader of [files of version 1](crate::json).

use std::fmt;

use crate::model::{
    Answer, AnswerError, AnswerPart, Cell, EarlierRequest, ForeignText, LawVerdict, OwnerDifference,
    PinnedState, Reason, Reference, RefusedRequest,
};
use crate::vocabulary::{DifferenceKind, Outcome};

/// Maximum length of a text without details, in characters.
const MAX_GENERAL_TEXT: usize = 100;

impl Cell {
    /// Returns the expected answers in words: `intended, or refused: conflict at spec`.
    #[must_use]
    pub fn expected_text(&self) -> Option<String> {
        let answers = |form| match &*self.expected {
            [] => None,
            answers => Some(join(answers.iter().map(|answer| answer.text(form)), ", or ")),
        };
        match &self.reference {
            None => answers(Form::Expected),
            Some(Reference::Simulation { release }) => {
                answers(Form::Actual).map(|text| format!("as the simulation of {release}: {text}"))
            }
            Some(Reference::Case { id, is_worse }) => answers(Form::Actual)
                .map(|text| format!("{} than {id}, {text}", if *is_worse { "no worse" } else { "worse" })),
        }
    }

    /// Returns the actual answer in words: `refused: conflict (spec: owned by "scaler")`.
    #[must_use]
    pub fn actual_text(&self) -> Option<String> {
        let text = self.actual.as_ref()?.text(Form::Actual);
        Some(match &self.reference {
            Some(Reference::Case { is_worse, .. }) => {
                format!("{}: {text}", if *is_worse { "worse" } else { "no worse" })
            }
            _ => text,
        })
    }

    /// Returns the actual answer in words, or else the outcome.
    #[must_use]
    pub fn actual_or_outcome(&self) -> Option<String> {
        self.actual_text().or_else(|| self.outcome.map(|outcome| outcome.to_string()))
    }

    /// Returns the reasons for the status in words, on one or more lines.
    #[must_use]
    pub fn message_text(&self) -> Option<String> {
        (!self.reasons.is_empty()).then(|| join(&self.reasons, "\n"))
    }

    /// Returns the words before the paths of a cell.
    #[must_use]
    pub fn paths_label(&self) -> &'static str {
        match self.outcome {
            Some(Outcome::Leaked) => "has directives as data at",
            _ => "differs from the ideal at",
        }
    }

    /// Returns how the actual answer of a failed cell differs from the expected one, in words.
    #[must_use]
    pub fn difference_text(&self) -> Option<String> {
        let differences = self.actual.as_ref().map_or(&[][..], |answer| &answer.differences);
        difference_text(differences, self.missing_error())
    }

    /// Returns the expected answers in words, without the paths and the managers of a single cell.
    #[must_use]
    pub fn general_expected_text(&self) -> Option<String> {
        let general = |answer: &Answer| {
            let mut answer = answer.clone().without_details();
            if let Some(error) = &mut answer.error {
                error.conflicts.clear();
            }
            answer
        };
        let cell = Cell {
            expected: self.expected.iter().map(general).collect(),
            reference: self.reference.clone(),
            ..Cell::new("", "", "", self.status)
        };
        cell.expected_text()
    }

    /// Returns the actual answer in words, without the path and the message of a single cell.
    #[must_use]
    pub fn general_actual_text(&self) -> Option<String> {
        let answer = self.actual.clone().map(|answer| Answer { covers: None, ..answer.without_details() });
        let cell =
            Cell { actual: answer, reference: self.reference.clone(), ..Cell::new("", "", "", self.status) };
        cell.actual_text()
    }

    /// Returns the first reason in words, without the numbers and explanations of a single cell.
    #[must_use]
    pub fn general_message_text(&self) -> Option<String> {
        self.reasons.first().map(|reason| general_text(&reason.to_string()))
    }
}

/// Returns a text without the details of its cell: without what follows the first line, without explanations in
/// parentheses, paths and numbers.
fn general_text(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = line.split(" (").next().unwrap_or_default();
    let line = line.split(" at ").next().unwrap_or_default();
    let mut general = String::new();
    for c in line.chars().take(MAX_GENERAL_TEXT) {
        let c = if c.is_ascii_digit() { '#' } else { c };
        if c != '#' || !general.ends_with('#') {
            general.push(c);
        }
    }
    general.trim().to_owned()
}

fn join(items: impl IntoIterator<Item: fmt::Display>, separator: &str) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(separator)
}

/// Whether the words are about an answer that is expected, or about an actual one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Expected,
    Actual,
}

impl AnswerPart {
    fn words(self, form: Form) -> &'static str {
        match (self, form) {
            (AnswerPart::Result, Form::Expected) => "this result",
            (AnswerPart::Result, Form::Actual) => "a result",
            (AnswerPart::Owners, Form::Expected) => "these owners",
            (AnswerPart::Owners, Form::Actual) => "owners",
            (AnswerPart::Types, _) => "the types are accepted",
        }
    }
}

impl Answer {
    fn text(&self, form: Form) -> String {
        let mut text = self.outcome_and_error();
        for part in &self.has {
            text.push_str(if text.is_empty() { "" } else { ", with " });
            text.push_str(part.words(form));
        }
        if let Some(verdict) = &self.verdict {
            text.push_str(&verdict.to_string());
        }
        if let Some(told) = &self.told {
            text.push_str(&told.to_string());
        }
        if !self.leaks.is_empty() {
            text.extend([" with ", &self.leaks.join(", "), " as data"]);
        }
        text
    }

    fn outcome_and_error(&self) -> String {
        // The words `refused: ` and `rejected: ` before the error already name these outcomes.
        let refusal = self.outcome.filter(|outcome| matches!(outcome, Outcome::Refused | Outcome::Rejected));
        let outcome = match (self.outcome, self.covers) {
            (Some(outcome), _) if self.error.is_some() => {
                if refusal.is_some() {
                    String::new()
                } else {
                    outcome.to_string()
                }
            }
            (Some(outcome), Some(covers)) => format!("{outcome} ({covers})"),
            (Some(outcome), None) => outcome.to_string(),
            (None, _) => String::new(),
        };
        let error = self.error.as_ref();
        let error = error.map(|error| format!("{}: {error}", refusal.unwrap_or(Outcome::Refused)));
        match error {
            Some(error) if outcome.is_empty() => error,
            Some(error) => format!("{outcome}, {error}"),
            None => outcome,
        }
    }
}

impl AnswerError {
    /// Returns the kind with the directive: `invalid-directive of $patch`.
    #[must_use]
    pub fn kind_text(&self) -> String {
        match &self.directive {
            Some(directive) => format!("{} of {directive}", self.kind),
            None => self.kind.clone(),
        }
    }

    /// Returns the message with the path, as the engine displays errors. Returns `None` without a message.
    #[must_use]
    pub fn explanation(&self) -> Option<String> {
        let message = self.message.as_ref()?;
        // The root says nothing.
        Some(match self.path.as_ref().filter(|path| *path != ".") {
            Some(path) => format!("{path}: {message}"),
            None => message.to_string(),
        })
    }
}

/// Displays as `conflict (spec: owned by "scaler")`, or without a message as `conflict at spec`.
impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind_text())?;
        let path = self.path.as_ref().filter(|_| self.message.is_none());
        path.map_or(Ok(()), |path| write!(f, " at {path}"))?;
        if !self.rules.is_empty() {
            write!(f, " [{}]", self.rules.join(", "))?;
        }
        for (index, conflict) in self.conflicts.iter().enumerate() {
            let separator = if index == 0 { " with" } else { "," };
            write!(f, "{separator} {:?}: {}", conflict.manager, conflict.path)?;
        }
        self.explanation().map_or(Ok(()), |explanation| write!(f, " ({explanation})"))
    }
}

/// Displays as `broken with the directives of today`.
impl fmt::Display for LawVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.verdict)?;
        self.condition.as_ref().map_or(Ok(()), |condition| write!(f, " {condition}"))
    }
}

/// Displays one line.
impl fmt::Display for OwnerDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} by {}", self.manager, self.operation)?;
        self.subresource.as_ref().map_or(Ok(()), |subresource| write!(f, " of `{subresource}`"))?;
        write!(f, ": expected {}; actual {}", fields_text(&self.expected), fields_text(&self.actual))
    }
}

fn fields_text(entries: &[Vec<String>]) -> String {
    let fields = |fields: &Vec<String>| match &**fields {
        [] => "no fields".to_owned(),
        fields => fields.join(" "),
    };
    match entries {
        [] => "no owner".to_owned(),
        entries => join(entries.iter().map(fields), ", and "),
    }
}

/// Describes how an answer differs from the expected one: `missing items, other values`, or `accepted, not refused with
/// conflict`. Returns `None` if there is no such difference.
#[must_use]
pub fn difference_text(differences: &[DifferenceKind], not_refused: Option<&str>) -> Option<String> {
    match not_refused {
        Some(kind) => Some(format!("accepted, not refused with {kind}")),
        None if differences.is_empty() => None,
        None => Some(join(differences.iter().map(|kind| kind.words()), ", ")),
    }
}

/// Displays as one or more lines.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NotAsked { party, whole_object } => {
                write!(f, "the outcome needed no answer from the {party}")?;
                whole_object.as_ref().map_or(Ok(()), |request| {
                    write!(f, ": the client sends the whole object ({request}), no patch")
                })
            }
            Reason::UnionSimulated => f.write_str("the target did not decide on the union: the simulation did"),
            Reason::NotOfTarget => f.write_str(
                "the outcome needed no answer from the target: the case or Skewer is wrong, not the target",
            ),
            Reason::SameDocument => {
                f.write_str("the document is as expected, but the outcome or the error is not")
            }
            Reason::OwnersDiffer(owners) => {
                f.write_str("the owners of fields are not as expected")?;
                owners.iter().try_for_each(|owner| write!(f, "\n  {owner}"))
            }
            Reason::PinnedStateDiffers { state, error: Some(error) } => {
                write!(f, "the {state} is not the pinned error {error}")
            }
            Reason::PinnedStateDiffers { state: PinnedState::Ideal, error: None } => {
                f.write_str(
                    "the ideal is not the pinned document: expected is that of `ideals`, actual is that of Skewer",
                )
            }
            Reason::PinnedStateDiffers { state, error: None } => {
                write!(f, "the {state} is not the pinned document")
            }
            Reason::PinnedDocumentImpossible { state, why } => write!(f, "the {state} cannot be made: {why}"),
            Reason::EarlierRequestRefused(refused) => refused.fmt(f),
            Reason::IdealIsRefused { error, sets_member } => {
                write!(f, "ideal: refused: {error}, so that no cell is `intended`")?;
                let hint = "`set` keeps the other members of the union: use `select` to exchange the member";
                if *sets_member { write!(f, "\n{hint}") } else { Ok(()) }
            }
            Reason::IdealDiffers { paths } => {
                write!(f, "ideal: a stored object that differs from the expected result at {}", paths.join(", "))
            }
            Reason::TargetRefusedEarlierRequest(error) => write!(
                f,
                "a request of `history` or `meanwhile` was refused, which the built-in engine accepts: {}",
                error.explanation().unwrap_or_default()
            ),
            Reason::InvalidCase(text)
            | Reason::Unsupported(text)
            | Reason::Crash(text)
            | Reason::TimedOut(text)
            | Reason::GivenUp(text)
            | Reason::Told(text) => text.fmt(f),
            Reason::Panic { target: Some(target), panic } => write!(f, "the target {target} {panic}"),
            Reason::Panic { target: None, panic } => write!(f, "Skewer, not the target, {panic}"),
            Reason::ServerWarned(warnings) => write!(f, "the server warned: {}", join(warnings, "; ")),
            Reason::OtherDeviation { known, differences, not_refused } => {
                write!(f, "the known deviation of this cell is a different one: {known}")?;
                difference_text(differences, not_refused.as_deref())
                    .map_or(Ok(()), |difference| write!(f, "\nthis is the difference: {difference}."))
            }
            Reason::ListedAsFailure { file, known } => write!(f, "{file} lists this cell as a failure: {known}"),
            Reason::BetterThanRecorded => f.write_str(
                "the verdict is better than the one in runner/trials/data/laws.yaml: record it there, or try more situations",
            ),
        }
    }
}

/// Displays the request and the error, and what to do.
impl fmt::Display for RefusedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the cell cannot be run: ")?;
        match &self.request {
            Some(request) => write!(f, "{request}")?,
            None => f.write_str("a request of `history` or `meanwhile`")?,
        }
        write!(f, " is refused: {}; ", self.error)?;
        let is_apply = self.request.as_ref().is_some_and(|request| request.request == "server-side-apply");
        f.write_str(match self.error.kind.as_str() {
            "conflict" if is_apply => "to take the field from the other manager, give the request `client: {force: true}`",
            "field-not-declared" | "strict-unknown-field" | "unknown-enum-value" => {
                "if the server of the cell is too old for the request, give the request a server of its own: `server: {}` is up to \
                 date"
            }
            _ => "the server must accept it: correct it, or give it a `server` of its own",
        })
    }
}

/// Displays as ``request 2 of 2 in `history` (server-side-apply by "certs")``.
impl fmt::Display for EarlierRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EarlierRequest { list, number, count, request, manager } = self;
        write!(f, "request {number} of {count} in `{list}` ({request} by {manager:?})")
    }
}

impl ForeignText {
    /// Returns the first line.
    #[must_use]
    pub fn first_line(&self) -> String {
        self.to_string().lines().next().unwrap_or_default().to_owned()
    }
}
