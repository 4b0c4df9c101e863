//! What was found, against what was expected.

use skewer_cases::yaml;
use skewer_cases::{Answer, Cell, SkewPlan};
use skewer_engine::skew::{FinalState, Judgement, Outcome};
use skewer_engine::{Error, OwnedDoc};
use skewer_reports as reports;
use skewer_reports::Status;

use super::cell::path_texts;
use crate::targets::same_but_for_floats;

/// What came of a cell.
pub(super) enum Found {
    /// A scenario ended.
    Skew {
        /// How it was judged.
        judgement: Judgement,
        /// How it ended.
        end: FinalState,
        /// What should be stored.
        ideal: OwnedDoc,
        /// The scenario.
        plan: Box<SkewPlan>,
    },
    /// An operation has a result.
    Document {
        /// The result.
        document: OwnedDoc,
        /// It may hold `1` where `1.0` is meant.
        loses_floats: bool,
    },
    /// An operation was refused.
    Refused(Error),
    /// Types were read, and nothing is wrong with them.
    Accepted,
    /// Types were refused.
    Undeclared {
        /// The first reason.
        error: Error,
        /// The rules that are broken.
        rules: Vec<&'static str>,
    },
}

impl Found {
    fn outcome(&self) -> Option<Outcome> {
        match self {
            Found::Skew { judgement, .. } => Some(judgement.outcome),
            Found::Document { .. } | Found::Refused(_) | Found::Accepted | Found::Undeclared { .. } => None,
        }
    }

    /// The error that it ended with.
    pub(super) fn error(&self) -> Option<&Error> {
        match self {
            Found::Skew { end: FinalState::Refused(error), .. }
            | Found::Refused(error)
            | Found::Undeclared { error, .. } => Some(error),
            _ => None,
        }
    }

    fn document(&self) -> Option<&OwnedDoc> {
        match self {
            Found::Skew { end: FinalState::Stored(document), .. } | Found::Document { document, .. } => {
                Some(document)
            }
            Found::Skew { end: FinalState::Refused(_), .. }
            | Found::Refused(_)
            | Found::Accepted
            | Found::Undeclared { .. } => None,
        }
    }

    /// Done as meant (or as promised) before loud, and loud before silent; which kind of silent makes no difference.
    /// What is refused is refused, even where everybody would be: it may have been accepted before.
    fn badness(&self) -> u8 {
        match self.outcome() {
            _ if self.error().is_some() => 1,
            Some(Outcome::Intended | Outcome::AsBefore) | None => 0,
            Some(Outcome::Refused) => 1,
            Some(Outcome::Ignored | Outcome::Leftover | Outcome::Lost | Outcome::Diverged) => 2,
        }
    }

    /// Is this what the answer says? An answer that names no error wants none, but for an outcome that is one.
    fn is(&self, answer: &Answer) -> bool {
        let outcome = answer.outcome.is_none_or(|outcome| self.outcome() == Some(outcome));
        let error = match answer.error {
            Some(kind) => self.error().is_some_and(|error| error.kind() == kind),
            None => answer.outcome.is_some() || self.error().is_none(),
        };
        let result = answer.result.as_ref().is_none_or(|result| self.is_document(result));
        outcome && error && result && answer.rule.is_none_or(|rule| self.breaks_only(rule))
    }

    fn breaks_only(&self, rule: &str) -> bool {
        matches!(self, Found::Undeclared { rules, .. } if !rules.is_empty() && rules.iter().all(|r| *r == rule))
    }

    fn is_document(&self, expected: &OwnedDoc) -> bool {
        match self {
            Found::Document { document, loses_floats: true } => same_but_for_floats(expected, document),
            found => found.document() == Some(expected),
        }
    }

    fn words(&self) -> String {
        let end = match self.error() {
            Some(error) => match self {
                Found::Undeclared { rules, .. } => {
                    format!("refused: {} [{}] ({error})", error.kind().id(), rules.join(", "))
                }
                _ => format!("refused: {} ({error})", error.kind().id()),
            },
            None if matches!(self, Found::Accepted) => "the types are accepted".to_owned(),
            None => "a result".to_owned(),
        };
        match self.outcome() {
            Some(Outcome::Refused) | None => end,
            Some(outcome) if self.error().is_some() => format!("{outcome}, {end}"),
            Some(outcome) => outcome.name().to_owned(),
        }
    }
}

/// Writes the verdict down.
pub(super) fn write(cell: &Cell<'_>, found: &Found, result: &mut reports::Cell) {
    let answers = &cell.expectation.answers;
    let passed = answers.iter().any(|answer| found.is(answer));
    result.status = if passed { Status::Pass } else { Status::Fail };
    result.outcome = Some(match (found, passed) {
        (Found::Skew { judgement, .. }, _) => reported(judgement.outcome),
        (Found::Refused(_) | Found::Undeclared { .. }, _) => reports::Outcome::Refused,
        (Found::Document { .. } | Found::Accepted, true) => reports::Outcome::Match,
        (Found::Document { .. } | Found::Accepted, false) => reports::Outcome::Mismatch,
    });
    if let Found::Skew { judgement, .. } = found {
        result.paths = path_texts(&judgement.paths);
        if judgement.outcome == Outcome::AsBefore {
            result.covers = Some(reported(judgement.outcome_without_promise));
        }
    }
    result.expected = Some(words(answers));
    result.actual = Some(found.words());
    if !passed {
        documents(answers, found, result);
    }
}

/// Fails the cell when it does worse than the other one and its expectation does not say so, or says so and it does
/// not.
pub(super) fn hold_against(
    cell: &Cell<'_>,
    other: &Cell<'_>,
    (here, there): (&Found, &Found),
    result: &mut reports::Cell,
) {
    let is_worse = here.badness() > there.badness();
    if is_worse == cell.expectation.worse {
        return;
    }
    result.status = Status::Fail;
    let (says, is) = if is_worse { ("no worse", "worse") } else { ("worse", "no worse") };
    result.expected = Some(format!("{says} than {other}, {}", there.words()));
    result.actual = Some(format!("{is}: {}", here.words()));
}

/// The documents to show side by side: what the answer pins, or else the ideal.
fn documents(answers: &[Answer], found: &Found, result: &mut reports::Cell) {
    let pinned = answers.iter().find_map(|answer| answer.result.as_ref());
    let (expected, actual) = match found {
        Found::Skew { ideal, end, plan, .. } => {
            let actual = if let FinalState::Stored(document) = end { document } else { &plan.stored };
            let intended = answers.iter().any(|answer| answer.outcome == Some(Outcome::Intended));
            (pinned.or(intended.then_some(ideal)), Some(actual))
        }
        Found::Document { document, .. } => (pinned, Some(document)),
        Found::Refused(_) | Found::Accepted | Found::Undeclared { .. } => (pinned, None),
    };
    result.expected_document = expected.map(yaml::write);
    result.actual_document = actual.map(yaml::write);
    if let (Some(expected), Some(actual)) = (expected, actual)
        && expected == actual
        && pinned.is_some()
    {
        result.message = Some("the document is as expected; the rest is not".to_owned());
    }
}

/// What the answers say, in words.
fn words(answers: &[Answer]) -> String {
    let mut text = String::with_capacity(32);
    for answer in answers {
        text.push_str(if text.is_empty() { "" } else { ", or " });
        let begin = text.len();
        // A kind of error says by itself that the request is refused.
        let refused = Some(Outcome::Refused).filter(|_| answer.error.is_some());
        if let Some(outcome) = answer.outcome.filter(|outcome| Some(*outcome) != refused) {
            text.push_str(outcome.name());
        }
        if let Some(kind) = answer.error {
            text.push_str(if text.len() > begin { ", refused: " } else { "refused: " });
            text.push_str(kind.id());
            if let Some(rule) = answer.rule {
                text.extend([" [", rule, "]"]);
            }
        }
        if answer.result.is_some() {
            text.push_str(if text.len() > begin { ", with this result" } else { "this result" });
        }
    }
    text
}

fn reported(outcome: Outcome) -> reports::Outcome {
    match outcome {
        Outcome::Intended => reports::Outcome::Intended,
        Outcome::AsBefore => reports::Outcome::AsBefore,
        Outcome::Refused => reports::Outcome::Refused,
        Outcome::Ignored => reports::Outcome::Ignored,
        Outcome::Leftover => reports::Outcome::Leftover,
        Outcome::Lost => reports::Outcome::Lost,
        Outcome::Diverged => reports::Outcome::Diverged,
    }
}
