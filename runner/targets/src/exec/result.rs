//! Conversion of adapter answers to results of operations.

use serde_json::value::RawValue;
use skewer_engine::error::ManagerConflict;
use skewer_engine::{Error, ErrorKind, OwnedDoc};
use skewer_protocol::messages::{ConflictMessage, Refusal, read_document};
use skewer_skew::PatchFormat;

use super::reply::{AdapterAnswer, not_a_reply};
use super::request::PreparedRequest;
use crate::failure::{OperationError, crashed, unsupported};

/// Maximum length of a result that is accepted without comparison to the length of the request, in bytes.
const MAX_SMALL_RESULT_BYTES: usize = 64 << 10;

/// Maximum length of the result of a JSON patch that is accepted without comparison to the length of the request, in
/// bytes. A small JSON patch can copy up to 3 MiB.
const MAX_COPIED_RESULT_BYTES: usize = 4 << 20;

/// Maximum ratio of the length of a longer result to the length of the documents in its request. Escapes can make a
/// text six times as long, and a patch can name the items of a list more than once.
const MAX_RESULT_GROWTH: usize = 16;

/// Parses a result, after checking that it is not much longer than the documents of its request.
fn read_result(text: &RawValue, request: &PreparedRequest<'_>) -> Result<OwnedDoc, String> {
    let bytes = text.get().len();
    let max_small_bytes = match request.kind().declaration().format {
        PatchFormat::JsonPatch => MAX_COPIED_RESULT_BYTES,
        _ => MAX_SMALL_RESULT_BYTES,
    };
    if bytes > max_small_bytes {
        let sent = request.document_bytes();
        if bytes > MAX_RESULT_GROWTH * sent {
            return Err(format!(
                "answered with a result of {bytes} bytes to documents of {sent} bytes: at most \
                 {MAX_RESULT_GROWTH} times as many are accepted"
            ));
        }
    }
    read_document(text).map_err(|error| not_a_reply(error.problem(), text.get().as_bytes()))
}

/// Converts the answer of an adapter to the result that the engine would return.
///
/// # Errors
/// Fails with [`OperationError::Refused`] if the target refused the operation, and with [`OperationError::NoAnswer`]
/// if the target does not support the operation, panicked, or violated the protocol.
pub(super) fn result_of_answer(
    answer: AdapterAnswer,
    request: &PreparedRequest<'_>,
) -> Result<OwnedDoc, OperationError> {
    result_with(answer, |text| read_result(text, request))
}

/// Converts the answer to an operation whose documents have no roles. Defaults can make an admitted object much longer
/// than the one in the request.
pub(super) fn result_of_any_length(answer: AdapterAnswer) -> Result<OwnedDoc, OperationError> {
    result_with(answer, |text| {
        read_document(text).map_err(|error| not_a_reply(error.problem(), text.get().as_bytes()))
    })
}

/// Converts an answer. The text of a result is parsed with `read`.
pub(super) fn result_with<T>(
    answer: AdapterAnswer,
    read: impl FnOnce(&RawValue) -> Result<T, String>,
) -> Result<T, OperationError> {
    match answer {
        AdapterAnswer::Result(text) => read(&text).map_err(|why| crashed(format!("the target {why}"))),
        AdapterAnswer::Unsupported(reason) => Err(unsupported(reason)),
        AdapterAnswer::Malformed(why) => Err(crashed(format!("the target {why}"))),
        AdapterAnswer::Refused(Refusal { kind, message, .. }) if kind == "panic" => {
            Err(crashed(format!("panic: {message}")))
        }
        AdapterAnswer::Refused(refusal) => Err(OperationError::Refused(engine_error(refusal))),
    }
}

fn engine_error(refusal: Refusal) -> Error {
    let Refusal { kind, directive, message, path, kinds, conflicts } = refusal;
    let known_path = path.as_ref().and_then(|path| path.parse().ok());
    // A path in another notation is still of use to the reader.
    let message = match path {
        Some(path) if known_path.is_none() => format!("{path}: {message}"),
        _ => message,
    };
    let error = match (ErrorKind::from_id(&kind), directive) {
        (Some(ErrorKind::InvalidDirective), Some(directive)) => Error::invalid_directive(&directive, message),
        (Some(ErrorKind::Conflict), _) => {
            Error::apply_conflict(conflicts.into_iter().map(manager_conflict).collect(), message)
        }
        (Some(kind), _) => Error::new(kind, message),
        (None, _) => Error::new(ErrorKind::Unclassified, format!("unknown kind {kind:?}: {message}")),
    };
    let other_kinds = kinds.iter().map(|kind| ErrorKind::from_id(kind).unwrap_or(ErrorKind::Unclassified));
    error.with_other_kinds(other_kinds).with_path(known_path)
}

fn manager_conflict(conflict: ConflictMessage) -> ManagerConflict {
    let ConflictMessage { manager, operation, api_version, subresource, path } = conflict;
    ManagerConflict { manager, path, operation, api_version, subresource }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::Doc;
    use skewer_engine::error::ManagerOperation;
    use skewer_skew::{Operation, OperationKind};

    use super::super::schema_registry::SchemaRegistry;
    use super::super::test_support::{FLAT, context};
    use super::*;
    use crate::failure::TargetFailureKind;

    #[rstest]
    #[case("conflict", None, "conflict")]
    #[case("unclassified", None, "unclassified")]
    #[case("no-such-kind", None, "unclassified")]
    #[case("invalid-directive", None, "invalid-directive")]
    #[case("invalid-directive", Some("$x"), "invalid-directive of $x")]
    #[case("conflict", Some("$x"), "conflict")]
    fn unknown_error_kinds_are_kept_as_text(
        #[case] kind: &'static str,
        #[case] directive: Option<&str>,
        #[case] expected: &str,
    ) {
        let directive = directive.map(str::to_owned);
        let refusal = Refusal {
            kind: kind.into(),
            directive,
            message: "m".to_owned(),
            path: Some("a.b".to_owned()),
            ..Refusal::default()
        };
        let documents = [Doc::Null, Doc::Null];
        let context = context(FLAT);
        let operation = Operation::of_documents(OperationKind::JsonMergeApply, &context, &documents).unwrap();
        let request = PreparedRequest::new(&operation, &SchemaRegistry::default(), &[]);
        let Err(OperationError::Refused(error)) = result_of_answer(AdapterAnswer::Refused(refusal), &request)
        else {
            panic!("not refused")
        };
        assert_eq!(error.describe_kind(), expected);
        assert!(error.to_string().starts_with("a.b: "), "{error}");
        assert!(error.message().ends_with('m'), "{error}");
    }

    #[test]
    fn kinds_and_conflicts_of_a_refusal_are_read() {
        let conflict = |manager: &str, api_version: Option<&str>| ConflictMessage {
            manager: manager.to_owned(),
            operation: ManagerOperation::Update,
            api_version: api_version.map(str::to_owned),
            subresource: None,
            path: ".spec.replicas".to_owned(),
        };
        let error = engine_error(Refusal {
            kind: "conflict".into(),
            conflicts: vec![conflict("b", Some("v1")), conflict("a", None)],
            ..Refusal::default()
        });
        let conflicts: Vec<_> = error
            .conflicts()
            .iter()
            .map(|conflict| (&*conflict.manager, conflict.api_version.as_deref()))
            .collect();
        assert_eq!(conflicts, [("a", None), ("b", Some("v1"))]);
        let kinds = ["missing-list-keys", "no-such-kind", "wrong-kind"].map(Into::into).to_vec();
        let error = engine_error(Refusal { kind: "missing-list-keys".into(), kinds, ..Refusal::default() });
        let expected = [ErrorKind::MissingListKeys, ErrorKind::Unclassified, ErrorKind::WrongKind];
        assert_eq!((error.kind(), error.kinds()), (ErrorKind::MissingListKeys, expected.to_vec()));
    }

    #[rstest]
    #[case::small(60_000, 1, true)]
    #[case::larger_than_what_was_sent(70_000, 1, false)]
    #[case::of_large_documents(70_000, 70_000, true)]
    fn a_result_is_not_much_larger_than_its_documents(
        #[case] bytes: usize,
        #[case] sent: usize,
        #[case] is_accepted: bool,
    ) {
        let documents = [Doc::from("x".repeat(sent).as_str()), Doc::Null];
        let context = context(FLAT);
        let operation = Operation::of_documents(OperationKind::JsonMergeApply, &context, &documents).unwrap();
        let request = PreparedRequest::new(&operation, &SchemaRegistry::default(), &[]);
        let text = format!("{:?}", "y".repeat(bytes - 2));
        let answer = AdapterAnswer::Result(RawValue::from_string(text).unwrap());
        assert_eq!(result_of_answer(answer, &request).is_ok(), is_accepted);
    }

    #[rstest]
    #[case::key_twice(r#"{"a":1,"a":2}"#)]
    #[case::number_out_of_range("1e999")]
    fn a_bad_result_is_a_crash(#[case] text: &str) {
        let documents = [Doc::Null, Doc::Null];
        let context = context(FLAT);
        let operation = Operation::of_documents(OperationKind::JsonMergeApply, &context, &documents).unwrap();
        let request = PreparedRequest::new(&operation, &SchemaRegistry::default(), &[]);
        let answer = AdapterAnswer::Result(RawValue::from_string(text.to_owned()).unwrap());
        let Err(OperationError::NoAnswer(failure)) = result_of_answer(answer, &request) else {
            panic!("accepted")
        };
        assert_eq!(failure.kind, TargetFailureKind::Crash);
        assert!(
            failure.why.starts_with("the target wrote a line that is not a valid reply ("),
            "{}",
            failure.why
        );
    }
}
