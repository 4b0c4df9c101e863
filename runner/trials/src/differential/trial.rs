//! The trials of a differential run.

use std::sync::Arc;

use skewer_engine::OwnedDoc;
use skewer_engine::patch::{Overwrite, PatchContext, Precondition};
use skewer_skew::{
    ApiRequestOptions, BuiltIn, FieldManagerOptions, Operation, OperationKind, OperationOptions, Operations,
    RequestType,
};

use super::answer::TrialAnswer;
use super::types::TrialTypes;

/// One operation on random documents.
#[derive(Clone, Debug)]
pub(crate) struct OperationTrial {
    /// Number of the trial. Together with the seed, it determines the trial.
    pub number: u64,
    /// The operation.
    pub operation: OperationKind,
    /// The types of the documents.
    pub types: Arc<TrialTypes>,
    /// The documents in the order of the operation's parameters. For a three-way patch: last-applied, modified, live. For
    /// a whole request: live (null if the object does not exist), body.
    pub documents: Vec<OwnedDoc>,
    /// Whether a three-way patch overwrites conflicting changes.
    pub overwrite: Overwrite,
    /// Preconditions of a three-way patch, strategic or JSON.
    pub preconditions: Vec<Precondition>,
    /// The options of a whole request to an API server.
    pub request: TrialRequest,
}

/// The options of a whole request to an API server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TrialRequest {
    /// The type of the request.
    pub request_type: RequestType,
    /// Whether the server validates fields strictly.
    pub strict: bool,
}

/// A category that a report counts separately: an operation, or a type of whole requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrialKind {
    /// An operation other than a whole request.
    Operation(OperationKind),
    /// A whole request of this type.
    Request(RequestType),
}

impl TrialKind {
    /// Returns the operation.
    #[must_use]
    pub const fn operation(self) -> OperationKind {
        match self {
            TrialKind::Operation(operation) => operation,
            TrialKind::Request(_) => OperationKind::Request,
        }
    }

    /// Returns the name of the operation or of the type of requests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TrialKind::Operation(operation) => operation.name(),
            TrialKind::Request(request_type) => request_type.name(),
        }
    }
}

impl From<OperationKind> for TrialKind {
    fn from(operation: OperationKind) -> Self {
        TrialKind::Operation(operation)
    }
}

impl OperationTrial {
    /// Returns what a report counts the trial as.
    pub(crate) fn kind(&self) -> TrialKind {
        match self.operation {
            OperationKind::Request => TrialKind::Request(self.request.request_type),
            operation => TrialKind::Operation(operation),
        }
    }

    /// Returns the operation that the implementations perform, or `None` if the trial has too few documents.
    pub(crate) fn engine_operation(&self) -> Option<Operation<'_>> {
        let TrialRequest { request_type, strict } = self.request;
        let options = OperationOptions {
            overwrite: self.overwrite,
            preconditions: &self.preconditions,
            field_manager: FieldManagerOptions::default(),
            request: ApiRequestOptions { request_type, strict, ..ApiRequestOptions::default() },
        };
        let operation = Operation::of_documents(self.operation, &self.types.context, &self.documents);
        operation.ok().map(|operation| operation.with_options(options))
    }

    /// Returns true if `answer` is that of the built-in engine with a changed patch context.
    pub(super) fn is_answered_in_context(
        &self,
        change: impl FnOnce(&mut PatchContext),
        answer: &TrialAnswer,
    ) -> bool {
        let mut types = TrialTypes::clone(&self.types);
        change(&mut types.context);
        let trial = OperationTrial { types: types.into(), ..self.clone() };
        let predicted =
            trial.engine_operation().map(|operation| TrialAnswer::from_result(BuiltIn.perform(&operation)));
        predicted.is_some_and(|predicted| predicted.is_same(answer, false))
    }
}
