//! The policy `kep-1027`: the server follows the discriminator.

use super::change::clear_others;
use super::legacy::Legacy;
use super::{Change, Policy, UnionGates, Violation, WriteKind};
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

    fn gates(&self) -> Option<UnionGates> {
        Some(UnionGates { unions: true, ratcheting: false })
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
        Reasons::of(write, old, new, union)
            .map_or_else(|| Legacy.validate(write, old, new, union), Reasons::into_violations)
    }
}

/// All reasons for which the policy refuses a union with a discriminator.
pub(super) struct Reasons {
    /// The discriminator is missing, or its value is not valid.
    discriminator: Option<Violation>,
    /// Several members are set, and the discriminator is not modified.
    several_members: Option<Violation>,
    /// Members are set that a valid discriminator does not select.
    unselected_members: Vec<Violation>,
    /// The selected member is not set.
    empty_member: Option<Violation>,
}

impl Reasons {
    /// Returns the reasons for which an object is refused. `None` if the union has no discriminator.
    pub(super) fn of(
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Option<Self> {
        let discriminator = union.discriminator.as_ref()?;
        let (selected, invalid) = match union.selection(new) {
            Some(UnionSelection::Member(member)) => (Some(member), None),
            Some(UnionSelection::NoMember) | None => (None, None),
            Some(UnionSelection::Unset) => (None, Some(Violation::discriminator_missing(discriminator))),
            Some(UnionSelection::Unknown(value)) => {
                (None, Some(Violation::unknown_discriminator(discriminator, &value)))
            }
            Some(UnionSelection::NotAString(kind)) => {
                (None, Some(Violation::discriminator_not_a_string(discriminator, kind)))
            }
        };
        let value = discriminator.effective_value(Some(new)).unwrap_or_default();
        let set = union.set_members(new);
        let is_modified = write == WriteKind::Create || is_modified(discriminator, old, new);
        let several_members = (set.len() > 1 && !is_modified).then(|| {
            // "We should error loudly that the client must change the discriminator if it changes any union member
            // fields."
            let remedy = format!(
                "the discriminator {} is still {value:?}: change the discriminator when you change members of the union",
                discriminator.field
            );
            Violation::several_members(&set, &remedy)
        });
        let is_selected = |member: &Member| selected.is_some_and(|selected| selected.field == member.field);
        // An invalid discriminator selects no particular member.
        let unselected = set.iter().filter(|member| invalid.is_none() && !is_selected(member));
        // "That given field is empty and not marked as optional". Values that select no member have no such field.
        let empty = selected.filter(|member| !member.optional && !member.is_set(new));
        Some(Reasons {
            several_members,
            unselected_members: unselected
                .map(|member| Violation::unselected_member_set(discriminator, member, value))
                .collect(),
            discriminator: invalid,
            empty_member: empty.map(|member| Violation::selected_member_empty(discriminator, member)),
        })
    }

    /// Returns the reasons that are not among those of the stored object.
    pub(super) fn except_those_of(self, stored: &Reasons) -> Self {
        let is_new = |now: &Violation| !stored.all().any(|before| is_same_reason(now, before));
        Reasons {
            discriminator: self.discriminator.filter(is_new),
            several_members: self.several_members.filter(is_new),
            unselected_members: self.unselected_members.into_iter().filter(is_new).collect(),
            empty_member: self.empty_member.filter(is_new),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Violation> {
        let single = [&self.discriminator, &self.several_members, &self.empty_member];
        single.into_iter().flatten().chain(&self.unselected_members)
    }

    /// Returns the violations that a server reports. Those of the KEP's first rule come first.
    pub(super) fn into_violations(self) -> Vec<Violation> {
        let Reasons { discriminator, several_members, unselected_members, empty_member } = self;
        discriminator
            .into_iter()
            .chain(several_members)
            .chain(unselected_members)
            .chain(empty_member)
            .collect()
    }
}

/// Returns true if two violations have the same kind and field, and if each subject of the new one is one of the old one.
pub(super) fn is_same_reason(now: &Violation, before: &Violation) -> bool {
    now.kind == before.kind
        && now.field == before.field
        && now.subjects.iter().all(|subject| before.subjects.contains(subject))
}

/// Returns true if the value of the discriminator differs from the stored value.
pub(super) fn is_modified(discriminator: &Discriminator, old: Option<&OwnedMap>, new: &OwnedMap) -> bool {
    discriminator.effective_value(old) != discriminator.effective_value(Some(new))
}
