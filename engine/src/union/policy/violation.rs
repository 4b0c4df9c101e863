//! Violations: the reasons for which a policy refuses an object.

use crate::document::{DocKind, OwnedText, Text};
use crate::error::{Error, ErrorKind};
use crate::field_path::{FieldPath, PathSegment};
use crate::schema::union::{Discriminator, Member, Union};

/// A reason to refuse an object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The kind, which a case can name.
    pub kind: ErrorKind,
    /// The field with the error; `None` for the struct as a whole.
    pub field: Option<OwnedText>,
    /// The members or the value that the violation concerns. Ratcheting compares kind, field and subjects.
    pub subjects: Vec<OwnedText>,
    /// A sentence that names the violation and the remedy.
    pub message: String,
}

impl Violation {
    /// Returns the error for the struct at this path.
    #[must_use]
    pub fn into_error(self, struct_path: &FieldPath) -> Error {
        let mut error = Error::new(self.kind, self.message);
        if let Some(field) = &self.field {
            error = error.at(field);
        }
        error_at_path(error, struct_path)
    }

    /// Several members, where at most one may be set.
    pub(super) fn several_members(members: &[&Member], remedy: &str) -> Self {
        Violation {
            kind: ErrorKind::UnionSeveralMembers,
            field: None,
            subjects: members.iter().map(|member| member.field.clone()).collect(),
            message: format!(
                "several members of one union are set: {}; {remedy}",
                field_list(members.iter().copied())
            ),
        }
    }

    /// No member, where one must be set.
    pub(super) fn no_member(union: &Union) -> Self {
        Violation {
            kind: ErrorKind::UnionNoMember,
            field: None,
            subjects: Vec::new(),
            message: format!("no member of the union is set: set one of {}", field_list(&union.members)),
        }
    }

    /// The discriminator selects a member that is not set.
    pub(super) fn selected_member_empty(discriminator: &Discriminator, member: &Member) -> Self {
        Violation {
            kind: ErrorKind::UnionSelectedMemberEmpty,
            field: Some(member.field.clone()),
            subjects: vec![member.value.clone()],
            message: format!(
                "must be set when {} is {:?}: set it, or change the discriminator",
                discriminator.field, member.value
            ),
        }
    }

    /// A member is set, and the discriminator selects another one, or none.
    pub(super) fn unselected_member_set(
        discriminator: &Discriminator,
        member: &Member,
        selected: &str,
    ) -> Self {
        Violation {
            kind: ErrorKind::UnionUnselectedMemberSet,
            field: Some(member.field.clone()),
            subjects: vec![Text::from(selected)],
            message: format!(
                "may only be set when {} is {:?}, and it is {selected:?}: change the discriminator, or leave the \
                 member out",
                discriminator.field, member.value
            ),
        }
    }

    /// The discriminator has no value.
    pub(super) fn discriminator_missing(discriminator: &Discriminator) -> Self {
        Violation {
            kind: ErrorKind::UnionDiscriminatorMissing,
            field: Some(discriminator.field.clone()),
            subjects: Vec::new(),
            message: format!("the discriminator of the union is missing: {}", expected_values(discriminator)),
        }
    }

    /// The discriminator has an unknown value.
    pub(super) fn unknown_discriminator(discriminator: &Discriminator, value: &str) -> Self {
        Violation {
            kind: ErrorKind::UnionUnknownDiscriminator,
            field: Some(discriminator.field.clone()),
            subjects: vec![Text::from(value)],
            message: format!(
                "unknown value {value:?} of the discriminator: {}",
                expected_values(discriminator)
            ),
        }
    }

    /// The discriminator's value is none of its enum, which is validated without regard to the union.
    pub(super) fn not_in_enum(discriminator: &Discriminator, enum_type: &OwnedText, value: &str) -> Self {
        Violation {
            kind: ErrorKind::UnknownEnumValue,
            field: Some(discriminator.field.clone()),
            subjects: vec![Text::from(value)],
            message: format!("{value:?} is no value of {enum_type}: {}", expected_values(discriminator)),
        }
    }

    /// The discriminator is no string.
    pub(super) fn discriminator_not_a_string(discriminator: &Discriminator, kind: DocKind) -> Self {
        Violation {
            kind: ErrorKind::UnionDiscriminatorNotAString,
            field: Some(discriminator.field.clone()),
            subjects: vec![Text::from_static(kind.with_article())],
            message: format!("the discriminator of a union must be a string, and is {}", kind.with_article()),
        }
    }
}

/// Returns an error with its path from the root.
pub(in crate::union) fn error_at_path(error: Error, path: &FieldPath) -> Error {
    path.segments().iter().rev().fold(error, |error, segment| match segment {
        PathSegment::Key(key) => error.at(key),
        PathSegment::Index(index) => error.at_index(*index),
    })
}

/// Lists the fields of members, for messages.
fn field_list<'a>(members: impl IntoIterator<Item = &'a Member>) -> String {
    let fields: Vec<&str> = members.into_iter().map(|member| member.field.as_str()).collect();
    fields.join(", ")
}

fn expected_values(discriminator: &Discriminator) -> String {
    let values = discriminator.values.iter().flatten();
    let quoted: Vec<String> = values.map(|value| format!("{value:?}")).collect();
    if quoted.is_empty() { "no value is known".to_owned() } else { format!("expected {}", quoted.join(", ")) }
}
