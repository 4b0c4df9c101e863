//! `discriminator-defaulting`: discriminators for unions that had none.

use super::change::{clear_others, set_discriminator};
use super::legacy::Legacy;
use super::{Change, Policy, Violation, WriteKind};
use crate::document::{DocKind, OwnedMap};
use crate::schema::union::{Member, Union};

/// Alternative 2 of the retainKeys document, "Add Discriminators in All Unions/OneOf APIs", "Behavior":
///
/// - the discriminator is set: "we'd require that the field corresponding to its value were set and the `APIServer`
///   could automatically clear the other fields";
/// - it is unset: "behavior would be as before", and it is set from the member: "We should set discriminators by
///   default".
///
/// This is defaulting, and runs on creations too. "As before" is what the union requires: exactly one member, or at
/// most one where the author has a value for none. A value that selects a member without configuration requires
/// that no member is set.
#[derive(Debug)]
pub(super) struct DiscriminatorDefaulting;

/// The member that a discriminator requests.
enum RequestedMember<'u, 'o> {
    /// It is not set.
    Unset,
    /// One member, or none, is to be set.
    Exactly(Option<&'u Member>),
    /// A value that is not known.
    Unknown(&'o str),
    NotAString(DocKind),
}

/// Returns the member that the discriminator of an object requests.
fn requested_member<'u, 'o>(object: &'o OwnedMap, union: &'u Union) -> RequestedMember<'u, 'o> {
    let Some(discriminator) = &union.discriminator else { return RequestedMember::Unset };
    match discriminator.explicit_value(object) {
        Ok(None) => RequestedMember::Unset,
        Ok(Some(value)) => match union.member_selected_by(value) {
            Some(member) => RequestedMember::Exactly(Some(member)),
            None if union.empty_values().any(|empty| empty == value) => RequestedMember::Exactly(None),
            None => RequestedMember::Unknown(value),
        },
        Err(kind) => RequestedMember::NotAString(kind),
    }
}

impl Policy for DiscriminatorDefaulting {
    fn name(&self) -> &'static str {
        "discriminator-defaulting"
    }

    fn about(&self) -> &'static str {
        "a set discriminator clears the other members; an unset one is defaulted from the member that is set"
    }

    fn normalize(
        &self,
        _write: WriteKind,
        _old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        let Some(discriminator) = &union.discriminator else { return Vec::new() };
        match requested_member(new, union) {
            RequestedMember::Exactly(keep) => clear_others(new, union, keep),
            RequestedMember::Unset => {
                let set = union.set_members(new);
                let [only] = set[..] else { return Vec::new() };
                set_discriminator(new, discriminator, only).into_iter().collect()
            }
            RequestedMember::Unknown(_) | RequestedMember::NotAString(_) => Vec::new(),
        }
    }

    fn validate(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        let Some(discriminator) = &union.discriminator else {
            return Legacy.validate(write, old, new, union);
        };
        let selected = match requested_member(new, union) {
            RequestedMember::Unset => return Legacy.validate(write, old, new, union),
            RequestedMember::Unknown(value) => {
                return vec![Violation::unknown_discriminator(discriminator, value)];
            }
            RequestedMember::NotAString(kind) => {
                return vec![Violation::discriminator_not_a_string(discriminator, kind)];
            }
            RequestedMember::Exactly(selected) => selected,
        };
        let value = discriminator.effective_value(Some(new)).unwrap_or_default();
        let mut unselected = union.set_members(new);
        unselected.retain(|member| selected.is_none_or(|selected| selected.field != member.field));
        let mut violations: Vec<Violation> = unselected
            .iter()
            .map(|member| Violation::unselected_member_set(discriminator, member, value))
            .collect();
        if let Some(member) = selected.filter(|member| !member.optional && !member.is_set(new)) {
            violations.push(Violation::selected_member_empty(discriminator, member));
        }
        violations
    }
}
