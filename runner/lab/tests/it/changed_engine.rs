//! The engine with a change of its operations: a client or a server that does something else than its model.

use skewer_engine::OwnedDoc;
use skewer_skew::{BuiltIn, Operation, Operations};
use skewer_targets::{OperationError, Target, TargetFailure, TargetInfo};

/// A change of the engine: it performs an operation in another way.
pub(crate) type Change = fn(&Operation<'_>) -> Result<OwnedDoc, OperationError>;

/// The engine with a change.
pub(crate) struct ChangedEngine(pub(crate) Change);

impl Operations<TargetFailure> for ChangedEngine {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        (self.0)(operation)
    }
}

impl Target for ChangedEngine {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: "changed".to_owned(), version: None, language: None }
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }
}

pub(crate) fn unchanged(operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
    BuiltIn.perform(operation)
}

/// Every apply takes the fields of others.
pub(crate) fn always_forced(operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
    let mut options = operation.options();
    options.field_manager.force = true;
    BuiltIn.perform(&operation.with_options(options))
}
