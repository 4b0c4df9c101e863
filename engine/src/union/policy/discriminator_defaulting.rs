//! The policy `discriminator-defaulting`: all unions have a discriminator, and the server defaults a missing one.

use super::change::{clear_others, set_discriminator};
use super::legacy::Legacy;
use super::{Change, Policy, Violation, WriteKind};
use crate::document::{DocKind, OwnedMap};
use crate::schema::union::{Member, Union};

/// The policy of alternative 2 in the retainKeys document, "Add Discriminators in All Unions/OneOf APIs", "Behavior":
///
/// - If the discriminator is set, "we'd require that the field corresponding to its value were set and the `APIServer`
///   could automatically clear the other fields".
/// - If it is unset, "behavior would be as before", and the server sets it from the member that is set: "We should set
///   discriminators by default".
///
/// Like all defaulting, this also runs when an object is created. "As before" means "exactly one of the fields in the
/// union/oneof would be required to be set and the operation would otherwise fail validation". A discriminator with an
/// enum can have a value for "none": then at most one member is required, and this value requires that no member is set.
#[derive(Debug)]
pub(super) struct DiscriminatorDefaulting;

/// The member that the discriminator of an object requests.
enum RequestedMember<'u, 'o> {
    Unset,
    /// The discriminator requests this member, or that no member is set.
    Exactly(Option<&'u Member>),
    /// The discriminator has a value that the union does not know.
    Unknown(&'o str),
    /// The discriminator has a value of another kind than string.
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
        "a set discriminator clears the other members; an unset discriminator is defaulted from the set member"
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
            // The document declares discriminators without an enum, which have no value for "none".
            RequestedMember::Unset if discriminator.values.is_none() && union.set_members(new).is_empty() => {
                return vec![Violation::no_member(union)];
            }
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
