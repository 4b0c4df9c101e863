//! One operation on random documents.

use std::sync::Arc;

use skewer_engine::OwnedDoc;
use skewer_engine::patch::{Overwrite, Precondition};
use skewer_engine::skew::{Operation, OperationKind, OperationOptions};

use super::types::TrialTypes;

/// One operation on documents of some types.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Number of the trial among those of its seed.
    pub number: u64,
    /// The operation.
    pub operation: OperationKind,
    /// The types.
    pub types: Arc<TrialTypes>,
    /// The documents, in the order in which the operation names them; three-way: last-applied, modified, live.
    pub documents: Vec<OwnedDoc>,
    /// Treatment of conflicts, in three-way patches.
    pub overwrite: Overwrite,
    /// Preconditions of three-way patches, strategic or JSON.
    pub preconditions: Vec<Precondition>,
}

impl Trial {
    /// Returns the operation that the implementations perform; `None` if the trial has too few documents.
    #[must_use]
    pub fn engine_operation(&self) -> Option<Operation<'_>> {
        let options = OperationOptions { overwrite: self.overwrite, preconditions: &self.preconditions };
        let operation = Operation::of_documents(self.operation, &self.types.context, &self.documents);
        operation.ok().map(|operation| operation.with_options(options))
    }
}
