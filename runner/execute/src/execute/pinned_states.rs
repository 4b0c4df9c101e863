//! The comparison of a cell with the states that its case pins: the ideal and the final state.

use skewer_cases::{
    BaseDocument, Cell, EditedDocument, ExpectedAnswer, PinnedError, PinnedFinalState, SuiteLine,
};
use skewer_engine::{Error, ErrorKind, OwnedDoc};
use skewer_results::{PinnedState, Reason};
use skewer_skew::{Edit, FinalState, Outcome, Scenario, differing_paths, without_unset_fields};

use super::answers::{actual_error, pinned_error};
use super::evaluation::CellEnd;

/// The result of the comparison with the pinned states.
#[derive(Debug, Default)]
pub(super) struct PinnedStates {
    /// The difference from the pinned ideal or the pinned final state, if there is one.
    pub(super) mismatch: Option<Reason>,
    /// The document that is pinned as the final state.
    pub(super) expected_document: Option<OwnedDoc>,
    /// The pinned ideal, if the ideal is another one.
    pub(super) other_ideal: Option<OtherIdeal>,
}

/// A pinned ideal from which the ideal of a cell differs.
#[derive(Debug)]
pub(super) struct OtherIdeal {
    /// The pinned document. `None` if an error is pinned, or if the document cannot be made.
    pub(super) document: Option<OwnedDoc>,
    /// The line that pins it.
    pub(super) location: SuiteLine,
}

impl PinnedStates {
    /// Compares the states of a cell with the pinned states.
    pub(super) fn of(cell: &Cell<'_>, evaluation: &CellEnd) -> Self {
        let (final_state, states) = match evaluation {
            CellEnd::Skew { final_state, ideal, plan, live, .. } => {
                (final_state, States { plan, ideal, live })
            }
            CellEnd::Refused(error) => return Self::of_error(cell, error),
            _ => return Self::default(),
        };
        // A wrong ideal makes every comparison with it meaningless, so that only this is reported.
        if let Some(pinned) = cell.pinned_ideal() {
            let (mismatch, document) = states.compare(PinnedState::Ideal, &pinned.state, states.ideal);
            if mismatch.is_some() {
                let other_ideal = Some(OtherIdeal { document, location: pinned.location.clone() });
                return PinnedStates { mismatch, other_ideal, ..Self::default() };
            }
        }
        let Some(pinned) = cell.pinned_final_state() else { return Self::default() };
        let (mismatch, expected_document) = states.compare(PinnedState::FinalState, pinned, final_state);
        PinnedStates { mismatch, expected_document, ..Self::default() }
    }

    /// Compares the error of an operation with the pinned error.
    fn of_error(cell: &Cell<'_>, actual: &Error) -> Self {
        let mismatch = match cell.pinned_final_state() {
            Some(PinnedFinalState::Refused(pinned)) if !has_error(actual, pinned) => {
                let error = Some(pinned_error(pinned));
                Some(Reason::PinnedStateDiffers { state: PinnedState::Error, error })
            }
            _ => None,
        };
        PinnedStates { mismatch, ..Self::default() }
    }
}

/// The documents from which a pinned state can be made.
struct States<'a> {
    plan: &'a Scenario,
    ideal: &'a FinalState,
    live: &'a OwnedDoc,
}

impl States<'_> {
    /// Compares a state with a pinned one. Returns the difference, and the pinned document.
    fn compare(
        &self,
        state: PinnedState,
        pinned: &PinnedFinalState,
        actual: &FinalState,
    ) -> (Option<Reason>, Option<OwnedDoc>) {
        let document = match pinned {
            PinnedFinalState::Document(document) => Ok(document.clone()),
            PinnedFinalState::Edited(edited) => self.edit(edited),
            PinnedFinalState::Refused(error) => {
                let is_same = matches!(actual, FinalState::Refused(actual) if has_error(actual, error));
                let difference = || Reason::PinnedStateDiffers { state, error: Some(pinned_error(error)) };
                return ((!is_same).then(difference), None);
            }
        };
        match document {
            Ok(document) => {
                let document = without_unset_fields(&self.plan.full_context, document);
                let is_same = matches!(actual, FinalState::Stored(actual) if *actual == document);
                let mismatch = (!is_same).then_some(Reason::PinnedStateDiffers { state, error: None });
                (mismatch, Some(document))
            }
            Err(why) => (Some(Reason::PinnedDocumentImpossible { state, why: why.into() }), None),
        }
    }

    fn edit(&self, edited: &EditedDocument) -> Result<OwnedDoc, String> {
        match (edited.base, self.ideal) {
            (BaseDocument::Live, _) => edited.apply_to(self.live),
            (BaseDocument::Ideal, FinalState::Stored(ideal)) => edited.apply_to(ideal),
            (BaseDocument::Ideal, FinalState::Refused(error)) => {
                Err(format!("the ideal is no document, but a refusal ({})", error.describe_kind()))
            }
        }
    }
}

/// Returns the ideal of a scenario, if it is not the stored object that an answer with the outcome `intended` expects. No
/// end can then be as expected.
pub(super) fn other_ideal(answers: &[ExpectedAnswer], end: &CellEnd) -> Option<Reason> {
    let CellEnd::Skew { ideal, plan, .. } = end else { return None };
    let answer = answers.iter().find(|answer| answer.outcome == Some(Outcome::Intended))?;
    match &**ideal {
        FinalState::Refused(error) => {
            let kinds = [ErrorKind::UnionSeveralMembers, ErrorKind::UnionUnselectedMemberSet];
            let sets_member = kinds.contains(&error.kind())
                && plan.intent.0.iter().any(|edit| matches!(edit, Edit::Set(_)));
            Some(Reason::IdealIsRefused { error: actual_error(error), sets_member })
        }
        FinalState::Stored(ideal) => {
            let result = without_unset_fields(&plan.full_context, answer.result.clone()?);
            let paths = differing_paths(&plan.full_context, &result, ideal);
            let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
            (!paths.is_empty()).then_some(Reason::IdealDiffers { paths })
        }
    }
}

fn has_error(actual: &Error, pinned: &PinnedError) -> bool {
    actual.kind() == pinned.kind && pinned.path.as_ref().is_none_or(|path| actual.may_be_at(path))
}
