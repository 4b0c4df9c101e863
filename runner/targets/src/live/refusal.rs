//! The refusals of API servers as errors of the engine.

use skewer_engine::error::{ManagerConflict, ManagerOperation};
use skewer_engine::{Doc, Error, ErrorKind, FieldPath, OwnedMap};

use skewer_skew::ReadObject;

use super::documents::ObjectNames;
use super::request::Response;
use crate::{OperationError, TargetFailure, TargetFailureKind};

/// Returns the object of a response as the case would write it.
///
/// # Errors
/// Fails with the refusal of the server, or with a failure if the server has an error of its own.
pub(super) fn accepted(names: &ObjectNames, response: &Response) -> Result<ReadObject, OperationError> {
    if response.is_success() {
        return Ok(names.read(&response.body));
    }
    let refused = refusal(response);
    // Upstream, a configuration that does not fit its type is an error of the server.
    if response.status >= 500 && refused.kind() == ErrorKind::Undecodable {
        let why = format!("HTTP {}: {}", response.status, response.message());
        return Err(TargetFailure { kind: TargetFailureKind::Crash, why }.into());
    }
    Err(refused.into())
}

/// Returns the error of a request that the server has refused.
pub(super) fn refusal(response: &Response) -> Error {
    let message = response.message();
    let details = response.body.as_map().and_then(|body| body.get("details")).and_then(Doc::as_map);
    let causes = details.and_then(|details| details.get("causes")).and_then(Doc::as_list).unwrap_or_default();
    let causes = causes.iter().filter_map(Doc::as_map);
    let conflicts: Vec<ManagerConflict> = causes.clone().filter_map(conflict_of).collect();
    if !conflicts.is_empty() {
        return Error::apply_conflict(conflicts, message);
    }
    let causes: Vec<Cause> = causes.filter_map(Cause::read).collect();
    let kinds = kinds_of_message(causes.first().and_then(Cause::decoding).unwrap_or(message));
    let kind = match (response.status, causes.first()) {
        (404, _) => ErrorKind::NotFound,
        (409, _) if text(response.body.as_map(), "reason") == "AlreadyExists" => ErrorKind::AlreadyExists,
        (409, _) => ErrorKind::Conflict,
        (415, _) => ErrorKind::UnsupportedPatchFormat,
        (_, Some(cause)) if cause.decoding().is_none() => cause.kind,
        _ => kinds.first().copied().unwrap_or(ErrorKind::Undecodable),
    };
    let others = causes.iter().filter(|cause| cause.decoding().is_none()).map(|cause| cause.kind);
    let path = causes.first().filter(|cause| cause.decoding().is_none()).map(|cause| &cause.path);
    let error = Error::new(kind, message.to_owned()).with_path(path.cloned().flatten());
    match response.status {
        422 => error.with_other_kinds(others),
        // A list of errors about an object that does not fit its type.
        500 => error.with_other_kinds(kinds.into_iter().skip(1)),
        _ => error,
    }
}

/// A cause of a refusal: an error of one field.
struct Cause {
    kind: ErrorKind,
    path: Option<FieldPath>,
    field: String,
    message: String,
}

impl Cause {
    fn read(cause: &OwnedMap) -> Option<Self> {
        // Says no more than that there are other errors. Upstream: `hasBlockingErr`.
        const RULES_NOT_CHECKED: &str =
            "some validation rules were not checked because the object was invalid";
        let message = text(Some(cause), "message");
        if message.contains(RULES_NOT_CHECKED) {
            return None;
        }
        let kind = match text(Some(cause), "reason") {
            "FieldValueTypeInvalid" => ErrorKind::Undecodable,
            "FieldValueRequired" => ErrorKind::RequiredFieldMissing,
            "FieldValueNotSupported" => ErrorKind::UnknownEnumValue,
            "FieldValueForbidden" => ErrorKind::ForbiddenValue,
            "FieldValueDuplicate" => ErrorKind::DuplicateValue,
            _ => ErrorKind::InvalidValue,
        };
        let field = text(Some(cause), "field");
        // Go prints the path of the whole object in this way. Upstream: `field.Path.String`.
        let path = if field == "<nil>" { Some(FieldPath::root()) } else { field.parse().ok() };
        Some(Cause { kind, path, field: field.to_owned(), message: message.to_owned() })
    }

    /// Returns the reason why the server cannot decode the result of a patch: the only cause is then about the field `patch`.
    fn decoding(&self) -> Option<&str> {
        (self.field == "patch").then_some(&*self.message)
    }
}

/// Reads a conflict with another field manager: a path, and a message such as
/// `conflict with "kubectl" with subresource "scale" using apps/v1`.
fn conflict_of(cause: &OwnedMap) -> Option<ManagerConflict> {
    if text(Some(cause), "reason") != "FieldManagerConflict" {
        return None;
    }
    let message = text(Some(cause), "message");
    let (manager, rest) = split_quoted(message.strip_prefix("conflict with ")?)?;
    let (subresource, rest) = match rest.strip_prefix(" with subresource ") {
        Some(rest) => split_quoted(rest).map(|(subresource, rest)| (Some(subresource), rest))?,
        None => (None, rest),
    };
    // Only updaters have a version.
    let api_version = rest.strip_prefix(" using ").map(str::to_owned);
    let operation = if api_version.is_some() { ManagerOperation::Update } else { ManagerOperation::Apply };
    Some(ManagerConflict {
        manager,
        path: text(Some(cause), "field").to_owned(),
        operation,
        api_version,
        subresource,
    })
}

/// Splits a text after its first part, which is in quotes. A name with a quotation mark in it stays as it is written.
fn split_quoted(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('"')?;
    let is_end = |(at, _): &(usize, &str)| !text[..*at].ends_with('\\');
    let (end, _) = text.match_indices('"').find(is_end)?;
    Some((text[..end].to_owned(), &text[end + 1..]))
}

/// Returns the kinds of the errors that only a message tells, in their order: each line can have one.
fn kinds_of_message(message: &str) -> Vec<ErrorKind> {
    const PARTS: [(&str, ErrorKind); 15] = [
        ("duplicate field \"", ErrorKind::InvalidDocument),
        ("strict decoding error: ", ErrorKind::StrictUnknownField),
        // A server answers with an error of its own.
        ("request to convert CR to an invalid group/version", ErrorKind::ConversionFailed),
        ("field not declared in schema", ErrorKind::FieldNotDeclared),
        ("duplicate entries for key ", ErrorKind::DuplicateListItem),
        ("associative list with keys has an element that omits", ErrorKind::MissingListKeys),
        ("associative list with", ErrorKind::InvalidListItem),
        (": expected map, got ", ErrorKind::WrongKind),
        (": expected list, got ", ErrorKind::WrongKind),
        (": expected numeric (int or float), got ", ErrorKind::WrongKind),
        (": expected string, got ", ErrorKind::WrongKind),
        (": expected boolean, got ", ErrorKind::WrongKind),
        ("metadata.managedFields must be nil", ErrorKind::InvalidManagedFields),
        ("the API version in the data (", ErrorKind::WrongApiVersion),
        ("the name of the object (", ErrorKind::WrongName),
    ];
    let kind_of = |line: &str| PARTS.iter().find(|(part, _)| line.contains(part)).map(|(_, kind)| *kind);
    message.lines().filter_map(kind_of).collect()
}

fn text<'d>(map: Option<&'d OwnedMap>, key: &str) -> &'d str {
    map.and_then(|map| map.get(key)).and_then(Doc::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;

    use super::*;

    #[rstest]
    #[case::applier(r#"conflict with "a""#, "a Apply - -")]
    #[case::updater(r#"conflict with "a" using apps/v1"#, "a Update apps/v1 -")]
    #[case::subresource(
        r#"conflict with "a" with subresource "scale" using apps/v1"#,
        "a Update apps/v1 scale"
    )]
    fn conflicts_are_read(#[case] message: &str, #[case] expected: &str) {
        let cause =
            format!(r#"{{"reason": "FieldManagerConflict", "field": ".spec.x", "message": {message:?}}}"#);
        let body =
            from_json(format!(r#"{{"reason": "Conflict", "details": {{"causes": [{cause}]}}}}"#).as_bytes());
        let error = refusal(&Response { status: 409, warnings: Vec::new(), body: body.unwrap() });
        let [conflict] = error.conflicts() else { panic!("{error:?}") };
        let words = [&conflict.api_version, &conflict.subresource].map(|word| word.as_deref().unwrap_or("-"));
        assert_eq!(format!("{} {:?} {}", conflict.manager, conflict.operation, words.join(" ")), expected);
        assert_eq!((error.kind(), &*conflict.path), (ErrorKind::Conflict, ".spec.x"));
    }

    #[test]
    fn a_list_of_errors_has_the_kinds_of_all() {
        let message = r#"failed to create typed patch object (/o; example.com/v1, Kind=Gauge): errors:\n  .spec.points: duplicate entries for key [value=\"high\"]\n  .spec.x: field not declared in schema"#;
        let body = from_json(format!(r#"{{"message": "{message}"}}"#).as_bytes()).unwrap();
        let error = refusal(&Response { status: 500, warnings: Vec::new(), body });
        assert_eq!(error.kinds(), [ErrorKind::DuplicateListItem, ErrorKind::FieldNotDeclared]);
    }

    /// The messages are those of Kubernetes 1.36.3.
    #[rstest]
    #[case(422, r#"{"message": "", "details": {"causes": [{"reason": "FieldValueRequired", "message": "Required value",
        "field": "spec.size"}]}}"#, ErrorKind::RequiredFieldMissing, "spec.size")]
    #[case(422, r#"{"message": "", "details": {"causes": [{"reason": "FieldValueInvalid", "message": "Invalid value: failed
        rule: false", "field": "<nil>"}]}}"#, ErrorKind::InvalidValue, "")]
    #[case(422, r#"{"message": "", "details": {"causes": [{"reason": "FieldValueInvalid", "message": "Invalid value: \"\":
        strict decoding error: unknown field \"spec.x\"", "field": "patch"}]}}"#, ErrorKind::StrictUnknownField, "")]
    #[case(
        400,
        r#"{"message": "strict decoding error: unknown field \"spec.x\""}"#,
        ErrorKind::StrictUnknownField,
        ""
    )]
    #[case(
        409,
        r#"{"message": "the object has been modified", "reason": "Conflict"}"#,
        ErrorKind::Conflict,
        ""
    )]
    #[case(409, r#"{"message": "exists", "reason": "AlreadyExists"}"#, ErrorKind::AlreadyExists, "")]
    #[case(404, r#"{"message": "not found"}"#, ErrorKind::NotFound, "")]
    #[case(
        500,
        r#"{"message": "request to convert CR to an invalid group/version: example.com/v1alpha1"}"#,
        ErrorKind::ConversionFailed,
        ""
    )]
    fn refusals_have_the_kinds_of_the_engine(
        #[case] status: u16,
        #[case] body: &str,
        #[case] kind: ErrorKind,
        #[case] path: &str,
    ) {
        let body = from_json(body.replace("\n        ", " ").as_bytes()).unwrap();
        let error = refusal(&Response { status, warnings: Vec::new(), body });
        assert_eq!(error.kind(), kind);
        let expected = if path.is_empty() { FieldPath::root() } else { path.parse().unwrap() };
        assert_eq!(*error.path(), expected);
    }
}
