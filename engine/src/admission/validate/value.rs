//! The validation of one value, without the values in it.

use crate::admission::structural::{NestedValidation, StructuralSchema, ValueType, ValueValidation};
use crate::document::{Doc, OwnedDoc};
use crate::error::{Error, ErrorKind};

/// Returns the errors of a value itself, and those of `allOf`, `anyOf`, `oneOf` and `not`, which can also be about values
/// in it.
pub(super) fn errors_of(schema: &StructuralSchema, value: &OwnedDoc) -> Vec<Error> {
    if value.is_null() && schema.nullable {
        return Vec::new();
    }
    let expected = if schema.int_or_string {
        (!matches!(value, Doc::Int(_) | Doc::String(_))).then_some("an integer or a string")
    } else {
        schema.ty.filter(|ty| !has_type(*ty, value)).map(describe)
    };
    if let Some(expected) = expected {
        let message = format!("expected {expected}, found {}", value.kind().with_article());
        return vec![Error::new(ErrorKind::Undecodable, message)];
    }
    validation_errors(&schema.validation, value)
}

fn has_type(ty: ValueType, value: &OwnedDoc) -> bool {
    match ty {
        ValueType::Object => matches!(value, Doc::Map(_)),
        ValueType::Array => matches!(value, Doc::List(_)),
        ValueType::String => matches!(value, Doc::String(_)),
        ValueType::Integer => match value {
            Doc::Int(_) => true,
            Doc::Float(number) => number.fract() == 0.0,
            _ => false,
        },
        ValueType::Number => matches!(value, Doc::Int(_) | Doc::Float(_)),
        ValueType::Boolean => matches!(value, Doc::Bool(_)),
    }
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

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidValue, message)
}

fn validation_errors(validation: &ValueValidation, value: &OwnedDoc) -> Vec<Error> {
    let mut errors = Vec::new();
    if let Some(map) = value.as_map() {
        for name in validation.required.iter().filter(|name| !map.contains_key(name)) {
            errors.push(Error::new(ErrorKind::RequiredFieldMissing, "a required field is missing").at(name));
        }
        errors.extend(size_error(
            "fields",
            map.len(),
            (validation.min_properties, validation.max_properties),
        ));
    }
    if !validation.enum_values.is_empty() && !validation.enum_values.contains(value) {
        let values: Vec<String> = validation.enum_values.iter().map(ToString::to_string).collect();
        let message = format!("{value} is not one of {}", values.join(", "));
        errors.push(Error::new(ErrorKind::UnknownEnumValue, message));
    }
    match value {
        Doc::String(text) => {
            let length = text.chars().count();
            errors.extend(size_error("characters", length, (validation.min_length, validation.max_length)));
        }
        Doc::List(items) => {
            errors.extend(size_error("items", items.len(), (validation.min_items, validation.max_items)));
            let is_repeated = |(index, item): (usize, &OwnedDoc)| items[..index].contains(item);
            if validation.unique_items && items.iter().enumerate().any(is_repeated) {
                errors.push(invalid("the list has equal items"));
            }
        }
        #[allow(clippy::cast_precision_loss)] // Upstream compares numbers as floats, too.
        Doc::Int(number) => errors.extend(number_errors(validation, *number as f64)),
        Doc::Float(number) => errors.extend(number_errors(validation, *number)),
        _ => {}
    }
    errors.extend(alternative_errors(validation, value));
    errors
}

/// Returns the error for a value that is too small or too large.
fn size_error(unit: &str, size: usize, (least, most): (Option<i64>, Option<i64>)) -> Option<Error> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    match (least, most) {
        (Some(least), _) if size < least => {
            Some(invalid(format!("expected at least {least} {unit}, found {size}")))
        }
        (_, Some(most)) if size > most => {
            Some(invalid(format!("expected at most {most} {unit}, found {size}")))
        }
        _ => None,
    }
}

fn number_errors(validation: &ValueValidation, number: f64) -> Vec<Error> {
    let mut errors = Vec::new();
    if let Some(maximum) = validation.maximum {
        if number > maximum || (validation.exclusive_maximum && number >= maximum) {
            let limit = if validation.exclusive_maximum { "less than" } else { "at most" };
            errors.push(invalid(format!("expected {limit} {maximum}, found {number}")));
        }
    }
    if let Some(minimum) = validation.minimum {
        if number < minimum || (validation.exclusive_minimum && number <= minimum) {
            let limit = if validation.exclusive_minimum { "more than" } else { "at least" };
            errors.push(invalid(format!("expected {limit} {minimum}, found {number}")));
        }
    }
    if let Some(factor) = validation.multiple_of {
        if (number / factor).fract() != 0.0 {
            errors.push(invalid(format!("expected a multiple of {factor}, found {number}")));
        }
    }
    errors
}

fn alternative_errors(validation: &ValueValidation, value: &OwnedDoc) -> Vec<Error> {
    let mut errors: Vec<Error> =
        validation.all_of.iter().flat_map(|nested| nested_errors(nested, value)).collect();
    let holds = |nested: &NestedValidation| nested_errors(nested, value).is_empty();
    if !validation.any_of.is_empty() && !validation.any_of.iter().any(holds) {
        errors.push(invalid("no schema of `anyOf` permits the value"));
    }
    if !validation.one_of.is_empty() {
        match validation.one_of.iter().filter(|nested| holds(nested)).count() {
            1 => {}
            count => {
                errors.push(invalid(format!(
                    "exactly one schema of `oneOf` must permit the value, and {count} do"
                )));
            }
        }
    }
    if validation.not.as_deref().is_some_and(holds) {
        errors.push(invalid("the schema of `not` permits the value"));
    }
    errors
}

/// Returns the errors of a nested schema, also in the values inside.
fn nested_errors(nested: &NestedValidation, value: &OwnedDoc) -> Vec<Error> {
    if let Some(ty) = nested.ty.filter(|ty| !has_type(*ty, value)) {
        return vec![invalid(format!("expected {}, found {}", describe(ty), value.kind().with_article()))];
    }
    let mut errors = validation_errors(&nested.validation, value);
    if let Some(map) = value.as_map() {
        for (key, value) in map.iter() {
            let field = nested.properties.get(key.as_str()).or(nested.additional_properties.as_deref());
            let inner = field.map(|field| nested_errors(field, value)).unwrap_or_default();
            errors.extend(inner.into_iter().map(|error| error.at(key)));
        }
    }
    if let (Some(list), Some(items)) = (value.as_list(), &nested.items) {
        for (index, item) in list.iter().enumerate() {
            errors.extend(nested_errors(items, item).into_iter().map(|error| error.at_index(index)));
        }
    }
    errors
}
