//! The policy `declarative`: declarative validation, as in Kubernetes releases.

use super::{Policy, UnionOperation, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::{Cardinality, DeclarationForm, Discriminator, Member, ModeRule, Union};

/// The policy of declarative validation. It normalizes nothing and validates two things.
///
/// **Membership.** If the union has a discriminator, a member must be set if and only if it is selected. A value of the
/// discriminator can select no member, and a discriminator that is not a string counts as empty. Without a
/// discriminator, the declaration of the union says whether exactly one member or at most one must be set. An update
/// that changes neither the discriminator nor the set of members is not validated. Whether a member is set is decided
/// as in the accessors that `validation-gen` generates.
///
/// **Enum.** A value that the enum of the discriminator does not have is an
/// [`UnknownEnumValue`](crate::ErrorKind::UnknownEnumValue), independently of the union. An unchanged value is not
/// validated again ("don't revalidate unchanged data"). An empty value is not validated, because `+k8s:required` and
/// `+k8s:optional` come before the enum and end the validation of the field.
///
/// **Modes.** In a modal union, the value of the discriminator decides for each member whether it is required, optional
/// or forbidden. A member without a rule for the value is forbidden. An update that changes neither the discriminator
/// nor the value of the member is not validated; unlike above, each member is looked at by itself. The values of the
/// discriminator are validated like those of any enum.
///
/// Upstream: `DiscriminatedUnion`, `Union`, `ZeroOrOneOfUnion`, `Enum` and `Discriminated` (k8s.io/apimachinery,
/// pkg/api/validate); for the rule without a value `getForbiddenValidation` (k8s.io/code-generator, cmd/validation-gen,
/// validators/mode.go).
#[derive(Debug)]
pub(super) struct Declarative;

impl Policy for Declarative {
    fn name(&self) -> &'static str {
        "declarative"
    }

    fn about(&self) -> &'static str {
        "no normalization; a changed union is valid if exactly the selected member is set, as in Kubernetes releases"
    }

    fn has_rules_for(&self, _union: &Union) -> bool {
        true
    }

    fn validate(
        &self,
        _write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        if union.form == DeclarationForm::Modal {
            return validate_modes(old, new, union);
        }
        // As in generated code, the struct with its unions is validated before its fields.
        let mut violations = validate_membership(old, new, union);
        violations.extend(self.validate_values(old, new, union));
        violations
    }

    fn operation(&self) -> Option<UnionOperation> {
        Some(UnionOperation::Validate)
    }

    /// Generated code does not validate a field again that an update leaves as it is.
    fn tolerates_stored_errors(&self) -> bool {
        true
    }

    fn validate_values(&self, old: Option<&OwnedMap>, new: &OwnedMap, union: &Union) -> Vec<Violation> {
        // The enum of a modal discriminator is validated like that of any field.
        let discriminator = union.discriminator.as_ref().filter(|_| union.form != DeclarationForm::Modal);
        discriminator.and_then(|discriminator| validate_enum(discriminator, old, new)).into_iter().collect()
    }
}

fn validate_membership(old: Option<&OwnedMap>, new: &OwnedMap, union: &Union) -> Vec<Violation> {
    // An update that adds the struct has no stored struct and is always validated.
    if old.is_some_and(|old| is_unchanged(old, new, union)) {
        return Vec::new();
    }
    match &union.discriminator {
        Some(discriminator) => validate_discriminated(discriminator, new, union),
        None => validate_count(new, union),
    }
}

/// Returns a violation if the enum of the discriminator does not have the value. Any value is valid if the type of the
/// discriminator is not an enum.
fn validate_enum(discriminator: &Discriminator, old: Option<&OwnedMap>, new: &OwnedMap) -> Option<Violation> {
    let (enum_type, values) = (discriminator.enum_type.as_ref()?, discriminator.values.as_ref()?);
    let value = discriminator.explicit_value(new).ok().flatten()?;
    let is_stored = old.is_some_and(|old| discriminator.explicit_value(old) == Ok(Some(value)));
    let is_known = values.iter().any(|known| known == value);
    (!is_known && !is_stored).then(|| Violation::not_in_enum(discriminator, enum_type, value))
}

/// Returns true if an update changes neither the discriminator nor the set of members.
///
/// Upstream: "If the union discriminator and membership is unchanged, we don't need to re-validate."
fn is_unchanged(old: &OwnedMap, new: &OwnedMap, union: &Union) -> bool {
    let selected_value =
        |object| union.discriminator.as_ref().map(|discriminator| value_or_empty(discriminator, object));
    selected_value(old) == selected_value(new)
        && union
            .members
            .iter()
            .all(|member| member.is_set_when_decoded(old) == member.is_set_when_decoded(new))
}

/// Returns the value of the discriminator, or an empty string if it is missing or not a string.
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

fn validate_modes(old: Option<&OwnedMap>, new: &OwnedMap, union: &Union) -> Vec<Violation> {
    // A party that does not know the discriminator does not have the tags that refer to it.
    let Some(discriminator) = &union.discriminator else { return Vec::new() };
    let mode = discriminator.mode(new);
    let old = old.filter(|old| discriminator.mode(old) == mode);
    let changed =
        union.members.iter().filter(|member| !old.is_some_and(|old| is_same_value(member, old, new)));
    changed.flat_map(|member| mode_violations(discriminator, member, mode, new)).collect()
}

fn is_same_value(member: &Member, old: &OwnedMap, new: &OwnedMap) -> bool {
    match (member.is_set_when_decoded(old), member.is_set_when_decoded(new)) {
        (true, true) => old.get(&member.field) == new.get(&member.field),
        (old_is_set, new_is_set) => old_is_set == new_is_set,
    }
}

fn mode_violations(
    discriminator: &Discriminator,
    member: &Member,
    mode: &str,
    new: &OwnedMap,
) -> Vec<Violation> {
    let rules: Vec<ModeRule> =
        member.modes.iter().filter(|(value, _)| value == mode).map(|(_, rule)| *rule).collect();
    let rules = if rules.is_empty() { vec![ModeRule::Forbidden] } else { rules };
    let is_set = member.is_set_when_decoded(new);
    let violation = |rule| match (rule, is_set) {
        (ModeRule::Required, false) => Some(Violation::required_in_mode(discriminator, member, mode)),
        (ModeRule::Forbidden, true) => Some(Violation::forbidden_in_mode(discriminator, member, mode)),
        _ => None,
    };
    rules.into_iter().filter_map(violation).collect()
}
