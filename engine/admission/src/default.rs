//! Defaults, and nulls of fields that cannot be null. Upstream: `apiextensions-apiserver`, package `defaulting`.

use skewer_engine::document::{Doc, OwnedDoc, Text};

use super::structural::{AdditionalProperties, StructuralSchema};

/// Removes each null in place of a field that cannot be null and has no default. Upstream:
/// `PruneNonNullableNullsWithoutDefaults`.
pub fn drop_nulls(schema: &StructuralSchema, value: &mut OwnedDoc) {
    match value {
        Doc::Map(map) => {
            let is_removed = |field: &StructuralSchema| !field.nullable && field.default.is_none();
            map.retain(|key, value| !(value.is_null() && schema.field(key).is_some_and(is_removed)));
            for (key, value) in map.iter_mut() {
                if let Some(field) = schema.field(key) {
                    drop_nulls(field, value);
                }
            }
        }
        Doc::List(items) => {
            let Some(schema) = &schema.items else { return };
            for item in items {
                drop_nulls(schema, item);
            }
        }
        _ => {}
    }
}

/// Sets the defaults of a value, also in place of a null if the field cannot be null. Upstream: `Default`.
pub fn set_defaults(schema: &StructuralSchema, value: &mut OwnedDoc) {
    match value {
        Doc::Map(map) => {
            for (name, property) in &schema.properties {
                let Some(default) = &property.default else { continue };
                let is_missing = map.get(name).is_none_or(|value| value.is_null() && !property.nullable);
                if is_missing {
                    map.insert(Text::from(name.as_str()).to_static(), default.clone());
                }
            }
            for (key, value) in map.iter_mut() {
                if let Some(field) = schema.field(key) {
                    replace_null(field, value);
                    set_defaults(field, value);
                }
            }
        }
        Doc::List(items) => {
            let Some(schema) = &schema.items else { return };
            for item in items {
                replace_null(schema, item);
                set_defaults(schema, item);
            }
        }
        _ => {}
    }
}

fn replace_null(schema: &StructuralSchema, value: &mut OwnedDoc) {
    if let (true, false, Some(default)) = (value.is_null(), schema.nullable, &schema.default) {
        *value = default.clone();
    }
}

impl StructuralSchema {
    /// Returns the schema of a field, which can be a value of a map.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&StructuralSchema> {
        self.properties.get(name).or(match &self.additional_properties {
            Some(AdditionalProperties::Schema(values)) => Some(values),
            Some(AdditionalProperties::Any) | None => None,
        })
    }
}
