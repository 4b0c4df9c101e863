//! The operations `normalize-union` and `validate-union`. Their documents have no roles: the simulated server sends them
//! for each struct with a union in the object that it is about to store.

use serde::{Deserialize, Serialize};
use skewer_engine::ErrorKind;
use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::schema::union::{Cardinality, DeclarationForm, Member, ModeRule, Union};
use skewer_engine::union::UnionRequest;
use skewer_engine::union::policy::{UnionOperation, Violation};

use super::super::failure::{OperationError, crashed};
use super::messages::UNION_OPERATIONS;
use super::reply::{Answer, not_a_reply};
use super::result::{result_of_any_length, result_with};

/// Returns the name of an operation in the protocol.
pub(super) fn operation_name(operation: UnionOperation) -> &'static str {
    let [validate, normalize] = UNION_OPERATIONS;
    if operation == UnionOperation::Normalize { normalize } else { validate }
}

/// Returns the kind of a union in the protocol. Normalization does not know that a member must be set.
pub(super) fn union_kind(operation: UnionOperation, union: &Union) -> &'static str {
    match (union.form, &union.discriminator) {
        (DeclarationForm::Modal, _) => "modal",
        (_, Some(_)) => "discriminated",
        _ if operation == UnionOperation::Normalize => "zero-or-one",
        _ if union.cardinality() == Cardinality::ExactlyOne => "exactly-one",
        _ => "zero-or-one",
    }
}

/// A request of one of the two operations.
#[derive(Debug, Serialize)]
pub(super) struct UnionRequestMessage<'a> {
    kind: &'static str,
    seq: u64,
    operation: &'static str,
    union: UnionMessage<'a>,
    documents: UnionDocuments,
}

/// A union.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct UnionMessage<'a> {
    kind: &'static str,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    discriminator: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deduce_invalid_discriminator: Option<bool>,
    members: Vec<MemberMessage<'a>>,
}

/// A member of a union. A member of a modal union has modes, and any other a value.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum MemberMessage<'a> {
    Valued { field: &'a str, value: &'a str },
    Modal { field: &'a str, modes: Vec<ModeMessage<'a>> },
}

/// The rule of a member for one value of a modal discriminator.
#[derive(Debug, Serialize)]
struct ModeMessage<'a> {
    value: &'a str,
    rule: &'static str,
}

/// The struct with the union, before and after the change.
#[derive(Debug, Serialize)]
struct UnionDocuments {
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<OwnedDoc>,
    new: OwnedDoc,
}

impl<'a> UnionRequestMessage<'a> {
    /// Makes the message of a request.
    pub(super) fn of(seq: u64, operation: UnionOperation, request: &UnionRequest<'a>) -> Self {
        let union = request.union;
        let document = |object: &OwnedMap| {
            Doc::Map(match operation {
                UnionOperation::Normalize => object.clone(),
                _ => decoded(object, union),
            })
        };
        let deduce = match union.form {
            DeclarationForm::List { deduce } => deduce,
            _ => None,
        };
        let is_modal = union.form == DeclarationForm::Modal;
        UnionRequestMessage {
            kind: "run",
            seq,
            operation: operation_name(operation),
            union: UnionMessage {
                kind: union_kind(operation, union),
                path: request.path.to_string(),
                discriminator: union.discriminator.as_ref().map(|discriminator| discriminator.field.as_str()),
                deduce_invalid_discriminator: deduce,
                members: union.members.iter().map(|member| member_message(member, is_modal)).collect(),
            },
            documents: UnionDocuments { old: request.old.map(document), new: document(request.new) },
        }
    }
}

fn member_message(member: &Member, is_modal: bool) -> MemberMessage<'_> {
    if !is_modal {
        return MemberMessage::Valued { field: &member.field, value: &member.value };
    }
    let rule = |rule: &ModeRule| match rule {
        ModeRule::Required => "required",
        ModeRule::Forbidden => "forbidden",
        _ => "optional",
    };
    let modes = member.modes.iter().map(|(value, mode)| ModeMessage { value, rule: rule(mode) });
    MemberMessage::Modal { field: &member.field, modes: modes.collect() }
}

/// Returns a struct as validation sees it: without members that count as not set in Go, and with the mode of a modal union
/// as a string.
fn decoded(object: &OwnedMap, union: &Union) -> OwnedMap {
    let mut decoded = object.clone();
    for member in union.members.iter().filter(|member| !member.is_set_when_decoded(object)) {
        decoded.remove(&member.field);
    }
    if let (DeclarationForm::Modal, Some(discriminator)) = (union.form, &union.discriminator) {
        decoded.insert(discriminator.field.clone(), Doc::from(discriminator.mode(object)));
    }
    decoded
}

/// Converts the answer to a `normalize-union` to the normalized struct.
pub(super) fn normalized_struct(answer: Answer) -> Result<OwnedMap, OperationError> {
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
pub(super) fn violations(
    answer: Answer,
    request: &UnionRequest<'_>,
) -> Result<Vec<Violation>, OperationError> {
    let errors: Vec<ErrorMessage> = result_with(answer, |text| {
        serde_json::from_str(text.get()).map_err(|error| not_a_reply(&error, text.get().as_bytes()))
    })?;
    Ok(errors.into_iter().map(|error| violation(error, request)).collect())
}

/// Returns the violation for an error. The field of the error says what the error is about, and the struct what is wrong
/// with it.
fn violation(error: ErrorMessage, request: &UnionRequest<'_>) -> Violation {
    let path = request.path.to_string();
    let union = request.union;
    let in_struct = if path.is_empty() {
        Some(error.field.as_str())
    } else {
        error.field.strip_prefix(&path).map(|rest| rest.strip_prefix('.').unwrap_or(rest))
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
    match in_struct.and_then(|field| union.member(field)) {
        Some(member) => {
            let kind = if member.is_set_when_decoded(request.new) {
                ErrorKind::UnionUnselectedMemberSet
            } else {
                ErrorKind::UnionSelectedMemberEmpty
            };
            Violation::new(kind, Some(member.field.clone()), error.message)
        }
        None => {
            let message =
                format!("{:?} is neither the union nor a member of it: {}", error.field, error.message);
            Violation::new(ErrorKind::Unclassified, None, message)
        }
    }
}
