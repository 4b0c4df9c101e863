//! The implementations of operations.

use std::convert::Infallible;

use skewer_engine::document::OwnedDoc;
use skewer_engine::error::{Error, Result};
use skewer_engine::patch::PatchContext;
use skewer_engine::union::policy::Policy;
use skewer_engine::union::{self, Admitted};

use super::operation::Operation;
use crate::apply_tool::{ManifestRequest, ServerAccess};
use crate::request::RequestType;

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

/// An object with unions that a server is about to store.
#[derive(Clone, Copy, Debug)]
pub struct UnionWrite<'a> {
    /// The types that the server knows.
    pub context: &'a PatchContext,
    /// The union policy of the server.
    pub policy: &'static dyn Policy,
    /// The type of the request.
    pub request_type: RequestType,
    /// The stored object. `None` if the object is created.
    pub old: Option<&'a OwnedDoc>,
    /// The object after merging and decoding.
    pub new: &'a OwnedDoc,
}

impl UnionWrite<'_> {
    /// Returns true if the object has a union for which the policy has rules.
    #[must_use]
    pub fn has_unions(&self) -> bool {
        union::review(self.context, self.policy, self.old, self.new.clone()).0.unions > 0
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

    /// Normalizes and validates the unions of an object, as a server does that stores it. Returns `None` if the
    /// implementation does not have the rules of the policy, so that the engine decides.
    ///
    /// # Errors
    ///
    /// As [`perform`](Operations::perform).
    fn admit_unions(&self, _write: &UnionWrite<'_>) -> Option<Result<Admitted, OperationError<F>>> {
        None
    }

    /// Lets the real code of a tool apply a manifest to an API server. Returns the requests that it sent, as a list, or `None`
    /// if the implementation is not this tool, so that the tool is simulated.
    ///
    /// # Errors
    ///
    /// As [`perform`](Operations::perform).
    fn apply_manifest(
        &self,
        _request: &ManifestRequest<'_>,
        _server: ServerAccess<'_>,
    ) -> Option<Result<OwnedDoc, OperationError<F>>> {
        None
    }

    /// Returns the names of the tools whose real code the implementation has. `None` if it is no client that applies
    /// manifests.
    fn tools(&self) -> Option<Vec<String>> {
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
