//! The policy `discriminator-following`: the server changes the discriminator when members are set and unset.

use super::change::{remove_discriminator, set_discriminator};
use super::discriminator_defaulting::DiscriminatorDefaulting;
use super::{Change, Policy, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::{Member, Union};

/// The policy [`DiscriminatorDefaulting`], with a sentence of the retainKeys document that its rules leave open for patches,
/// which do not drop a stored discriminator: "This means we need to change it accordingly when the corresponding union/oneof
/// fields were set and unset."
///
/// If an update leaves the discriminator as it is, the discriminator follows the members: a single member that is newly set, or
/// else the only one that is left, becomes the selected one. If the update unsets the selected member and none is left, it also
/// removes the discriminator. If it leaves several others, it says of none of them that it is the selected one: nothing is
/// cleared, so that validation refuses the object.
#[derive(Debug)]
pub(super) struct DiscriminatorFollowing;

impl Policy for DiscriminatorFollowing {
    fn name(&self) -> &'static str {
        "discriminator-following"
    }

    fn about(&self) -> &'static str {
        "as discriminator-defaulting; an unmodified discriminator follows the members that an update sets and unsets"
    }

    fn normalize(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        let mut changes = Vec::new();
        if let (Some(old), Some(discriminator)) = (old, &union.discriminator)
            && let (Ok(Some(before)), Ok(Some(after))) =
                (discriminator.explicit_value(old), discriminator.explicit_value(new))
            && before == after
            // A value for "none" is no consequence of the members.
            && let Some(selected) = union.member_selected_by(after)
        {
            let set: Vec<&Member> = union.set_members(new);
            let added: Vec<&Member> = set.iter().copied().filter(|member| !member.is_set(old)).collect();
            changes.extend(match (&added[..], &set[..]) {
                ([only], _) | ([], [only]) => set_discriminator(new, discriminator, only),
                ([], []) if selected.is_set(old) => remove_discriminator(new, discriminator),
                _ if set.len() > 1 && !selected.is_set(new) => return changes,
                _ => None,
            });
        }
        changes.extend(DiscriminatorDefaulting.normalize(write, old, new, union));
        changes
    }

    fn validate(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        DiscriminatorDefaulting.validate(write, old, new, union)
    }
}
