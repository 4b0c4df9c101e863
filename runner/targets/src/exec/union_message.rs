//! The messages about one union: the requests `normalize-union` and `validate-union`, and the descriptions of unions in
//! schemas.

use serde::Serialize;
use skewer_engine::document::{Doc, OwnedDoc, OwnedMap, from_json};
use skewer_engine::schema::union::{Cardinality, DeclarationForm, Member, ModeRule, Union, openapi};
use skewer_engine::union::UnionRequest;
use skewer_engine::union::policy::UnionOperation;
use skewer_engine::{FieldPath, OwnedText};
use skewer_protocol::messages::UNION_OPERATIONS;

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

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct UnionMessage<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    discriminator: Option<&'a str>,
    /// The valid values of the discriminator, if the message is a part of a schema, and they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'a [OwnedText]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deduce_invalid_discriminator: Option<bool>,
    members: Vec<MemberMessage<'a>>,
}

/// A member of a union. A member of a modal union has modes, and any other a value.
#[derive(Debug, Serialize)]
struct MemberMessage<'a> {
    field: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modes: Option<Vec<ModeMessage<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    optional: Option<bool>,
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
        UnionRequestMessage {
            kind: "run",
            seq,
            operation: operation_name(operation),
            union: UnionMessage::of(operation, union, Some(request.path)),
            documents: UnionDocuments { old: request.old.map(document), new: document(request.new) },
        }
    }
}

impl<'a> UnionMessage<'a> {
    /// Describes a union. Without a path, it is that of a schema, which also has the values and the optional members.
    fn of(operation: UnionOperation, union: &'a Union, path: Option<&FieldPath>) -> Self {
        let deduce = match union.form {
            DeclarationForm::List { deduce } => deduce,
            _ => None,
        };
        let is_modal = union.form == DeclarationForm::Modal;
        let is_schema = path.is_none();
        let discriminator = union.discriminator.as_ref();
        let member = |member: &'a Member| MemberMessage {
            optional: (is_schema && member.optional).then_some(true),
            ..member_message(member, is_modal)
        };
        UnionMessage {
            kind: union_kind(operation, union),
            path: path.map(path_text),
            discriminator: discriminator.map(|discriminator| discriminator.field.as_str()),
            values: discriminator.filter(|_| is_schema).and_then(|declared| declared.values.as_deref()),
            deduce_invalid_discriminator: deduce,
            members: union.members.iter().map(member).collect(),
        }
    }
}

fn member_message(member: &Member, is_modal: bool) -> MemberMessage<'_> {
    if !is_modal {
        let value = Some(member.value.as_str());
        return MemberMessage { field: &member.field, value, modes: None, optional: None };
    }
    let rule = |rule: &ModeRule| match rule {
        ModeRule::Required => "required",
        ModeRule::Forbidden => "forbidden",
        _ => "optional",
    };
    let modes = member.modes.iter().map(|(value, mode)| ModeMessage { value, rule: rule(mode) });
    MemberMessage { field: &member.field, value: None, modes: Some(modes.collect()), optional: None }
}

/// Returns a struct as validation sees it: without members that count as not set in Go, and with the mode of a modal
/// union as a string.
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

/// Returns the field of a discriminator and its extension in the form of KEP-1027. `None` if this form cannot express the
/// union: it has no discriminator, it is modal, its values are open, or it has a member that no value selects.
pub(super) fn kep_extension(union: &Union) -> Option<(OwnedText, OwnedDoc)> {
    let discriminator = union.discriminator.as_ref()?;
    let values = discriminator.values.as_ref()?;
    let is_selected = |member: &Member| values.contains(&member.value);
    let is_plain = matches!(union.form, DeclarationForm::Kep | DeclarationForm::Declarative);
    let extension = openapi::write(union).filter(|_| is_plain && union.members.iter().all(is_selected))?;
    Some((discriminator.field.clone(), extension))
}

/// Describes a union in the form of a request, for the schema of its struct.
pub(super) fn describe_union(union: &Union) -> OwnedDoc {
    let message = UnionMessage::of(UnionOperation::Validate, union, None);
    let text = serde_json::to_vec(&message).unwrap_or_default();
    // A message has only strings and lists.
    from_json(&text).unwrap_or_default()
}

/// Returns a path as the protocol writes it. That of the whole document is empty.
pub(super) fn path_text(path: &FieldPath) -> String {
    if path.segments().is_empty() { String::new() } else { path.to_string() }
}
