//! The unions of a written object, on which an implementation of the operations decides.

use super::operation::{OperationError, Operations};
use crate::document::OwnedMap;
use crate::error::{Error, Result};
use crate::field_path::PathSegment;
use crate::union::policy::Violation;
use crate::union::{UnionImplementation, UnionRequest};

/// An implementation that is asked about the unions of one object. Once it has not answered, it is not asked again.
pub(super) struct AskedUnions<'a, F> {
    /// The implementation. `None` if the engine decides on every union.
    operations: Option<&'a dyn Operations<F>>,
    failure: Option<F>,
}

impl<'a, F> AskedUnions<'a, F> {
    pub(super) fn new(operations: Option<&'a dyn Operations<F>>) -> Self {
        AskedUnions { operations, failure: None }
    }

    /// Returns the result of the admission, or the failure of the implementation to answer.
    pub(super) fn answered<T>(self, admitted: Result<T>) -> Result<T, OperationError<F>> {
        match self.failure {
            Some(failure) => Err(OperationError::NoAnswer(failure)),
            None => admitted.map_err(OperationError::Refused),
        }
    }

    /// Keeps a failure, after which the result of the admission does not matter.
    fn fail<T>(&mut self, failure: F) -> Option<T> {
        (self.operations, self.failure) = (None, Some(failure));
        None
    }
}

impl<F> UnionImplementation for AskedUnions<'_, F> {
    fn normalize(&mut self, request: &UnionRequest<'_>) -> Option<Result<OwnedMap, Error>> {
        match self.operations?.normalize_union(request)? {
            Ok(normalized) => Some(Ok(normalized)),
            Err(OperationError::Refused(error)) => Some(Err(error)),
            Err(OperationError::NoAnswer(failure)) => self.fail(failure),
        }
    }

    fn validate(&mut self, request: &UnionRequest<'_>) -> Option<Vec<Violation>> {
        match self.operations?.validate_union(request)? {
            Ok(violations) => Some(violations),
            Err(OperationError::Refused(error)) => Some(vec![refused(&error)]),
            Err(OperationError::NoAnswer(failure)) => self.fail(failure),
        }
    }
}

/// Returns the violation that stands for a refusal of the whole validation.
fn refused(error: &Error) -> Violation {
    let field = match error.path().segments() {
        [PathSegment::Key(field)] => Some(field.clone()),
        _ => None,
    };
    Violation::new(error.kind(), field, error.message().to_owned())
}
