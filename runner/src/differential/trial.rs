//! The trials of a differential run.

use std::sync::Arc;

use skewer_engine::OwnedDoc;
use skewer_engine::patch::{Overwrite, Precondition};
use skewer_engine::skew::{Operation, OperationKind, OperationOptions};

use super::types::TrialTypes;

/// One operation on random documents.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Number of the trial. Together with the seed, it determines the trial.
    pub number: u64,
    /// The operation.
    pub operation: OperationKind,
    /// The types of the documents.
    pub types: Arc<TrialTypes>,
    /// The documents in the order of the operation's parameters. For a three-way patch: last-applied, modified, live.
    pub documents: Vec<OwnedDoc>,
    /// Whether a three-way patch overwrites conflicting changes.
    pub overwrite: Overwrite,
    /// Preconditions of a three-way patch, strategic or JSON.
    pub preconditions: Vec<Precondition>,
}

impl Trial {
    /// Returns the operation that the implementations perform, or `None` if the trial has too few documents.
    #[must_use]
    pub fn engine_operation(&self) -> Option<Operation<'_>> {
        let options = OperationOptions {
            overwrite: self.overwrite,
            preconditions: &self.preconditions,
            ..OperationOptions::default()
        };
        let operation = Operation::of_documents(self.operation, &self.types.context, &self.documents);
        operation.ok().map(|operation| operation.with_options(options))
    }
}
