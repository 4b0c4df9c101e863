//! The comparison of the end of a cell with its expectation.

use skewer_cases::{Cell, ExpectedAnswer, ExpectedConflict};
use skewer_engine::{Error, OwnedDoc};
use skewer_results::OwnerDifference;
use skewer_skew::{FinalState, without_unset_fields};
use skewer_targets::is_equal_up_to_lossy_floats;

use super::evaluation::CellEnd;
use super::leaks::{Leak, leaks};
use super::owners::owner_differences;
use super::pinned_states::PinnedStates;

impl CellEnd {
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

    /// Returns the differences from the owners that the answer expects, if there are any.
    pub(super) fn owners_mismatch(&self, answer: &ExpectedAnswer) -> Option<Vec<OwnerDifference>> {
        match (self, &answer.owners) {
            (CellEnd::Skew { owners, .. }, Some(expected)) if owners != expected => {
                Some(owner_differences(expected, owners))
            }
            _ => None,
        }
    }

    /// Returns true if the end has the expected answer, whatever its owners are.
    pub(super) fn satisfies_except_owners(&self, answer: &ExpectedAnswer) -> bool {
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
        matches!(self, CellEnd::TypesRefused { rules, .. } if !rules.is_empty() && rules.iter().all(|r| *r == rule))
    }

    fn has_result(&self, expected: &OwnedDoc, is_exact: bool) -> bool {
        match self {
            CellEnd::Document { document, stored_by: Some(server), .. } if !is_exact => {
                without_unset_fields(server, document.clone())
                    == without_unset_fields(server, expected.clone())
            }
            CellEnd::Document { document, has_lossy_floats: true, .. } => {
                is_equal_up_to_lossy_floats(expected, document)
            }
            // The final state has this form. A case can write the zero values of Go types or leave them out.
            CellEnd::Skew { final_state: FinalState::Stored(document), plan, .. } => {
                *document == without_unset_fields(&plan.full_context, expected.clone())
            }
            evaluation => evaluation.document() == Some(expected),
        }
    }

    /// Returns the directives that a wrong result has as data, although neither the live object nor a result with which
    /// it is compared has them.
    pub(super) fn leaks(&self, cell: &Cell<'_>) -> Vec<Leak> {
        let (result, live, ideal) = match self {
            CellEnd::Document { document, live: Some(live), .. } => (document, live, None),
            CellEnd::Skew { final_state: FinalState::Stored(document), ideal, live, .. } => {
                let FinalState::Stored(ideal) = &**ideal else { return Vec::new() };
                (document, live, Some(ideal))
            }
            _ => return Vec::new(),
        };
        let expected = cell.expectation.answers.iter().filter_map(|answer| answer.result.as_ref());
        let others: Vec<&OwnedDoc> = std::iter::once(live).chain(ideal).chain(expected).collect();
        leaks(result, &others, cell.case.directives())
    }
}

/// Returns true if the conflicts of an error with other field managers are exactly the expected ones.
fn has_conflicts(error: &Error, expected: &[ExpectedConflict]) -> bool {
    let actual = error.conflicts().iter().map(|conflict| (&conflict.manager, &conflict.path));
    actual.eq(expected.iter().map(|conflict| (&conflict.manager, &conflict.path)))
}

/// Returns true if the evaluation has one of the expected answers of the cell, and the states that the case pins.
pub(super) fn has_expected_answer(cell: &Cell<'_>, end: &CellEnd) -> bool {
    has_answer(cell, end) && PinnedStates::of(cell, end).mismatch.is_none()
}

/// Returns true if the end has one of the expected answers of the cell.
pub(super) fn has_answer(cell: &Cell<'_>, end: &CellEnd) -> bool {
    cell.expectation.answers.iter().any(|answer| end.satisfies(answer))
}

/// Returns true if the evaluation is worse than that of the reference case. Nothing is said about the expectation.
pub(super) fn is_worse(end: &CellEnd, reference: &CellEnd) -> bool {
    end.severity() > reference.severity()
}

/// Returns the names of directives that leaked, each once.
pub(super) fn leaked_directives(leaks: &[Leak]) -> Vec<String> {
    let mut directives: Vec<String> = Vec::new();
    for leak in leaks {
        if !directives.iter().any(|known| known == leak.directive) {
            directives.push(leak.directive.to_owned());
        }
    }
    directives
}
