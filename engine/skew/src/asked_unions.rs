//! The unions of a written object, on which an implementation of the operations decides.

use skewer_engine::document::OwnedMap;
use skewer_engine::error::{Error, Result};
use skewer_engine::field_path::PathSegment;
use skewer_engine::union::policy::Violation;
use skewer_engine::union::{UnionImplementation, UnionRequest};

use super::operations::{OperationError, Operations};
use super::request::RequestType;

/// An implementation that is asked about the unions of one object. Once it has not answered, it is not asked again.
pub(super) struct AskedUnions<'a, F> {
    /// The implementation. `None` after a failure.
    operations: Option<&'a dyn Operations<F>>,
    /// Whether the implementation also normalizes.
    normalizes: bool,
    failure: Option<F>,
}

impl<'a, F> AskedUnions<'a, F> {
    /// Asks about the object of a request. Server-side apply has other rules for normalization upstream
    /// (`union.NormalizeApply`), for which there is no operation.
    pub(super) fn new(operations: &'a dyn Operations<F>, request_type: RequestType) -> Self {
        let normalizes = request_type != RequestType::ServerSideApply;
        AskedUnions { operations: Some(operations), normalizes, failure: None }
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
        match self.operations.filter(|_| self.normalizes)?.normalize_union(request)? {
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rstest::rstest;

    use super::*;
    use crate::{Operation, Role};
    use skewer_engine::document::OwnedDoc;
    use skewer_engine::field_path::FieldPath;
    use skewer_engine::schema::union::{Cardinality, Union};

    /// An implementation that accepts everything.
    struct Accepting;

    impl Operations<Infallible> for Accepting {
        fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError<Infallible>> {
            Ok(operation.document(Role::Live).clone())
        }

        fn normalize_union(
            &self,
            request: &UnionRequest<'_>,
        ) -> Option<Result<OwnedMap, OperationError<Infallible>>> {
            Some(Ok(request.new.clone()))
        }

        fn validate_union(
            &self,
            _request: &UnionRequest<'_>,
        ) -> Option<Result<Vec<Violation>, OperationError<Infallible>>> {
            Some(Ok(Vec::new()))
        }
    }

    #[rstest]
    #[case::update(RequestType::Update, true)]
    #[case::json_patch(RequestType::JsonPatch, true)]
    #[case::server_side_apply(RequestType::ServerSideApply, false)]
    fn server_side_apply_asks_only_for_validation(#[case] request_type: RequestType, #[case] expected: bool) {
        let (new, path) = (OwnedMap::new(), FieldPath::root());
        let union = Union::legacy(["a", "b"], Cardinality::AtMostOne);
        let request = UnionRequest { union: &union, path: &path, old: None, new: &new };
        let mut unions = AskedUnions::new(&Accepting, request_type);
        assert_eq!(unions.normalize(&request).is_some(), expected);
        assert_eq!(unions.validate(&request), Some(Vec::new()));
    }
}
