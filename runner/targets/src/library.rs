//! Operations of parties whose patch library differs from that of a target.
//!
//! A target has one patch library, and merges into lists that it decodes from JSON. It cannot be asked how the library of an
//! old release behaves, or a server with its lists in structs. Most operations have the same result nevertheless.

use skewer_engine::patch::{LibraryChange, PatchContext, PatchLibrary, SpareCapacity};
use skewer_engine::{Error, OwnedDoc};
use skewer_skew::{BuiltIn, Operation};

/// Returns the reason why a target cannot perform an operation as the party of its context does. Returns `None` if the
/// target can, or if the operation has the same result with the library of the target.
///
/// `library` is the library of the target. An operation of a party with the newest library is performed by every target:
/// that the target has an old library is then a difference to find.
pub(super) fn why_not_reproducible(operation: &Operation<'_>, library: PatchLibrary) -> Option<String> {
    let context = operation.context()?;
    let library = if context.library == PatchLibrary::NEWEST { context.library } else { library };
    // A server that processes a whole request has its lists in structs.
    let is_request = operation.kind().declaration().is_request();
    let spare_capacity = if is_request { SpareCapacity::None } else { SpareCapacity::AsDecoded };
    if (context.library, context.spare_capacity) == (library, spare_capacity) {
        return None;
    }
    let expected = answer_in(operation, context);
    let has_same_answer = |context: &PatchContext| is_same_answer(&expected, &answer_in(operation, context));
    let of_target = PatchContext { library, spare_capacity, ..context.clone() };
    if has_same_answer(&of_target) {
        return None;
    }
    let with_library = PatchContext { library, ..context.clone() };
    if has_same_answer(&with_library) {
        return Some(
            "the target merges into lists decoded from JSON, and the server into lists in structs, which \
             gives another order of repeated items"
                .to_owned(),
        );
    }
    let differs = |change: &LibraryChange| {
        context.library.has(*change) != library.has(*change) && {
            let of_target = if library.has(*change) {
                context.library.with(*change)
            } else {
                context.library.without(*change)
            };
            !has_same_answer(&PatchContext { library: of_target, ..context.clone() })
        }
    };
    let change = LibraryChange::ALL.iter().find(|change| differs(change));
    Some(match change {
        Some(change) if library.has(*change) => format!(
            "the target cannot behave as the patch library of a release before 1.{}, which {}",
            change.release(),
            change.before()
        ),
        Some(change) => {
            format!(
                "the target has the patch library of a release before 1.{}, which {}",
                change.release(),
                change.before()
            )
        }
        None => "the target cannot behave as the patch library of another release".to_owned(),
    })
}

/// Returns the simulated answer to an operation in another context.
pub(super) fn answer_in(operation: &Operation<'_>, context: &PatchContext) -> Result<OwnedDoc, Error> {
    BuiltIn::execute(&operation.with_context(context))
}

/// Returns true if both answers are the same document, or refusals for the same reason.
pub(super) fn is_same_answer(a: &Result<OwnedDoc, Error>, b: &Result<OwnedDoc, Error>) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => a == b,
        (Err(a), Err(b)) => (a.kind(), a.directive(), a.path()) == (b.kind(), b.directive(), b.path()),
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;
    use skewer_skew::OperationKind;

    use super::super::exec::test_support::context;
    use super::*;

    const TYPES: &str = r#"
        type T struct {
            Set    []string          `json:"set,omitempty" patchStrategy:"merge"`
            Args   []string          `json:"args,omitempty"`
            Labels map[string]string `json:"labels,omitempty"`
        }
    "#;

    /// Returns the reason for a party with the library of a release, on a target with the library of another one.
    fn reason(
        (party, spare_capacity): (u32, SpareCapacity),
        target: u32,
        (live, patch): (&str, &str),
    ) -> Option<String> {
        let library = PatchLibrary::of_release(party);
        let context = PatchContext { library, spare_capacity, ..context(TYPES) };
        let documents = [live, patch].map(|text| from_json(text.as_bytes()).unwrap());
        let operation = Operation::of_documents(OperationKind::Apply, &context, &documents).unwrap();
        why_not_reproducible(&operation, PatchLibrary::of_release(target))
    }

    const ARGUMENTS: (&str, &str) = (r#"{"args":["a","b"]}"#, r#"{"$deleteFromPrimitiveList/args":["a"]}"#);
    const NULL: (&str, &str) = ("{}", r#"{"labels":{"a":null}}"#);
    const LABEL: (&str, &str) = ("{}", r#"{"labels":{"a":"b"}}"#);
    const REPEATED: (&str, &str) =
        (r#"{"set":["c","b","b","e","b"]}"#, r#"{"$setElementOrder/set":["d","a","f"],"set":["a","f"]}"#);

    #[rstest]
    #[case::the_same_result((20, SpareCapacity::None), 37, LABEL, None)]
    #[case::deletions_from_an_atomic_list(
        (20, SpareCapacity::AsDecoded),
        37,
        ARGUMENTS,
        Some("the target cannot behave as the patch library of a release before 1.28, which replaces a list")
    )]
    #[case::null(
        (22, SpareCapacity::None),
        37,
        NULL,
        Some("the target cannot behave as the patch library of a release before 1.24, which stores the nulls")
    )]
    #[case::null_after_the_change((24, SpareCapacity::None), 37, NULL, None)]
    #[case::the_target_has_the_library((22, SpareCapacity::AsDecoded), 20, NULL, None)]
    #[case::the_target_has_an_older_library(
        (26, SpareCapacity::AsDecoded),
        20,
        NULL,
        Some("the target has the patch library of a release before 1.24, which stores the nulls")
    )]
    #[case::a_party_of_today_is_asked_about((37, SpareCapacity::AsDecoded), 20, NULL, None)]
    #[case::lists_of_a_server(
        (37, SpareCapacity::None),
        37,
        REPEATED,
        Some("the target merges into lists decoded from JSON")
    )]
    #[case::decoded_lists((37, SpareCapacity::AsDecoded), 37, REPEATED, None)]
    fn an_operation_is_not_reproducible_if_the_library_changes_its_result(
        #[case] party: (u32, SpareCapacity),
        #[case] target: u32,
        #[case] documents: (&str, &str),
        #[case] expected: Option<&str>,
    ) {
        let reason = reason(party, target, documents);
        match expected {
            Some(expected) => assert!(reason.as_ref().is_some_and(|r| r.starts_with(expected)), "{reason:?}"),
            None => assert_eq!(reason, None),
        }
    }
}
