//! The validation of a value against its schema. Upstream: `SchemaValidator` of `kube-openapi`, with its validators in
//! their order, and `ratchetingValueValidator` of `apiextensions-apiserver`.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::error::{Error, ErrorKind};

use super::correlation::{Pair, old_item};
use super::number::{self, Number, is_json_integer};
use super::outcome::{Finding, ValueReport};
use super::source::Source;
use crate::AdmissionOptions;
use crate::reason::ServerReason;
use crate::structural::{StructuralSchema, ValueType, ValueValidation};

/// Validates an object. If `old` is the object that it replaces, errors in values that did not change are warnings.
pub(crate) fn validate(
    schema: &StructuralSchema,
    new: &OwnedDoc,
    old: Option<&OwnedDoc>,
    options: AdmissionOptions,
) -> ValueReport {
    check_and_ratchet(Source::new(schema, options), new, old, true)
}

/// Validates a field of an object, as [`validate`] does with the object.
pub(crate) fn validate_field(
    schema: &StructuralSchema,
    new: &OwnedDoc,
    old: Option<&OwnedDoc>,
    options: AdmissionOptions,
) -> ValueReport {
    check_and_ratchet(Source::new(schema, options), new, old, false)
}

/// Validates a value. In `allOf` and the like, nothing is ratcheted.
fn check_and_ratchet(
    source: Source<'_>,
    new: &OwnedDoc,
    old: Option<&OwnedDoc>,
    is_root: bool,
) -> ValueReport {
    let pair = source.schema().zip(old).map(|(schema, old)| Pair { new, old, schema, is_root });
    let outcome = check(source, new, pair.map(|pair| pair.old), is_root);
    if !outcome.is_valid() && pair.is_some_and(Pair::is_unchanged) {
        return outcome.into_warnings();
    }
    outcome
}

/// Upstream: `SchemaValidator.Validate`.
fn check(source: Source<'_>, value: &OwnedDoc, old: Option<&OwnedDoc>, is_root: bool) -> ValueReport {
    let mut outcome = ValueReport::default();
    let validation = source.validation();
    // A schema without a type and without a format has no check of the type.
    if value.is_null() || !source.types().is_empty() || source.string_format().is_some() {
        let error = type_error(source, value);
        outcome.checks += usize::from(error.is_none());
        outcome.errors.extend(error);
    }
    if value.is_null() {
        outcome.errors.extend(enum_error(validation, value));
        return outcome;
    }
    outcome.checks += usize::from(!source.types().is_empty() || source.string_format().is_some());
    outcome.merge(alternatives(source, value));
    outcome.checks += 1;
    match value {
        Doc::String(text) => {
            outcome.add_all(text_error(validation, text));
            outcome.checks += 1;
            if let Some((name, format)) = source.string_format() {
                let message = format!("the text does not have the format {name}");
                let error = Finding::blocking(ErrorKind::Undecodable, message);
                outcome.add_all((!format.permits(text)).then_some(error));
                outcome.checks += 1;
            }
        }
        Doc::Int(number) => add_number(&mut outcome, source, Number::Int(*number)),
        Doc::Float(number) => add_number(&mut outcome, source, Number::Float(*number)),
        Doc::List(items) => {
            check_items(&mut outcome, source, items, old);
            outcome.checks += 2;
        }
        _ => {}
    }
    outcome.add_all(enum_error(validation, value));
    outcome.checks += 1;
    if let Doc::Map(map) = value {
        check_fields(&mut outcome, source, map, old.filter(|old| old.as_map().is_some()), is_root);
        outcome.checks += 1;
    }
    outcome.checks += 1;
    outcome
}

fn add_number(outcome: &mut ValueReport, source: Source<'_>, number: Number) {
    outcome.add_all(number::errors_of(source, number));
    outcome.checks += 2;
}

/// Returns the error of a value that does not have its type. Upstream: `typeValidator`.
fn type_error(source: Source<'_>, value: &OwnedDoc) -> Option<Finding> {
    let types = source.types();
    let has_type = |ty: ValueType| types.contains(&ty);
    let is_valid = match value {
        Doc::Null => types.is_empty() || source.is_nullable(),
        Doc::String(_) | Doc::List(_)
            if source.string_format().is_some()
                && !has_type(ValueType::Integer)
                && !has_type(ValueType::Number) =>
        {
            // A list is also accepted.
            true
        }
        Doc::Map(_) => has_type(ValueType::Object),
        Doc::List(_) => has_type(ValueType::Array),
        Doc::String(_) => has_type(ValueType::String),
        Doc::Bool(_) => has_type(ValueType::Boolean),
        Doc::Int(_) => has_type(ValueType::Integer) || has_type(ValueType::Number),
        Doc::Float(number) => {
            has_type(ValueType::Number) || (has_type(ValueType::Integer) && is_json_integer(*number))
        }
    };
    if is_valid {
        return None;
    }
    let expected: Vec<&str> = types.iter().map(|ty| describe(*ty)).collect();
    let found = value.kind().with_article();
    let message = match (expected.is_empty(), source.string_format()) {
        (true, Some((format, _))) => format!("expected a text of the format {format}, found {found}"),
        _ => format!("expected {}, found {found}", expected.join(" or ")),
    };
    Some(Finding::blocking(ErrorKind::Undecodable, message))
}

fn describe(ty: ValueType) -> &'static str {
    match ty {
        ValueType::Object => "a map",
        ValueType::Array => "a list",
        ValueType::String => "a string",
        ValueType::Integer => "an integer",
        ValueType::Number => "a number",
        ValueType::Boolean => "a boolean",
    }
}

/// Returns the error of a value that an enum does not have. Null is in no enum. Upstream: `basicCommonValidator`.
fn enum_error(validation: &ValueValidation, value: &OwnedDoc) -> Option<Finding> {
    let values = &validation.enum_values;
    if values.is_empty() || values.iter().any(|valid| is_enum_value(value, valid)) {
        return None;
    }
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    let message = format!("{value} is not one of {}", values.join(", "));
    Some(Finding::blocking(ErrorKind::UnknownEnumValue, message))
}

/// Returns whether a value is equal to one of an enum after its conversion to the type of that one, which cuts off
/// fractions.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::float_cmp)]
fn is_enum_value(value: &OwnedDoc, valid: &OwnedDoc) -> bool {
    match (value, valid) {
        (Doc::Null, _) => false,
        (Doc::Float(value), Doc::Int(valid)) => *value as i64 == *valid,
        (Doc::Int(value), Doc::Float(valid)) => *value as f64 == *valid,
        (value, valid) => value == valid,
    }
}

/// Returns the first error of a text. Upstream: `stringValidator`.
fn text_error(validation: &ValueValidation, text: &str) -> Option<Finding> {
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if let Some(most) = validation.max_length.filter(|most| length > *most) {
        return Some(too_large("characters", length, most));
    }
    if let Some(least) = validation.min_length.filter(|least| length < *least) {
        return Some(Finding::invalid(format!("expected at least {least} characters, found {length}")));
    }
    let pattern = validation.regex.as_ref().filter(|pattern| !pattern.is_match(text))?;
    Some(Finding::invalid(format!("the text does not match the pattern {pattern}")))
}

fn too_large(unit: &str, size: i64, most: i64) -> Finding {
    let message = format!("expected at most {most} {unit}, found {size}");
    let reason = if unit == "characters" { ServerReason::TooLong } else { ServerReason::TooMany };
    Finding::too_large(reason, message)
}

/// Adds the errors of a size that is too small or too large.
fn check_size(outcome: &mut ValueReport, unit: &str, size: usize, least: Option<i64>, most: Option<i64>) {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    if let Some(least) = least.filter(|least| size < *least) {
        outcome.add(Finding::invalid(format!("expected at least {least} {unit}, found {size}")));
    }
    if let Some(most) = most.filter(|most| size > *most) {
        outcome.add(too_large(unit, size, most));
    }
}

/// Upstream: `schemaSliceValidator`.
fn check_items(outcome: &mut ValueReport, source: Source<'_>, list: &[OwnedDoc], old: Option<&OwnedDoc>) {
    if let Some(items) = source.items() {
        for (index, item) in list.iter().enumerate() {
            let old = source.schema().and_then(|schema| old_item(schema, old?.as_list()?, item));
            outcome.merge_inner(check_and_ratchet(items, item, old, false), |error| error.at_index(index));
        }
    }
    let validation = source.validation();
    check_size(outcome, "items", list.len(), validation.min_items, validation.max_items);
    let is_repeated = |(index, item): (usize, &OwnedDoc)| list[..index].contains(item);
    if validation.unique_items && list.iter().enumerate().any(is_repeated) {
        outcome.add(Finding::invalid("the list has equal items"));
    }
}

/// Upstream: `objectValidator`.
fn check_fields(
    outcome: &mut ValueReport,
    source: Source<'_>,
    map: &OwnedMap,
    old: Option<&OwnedDoc>,
    is_root: bool,
) {
    let validation = source.validation();
    check_size(outcome, "fields", map.len(), validation.min_properties, validation.max_properties);
    for (key, value) in map.iter() {
        let Some(field) = source.field(key) else {
            if source.schema().is_some_and(|schema| schema.forbids_other_fields) {
                outcome.add(Finding::invalid(format!("the field {key:?} is not permitted")));
            }
            continue;
        };
        // The old and the new object have been converted to the same type.
        let is_type = is_root && matches!(key.as_str(), "apiVersion" | "kind");
        let old = old.filter(|_| !is_type).and_then(|old| old.as_map()?.get(key));
        outcome.merge_inner(check_and_ratchet(field, value, old, false), |error| error.at(key));
    }
    for name in validation.required.iter().filter(|name| !map.contains_key(name)) {
        let finding = Finding::blocking(ErrorKind::RequiredFieldMissing, "a required field is missing");
        // A name that is empty is not part of the path.
        outcome.add(finding.map(|error: Error| if name.is_empty() { error } else { error.at(name) }));
    }
}

/// Validates a value against `allOf`, `anyOf`, `oneOf` and `not`. Upstream: `schemaPropsValidator`.
fn alternatives(source: Source<'_>, value: &OwnedDoc) -> ValueReport {
    let mut outcome = ValueReport { checks: 1, ..ValueReport::default() };
    let validation = source.validation();
    let check = |nested| check(source.nested(nested), value, None, false);
    if !validation.any_of.is_empty() {
        let outcomes: Vec<ValueReport> = validation.any_of.iter().map(check).collect();
        if !outcomes.iter().any(ValueReport::is_valid) {
            outcome.add(Finding::invalid("no schema of `anyOf` permits the value"));
        }
        outcome.merge(best(outcomes));
    }
    if !validation.one_of.is_empty() {
        let outcomes: Vec<ValueReport> = validation.one_of.iter().map(check).collect();
        match outcomes.iter().filter(|outcome| outcome.is_valid()).count() {
            1 => outcome.merge(best(outcomes)),
            count => {
                let message = format!("exactly one schema of `oneOf` must permit the value, and {count} do");
                outcome.add(Finding::invalid(message));
                if count == 0 {
                    outcome.merge(best(outcomes));
                }
            }
        }
    }
    if !validation.all_of.is_empty() {
        let outcomes: Vec<ValueReport> = validation.all_of.iter().map(check).collect();
        let valid = outcomes.iter().filter(|outcome| outcome.is_valid()).count();
        let count = outcomes.len();
        for inner in outcomes {
            outcome.merge(inner);
        }
        if valid != count {
            let all =
                if valid == 0 { "no schema of `allOf` permits" } else { "not all schemas of `allOf` permit" };
            outcome.add(Finding::invalid(format!("{all} the value")));
        }
    }
    if validation.not.as_deref().is_some_and(|nested| check(nested).is_valid()) {
        outcome.add(Finding::invalid("the schema of `not` permits the value"));
    }
    outcome
}

/// Returns the outcome of the first schema that permits the value. If none does, returns the first of those that checked
/// most, whose errors are probably about what was meant.
fn best(outcomes: Vec<ValueReport>) -> ValueReport {
    let most = outcomes.iter().map(|outcome| outcome.checks).max();
    let is_valid = outcomes.iter().any(ValueReport::is_valid);
    let is_best = |outcome: &ValueReport| {
        if is_valid { outcome.is_valid() } else { Some(outcome.checks) == most }
    };
    outcomes.into_iter().find(is_best).unwrap_or_default()
}
