//! Violations: reasons for which a union policy refuses an object.

use crate::document::{DocKind, OwnedText, Text};
use crate::error::{Error, ErrorKind};
use crate::field_path::FieldPath;
use crate::schema::union::{Discriminator, Member, Union};

/// A reason for which a union policy refuses an object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The field that violates the policy, or `None` if the struct as a whole does.
    pub field: Option<OwnedText>,
    /// The members or the value that cause the violation. Ratcheting compares kind, field and subjects.
    pub subjects: Vec<OwnedText>,
    /// A message that names the violation and the remedy.
    pub message: String,
}

impl Violation {
    /// Creates a violation that another implementation reports.
    #[must_use]
    pub fn new(kind: ErrorKind, field: Option<OwnedText>, message: String) -> Self {
        Violation { kind, field, subjects: Vec::new(), message }
    }

    /// Converts the violation into an error. `struct_path` is the path of the struct with the union.
    #[must_use]
    pub fn into_error(self, struct_path: &FieldPath) -> Error {
        let mut error = Error::new(self.kind, self.message);
        if let Some(field) = &self.field {
            error = error.at(field);
        }
        error.at_path(struct_path)
    }

    /// Creates the violation that several members are set.
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

    /// Creates the violation that no member is set although one must be.
    pub(super) fn no_member(union: &Union) -> Self {
        Violation {
            kind: ErrorKind::UnionNoMember,
            field: None,
            subjects: Vec::new(),
            message: format!("no member of the union is set: set one of {}", field_list(&union.members)),
        }
    }

    /// Creates the violation that the discriminator selects a member that is not set.
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

    /// Creates the violation that a member is set which the discriminator does not select.
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

    /// Creates the violation that a member is not set which a modal union requires.
    pub(super) fn required_in_mode(discriminator: &Discriminator, member: &Member, mode: &str) -> Self {
        Violation {
            kind: ErrorKind::UnionSelectedMemberEmpty,
            field: Some(member.field.clone()),
            subjects: vec![Text::from(mode)],
            message: format!(
                "must be set when {} is {mode:?}: set it, or change the discriminator",
                discriminator.field
            ),
        }
    }

    /// Creates the violation that a member is set which a modal union forbids.
    pub(super) fn forbidden_in_mode(discriminator: &Discriminator, member: &Member, mode: &str) -> Self {
        Violation {
            kind: ErrorKind::UnionUnselectedMemberSet,
            field: Some(member.field.clone()),
            subjects: vec![Text::from(mode)],
            message: format!(
                "must not be set when {} is {mode:?}: change the discriminator, or leave the member out",
                discriminator.field
            ),
        }
    }

    /// Creates the violation that the discriminator has no value.
    pub(super) fn discriminator_missing(discriminator: &Discriminator) -> Self {
        Violation {
            kind: ErrorKind::UnionDiscriminatorMissing,
            field: Some(discriminator.field.clone()),
            subjects: Vec::new(),
            message: format!("the discriminator of the union is missing: {}", expected_values(discriminator)),
        }
    }

    /// Creates the violation that the discriminator has an unknown value.
    pub(super) fn unknown_discriminator(discriminator: &Discriminator, value: &str) -> Self {
        Violation {
            kind: ErrorKind::UnionUnknownDiscriminator,
            field: Some(discriminator.field.clone()),
            subjects: vec![Text::from(value)],
            message: format!(
                "unknown value {value:?} of the discriminator ({})",
                expected_values(discriminator)
            ),
        }
    }

    /// Creates the violation that the enum of the discriminator does not have the value. The enum is validated
    /// independently of the union.
    pub(super) fn not_in_enum(discriminator: &Discriminator, enum_type: &OwnedText, value: &str) -> Self {
        Violation {
            kind: ErrorKind::UnknownEnumValue,
            field: Some(discriminator.field.clone()),
            subjects: vec![Text::from(value)],
            message: format!("{value:?} is not a value of {enum_type} ({})", expected_values(discriminator)),
        }
    }

    /// Creates the violation that the discriminator is not a string.
    pub(super) fn discriminator_not_a_string(discriminator: &Discriminator, kind: DocKind) -> Self {
        Violation {
            kind: ErrorKind::UnionDiscriminatorNotAString,
            field: Some(discriminator.field.clone()),
            subjects: vec![Text::from_static(kind.with_article())],
            message: format!("the discriminator of a union must be a string, found {}", kind.with_article()),
        }
    }
}

/// Returns a list of the members' fields, for messages.
fn field_list<'a>(members: impl IntoIterator<Item = &'a Member>) -> String {
    let fields: Vec<&str> = members.into_iter().map(|member| member.field.as_str()).collect();
    fields.join(", ")
}

/// Returns a list of the discriminator's valid values, for messages.
fn expected_values(discriminator: &Discriminator) -> String {
    let values = discriminator.values.iter().flatten();
    let quoted: Vec<String> = values.map(|value| format!("{value:?}")).collect();
    if quoted.is_empty() {
        "the schema lists no values".to_owned()
    } else {
        format!("expected {}", quoted.join(", "))
    }
}
