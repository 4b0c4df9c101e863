//! A target that records whether a cell needed its answer.

use std::cell::Cell;

use skewer_engine::OwnedDoc;
use skewer_engine::skew::{BuiltIn, Operation, Operations, Performer};

use crate::targets::{OperationError, Target, TargetFailure};

/// A target, with its record for one cell.
pub(super) struct AskedTarget<'t> {
    target: &'t dyn Target,
    has_answered: Cell<bool>,
    is_performing: Cell<bool>,
}

impl<'t> AskedTarget<'t> {
    /// Wraps a target that has not answered yet.
    pub(super) fn new(target: &'t dyn Target) -> Self {
        AskedTarget { target, has_answered: Cell::new(false), is_performing: Cell::new(false) }
    }

    /// Returns the wrapped target.
    pub(super) fn target(&self) -> &'t dyn Target {
        self.target
    }

    /// Records that the target gave an answer that was not the result of an operation.
    pub(super) fn note_answer(&self) {
        self.has_answered.set(true);
    }

    /// Returns true if the target answered, with a result or a refusal. A target that performs the steps of the
    /// server counts as asked in every scenario.
    pub(super) fn has_answered(&self) -> bool {
        self.has_answered.get() || self.target.performs_server_steps()
    }

    /// Returns true if a panic is the target's fault: an operation of the target has begun and not ended, or the
    /// target performs all steps.
    pub(super) fn is_to_blame_for_panic(&self) -> bool {
        self.is_performing.get() || self.target.performs_server_steps()
    }
}

/// The operations of a scenario. An API server only processes requests: the built-in engine performs the operations of
/// the clients.
impl Operations<TargetFailure> for AskedTarget<'_> {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let is_of_client = operation.kind().declaration().performer == Performer::Client;
        if self.keeps_objects() && is_of_client && !self.target.performs_client_operations() {
            return BuiltIn.perform(operation);
        }
        self.ask(operation)
    }

    fn is_api_server(&self) -> bool {
        self.target.kubernetes_release().is_some()
    }
}

impl AskedTarget<'_> {
    /// Returns true if the target processes whole requests, and no operations of servers.
    fn keeps_objects(&self) -> bool {
        self.target.kubernetes_release().is_some() || self.target.live().is_some()
    }
}

impl AskedTarget<'_> {
    /// Lets the target perform an operation.
    pub(super) fn ask(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        self.is_performing.set(true);
        let answer = self.target.operations().perform(operation);
        self.is_performing.set(false);
        if matches!(answer, Ok(_) | Err(OperationError::Refused(_))) {
            self.note_answer();
        }
        answer
    }
}
