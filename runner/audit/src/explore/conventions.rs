//! Changes of values that no object of practice has, because they are not valid anywhere in Kubernetes.
//!
//! Such a change is noted, and not more. The reason is a rule of Kubernetes itself, and what it applies to is found by the shape of
//! the schema, as the API conventions of Kubernetes have it: references to objects, conditions, labels.

use skewer_admission::structural::{StructuralSchema, ValueType, ValueValidation};
use skewer_engine::{Doc, OwnedDoc};

use super::limits::{is_about_texts, with_limits_of};
use crate::cause::Cause;
use crate::change::PropertyChange;
use crate::facts::Property;
use crate::revision::{Revisions, Side};
use crate::sample::{RefusedText, element, refused_text};
use crate::schema_path::{SchemaPath, SchemaStep};

/// Returns the reason why no object of practice has the values that a change refuses or loses. `None` if there can be one.
pub(super) fn reason_for_no_use(revisions: &Revisions, cause: &Cause) -> Option<&'static str> {
    if let Some(reason) = unused_part_of_claim(&cause.path).or_else(|| equal_durations(cause)) {
        return Some(reason);
    }
    let elements =
        [Side::Old, Side::New].map(|side| element(revisions.get(side).schema(), cause.path.steps()));
    let [Some(old), Some(new)] = elements else { return None };
    if let Some(reason) = count_below_zero(cause) {
        return Some(reason);
    }
    let valid = valid_text(revisions.old.schema(), &cause.path)?;
    let changed = with_limits_of(cause, old, new);
    let is_unused = is_about_texts(old, new, cause)
        && refused_text(&both(&valid.validation, &old.validation), &changed.validation) == RefusedText::None;
    is_unused.then_some(valid.reason)
}

/// Returns the reason for a part of a template of volume claims that nothing reads. The claims of a `StatefulSet` and of an
/// ephemeral volume get the metadata and the specification of their template. Their `resources` once had the type of those of
/// containers (`ResourceRequirements`, until Kubernetes 1.29), which alone can have `claims`.
fn unused_part_of_claim(path: &SchemaPath) -> Option<&'static str> {
    let names: Vec<&str> = path
        .steps()
        .iter()
        .filter_map(|step| match step {
            SchemaStep::Field(name) => Some(name.as_str()),
            SchemaStep::Items | SchemaStep::Values => None,
        })
        .collect();
    let template =
        names.iter().position(|name| matches!(*name, "volumeClaimTemplate" | "volumeClaimTemplates"))?;
    match &names[template + 1..] {
        ["status", ..] => {
            Some("the status of a template is not read: a claim gets its metadata and its spec")
        }
        ["spec", "resources", "claims", ..] => {
            Some("it is not read: only the resources of containers have claims of their own")
        }
        _ => None,
    }
}

/// Returns the reason why another default means the same: both are texts of one duration, such as `1h` and `1h0m0s`.
fn equal_durations(cause: &Cause) -> Option<&'static str> {
    let [change] = cause.changes.as_slice() else { return None };
    let duration = |value: &Option<OwnedDoc>| milliseconds(value.as_ref()?.as_str()?);
    let are_equal = duration(&change.old).is_some_and(|old| duration(&change.new) == Some(old));
    (change.property == Property::Default && are_equal).then_some("both defaults are the same duration")
}

/// Reads a duration of hours, minutes, seconds and milliseconds, as far as Go writes it (`time.Duration.String`).
fn milliseconds(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut sum = 0u64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let units = [("ms", 1), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)];
        let (after, unit) =
            units.into_iter().find_map(|(unit, value)| Some((rest.strip_prefix(unit)?, value)))?;
        (rest, sum) = (after, sum.checked_add(number.checked_mul(unit)?)?);
    }
    (!text.is_empty()).then_some(sum)
}

/// Returns the reason why a number is never negative. `None` if the change refuses another number, or if the number can be.
fn count_below_zero(cause: &Cause) -> Option<&'static str> {
    let refuses_negative = |change: &PropertyChange| {
        change.property == Property::Bound("minimum")
            && matches!(change.new, Some(Doc::Int(least)) if least <= 0)
    };
    let name = cause.path.field_name().filter(|_| cause.changes.iter().all(refuses_negative))?;
    if matches!(name, "generation" | "observedGeneration") {
        Some("a negative value is not valid anywhere: the generation of an object begins with 1")
    } else if name == "replicas" || name.ends_with("Replicas") {
        Some("a negative value is not valid anywhere: servers refuse a scale with negative replicas")
    } else {
        None
    }
}

/// The texts that are valid for what an element names.
struct ValidText {
    validation: ValueValidation,
    reason: &'static str,
}

fn valid_text(schema: &StructuralSchema, path: &SchemaPath) -> Option<ValidText> {
    let condition = condition_field(schema, path).map(|validation| ValidText {
        validation,
        reason: "such a value is not valid in a condition of Kubernetes (metav1.Condition)",
    });
    condition.or_else(|| {
        let (longest, reason) = longest_name(schema, path)?;
        let mut validation = ValueValidation::default();
        validation.max_length = Some(longest);
        Some(ValidText { validation, reason })
    })
}

/// Returns what `metav1.Condition` permits in a field, if the element is that field of a condition. Upstream: the markers of the
/// type in `k8s.io/apimachinery/pkg/apis/meta/v1/types.go`.
fn condition_field(schema: &StructuralSchema, path: &SchemaPath) -> Option<ValueValidation> {
    let [.., SchemaStep::Field(list), SchemaStep::Items, SchemaStep::Field(name)] = path.steps() else {
        return None;
    };
    let item = element(schema, path.parent()?.steps())?;
    let is_condition = ["type", "status", "lastTransitionTime"].iter().all(|field| is_text(item, field));
    if list != "conditions" || !is_condition {
        return None;
    }
    let mut validation = ValueValidation::default();
    match name.as_str() {
        "type" => {
            let name = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
            let prefix = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/";
            validation.pattern = Some(format!("^({prefix})?({name})$"));
            validation.max_length = Some(316);
        }
        "status" => validation.enum_values = ["True", "False", "Unknown"].map(Doc::from).to_vec(),
        "reason" => {
            validation.pattern = Some("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$".to_owned());
            validation.max_length = Some(1024);
        }
        "message" => validation.max_length = Some(32_768),
        _ => return None,
    }
    Some(validation)
}

/// Returns the length of the longest name that something has, if the element names it, and the reason. References have the fields
/// that the API conventions give them ("Object references").
fn longest_name(schema: &StructuralSchema, path: &SchemaPath) -> Option<(i64, &'static str)> {
    let parent = path.parent()?;
    let around = element(schema, parent.steps())?;
    // The items of a list have the name of the list.
    let owner = parent.steps().iter().rev().find_map(|step| match step {
        SchemaStep::Field(name) => Some(name.as_str()),
        SchemaStep::Items | SchemaStep::Values => None,
    });
    let owner = owner.unwrap_or_default();
    let is_values = path.steps().last() == Some(&SchemaStep::Values);
    if is_values && matches!(owner, "labels" | "matchLabels" | "nodeSelector") {
        return Some((63, "no longer value is valid anywhere: that of a label has at most 63 characters"));
    }
    let has = |field: &str| is_text(around, field);
    let has_group = has("apiGroup") || has("apiVersion") || has("group");
    let is_called_reference =
        ["Ref", "Refs", "Reference", "References"].iter().any(|end| owner.ends_with(end));
    let is_called_source = ["secret", "configmap"].iter().any(|word| owner.to_lowercase().contains(word));
    let is_reference = is_called_reference || (has("namespace") && has("name")) || (has("kind") && has_group);
    match path.field_name()? {
        "namespace" if has("name") => {
            Some((63, "no longer value is valid anywhere: the name of a namespace has at most 63 characters"))
        }
        "name" if is_reference || (has("key") && is_called_source) => Some((
            253,
            "no longer value is valid anywhere: it names an object, whose name has at most 253 characters",
        )),
        "key" if has("name") && (is_called_reference || is_called_source) => Some((
            253,
            "no longer value is valid anywhere: a key of a Secret or ConfigMap has at most 253 characters",
        )),
        "kind" if has_group => {
            Some((63, "no longer value is valid anywhere: a kind has at most 63 characters"))
        }
        "apiGroup" | "group" if has("kind") => {
            Some((253, "no longer value is valid anywhere: the name of a group has at most 253 characters"))
        }
        "apiVersion" if has("kind") => Some((
            317,
            "no longer value is valid anywhere: a group has at most 253 characters, and a version 63",
        )),
        _ => None,
    }
}

fn is_text(schema: &StructuralSchema, field: &str) -> bool {
    schema.properties.get(field).is_some_and(|field| field.ty == Some(ValueType::String))
}

/// Returns limits that permit all texts which both of two permit. They can permit more.
fn both(a: &ValueValidation, b: &ValueValidation) -> ValueValidation {
    let mut both = ValueValidation::default();
    both.pattern = a.pattern.clone().or_else(|| b.pattern.clone());
    both.min_length = a.min_length.max(b.min_length);
    both.max_length = [a.max_length, b.max_length].into_iter().flatten().min();
    let values = if a.enum_values.is_empty() { &b.enum_values } else { &a.enum_values };
    both.enum_values.clone_from(values);
    both
}
