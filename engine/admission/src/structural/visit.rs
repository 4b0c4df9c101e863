//! A traversal of a schema with all schemas in it.

use skewer_engine::field_path::{FieldPath, PathSegment};

use super::{AdditionalProperties, NestedValidation, StructuralSchema, ValidationRule, ValueValidation};

/// The common parts of schemas and of the schemas inside `allOf` and the like.
#[derive(Clone, Copy)]
pub(crate) struct Part<'s> {
    pub(crate) validation: &'s ValueValidation,
    pub(crate) rules: &'s [ValidationRule],
}

/// Calls a function with each schema and its path.
pub(crate) fn visit(schema: &StructuralSchema, visitor: &mut dyn FnMut(&FieldPath, Part<'_>)) {
    visit_schema(schema, &mut FieldPath::root(), visitor);
}

fn visit_schema(
    schema: &StructuralSchema,
    path: &mut FieldPath,
    visitor: &mut dyn FnMut(&FieldPath, Part<'_>),
) {
    visitor(path, Part { validation: &schema.validation, rules: &schema.rules });
    for (name, property) in &schema.properties {
        within(path, &["properties", name], |path| visit_schema(property, path, visitor));
    }
    if let Some(AdditionalProperties::Schema(values)) = &schema.additional_properties {
        within(path, &["additionalProperties"], |path| visit_schema(values, path, visitor));
    }
    if let Some(items) = &schema.items {
        within(path, &["items"], |path| visit_schema(items, path, visitor));
    }
    visit_alternatives(&schema.validation, path, visitor);
}

fn visit_nested(
    nested: &NestedValidation,
    path: &mut FieldPath,
    visitor: &mut dyn FnMut(&FieldPath, Part<'_>),
) {
    visitor(path, Part { validation: &nested.validation, rules: &nested.rules });
    for (name, property) in &nested.properties {
        within(path, &["properties", name], |path| visit_nested(property, path, visitor));
    }
    if let Some(values) = &nested.additional_properties {
        within(path, &["additionalProperties"], |path| visit_nested(values, path, visitor));
    }
    if let Some(items) = &nested.items {
        within(path, &["items"], |path| visit_nested(items, path, visitor));
    }
    visit_alternatives(&nested.validation, path, visitor);
}

fn visit_alternatives(
    validation: &ValueValidation,
    path: &mut FieldPath,
    visitor: &mut dyn FnMut(&FieldPath, Part<'_>),
) {
    let lists = [("allOf", &validation.all_of), ("anyOf", &validation.any_of), ("oneOf", &validation.one_of)];
    for (key, list) in lists {
        for (i, nested) in list.iter().enumerate() {
            within(path, &[key], |path| {
                path.push(PathSegment::Index(i));
                visit_nested(nested, path, visitor);
                path.pop();
            });
        }
    }
    if let Some(nested) = &validation.not {
        within(path, &["not"], |path| visit_nested(nested, path, visitor));
    }
}

/// Calls a function with a longer path.
pub(crate) fn within<T>(path: &mut FieldPath, keys: &[&str], then: impl FnOnce(&mut FieldPath) -> T) -> T {
    for key in keys {
        path.push(PathSegment::Key((*key).into()));
    }
    let result = then(path);
    for _ in keys {
        path.pop();
    }
    result
}
