//! Validation of custom resources against their schema, with ratcheting: an error in a value that did not change is only a
//! warning. Upstream: `apiextensions-apiserver`, `pkg/apiserver/validation` (`ratchetingValueValidator`) and
//! `pkg/apiserver/schema/listtype`; `kube-openapi`, `pkg/validation/validate`.
//!
//! `format`, `pattern`, embedded resources and rules in CEL are not validated.

mod correlation;
mod list_types;
mod value;

use super::structural::StructuralSchema;
use crate::document::OwnedDoc;
use crate::error::Error;
use correlation::{is_equal, old_item};

/// The result of a validation.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Validation {
    /// The errors. The request is refused if there are any.
    pub errors: Vec<Error>,
    /// The errors in values that did not change. They are returned as warnings.
    pub warnings: Vec<Error>,
}

/// Validates an object. `old` is the object that it replaces, if errors in values that did not change are warnings.
#[must_use]
pub fn validate(schema: &StructuralSchema, new: &OwnedDoc, old: Option<&OwnedDoc>) -> Validation {
    let mut validation = validate_value(schema, new, old);
    let had_errors = old.is_some_and(|old| !list_types::validate(schema, old).is_empty());
    if !had_errors {
        validation.errors.extend(list_types::validate(schema, new));
    }
    validation
}

/// Validates a value and the values in it.
fn validate_value(schema: &StructuralSchema, new: &OwnedDoc, old: Option<&OwnedDoc>) -> Validation {
    let mut result = Validation { errors: value::errors_of(schema, new), warnings: Vec::new() };
    let mut add = |inner: Validation, at: &dyn Fn(Error) -> Error| {
        result.errors.extend(inner.errors.into_iter().map(at));
        result.warnings.extend(inner.warnings.into_iter().map(at));
    };
    if let Some(map) = new.as_map() {
        let old_map = old.and_then(|old| old.as_map());
        for (key, value) in map.iter() {
            if let Some(field) = schema.field(key) {
                let old_value = old_map.and_then(|old| old.get(key));
                add(validate_value(field, value, old_value), &|error| error.at(key));
            }
        }
    }
    if let (Some(list), Some(items)) = (new.as_list(), &schema.items) {
        for (index, item) in list.iter().enumerate() {
            let old_item = old.and_then(|old| old_item(schema, item, old.as_list()?));
            add(validate_value(items, item, old_item), &|error| error.at_index(index));
        }
    }
    if !result.errors.is_empty() && old.is_some_and(|old| is_equal(schema, new, old)) {
        result.warnings.append(&mut result.errors);
    }
    result
}

#[cfg(test)]
mod tests;
