//! Defaults, and nulls of fields that cannot be null. Upstream: `apiextensions-apiserver`, package `defaulting`
//! (`PruneNonNullableNullsWithoutDefaults`, `Default`).

use super::structural::{AdditionalProperties, StructuralSchema};
use crate::document::{Doc, OwnedDoc, Text};

/// Sets the defaults of a value. A null in place of a field that cannot be null gets the default of the field, or is removed
/// if there is none.
pub fn set_defaults(schema: &StructuralSchema, value: &mut OwnedDoc) {
    match value {
        Doc::Map(map) => {
            map.retain(|key, value| {
                let is_removed = |field: &StructuralSchema| !field.nullable && field.default.is_none();
                !(value.is_null() && schema.field(key).is_some_and(is_removed))
            });
            for (name, property) in &schema.properties {
                let Some(default) = &property.default else { continue };
                let is_missing = map.get(name).is_none_or(|value| value.is_null() && !property.nullable);
                if is_missing {
                    map.insert(Text::from(name.as_str()).to_static(), default.clone());
                }
            }
            for (key, value) in map.iter_mut() {
                if let Some(property) = schema.field(key) {
                    if let (true, false, Some(default)) =
                        (value.is_null(), property.nullable, &property.default)
                    {
                        *value = default.clone();
                    }
                    set_defaults(property, value);
                }
            }
        }
        Doc::List(items) => {
            let Some(schema) = &schema.items else { return };
            for item in items {
                if let (true, false, Some(default)) = (item.is_null(), schema.nullable, &schema.default) {
                    *item = default.clone();
                }
                set_defaults(schema, item);
            }
        }
        _ => {}
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
