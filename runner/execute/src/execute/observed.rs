//! Cells that are run to see how they end.

use std::sync::Arc;

use skewer_cases::Cell;
use skewer_engine::{Error, ErrorKind, OwnedDoc};
use skewer_skew::{FinalState, Outcome};
use skewer_targets::Target;

use super::asked_target::AskedTarget;
use super::evaluation::{CellEnd, evaluate};
use super::judge::has_expected_answer;

/// Runs a cell and returns the kind of the error with which it ends. The expectation of the cell is ignored.
#[must_use]
pub fn final_error(cell: &Cell<'_>, target: &dyn Target) -> Option<ErrorKind> {
    evaluate(cell, &AskedTarget::new(target), None, &mut None).ok()?.error().map(Error::kind)
}

/// The final state of a cell, with the documents with which it is compared.
#[derive(Clone, Debug)]
pub struct ObservedStates {
    /// The outcome, if the cell is a skew cell.
    pub outcome: Option<Outcome>,
    /// The live object of a skew cell: the object that is stored before the request.
    pub stored: OwnedDoc,
    /// The final state of a skew cell, or the error of an operation.
    pub final_state: FinalState,
    /// The final state of a skew cell if both parties were up to date.
    pub ideal: Option<FinalState>,
    /// Whether the cell has the expected outcome and the pinned states.
    pub passes: bool,
}

/// Runs a cell. Returns `None` if the cell cannot be run, and for a cell that is not a skew cell and is not refused.
#[must_use]
pub fn observe_states(cell: &Cell<'_>, target: &dyn Target) -> Option<ObservedStates> {
    let evaluation = evaluate(cell, &AskedTarget::new(target), None, &mut None).ok()?;
    let passes = has_expected_answer(cell, &evaluation);
    match evaluation {
        CellEnd::Skew { judgement, final_state, ideal, live, .. } => Some(ObservedStates {
            outcome: Some(judgement.outcome),
            stored: live,
            final_state,
            ideal: Some(Arc::unwrap_or_clone(ideal)),
            passes,
        }),
        CellEnd::Refused(error) => Some(ObservedStates {
            outcome: None,
            stored: OwnedDoc::Null,
            final_state: FinalState::Refused(error),
            ideal: None,
            passes,
        }),
        CellEnd::Document { .. } | CellEnd::TypesAccepted | CellEnd::TypesRefused { .. } => None,
    }
}
