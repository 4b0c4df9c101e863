//! The operations `normalize-union` and `validate-union`. Their documents have no roles: the simulated server sends
//! them for each struct with a union in the object that it is about to store. They are the parts of `admit-union` for
//! implementations of one rule set that see one union at a time.

use serde::Deserialize;
use skewer_engine::document::{Doc, OwnedMap};
use skewer_engine::field_path::PathSegment;
use skewer_engine::schema::union::{DeclarationForm, Union};
use skewer_engine::union::policy::{UnionOperation, Violation};
use skewer_engine::union::{self, Admitted, UnionImplementation, UnionRequest};
use skewer_engine::{Error, ErrorKind};
use skewer_skew::{RequestType, UnionWrite};

use super::pool::Pool;
use super::process::message_line;
use super::reply::{AdapterAnswer, not_a_reply};
use super::result::{result_of_any_length, result_with};
use super::union_message::{UnionRequestMessage, operation_name, path_text, union_kind};
use crate::failure::{OperationError, TargetFailure, crashed, unsupported};

/// The unions of one object, about which a target is asked one by one. Once it has not answered, it is not asked again.
pub(super) struct AskedUnions<'a> {
    pool: &'a Pool,
    /// Whether the target also normalizes. Server-side apply has other rules for normalization upstream
    /// (`union.NormalizeApply`), for which there is no operation.
    normalizes: bool,
    is_asked: bool,
    failure: Option<TargetFailure>,
}

impl<'a> AskedUnions<'a> {
    /// Returns the unions of an object as the target decides on them. `None` if the target was not asked.
    pub(super) fn admit(pool: &'a Pool, write: &UnionWrite<'_>) -> Option<Result<Admitted, OperationError>> {
        let normalizes = write.request_type != RequestType::ServerSideApply;
        let mut unions = AskedUnions { pool, normalizes, is_asked: false, failure: None };
        let admitted =
            union::admit_with(write.context, write.policy, &mut unions, write.old, write.new.clone());
        if let Some(failure) = unions.failure {
            return Some(Err(OperationError::NoAnswer(failure)));
        }
        // A policy that refuses an object gives a reason.
        let first = |errors: Vec<Error>| errors.into_iter().next().map(OperationError::Refused);
        match admitted {
            _ if !unions.is_asked => None,
            Ok(admitted) => Some(Ok(admitted)),
            Err(errors) => first(errors).map(Err),
        }
    }

    fn ask<T>(
        &mut self,
        operation: UnionOperation,
        request: &UnionRequest<'_>,
        read: impl FnOnce(AdapterAnswer) -> Result<T, OperationError>,
    ) -> Option<Result<T, Error>> {
        let supported = &self.pool.info().supports.operations;
        if self.failure.is_some() || !supported.iter().any(|name| name == operation_name(operation)) {
            return None;
        }
        self.is_asked = true;
        let answer = match why_not_validated(self.pool, operation, request.union) {
            Some(why) => Err(unsupported(why)),
            None => self
                .pool
                .ask(|seq, _| message_line(&UnionRequestMessage::of(seq, operation, request)))
                .map_err(OperationError::from)
                .and_then(read),
        };
        match answer {
            Ok(result) => Some(Ok(result)),
            Err(OperationError::Refused(error)) => Some(Err(error)),
            Err(OperationError::NoAnswer(failure)) => {
                self.failure = Some(failure);
                None
            }
        }
    }
}

impl UnionImplementation for AskedUnions<'_> {
    fn normalize(&mut self, request: &UnionRequest<'_>) -> Option<Result<OwnedMap, Error>> {
        if !self.normalizes {
            return None;
        }
        self.ask(UnionOperation::Normalize, request, normalized_struct)
    }

    fn validate(&mut self, request: &UnionRequest<'_>) -> Option<Vec<Violation>> {
        // A party that does not know the discriminator of a modal union has no rules for its members.
        if request.union.form == DeclarationForm::Modal && request.union.discriminator.is_none() {
            return None;
        }
        let answer = self.ask(UnionOperation::Validate, request, |answer| violations(answer, request))?;
        Some(answer.unwrap_or_else(|error| vec![refused(&error)]))
    }
}

/// Returns the reason why a target does not validate a union.
fn why_not_validated(pool: &Pool, operation: UnionOperation, union: &Union) -> Option<String> {
    let (kind, kinds) = (union_kind(operation, union), &pool.info().supports.unions);
    let is_listed = kinds.is_empty() || kinds.iter().any(|listed| listed == kind);
    (operation == UnionOperation::Validate && !is_listed)
        .then(|| format!("{} does not validate unions of the kind {kind}", pool.info().name))
}

/// Returns the violation that stands for a refusal of the whole validation.
fn refused(error: &Error) -> Violation {
    let field = match error.path().segments() {
        [PathSegment::Key(field)] => Some(field.clone()),
        _ => None,
    };
    Violation::new(error.kind(), field, error.message().to_owned())
}

/// Converts the answer to a `normalize-union` to the normalized struct.
fn normalized_struct(answer: AdapterAnswer) -> Result<OwnedMap, OperationError> {
    match result_of_any_length(answer)? {
        Doc::Map(object) => Ok(object),
        other => {
            let found = other.kind().with_article();
            Err(crashed(format!(
                "the target answered `normalize-union` with {found}: expected the normalized object"
            )))
        }
    }
}

/// One error in the result of `validate-union`.
#[derive(Debug, Deserialize)]
struct ErrorMessage {
    field: String,
    message: String,
}

/// Converts the answer to a `validate-union` to the violations.
fn violations(answer: AdapterAnswer, request: &UnionRequest<'_>) -> Result<Vec<Violation>, OperationError> {
    let errors: Vec<ErrorMessage> = result_with(answer, |text| {
        serde_json::from_str(text.get()).map_err(|error| not_a_reply(&error, text.get().as_bytes()))
    })?;
    Ok(errors.into_iter().map(|error| violation(error, request)).collect())
}

/// Returns the violation for an error. The field of the error says what the error is about, and the struct what is
/// wrong with it.
fn violation(error: ErrorMessage, request: &UnionRequest<'_>) -> Violation {
    let path = path_text(request.path);
    let union = request.union;
    let in_struct = if path.is_empty() {
        Some(error.field.as_str())
    } else {
        error
            .field
            .strip_prefix(&path)
            .and_then(|rest| if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') })
    };
    if in_struct == Some("") {
        let set = union.members.iter().filter(|member| member.is_set_when_decoded(request.new)).count();
        let kind = match set {
            0 => ErrorKind::UnionNoMember,
            1 => ErrorKind::Unclassified,
            _ => ErrorKind::UnionSeveralMembers,
        };
        return Violation::new(kind, None, error.message);
    }
    let Some(member) = in_struct.and_then(|field| union.member(field)) else {
        let message = format!("{:?} is neither the union nor a member of it: {}", error.field, error.message);
        return Violation::new(ErrorKind::Unclassified, None, message);
    };
    let kind = if member.is_set_when_decoded(request.new) {
        ErrorKind::UnionUnselectedMemberSet
    } else {
        ErrorKind::UnionSelectedMemberEmpty
    };
    Violation::new(kind, Some(member.field.clone()), error.message)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;
    use serde_json::value::RawValue;
    use skewer_engine::FieldPath;
    use skewer_engine::document::from_json;
    use skewer_engine::schema::go;
    use skewer_engine::schema::union::Unions;

    use super::*;
    use crate::failure::TargetFailureKind;

    const SCHEMA_FILE: &str = include_str!("../../../adapters/protocol.schema.json");

    const TYPES: &str = r#"
        // +x-kubernetes-unions=[{"discriminator":"type","deduceInvalidDiscriminator":true,"fields-to-discriminateBy":{"a":"A"}}]
        type Listed struct {
            Type string `json:"type"`
            A    *int   `json:"a,omitempty"`
        }
        // +enum
        type Letter string
        const (
            A Letter = "A"
            B Letter = "B"
        )
        type Tagged struct {
            // +k8s:unionDiscriminator
            Type Letter `json:"type"`
            // +k8s:unionMember
            // +k8s:optional
            A []string `json:"a,omitempty"`
            // +k8s:unionMember
            // +k8s:optional
            B *int `json:"b,omitempty"`
        }
        type Choice struct {
            // +k8s:unionMember
            // +k8s:optional
            A *int `json:"a,omitempty"`
            // +k8s:unionMember
            // +k8s:optional
            B *int `json:"b,omitempty"`
        }
        type Modal struct {
            // +k8s:modeDiscriminator
            Type bool `json:"type"`
            // +k8s:ifMode("true")=+k8s:required
            // +k8s:ifMode("false")=+k8s:optional
            A *int `json:"a,omitempty"`
        }
    "#;

    fn union(of: &str) -> Union {
        Unions::declared(&go::read(TYPES).unwrap()).unwrap().of_type(of)[0].clone()
    }

    fn object(text: &str) -> OwnedMap {
        match from_json(text.as_bytes()).unwrap() {
            Doc::Map(map) => map,
            other => panic!("{other}"),
        }
    }

    #[rstest]
    #[case::listed(
        "Listed",
        UnionOperation::Normalize,
        r#"{"type":"A","a":null,"x":1}"#,
        json!({"kind": "discriminated", "path": "spec.u", "discriminator": "type", "deduceInvalidDiscriminator": true,
               "members": [{"field": "a", "value": "A"}]}),
        json!({"type": "A", "a": null, "x": 1})
    )]
    #[case::tagged(
        "Tagged",
        UnionOperation::Validate,
        r#"{"type":"A","a":[]}"#,
        json!({"kind": "discriminated", "path": "spec.u", "discriminator": "type",
               "members": [{"field": "a", "value": "A"}, {"field": "b", "value": "B"}]}),
        json!({"type": "A"})
    )]
    #[case::choice(
        "Choice",
        UnionOperation::Validate,
        r#"{"a":0}"#,
        json!({"kind": "exactly-one", "path": "spec.u",
               "members": [{"field": "a", "value": "A"}, {"field": "b", "value": "B"}]}),
        json!({"a": 0})
    )]
    #[case::choice_to_normalize(
        "Choice",
        UnionOperation::Normalize,
        r#"{"a":0}"#,
        json!({"kind": "zero-or-one", "path": "spec.u",
               "members": [{"field": "a", "value": "A"}, {"field": "b", "value": "B"}]}),
        json!({"a": 0})
    )]
    #[case::modal(
        "Modal",
        UnionOperation::Validate,
        r#"{"type":true}"#,
        json!({"kind": "modal", "path": "spec.u", "discriminator": "type", "members": [{"field": "a",
               "modes": [{"value": "true", "rule": "required"}, {"value": "false", "rule": "optional"}]}]}),
        json!({"type": "true"})
    )]
    fn requests_have_the_form_of_the_protocol(
        #[case] of: &str,
        #[case] operation: UnionOperation,
        #[case] new: &str,
        #[case] expected: serde_json::Value,
        #[case] sent: serde_json::Value,
    ) {
        let schema = serde_json::from_str(SCHEMA_FILE).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let (union, path, new): (_, FieldPath, _) = (union(of), "spec.u".parse().unwrap(), object(new));
        for old in [None, Some(&new)] {
            let request = UnionRequest { union: &union, path: &path, old, new: &new };
            let message = serde_json::to_value(UnionRequestMessage::of(3, operation, &request)).unwrap();
            assert!(validator.is_valid(&message), "{message}");
            assert_eq!((&message["union"], &message["documents"]["new"]), (&expected, &sent));
            assert_eq!(message["documents"].get("old"), old.map(|_| &sent));
        }
    }

    fn result(text: &str) -> AdapterAnswer {
        AdapterAnswer::Result(RawValue::from_string(text.to_owned()).unwrap())
    }

    #[rstest]
    #[case::no_error("Tagged", "{}", &[], &[])]
    #[case::set_member("Tagged", r#"{"b":1}"#, &["b"], &[(ErrorKind::UnionUnselectedMemberSet, "spec.u.b")])]
    #[case::missing_member("Tagged", r#"{"a":[]}"#, &["a"], &[(ErrorKind::UnionSelectedMemberEmpty, "spec.u.a")])]
    #[case::several("Choice", r#"{"a":1,"b":1}"#, &[""], &[(ErrorKind::UnionSeveralMembers, "spec.u")])]
    #[case::none("Choice", "{}", &[""], &[(ErrorKind::UnionNoMember, "spec.u")])]
    #[case::one("Choice", r#"{"a":1}"#, &[""], &[(ErrorKind::Unclassified, "spec.u")])]
    #[case::another_field("Choice", "{}", &["x"], &[(ErrorKind::Unclassified, "spec.u")])]
    #[case::two("Tagged", r#"{"b":1}"#, &["b", "a"], &[
        (ErrorKind::UnionUnselectedMemberSet, "spec.u.b"),
        (ErrorKind::UnionSelectedMemberEmpty, "spec.u.a"),
    ])]
    fn the_field_of_an_error_and_the_object_give_its_kind(
        #[case] of: &str,
        #[case] new: &str,
        #[case] fields: &[&str],
        #[case] expected: &[(ErrorKind, &str)],
        #[values("spec.u", "")] path: &str,
    ) {
        let (union, new) = (union(of), object(new));
        let parsed = if path.is_empty() { FieldPath::root() } else { path.parse().unwrap() };
        let request = UnionRequest { union: &union, path: &parsed, old: None, new: &new };
        let names = fields.iter().map(|field| [path, field].join(".").trim_matches('.').to_owned());
        let errors: Vec<_> =
            names.map(|field| json!({"field": field, "type": "FieldValueInvalid", "message": "m"})).collect();
        let violations = violations(result(&json!(errors).to_string()), &request).unwrap();
        let found: Vec<_> = violations
            .into_iter()
            .map(|violation| violation.into_error(&"spec.u".parse().unwrap()))
            .map(|error| (error.kind(), error.path().to_string()))
            .collect();
        let expected: Vec<_> = expected.iter().map(|(kind, path)| (*kind, (*path).to_owned())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_result_of_the_wrong_type_is_a_crash() {
        let (union, path, new) = (union("Choice"), FieldPath::root(), object("{}"));
        let request = UnionRequest { union: &union, path: &path, old: None, new: &new };
        let normalized = normalized_struct(result("[]")).unwrap_err();
        let validated = violations(result("{}"), &request).unwrap_err();
        for (error, part) in
            [(normalized, "expected the normalized object"), (validated, "not a valid reply")]
        {
            let OperationError::NoAnswer(failure) = error else { panic!("{error:?}") };
            assert_eq!(failure.kind, TargetFailureKind::Crash);
            assert!(failure.why.contains(part), "{}", failure.why);
        }
    }
}
