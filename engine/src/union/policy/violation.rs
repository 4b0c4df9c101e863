use crate::document::{DocKind, OwnedText, Text};
use crate::error::{Error, ErrorKind};
use crate::field_path::{FieldPath, PathSegment};
use crate::schema::union::{Discriminator, Member, Union};

/// A reason to refuse an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The kind, which a case can name.
    pub kind: ErrorKind,
    /// The field to blame; `None` when it is the struct as a whole.
    pub field: Option<OwnedText>,
    /// What it is about: the members, or the value. With kind and field this is the reason, as ratcheting compares it.
    pub about: Vec<OwnedText>,
    /// What was wrong, in a sentence, with what to do about it.
    pub message: String,
}

impl Violation {
    /// The error, for the struct at this place.
    #[must_use]
    pub fn into_error(self, struct_at: &FieldPath) -> Error {
        let mut error = Error::new(self.kind, self.message);
        if let Some(field) = &self.field {
            error = error.at(field);
        }
        at_path(error, struct_at)
    }

    /// Several members, where at most one may be set.
    pub(super) fn several(set: &[&Member], what_to_do: &str) -> Self {
        Violation {
            kind: ErrorKind::UnionSeveralMembers,
            field: None,
            about: set.iter().map(|member| member.field.clone()).collect(),
            message: format!(
                "several members of one union are set: {}; {what_to_do}",
                listed(set.iter().copied())
            ),
        }
    }

    /// No member, where one must be set.
    pub(super) fn none(union: &Union) -> Self {
        Violation {
            kind: ErrorKind::UnionNoMember,
            field: None,
            about: Vec::new(),
            message: format!("no member of the union is set: set one of {}", listed(&union.members)),
        }
    }

    /// The discriminator selects a member that is not set.
    pub(super) fn selected_empty(discriminator: &Discriminator, member: &Member) -> Self {
        Violation {
            kind: ErrorKind::UnionSelectedMemberEmpty,
            field: Some(member.field.clone()),
            about: vec![member.value.clone()],
            message: format!(
                "must be set when {} is {:?}: set it, or change the discriminator",
                discriminator.field, member.value
            ),
        }
    }

    /// A member is set, and the discriminator means another one, or none.
    pub(super) fn unselected_set(discriminator: &Discriminator, member: &Member, selected: &str) -> Self {
        Violation {
            kind: ErrorKind::UnionUnselectedMemberSet,
            field: Some(member.field.clone()),
            about: vec![Text::from(selected)],
            message: format!(
                "may only be set when {} is {:?}, and it is {selected:?}: change the discriminator, or leave the \
                 member out",
                discriminator.field, member.value
            ),
        }
    }

    /// The discriminator says nothing.
    pub(super) fn missing(discriminator: &Discriminator) -> Self {
        Violation {
            kind: ErrorKind::UnionDiscriminatorMissing,
            field: Some(discriminator.field.clone()),
            about: Vec::new(),
            message: format!("the discriminator of the union is missing: {}", expected(discriminator)),
        }
    }

    /// The discriminator says what nobody knows.
    pub(super) fn unknown(discriminator: &Discriminator, value: &str) -> Self {
        Violation {
            kind: ErrorKind::UnionUnknownDiscriminator,
            field: Some(discriminator.field.clone()),
            about: vec![Text::from(value)],
            message: format!("unknown value {value:?} of the discriminator: {}", expected(discriminator)),
        }
    }

    /// The discriminator's value is none of its enum, which is validated without regard to the union.
    pub(super) fn not_in_enum(discriminator: &Discriminator, of: &OwnedText, value: &str) -> Self {
        Violation {
            kind: ErrorKind::UnknownEnumValue,
            field: Some(discriminator.field.clone()),
            about: vec![Text::from(value)],
            message: format!("{value:?} is no value of {of}: {}", expected(discriminator)),
        }
    }

    /// The discriminator is no string.
    pub(super) fn not_a_string(discriminator: &Discriminator, kind: DocKind) -> Self {
        Violation {
            kind: ErrorKind::UnionDiscriminatorNotAString,
            field: Some(discriminator.field.clone()),
            about: vec![Text::from_static(kind.with_article())],
            message: format!("the discriminator of a union must be a string, and is {}", kind.with_article()),
        }
    }
}

/// An error about a place, seen from the root.
pub(in crate::union) fn at_path(error: Error, place: &FieldPath) -> Error {
    place.segments().iter().rev().fold(error, |error, segment| match segment {
        PathSegment::Key(key) => error.at(key),
        PathSegment::Index(index) => error.at_index(*index),
    })
}

/// The fields of members, for messages.
fn listed<'a>(members: impl IntoIterator<Item = &'a Member>) -> String {
    let fields: Vec<&str> = members.into_iter().map(|member| member.field.as_str()).collect();
    fields.join(", ")
}

fn expected(discriminator: &Discriminator) -> String {
    let values = discriminator.values.iter().flatten();
    let quoted: Vec<String> = values.map(|value| format!("{value:?}")).collect();
    if quoted.is_empty() { "no value is known".to_owned() } else { format!("expected {}", quoted.join(", ")) }
}
