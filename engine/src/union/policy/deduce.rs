//! The policy `deduce`: the server deduces the selected member from the change.

use super::change::{clear_others, set_discriminator};
use super::{Change, Policy, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::{DeclarationForm, Member, Union};

/// The policy of the KEP's revision of 2019 (`keps/sig-api-machinery/20190325-unions.md`, "Normalizing on updates").
///
/// Normalization runs "for all creations and modifications" and follows the first rule that applies:
///
/// 1. If the discriminator has changed, all members except the selected one are cleared.
/// 2. If exactly one member is set, the discriminator is set to select it.
/// 3. If exactly one member is newly set, the other members are cleared and the discriminator is set to select it.
/// 4. Otherwise nothing is changed, "so that validation will fail".
///
/// This is the text of the document, not the code that followed it. The code of `structured-merge-diff` v4.3.0 refuses
/// some objects that these rules accept, and is the policy
/// [`StructuredMergeDiff`](super::structured_merge_diff::StructuredMergeDiff). Two details that the text leaves open are
/// taken from that code (`typed/union.go`): rule 1 does not apply to a discriminator that became empty, and the
/// discriminator is never written if the extension `x-kubernetes-unions` has `deduceInvalidDiscriminator: false`.
/// Validation allows at most one member.
#[derive(Debug)]
pub(super) struct Deduce;

impl Policy for Deduce {
    fn name(&self) -> &'static str {
        "deduce"
    }

    fn about(&self) -> &'static str {
        "a changed discriminator clears the other members; otherwise the only newly set member is selected"
    }

    fn normalize(
        &self,
        _write: WriteKind,
        old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        if let Some(discriminator) = &union.discriminator {
            // The revision of 2019 has no defaults: a missing discriminator selects no member.
            let Ok(value) = discriminator.explicit_value(new) else { return Vec::new() };
            let old_value = old.and_then(|old| discriminator.explicit_value(old).ok().flatten());
            if let Some(value) = value.filter(|value| old_value != Some(*value)) {
                let keep = union.member_selected_by(value);
                return clear_others(new, union, keep);
            }
        }
        let set = union.set_members(new);
        let deduced = match set[..] {
            [only] => Some(only),
            _ => newly_set(&set, old),
        };
        deduced.map(|member| keep_only(new, union, member)).unwrap_or_default()
    }

    fn validate(
        &self,
        _write: WriteKind,
        _old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        let set = union.set_members(new);
        if set.len() < 2 {
            return Vec::new();
        }
        vec![Violation::several_members(
            &set,
            "leave out all but one, or change the discriminator to select the intended member",
        )]
    }
}

/// Returns the member that was not set before, if there is exactly one.
fn newly_set<'u>(set: &[&'u Member], old: Option<&OwnedMap>) -> Option<&'u Member> {
    let mut new = set.iter().filter(|member| !old.is_some_and(|old| member.is_set(old)));
    let first = new.next()?;
    new.next().is_none().then_some(*first)
}

/// Clears all members except one and sets the discriminator to select it.
fn keep_only(object: &mut OwnedMap, union: &Union, member: &Member) -> Vec<Change> {
    let mut changes = clear_others(object, union, Some(member));
    if union.form != (DeclarationForm::List { deduce: Some(false) }) {
        changes.extend(union.discriminator.as_ref().and_then(|d| set_discriminator(object, d, member)));
    }
    changes
}
