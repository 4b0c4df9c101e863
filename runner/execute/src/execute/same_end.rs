//! The comparison of two ends of the same scenario or operation.

use skewer_cases::FieldOwner;
use skewer_engine::patch::PatchContext;
use skewer_engine::{Error, OwnedDoc};
use skewer_skew::{FinalState, with_empty_structs};

/// An end: the stored object or the result with its owners, or the error.
#[derive(Clone, Copy)]
pub struct ComparedEnd<'a> {
    state: Result<&'a OwnedDoc, &'a Error>,
    owners: &'a [FieldOwner],
}

impl<'a> ComparedEnd<'a> {
    /// Returns the end with this document.
    #[must_use]
    pub fn of_document(document: &'a OwnedDoc) -> Self {
        ComparedEnd { state: Ok(document), owners: &[] }
    }

    /// Returns the end with this error.
    #[must_use]
    pub fn of_error(error: &'a Error) -> Self {
        ComparedEnd { state: Err(error), owners: &[] }
    }

    /// Returns the end with this final state. Its owners are not compared.
    #[must_use]
    pub fn of_state(state: &'a FinalState) -> Self {
        match state {
            FinalState::Stored(document) => ComparedEnd::of_document(document),
            FinalState::Refused(error) => ComparedEnd::of_error(error),
        }
    }

    /// Returns the end with owners of the fields of the stored object.
    #[must_use]
    pub fn with_owners(self, owners: &'a [FieldOwner]) -> Self {
        ComparedEnd { owners, ..self }
    }
}

/// What may differ between the errors of two ends that count as the same. Messages may always differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorDifference {
    /// Nothing else: the kind, the directive and the path are the same.
    None,
    /// The directive and the path.
    Place,
    /// The directive and the path, and the actual error can have further kinds: a real server reports all errors of an
    /// object, and the simulation stops at the first one.
    FurtherKinds,
}

/// What may differ between two ends that count as the same.
#[derive(Clone, Copy)]
pub struct MayDiffer<'a> {
    /// What may differ between errors.
    pub errors: ErrorDifference,
    /// The types whose empty structs may be missing: a Go server writes them.
    pub empty_structs: Option<&'a PatchContext>,
}

impl MayDiffer<'_> {
    /// Only errors may differ.
    #[must_use]
    pub const fn in_errors(errors: ErrorDifference) -> Self {
        MayDiffer { errors, empty_structs: None }
    }
}

/// Returns true if two ends are the same, except for what may differ.
#[must_use]
pub fn is_same_end(actual: ComparedEnd<'_>, expected: ComparedEnd<'_>, may_differ: MayDiffer<'_>) -> bool {
    match (actual.state, expected.state) {
        (Err(actual), Err(expected)) => is_same_error(actual, expected, may_differ.errors),
        (Ok(document), Ok(other)) => {
            let is_same_document = match may_differ.empty_structs {
                Some(types) => {
                    with_empty_structs(types, document.clone()) == with_empty_structs(types, other.clone())
                }
                None => document == other,
            };
            is_same_document && actual.owners == expected.owners
        }
        _ => false,
    }
}

fn is_same_error(actual: &Error, expected: &Error, may_differ: ErrorDifference) -> bool {
    match may_differ {
        ErrorDifference::None => {
            let key =
                |error: &Error| (error.kind(), error.directive().map(str::to_owned), error.path().clone());
            key(actual) == key(expected)
        }
        ErrorDifference::Place => actual.kinds() == expected.kinds(),
        ErrorDifference::FurtherKinds => {
            let kinds = actual.kinds();
            expected.kinds().iter().all(|kind| kinds.contains(kind))
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::ErrorKind;
    use skewer_engine::document::from_json;
    use skewer_engine::error::ManagerOperation;

    use super::*;

    #[rstest]
    #[case::another_message(&[("a", ErrorKind::Conflict)], [true, true, true])]
    #[case::another_path(&[("b", ErrorKind::Conflict)], [false, true, true])]
    #[case::another_kind(&[("a", ErrorKind::WrongKind)], [false, false, false])]
    #[case::one_more_kind(&[("a", ErrorKind::Conflict), ("a", ErrorKind::WrongKind)], [true, false, true])]
    fn errors_are_the_same_except_for_what_may_differ(
        #[case] actual: &[(&str, ErrorKind)],
        #[case] expected: [bool; 3],
    ) {
        let simulated = Error::new(ErrorKind::Conflict, "in the simulation").at("a");
        let error = Error::new(actual[0].1, "on the server").at(actual[0].0);
        let error = error.with_other_kinds(actual[1..].iter().map(|(_, kind)| *kind));
        let all = [ErrorDifference::None, ErrorDifference::Place, ErrorDifference::FurtherKinds];
        let is_same = all.map(|errors| {
            let may_differ = MayDiffer::in_errors(errors);
            is_same_end(ComparedEnd::of_error(&error), ComparedEnd::of_error(&simulated), may_differ)
        });
        assert_eq!(is_same, expected);
    }

    #[test]
    fn documents_and_owners_are_compared() {
        let [one, other] = [r#"{"a":1}"#, r#"{"a":2}"#].map(|text| from_json(text.as_bytes()).unwrap());
        let owner = FieldOwner {
            manager: "m".to_owned(),
            operation: ManagerOperation::Apply,
            subresource: String::new(),
            fields: vec![".a".to_owned()],
        };
        let owners = [owner];
        let is_same =
            |actual, expected| is_same_end(actual, expected, MayDiffer::in_errors(ErrorDifference::Place));
        let end = ComparedEnd::of_document(&one);
        assert!(is_same(end, end) && is_same(end.with_owners(&owners), end.with_owners(&owners)));
        assert!(!is_same(end, ComparedEnd::of_document(&other)) && !is_same(end, end.with_owners(&owners)));
        let error = Error::new(ErrorKind::Conflict, "m");
        assert!(!is_same(end, ComparedEnd::of_error(&error)));
    }
}
