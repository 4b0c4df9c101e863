//! The policy `kep-1027`: the server follows the discriminator.

use super::change::clear_others;
use super::legacy::Legacy;
use super::{Change, Policy, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::{Discriminator, Member, Union, UnionSelection};

/// The policy of KEP-1027 in its current revision.
///
/// The rules of the KEP apply only to unions with a discriminator. The policy [`Legacy`] validates the others
/// ("Migrating existing unions").
#[derive(Debug)]
pub(super) struct Kep1027;

impl Policy for Kep1027 {
    fn name(&self) -> &'static str {
        "kep-1027"
    }

    fn about(&self) -> &'static str {
        "a modified discriminator clears all members that it does not select; an unmodified one must agree with the members"
    }

    /// Clears all members that a modified discriminator does not select.
    ///
    /// KEP-1027, "Normalization": the server "should clear all fields except the one pointed to by the discriminator if
    /// and only if the discriminator has been modified". This applies to updates and patches, not to creation.
    ///
    /// If the value of the discriminator is invalid, all members are kept and validation refuses the object ("the
    /// server will see the unrecognized discriminator value and can fail loudly").
    fn normalize(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        let Some(discriminator) = &union.discriminator else { return Vec::new() };
        if write == WriteKind::Create || !is_modified(discriminator, old, new) {
            return Vec::new();
        }
        match union.selection(new) {
            Some(UnionSelection::Member(member)) => clear_others(new, union, Some(member)),
            Some(UnionSelection::NoMember) => clear_others(new, union, None),
            _ => Vec::new(),
        }
    }

    /// Validates the rules 1 and 2 of KEP-1027, "Validation", and their consequences: the discriminator is a string and
    /// a value of its enum ("Go Markers"), and no member is set that it does not select.
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
        let selected = match union.selection(new) {
            Some(UnionSelection::Member(member)) => Some(member),
            Some(UnionSelection::NoMember) | None => None,
            Some(UnionSelection::Unset) => return vec![Violation::discriminator_missing(discriminator)],
            Some(UnionSelection::Unknown(value)) => {
                return vec![Violation::unknown_discriminator(discriminator, &value)];
            }
            Some(UnionSelection::NotAString(kind)) => {
                return vec![Violation::discriminator_not_a_string(discriminator, kind)];
            }
        };
        let is_modified = write == WriteKind::Create || is_modified(discriminator, old, new);
        validate_members(discriminator, new, union, selected, is_modified)
    }
}

/// Returns true if the value of the discriminator differs from the stored value.
fn is_modified(discriminator: &Discriminator, old: Option<&OwnedMap>, new: &OwnedMap) -> bool {
    discriminator.effective_value(old) != discriminator.effective_value(Some(new))
}

fn validate_members(
    discriminator: &Discriminator,
    new: &OwnedMap,
    union: &Union,
    selected: Option<&Member>,
    is_modified: bool,
) -> Vec<Violation> {
    let value = discriminator.effective_value(Some(new)).unwrap_or_default();
    let set = union.set_members(new);
    let mut violations = Vec::new();
    if set.len() > 1 && !is_modified {
        // "We should error loudly that the client must change the discriminator if it changes any union member
        // fields."
        let remedy = format!(
            "the discriminator {} is still {value:?}: change the discriminator when you change members of the union",
            discriminator.field
        );
        violations.push(Violation::several_members(&set, &remedy));
    } else {
        let unselected =
            set.iter().filter(|member| selected.is_none_or(|selected| selected.field != member.field));
        violations
            .extend(unselected.map(|member| Violation::unselected_member_set(discriminator, member, value)));
    }
    // "That given field is empty and not marked as optional". Values that select no member have no such field.
    if let Some(member) = selected.filter(|member| !member.optional && !member.is_set(new)) {
        violations.push(Violation::selected_member_empty(discriminator, member));
    }
    violations
}
