//! Answers of the engine and of cases as values of reports.

use skewer_cases::{ExpectedAnswer, ExpectedConflict, PinnedError};
use skewer_engine::Error;
use skewer_results as results;
use skewer_results::{Answer, AnswerError, AnswerPart, OwnedField};
use skewer_skew::Outcome;

use super::evaluation::CellEnd;

/// Returns the answer with which a cell ended.
pub(super) fn actual_answer(end: &CellEnd) -> Answer {
    let answer =
        Answer { outcome: outcome_beside_error(end.outcome(), end.error().is_some()), ..Answer::default() };
    match end {
        CellEnd::Skew { judgement, .. } => {
            let covers = (judgement.outcome == Outcome::AsBefore)
                .then(|| reported_outcome(judgement.outcome_without_promise));
            Answer { covers, error: end.error().map(actual_error).map(Box::new), ..answer }
        }
        CellEnd::Document { .. } => Answer { has: vec![AnswerPart::Result], ..answer },
        CellEnd::TypesAccepted => Answer { has: vec![AnswerPart::Types], ..answer },
        CellEnd::Refused(error) => Answer { error: Some(Box::new(actual_error(error))), ..answer },
        CellEnd::TypesRefused { error, rules } => {
            let rules = rules.iter().map(|rule| (*rule).to_owned()).collect();
            Answer { error: Some(Box::new(AnswerError { rules, ..actual_error(error) })), ..answer }
        }
    }
}

/// Returns an outcome, unless an error says the same.
fn outcome_beside_error(outcome: Option<Outcome>, has_error: bool) -> Option<results::Outcome> {
    outcome.filter(|outcome| !has_error || *outcome != Outcome::Refused).map(reported_outcome)
}

/// Returns an error of an implementation.
pub(super) fn actual_error(error: &Error) -> AnswerError {
    AnswerError {
        directive: error.directive().map(str::to_owned),
        path: error.known_path().map(ToString::to_string),
        message: Some(error.message().into()),
        ..AnswerError::of_kind(error.kind().id())
    }
}

/// Returns an error that a case pins.
pub(super) fn pinned_error(error: &PinnedError) -> AnswerError {
    AnswerError {
        path: error.path.as_ref().map(ToString::to_string),
        ..AnswerError::of_kind(error.kind.id())
    }
}

/// Returns an answer that a case expects.
pub(super) fn expected_answer(answer: &ExpectedAnswer) -> Answer {
    let error = answer.error.map(|kind| AnswerError {
        directive: answer.directive.as_deref().map(str::to_owned),
        path: answer.path.as_ref().map(ToString::to_string),
        rules: answer.rule.map(str::to_owned).into_iter().collect(),
        conflicts: answer.conflicts.iter().flatten().map(owned_field).collect(),
        ..AnswerError::of_kind(kind.id())
    });
    let parts = [
        answer.result.as_ref().map(|_| AnswerPart::Result),
        answer.owners.as_ref().map(|_| AnswerPart::Owners),
    ];
    Answer {
        outcome: outcome_beside_error(answer.outcome, error.is_some()),
        error: error.map(Box::new),
        has: parts.into_iter().flatten().collect(),
        ..Answer::default()
    }
}

fn owned_field(conflict: &ExpectedConflict) -> OwnedField {
    OwnedField { manager: conflict.manager.clone(), path: conflict.path.clone() }
}

/// Returns the outcome of a scenario in the vocabulary of reports.
pub(super) fn reported_outcome(outcome: Outcome) -> results::Outcome {
    match outcome {
        Outcome::Intended => results::Outcome::Intended,
        Outcome::Rejected => results::Outcome::Rejected,
        Outcome::AsBefore => results::Outcome::AsBefore,
        Outcome::Refused => results::Outcome::Refused,
        Outcome::Ignored => results::Outcome::Ignored,
        Outcome::Leftover => results::Outcome::Leftover,
        Outcome::Lost => results::Outcome::Lost,
        Outcome::Diverged => results::Outcome::Diverged,
        Outcome::WronglyAccepted => results::Outcome::WronglyAccepted,
    }
}
