//! The policy `structured-merge-diff`: what the code of `structured-merge-diff` v4.3.0 does.

use super::change::set_discriminator;
use super::{Change, ChangeKind, Policy, UnionOperation, Violation, WriteKind};
use crate::document::{OwnedMap, OwnedText};
use crate::field_path::{FieldPath, PathSegment};
use crate::schema::union::{DeclarationForm, Discriminator, Member, Union};

/// The policy of `sigs.k8s.io/structured-merge-diff` v4.3.0, the last release with code for unions.
///
/// The first rule that applies decides:
///
/// 1. The discriminator has changed, and not to the empty string. If several members are newly set, or if the only one
///    is not the one that the discriminator names, the object is refused. Otherwise all other members are cleared.
/// 2. Several members are set: the object is refused.
/// 3. Exactly one member is set, and the union has `deduceInvalidDiscriminator: true`: the discriminator is set to
///    name it.
///
/// Members and values are those of documents. A null member is not set, but is removed together with the members that
/// are cleared. A discriminator that is missing or is no string counts as empty. Upstream does not read the enum of the
/// discriminator: a value that names no member clears all of them. A value that is the name of a member's field names
/// that member too, unless it is the value of another one. A create request is an update of an object without fields.
///
/// Upstream: `union.Normalize` (`typed/union.go`), which `Updater.Update` (`merge/update.go`) calls for create, update
/// and patch requests. Server-side apply has its own rules, `union.NormalizeApply`. API servers did not store the
/// result: `k8s.io/apimachinery` v0.28 drops it until "unions are implemented" (`structuredmerge.go`).
///
/// Upstream normalizes inner structs before outer ones, and none within atomic lists and maps. Here, as with all
/// policies, [`admit`](crate::union::admit) decides on the order: outer structs come first, so that a member that is
/// cleared is not validated.
#[derive(Debug)]
pub(super) struct StructuredMergeDiff;

/// The decision of upstream's code on one union.
enum Decision<'u> {
    /// All members except the given one are removed.
    Clear(Option<&'u Member>),
    /// The discriminator is set to name the member.
    Select(&'u Discriminator, &'u Member),
    Keep,
    Refuse(Violation),
}

impl Policy for StructuredMergeDiff {
    fn name(&self) -> &'static str {
        "structured-merge-diff"
    }

    fn about(&self) -> &'static str {
        "a changed discriminator clears the other members if no other member is newly set, as in the code of \
         structured-merge-diff v4.3.0"
    }

    fn normalize(
        &self,
        _write: WriteKind,
        old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        match decide(old, new, union) {
            Decision::Clear(keep) => remove_others(new, union, keep),
            Decision::Select(discriminator, member) => {
                set_discriminator(new, discriminator, member).into_iter().collect()
            }
            Decision::Keep | Decision::Refuse(_) => Vec::new(),
        }
    }

    /// Refuses what upstream's normalization refuses. An object that was normalized without an error is not refused:
    /// normalization leaves at most one member, and the discriminator names it.
    fn validate(
        &self,
        _write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        match decide(old, new, union) {
            Decision::Refuse(violation) => vec![violation],
            Decision::Clear(_) | Decision::Select(..) | Decision::Keep => Vec::new(),
        }
    }

    fn operation(&self) -> Option<UnionOperation> {
        Some(UnionOperation::Normalize)
    }
}

fn decide<'u>(old: Option<&OwnedMap>, new: &OwnedMap, union: &'u Union) -> Decision<'u> {
    let set = union.set_members(new);
    if let Some(discriminator) = &union.discriminator {
        let value = value_or_empty(discriminator, Some(new));
        if !value.is_empty() && value != value_or_empty(discriminator, old) {
            let is_new = |member: &&&Member| !old.is_some_and(|old| member.is_set(old));
            let newly_set: Vec<&Member> = set.iter().filter(is_new).copied().collect();
            return match newly_set[..] {
                [only] if only.value != value => {
                    Decision::Refuse(Violation::unselected_member_set(discriminator, only, value))
                }
                [] | [_] => Decision::Clear(member_named_by(union, value)),
                _ => Decision::Refuse(Violation::several_members(&newly_set, "add only one of them")),
            };
        }
    }
    match (&set[..], &union.discriminator) {
        ([_, _, ..], _) => Decision::Refuse(Violation::several_members(
            &set,
            "leave out all but one, or change the discriminator to select the intended member",
        )),
        ([only], Some(discriminator)) if union.form == (DeclarationForm::List { deduce: Some(true) }) => {
            Decision::Select(discriminator, only)
        }
        _ => Decision::Keep,
    }
}

/// Returns the value of the discriminator, or an empty string if it is missing or not a string.
fn value_or_empty<'a>(discriminator: &Discriminator, object: Option<&'a OwnedMap>) -> &'a str {
    object.and_then(|object| discriminator.explicit_value(object).ok().flatten()).unwrap_or_default()
}

/// Returns the member that a value of the discriminator names. Upstream (`discriminatedNames.toField`) takes a value
/// that it does not know for the name of a field.
fn member_named_by<'u>(union: &'u Union, value: &str) -> Option<&'u Member> {
    union.member_selected_by(value).or_else(|| union.member(value))
}

/// Removes all members except `keep`, also those that are null.
fn remove_others(object: &mut OwnedMap, union: &Union, keep: Option<&Member>) -> Vec<Change> {
    let others = union.members.iter().filter(|member| keep.is_none_or(|keep| keep.field != member.field));
    others
        .filter_map(|member| Some(cleared(&member.field, ChangeKind::Cleared(object.remove(&member.field)?))))
        .collect()
}

fn cleared(field: &OwnedText, kind: ChangeKind) -> Change {
    let mut path = FieldPath::root();
    path.push(PathSegment::Key(field.clone()));
    Change { path, kind }
}
