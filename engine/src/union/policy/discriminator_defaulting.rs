//! `discriminator-defaulting`: discriminators for unions that had none.

use super::change::{clear_others, select};
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

/// What the discriminator asks for.
enum Asked<'u, 'o> {
    /// It is not set.
    Unset,
    /// One member, or none, is to be set.
    Only(Option<&'u Member>),
    /// A value that is not known.
    Unknown(&'o str),
    NotAString(DocKind),
}

fn asked<'u, 'o>(object: &'o OwnedMap, union: &'u Union) -> Asked<'u, 'o> {
    let Some(discriminator) = &union.discriminator else { return Asked::Unset };
    match discriminator.written(object) {
        Ok(None) => Asked::Unset,
        Ok(Some(value)) => match union.selected_by(value) {
            Some(member) => Asked::Only(Some(member)),
            None if union.empty_values().any(|empty| empty == value) => Asked::Only(None),
            None => Asked::Unknown(value),
        },
        Err(kind) => Asked::NotAString(kind),
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
        match asked(new, union) {
            Asked::Only(keep) => clear_others(new, union, keep),
            Asked::Unset => {
                let set = union.set(new);
                let [only] = set[..] else { return Vec::new() };
                select(new, discriminator, only).into_iter().collect()
            }
            Asked::Unknown(_) | Asked::NotAString(_) => Vec::new(),
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
        let selected = match asked(new, union) {
            Asked::Unset => return Legacy.validate(write, old, new, union),
            Asked::Unknown(value) => return vec![Violation::unknown(discriminator, value)],
            Asked::NotAString(kind) => return vec![Violation::not_a_string(discriminator, kind)],
            Asked::Only(selected) => selected,
        };
        let value = discriminator.value(Some(new)).unwrap_or_default();
        let mut unselected = union.set(new);
        unselected.retain(|member| selected.is_none_or(|selected| selected.field != member.field));
        let mut violations: Vec<Violation> =
            unselected.iter().map(|member| Violation::unselected_set(discriminator, member, value)).collect();
        if let Some(member) = selected.filter(|member| !member.optional && !member.is_set(new)) {
            violations.push(Violation::selected_empty(discriminator, member));
        }
        violations
    }
}
