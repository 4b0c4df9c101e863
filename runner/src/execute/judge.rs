//! Judgement of an evaluation by the expectation of its cell.

use std::fmt::Write;

use skewer_cases::yaml;
use skewer_cases::{Cell, ExpectedAnswer, ExpectedConflict};
use skewer_engine::skew::{FinalState, Outcome, Performer, without_unset_fields};
use skewer_engine::{Error, FieldPath, OwnedDoc};
use skewer_reports as reports;
use skewer_reports::Status;

use super::asked_target::Unasked;
use super::evaluation::Evaluation;
use super::leaks::{Leak, leaks};
use super::owners::describe_difference;
use super::pinned_states::PinnedStates;
use crate::targets::is_equal_up_to_lossy_floats;

impl Evaluation {
    /// Returns how bad the outcome is: 0 for an outcome that is intended or promised, 1 for a refusal, and 2 for a
    /// silent fault. Even a refusal that everybody receives has 1, because the request can have been accepted before.
    fn severity(&self) -> u8 {
        match self.outcome() {
            _ if self.error().is_some() => 1,
            Some(outcome) if outcome.is_silent() => 2,
            _ => 0,
        }
    }

    /// Returns true if the evaluation has the expected answer. If the expected answer names no error, the evaluation
    /// must have none either, unless its outcome is itself an error.
    fn satisfies(&self, answer: &ExpectedAnswer) -> bool {
        self.satisfies_except_owners(answer) && self.owners_mismatch(answer).is_none()
    }

    /// Returns a description of the difference from the owners that the answer expects, if there is one.
    fn owners_mismatch(&self, answer: &ExpectedAnswer) -> Option<String> {
        match (self, &answer.owners) {
            (Evaluation::Skew { owners, .. }, Some(expected)) if owners != expected => {
                Some(describe_difference(expected, owners))
            }
            _ => None,
        }
    }

    fn satisfies_except_owners(&self, answer: &ExpectedAnswer) -> bool {
        let outcome = answer.outcome.is_none_or(|outcome| self.outcome() == Some(outcome));
        let error = match answer.error {
            Some(kind) => self.error().is_some_and(|error| {
                // Some implementations do not name the directive.
                let directives = answer.directive.as_deref().zip(error.directive());
                error.kind() == kind
                    && answer.path.as_ref().is_none_or(|path| error.may_be_at(path))
                    && directives.is_none_or(|(expected, actual)| expected == actual)
                    && answer.conflicts.as_ref().is_none_or(|expected| has_conflicts(error, expected))
            }),
            None => answer.outcome.is_some() || self.error().is_none(),
        };
        let result = answer.result.as_ref().is_none_or(|result| self.has_result(result, answer.is_exact));
        outcome && error && result && answer.rule.is_none_or(|rule| self.breaks_only_rule(rule))
    }

    fn breaks_only_rule(&self, rule: &str) -> bool {
        matches!(self, Evaluation::TypesRefused { rules, .. } if !rules.is_empty() && rules.iter().all(|r| *r == rule))
    }

    fn has_result(&self, expected: &OwnedDoc, is_exact: bool) -> bool {
        match self {
            Evaluation::Document { document, stored_by: Some(server), .. } if !is_exact => {
                without_unset_fields(server, document.clone())
                    == without_unset_fields(server, expected.clone())
            }
            Evaluation::Document { document, has_lossy_floats: true, .. } => {
                is_equal_up_to_lossy_floats(expected, document)
            }
            // The final state has this form. A case can write the zero values of Go types or leave them out.
            Evaluation::Skew { final_state: FinalState::Stored(document), plan, .. } => {
                *document == without_unset_fields(&plan.full_context, expected.clone())
            }
            evaluation => evaluation.document() == Some(expected),
        }
    }

    /// Returns the directives that a wrong result has as data, although neither the live object nor a result with which
    /// it is compared has them.
    fn leaks(&self, answers: &[ExpectedAnswer]) -> Vec<Leak> {
        let (result, live, ideal) = match self {
            Evaluation::Document { document, live: Some(live), .. } => (document, live, None),
            Evaluation::Skew { final_state: FinalState::Stored(document), ideal, live, .. } => {
                let FinalState::Stored(ideal) = &**ideal else { return Vec::new() };
                (document, live, Some(ideal))
            }
            _ => return Vec::new(),
        };
        let expected = answers.iter().filter_map(|answer| answer.result.as_ref());
        let others: Vec<&OwnedDoc> = std::iter::once(live).chain(ideal).chain(expected).collect();
        leaks(result, &others)
    }

    fn describe(&self) -> String {
        let final_state = match self.error() {
            Some(error) => match self {
                Evaluation::TypesRefused { rules, .. } => {
                    format!("refused: {} [{}] ({error})", error.kind().id(), rules.join(", "))
                }
                _ if self.outcome() == Some(Outcome::Rejected) => {
                    format!("rejected: {} ({error})", error.describe_kind())
                }
                _ => format!("refused: {} ({error})", error.describe_kind()),
            },
            None if matches!(self, Evaluation::TypesAccepted) => "the types are accepted".to_owned(),
            None => "a result".to_owned(),
        };
        match self.outcome() {
            Some(Outcome::Refused | Outcome::Rejected) | None => final_state,
            Some(outcome) if self.error().is_some() => format!("{outcome}, {final_state}"),
            Some(Outcome::AsBefore) => match self {
                Evaluation::Skew { judgement, .. } => {
                    format!("as-before ({})", judgement.outcome_without_promise)
                }
                _ => Outcome::AsBefore.to_string(),
            },
            Some(outcome) => outcome.name().to_owned(),
        }
    }
}

/// Returns true if the conflicts of an error with other field managers are exactly the expected ones.
fn has_conflicts(error: &Error, expected: &[ExpectedConflict]) -> bool {
    let actual = error.conflicts().iter().map(|conflict| (&conflict.manager, &conflict.path));
    actual.eq(expected.iter().map(|conflict| (&conflict.manager, &conflict.path)))
}

/// Returns true if the evaluation has one of the expected answers of the cell, and the states that the case pins.
pub(super) fn has_expected_answer(cell: &Cell<'_>, evaluation: &Evaluation) -> bool {
    has_answer(cell, evaluation) && PinnedStates::of(cell, evaluation).mismatch.is_none()
}

fn has_answer(cell: &Cell<'_>, evaluation: &Evaluation) -> bool {
    cell.expectation.answers.iter().any(|answer| evaluation.satisfies(answer))
}

/// Returns true if the evaluation is worse than that of the reference case. Nothing is said about the expectation.
pub(super) fn is_worse(evaluation: &Evaluation, reference: &Evaluation) -> bool {
    evaluation.severity() > reference.severity()
}

/// Judges an evaluation and writes the judgement into the result of the cell.
pub(super) fn judge(cell: &Cell<'_>, evaluation: &Evaluation, result: &mut reports::Cell) {
    let answers = &cell.expectation.answers;
    let pinned = PinnedStates::of(cell, evaluation);
    let passed = has_answer(cell, evaluation) && pinned.mismatch.is_none();
    result.status = if passed { Status::Pass } else { Status::Fail };
    result.outcome = Some(match (evaluation, passed) {
        (Evaluation::Skew { judgement, .. }, _) => reported_outcome(judgement.outcome),
        (Evaluation::Refused(_) | Evaluation::TypesRefused { .. }, _) => reports::Outcome::Refused,
        (Evaluation::Document { .. } | Evaluation::TypesAccepted, true) => reports::Outcome::Match,
        (Evaluation::Document { .. } | Evaluation::TypesAccepted, false) => reports::Outcome::Mismatch,
    });
    if let Evaluation::Skew { judgement, .. } = evaluation {
        result.paths = path_texts(&judgement.paths);
        if judgement.outcome == Outcome::AsBefore {
            result.covers = Some(reported_outcome(judgement.outcome_without_promise));
        }
    }
    result.expected = Some(describe_answers(answers));
    result.actual = Some(evaluation.describe());
    if !passed {
        let leaks = evaluation.leaks(answers);
        if !leaks.is_empty() {
            write_leaks(&leaks, result);
        }
        write_documents(answers, pinned.expected_document.as_ref(), evaluation, result);
        // If only the owners differ, the documents say nothing about it.
        let mut mismatches = answers.iter().filter(|answer| evaluation.satisfies_except_owners(answer));
        let owners = mismatches.find_map(|answer| evaluation.owners_mismatch(answer));
        result.message = owners.or(pinned.mismatch).or(result.message.take());
    }
}

/// Writes into the result of a failed cell that directives were stored as data.
fn write_leaks(leaks: &[Leak], result: &mut reports::Cell) {
    let mut directives: Vec<&str> = Vec::new();
    for leak in leaks {
        if !directives.contains(&leak.directive) {
            directives.push(leak.directive);
        }
    }
    result.outcome = Some(reports::Outcome::Leaked);
    result.covers = None;
    let actual = result.actual.take().unwrap_or_default();
    result.actual = Some(format!("{actual} with {} as data", directives.join(", ")));
    result.paths = leaks.iter().map(|leak| leak.path.to_string()).collect();
}

/// Fails a cell that ended in another state on an API server of the release 1.`minor` than in the simulation of this
/// release.
pub(super) fn fail_unlike_simulation(
    (evaluation, simulated): (&Evaluation, &Evaluation),
    minor: u32,
    result: &mut reports::Cell,
) {
    result.status = Status::Fail;
    result.expected = Some(format!("as the simulation of kubernetes-1.{minor}: {}", simulated.describe()));
    result.actual = Some(evaluation.describe());
    result.expected_document = simulated.document().map(yaml::write);
    result.actual_document = evaluation.document().map(yaml::write);
}

/// Removes the judgement of a cell that needed no answer from the target, because that judgement says nothing about
/// the target. A passed cell becomes not asked. A failed cell becomes an error: the defect is in the case or in
/// Skewer, not in the target, and must not be overlooked. If one of two parties answered, only a passed cell is changed.
pub(super) fn retract_judgement(evaluation: &Evaluation, unasked: Unasked, result: &mut reports::Cell) {
    let from = match unasked {
        Unasked::None => return,
        Unasked::Party(Performer::Client) => "client",
        Unasked::Party(Performer::Server) => "server",
        Unasked::Target => "target",
    };
    match result.status {
        Status::Pass => {
            result.status = Status::NotAsked;
            (result.outcome, result.covers, result.actual) = (None, None, None);
            result.paths.clear();
            result.message = Some(match evaluation {
                Evaluation::Skew { plan, .. } if plan.request.is_whole_object() => format!(
                    "the outcome needed no answer from the {from}: the client sends the whole object ({}), no patch",
                    plan.request.name()
                ),
                _ => format!("the outcome needed no answer from the {from}"),
            });
        }
        Status::Fail if unasked == Unasked::Target => {
            result.status = Status::Error;
            let why =
                "the outcome needed no answer from the target: the case or Skewer is wrong, not the target";
            result.message = Some(match result.message.take() {
                Some(message) => format!("{why}\n{message}"),
                None => why.to_owned(),
            });
        }
        _ => {}
    }
}

/// Fails the cell in two cases: if it is worse than its reference case although the expectation lacks `worse`, or if
/// it is not worse although the expectation has `worse`.
pub(super) fn judge_against_reference_case(
    cell: &Cell<'_>,
    reference_case: &Cell<'_>,
    (evaluation, reference): (&Evaluation, &Evaluation),
    result: &mut reports::Cell,
) {
    let is_worse = is_worse(evaluation, reference);
    if is_worse == cell.expectation.worse {
        return;
    }
    result.status = Status::Fail;
    let (says, is) = if is_worse { ("no worse", "worse") } else { ("worse", "no worse") };
    result.expected = Some(format!("{says} than {reference_case}, {}", reference.describe()));
    result.actual = Some(format!("{is}: {}", evaluation.describe()));
}

/// Writes the two documents that the report shows side by side: the pinned document (or else the ideal), and the
/// actual document.
fn write_documents(
    answers: &[ExpectedAnswer],
    pinned_document: Option<&OwnedDoc>,
    evaluation: &Evaluation,
    result: &mut reports::Cell,
) {
    let pinned = answers.iter().find_map(|answer| answer.result.as_ref()).or(pinned_document);
    let (expected, actual) = match evaluation {
        Evaluation::Skew { ideal, final_state, plan, live, .. } => {
            let stored = if plan.has_other_requests() { live } else { &plan.stored };
            let actual = if let FinalState::Stored(document) = final_state { document } else { stored };
            let intended = answers.iter().any(|answer| answer.outcome == Some(Outcome::Intended));
            let ideal = if let FinalState::Stored(document) = &**ideal { document } else { stored };
            (pinned.or(intended.then_some(ideal)), Some(actual))
        }
        Evaluation::Document { document, .. } => (pinned, Some(document)),
        Evaluation::Refused(_) | Evaluation::TypesAccepted | Evaluation::TypesRefused { .. } => {
            (pinned, None)
        }
    };
    result.expected_document = expected.map(yaml::write);
    result.actual_document = actual.map(yaml::write);
    if pinned.is_some() && expected.is_some() && expected == actual {
        result.message = Some("the document is as expected, but the outcome or the error is not".to_owned());
    }
}

/// Describes the expected answers.
fn describe_answers(answers: &[ExpectedAnswer]) -> String {
    let mut text = String::with_capacity(32);
    for answer in answers {
        text.push_str(if text.is_empty() { "" } else { ", or " });
        let start = text.len();
        // The words `refused: ` and `rejected: ` before the error kind already name these outcomes.
        let is_refusal = |outcome: &Outcome| matches!(outcome, Outcome::Refused | Outcome::Rejected);
        let outcome = answer.outcome;
        if let Some(outcome) = outcome.filter(|outcome| answer.error.is_none() || !is_refusal(outcome)) {
            text.push_str(outcome.name());
        }
        if let Some(kind) = answer.error {
            text.push_str(if text.len() > start { ", " } else { "" });
            text.push_str(outcome.filter(is_refusal).map_or("refused", Outcome::name));
            text.push_str(": ");
            text.push_str(&kind.describe(answer.directive.as_deref()));
            if let Some(path) = &answer.path {
                let _ = write!(text, " at {path}");
            }
            if let Some(rule) = answer.rule {
                text.extend([" [", rule, "]"]);
            }
            for (index, conflict) in answer.conflicts.iter().flatten().enumerate() {
                let separator = if index == 0 { " with" } else { "," };
                let _ = write!(text, "{separator} {:?}: {}", conflict.manager, conflict.path);
            }
        }
        if answer.result.is_some() {
            text.push_str(if text.len() > start { ", with this result" } else { "this result" });
        }
        if answer.owners.is_some() {
            text.push_str(if text.len() > start { ", with these owners" } else { "these owners" });
        }
    }
    text
}

fn reported_outcome(outcome: Outcome) -> reports::Outcome {
    match outcome {
        Outcome::Intended => reports::Outcome::Intended,
        Outcome::Rejected => reports::Outcome::Rejected,
        Outcome::AsBefore => reports::Outcome::AsBefore,
        Outcome::Refused => reports::Outcome::Refused,
        Outcome::Ignored => reports::Outcome::Ignored,
        Outcome::Leftover => reports::Outcome::Leftover,
        Outcome::Lost => reports::Outcome::Lost,
        Outcome::Diverged => reports::Outcome::Diverged,
        Outcome::WronglyAccepted => reports::Outcome::WronglyAccepted,
    }
}

/// Converts field paths to text.
fn path_texts(paths: &[FieldPath]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}
