//! The refusals of API servers as errors of the engine.

use skewer_engine::{Doc, Error, ErrorKind, FieldPath, OwnedMap};

use super::cluster::Response;

/// Returns the error of a request that the server has refused.
pub(super) fn refusal(response: &Response) -> Error {
    let message = response.message();
    let details = response.body.as_map().and_then(|body| body.get("details")).and_then(Doc::as_map);
    let causes = details.and_then(|details| details.get("causes")).and_then(Doc::as_list).unwrap_or_default();
    let causes: Vec<Cause> = causes.iter().filter_map(Doc::as_map).filter_map(Cause::read).collect();
    let kind = match (response.status, causes.first()) {
        (404, _) => ErrorKind::NotFound,
        (409, _) if text(response.body.as_map(), "reason") == "AlreadyExists" => ErrorKind::AlreadyExists,
        (409, _) => ErrorKind::Conflict,
        (415, _) => ErrorKind::UnsupportedPatchFormat,
        (_, Some(cause)) if cause.decoding().is_none() => cause.kind,
        _ => kind_of_message(causes.first().and_then(Cause::decoding).unwrap_or(message)),
    };
    let others = causes.iter().filter(|cause| cause.decoding().is_none()).map(|cause| cause.kind);
    let path = causes.first().filter(|cause| cause.decoding().is_none()).map(|cause| &cause.path);
    let error = Error::new(kind, message.to_owned()).with_path(path.cloned().flatten());
    if response.status == 422 { error.with_other_kinds(others) } else { error }
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
            "FieldManagerConflict" => ErrorKind::Conflict,
            _ => ErrorKind::InvalidValue,
        };
        let field = text(Some(cause), "field");
        Some(Cause { kind, path: field.parse().ok(), field: field.to_owned(), message: message.to_owned() })
    }

    /// Returns the reason why the server cannot decode the result of a patch: the only cause is then about the field `patch`.
    fn decoding(&self) -> Option<&str> {
        (self.field == "patch").then_some(&*self.message)
    }
}

/// Returns the kind of an error that only its message tells.
fn kind_of_message(message: &str) -> ErrorKind {
    const PARTS: [(&str, ErrorKind); 14] = [
        ("duplicate field \"", ErrorKind::InvalidDocument),
        ("strict decoding error: ", ErrorKind::StrictUnknownField),
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
    let found = PARTS.iter().find(|(part, _)| message.contains(part));
    found.map_or(ErrorKind::Undecodable, |(_, kind)| *kind)
}

fn text<'d>(map: Option<&'d OwnedMap>, key: &str) -> &'d str {
    map.and_then(|map| map.get(key)).and_then(Doc::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;

    use super::*;

    /// The messages are those of Kubernetes 1.36.3.
    #[rstest]
    #[case(422, r#"{"message": "", "details": {"causes": [{"reason": "FieldValueRequired", "message": "Required value",
        "field": "spec.size"}]}}"#, ErrorKind::RequiredFieldMissing, "spec.size")]
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
