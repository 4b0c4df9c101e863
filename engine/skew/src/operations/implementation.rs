//! The implementations of operations.

use std::convert::Infallible;

use skewer_engine::document::{OwnedDoc, OwnedMap};
use skewer_engine::error::{Error, Result};
use skewer_engine::union::UnionRequest;
use skewer_engine::union::policy::Violation;

use super::operation::Operation;

/// The reason why an operation has no result. `F` describes how an implementation failed to answer, for example because
/// its process crashed. An implementation that always answers can use any `F`.
#[derive(Clone, Debug, PartialEq)]
pub enum OperationError<F> {
    /// The implementation returned an error about the documents.
    Refused(Error),
    /// The implementation did not answer.
    NoAnswer(F),
}

impl<F> From<Error> for OperationError<F> {
    fn from(error: Error) -> Self {
        OperationError::Refused(error)
    }
}

/// An implementation of the operations. `F` describes how it failed to answer: see [`OperationError`].
pub trait Operations<F> {
    /// Performs one operation.
    ///
    /// # Errors
    ///
    /// [`OperationError::Refused`] if the implementation refuses the documents. [`OperationError::NoAnswer`] if it does
    /// not answer.
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError<F>>;

    /// Normalizes a union as a server does that stores the object, with the policy of
    /// [`UnionOperation::Normalize`](skewer_engine::union::policy::UnionOperation). Returns `None` if the implementation has no
    /// unions, so that the policy of the engine decides.
    ///
    /// # Errors
    ///
    /// As [`perform`](Operations::perform). The path of a refusal starts at the struct with the union.
    fn normalize_union(&self, _request: &UnionRequest<'_>) -> Option<Result<OwnedMap, OperationError<F>>> {
        None
    }

    /// Validates which members of a union are set, with the policy of
    /// [`UnionOperation::Validate`](skewer_engine::union::policy::UnionOperation). Returns `None` if the implementation does
    /// not validate unions, so that the policy of the engine decides.
    ///
    /// # Errors
    ///
    /// As [`perform`](Operations::perform).
    fn validate_union(
        &self,
        _request: &UnionRequest<'_>,
    ) -> Option<Result<Vec<Violation>, OperationError<F>>> {
        None
    }

    /// Returns true if the implementation is an API server: [`run`](crate::run()) then sends it whole requests
    /// ([`OperationKind::Request`](crate::OperationKind::Request)) instead of simulating the server.
    fn is_api_server(&self) -> bool {
        false
    }
}

/// Returns the refusal of an implementation that always answers.
pub(crate) fn infallible(error: OperationError<Infallible>) -> Error {
    match error {
        OperationError::Refused(error) => error,
        OperationError::NoAnswer(never) => match never {},
    }
}
