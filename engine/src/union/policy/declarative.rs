//! `declarative`: declarative validation, as Kubernetes ships it.

use super::{Policy, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::{Cardinality, Discriminator, Member, Union};

/// Declarative validation, as `k8s.io/apimachinery/pkg/api/validate` does it: nothing is normalized; with a
/// discriminator a member is set if and only if it is selected; without one, exactly one or at most one is set. An
/// update that changes neither the discriminator nor which members are set is not looked at.
///
/// Upstream: `DiscriminatedUnion`, `Union`, `ZeroOrOneOfUnion`; whether a member is set is asked as the accessors
/// ask that `validation-gen` writes. To these a value that selects no member is no error, and a discriminator that is
/// no string counts as empty.
///
/// The enum is validated on its own, by `Enum` in the generated function of the discriminator's type, which an update
/// calls unless the value is the stored one ("don't revalidate unchanged data"): a value that the server's enum does
/// not have is [`UnknownEnumValue`](crate::ErrorKind::UnknownEnumValue), whatever the union says. An empty value is left to `+k8s:required` and
/// `+k8s:optional`, which come before the enum and stop the validation of the field.
#[derive(Debug)]
pub(super) struct Declarative;

impl Policy for Declarative {
    fn name(&self) -> &'static str {
        "declarative"
    }

    fn about(&self) -> &'static str {
        "no normalization; a member is set if and only if it is selected, unless nothing changed: what ships"
    }

    fn validate(
        &self,
        _write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        // In the order of generated code: unions belong to the struct, which is validated before its fields.
        let mut violations = validate_membership(old, new, union);
        violations.extend(
            union.discriminator.as_ref().and_then(|discriminator| validate_enum(discriminator, old, new)),
        );
        violations
    }
}

fn validate_membership(old: Option<&OwnedMap>, new: &OwnedMap, union: &Union) -> Vec<Violation> {
    // Without a stored struct an update is checked, too.
    if old.is_some_and(|old| is_unchanged(old, new, union)) {
        return Vec::new();
    }
    match &union.discriminator {
        Some(discriminator) => validate_discriminated(discriminator, new, union),
        None => validate_count(new, union),
    }
}

/// Refuses values that the enum of the discriminator does not have. Where the type is no enum, any value is valid.
fn validate_enum(discriminator: &Discriminator, old: Option<&OwnedMap>, new: &OwnedMap) -> Option<Violation> {
    let (enum_type, values) = (discriminator.enum_type.as_ref()?, discriminator.values.as_ref()?);
    let value = discriminator.explicit_value(new).ok().flatten()?;
    let is_stored = old.is_some_and(|old| discriminator.explicit_value(old) == Ok(Some(value)));
    let is_known = values.iter().any(|known| known == value);
    (!is_known && !is_stored).then(|| Violation::not_in_enum(discriminator, enum_type, value))
}

/// "If the union discriminator and membership is unchanged, we don't need to re-validate."
fn is_unchanged(old: &OwnedMap, new: &OwnedMap, union: &Union) -> bool {
    let selected_value =
        |object| union.discriminator.as_ref().map(|discriminator| value_or_empty(discriminator, object));
    selected_value(old) == selected_value(new)
        && union
            .members
            .iter()
            .all(|member| member.is_set_when_decoded(old) == member.is_set_when_decoded(new))
}

fn value_or_empty<'a>(discriminator: &Discriminator, object: &'a OwnedMap) -> &'a str {
    discriminator.explicit_value(object).ok().flatten().unwrap_or_default()
}

fn validate_discriminated(discriminator: &Discriminator, new: &OwnedMap, union: &Union) -> Vec<Violation> {
    let value = value_or_empty(discriminator, new);
    let violation = |member: &Member| match (member.is_set_when_decoded(new), member.value == value) {
        (true, false) => Some(Violation::unselected_member_set(discriminator, member, value)),
        (false, true) => Some(Violation::selected_member_empty(discriminator, member)),
        _ => None,
    };
    union.members.iter().filter_map(violation).collect()
}

fn validate_count(new: &OwnedMap, union: &Union) -> Vec<Violation> {
    let set: Vec<&Member> = union.members.iter().filter(|member| member.is_set_when_decoded(new)).collect();
    match set.len() {
        0 if union.cardinality() == Cardinality::ExactlyOne => vec![Violation::no_member(union)],
        0 | 1 => Vec::new(),
        _ => vec![Violation::several_members(&set, "leave out all but one")],
    }
}
