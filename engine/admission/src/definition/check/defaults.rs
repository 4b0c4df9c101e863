//! Whether defaults are valid. Upstream: `defaulting.ValidateDefaults`.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::field_path::PathSegment;

use super::checker::{Checker, Class};
use super::rules::values_at;
use crate::cel::{CompiledRules, RuleOptions};
use crate::reason::Reason;
use crate::structural::{AdditionalProperties, StructuralSchema};
use crate::{AdmissionOptions, metadata, prune, validate};

/// The position of a schema in the object around it.
#[derive(Clone)]
struct Position<'s> {
    /// The schema of the object.
    object: &'s StructuralSchema,
    /// The path in the object.
    path: Vec<PathSegment>,
    is_in_metadata: bool,
}

pub(super) fn check(checker: &mut Checker, schema: &StructuralSchema) {
    let root = StructuralSchema { embedded_resource: true, ..schema.clone() };
    let position = Position { object: &root, path: Vec::new(), is_in_metadata: false };
    check_schema(checker, &root, &position);
}

/// Checks the defaults of a schema and of those in it. There are none in `additionalProperties`.
fn check_schema<'s>(checker: &mut Checker, schema: &'s StructuralSchema, position: &Position<'s>) {
    let object = Position { object: schema, path: Vec::new(), is_in_metadata: false };
    let position = if schema.embedded_resource { &object } else { position };
    if let Some(default) = schema.default.as_ref().filter(|default| !default.is_null()) {
        checker.at(&["default"], |checker| check_default(checker, schema, default, position));
    }
    let inside = |segment: PathSegment, is_metadata: bool| {
        let mut inside = position.clone();
        inside.path.push(segment);
        inside.is_in_metadata |= is_metadata;
        inside
    };
    if let Some(items) = &schema.items {
        let position = inside(PathSegment::Index(0), false);
        checker.at(&["items"], |checker| check_schema(checker, items, &position));
    }
    for (name, property) in &schema.properties {
        let is_metadata =
            schema.embedded_resource && matches!(name.as_str(), "metadata" | "apiVersion" | "kind");
        let position = inside(PathSegment::Key(name.as_str().into()), is_metadata);
        checker.at(&["properties", name], |checker| check_schema(checker, property, &position));
    }
}

fn check_default(
    checker: &mut Checker,
    schema: &StructuralSchema,
    default: &OwnedDoc,
    position: &Position<'_>,
) {
    let mut coerced = default.clone();
    if position.is_in_metadata {
        if !is_valid_metadata(position, default) {
            return checker.report(Reason::Invalid, "the default does not result in valid metadata");
        }
    } else {
        for path in prune::prune_value(schema, &mut coerced, schema.embedded_resource) {
            let message = format!("the default has the unknown field {path}");
            checker.report_as(Class::PrunedDefault, Reason::Invalid, message);
        }
        coerced = default.clone();
        if let Err(error) = metadata::coerce_embedded(schema, &mut coerced, &mut Vec::new()) {
            return checker.add(Class::Always, Reason::of(error.kind()), &error);
        }
        let findings = metadata::validate(schema, &coerced);
        if !findings.is_empty() {
            return findings.iter().for_each(|it| checker.add(Class::Always, it.reason, &it.error));
        }
    }
    let outcome = validate::value::validate(&without_types(schema), &coerced, None, AdmissionOptions::NEWEST);
    if !outcome.errors.is_empty() {
        return outcome.errors.iter().for_each(|it| checker.add(Class::Always, it.reason, &it.error));
    }
    let errors = rule_errors(schema, &coerced);
    errors.iter().for_each(|error| checker.add(Class::Always, Reason::of(error.kind()), error));
}

/// Returns whether the object around a default, which has nothing else, has valid metadata. Upstream:
/// `SurroundingObjectFunc`.
fn is_valid_metadata(position: &Position<'_>, default: &OwnedDoc) -> bool {
    let mut object = position.path.iter().rev().fold(default.clone(), |inner, segment| match segment {
        PathSegment::Index(_) => Doc::List(vec![inner]),
        PathSegment::Key(key) => Doc::Map(std::iter::once((key.clone(), inner)).collect::<OwnedMap>()),
    });
    if let Some(object) = object.as_map_mut() {
        for (key, value) in [("apiVersion", "validation/v1"), ("kind", "Validation")] {
            if !object.contains_key(key) {
                object.insert(key.into(), value.into());
            }
        }
    }
    metadata::coerce_embedded(position.object, &mut object, &mut Vec::new()).is_ok()
        && metadata::validate(position.object, &object).is_empty()
}

/// Returns the errors of the rules of a default. A rule that is not compiled does not hold.
fn rule_errors(schema: &StructuralSchema, default: &OwnedDoc) -> Vec<Error> {
    let (rules, _, invalid) = CompiledRules::compile_value(schema, schema.embedded_resource);
    let evaluate = |old| rules.evaluate(default, old, RuleOptions::default()).0;
    let mut errors = evaluate(Some(default));
    for error in invalid {
        let message = format!("the rule is invalid: {}", error.message());
        let paths = values_at(default, error.path().segments());
        let at = |path| Error::new(ErrorKind::InvalidValue, message.as_str()).with_path(Some(path));
        errors.extend(paths.into_iter().map(at));
    }
    if errors.is_empty() {
        errors = evaluate(None);
    }
    errors
}

/// Returns the schema with which a default is validated: values that are integers or strings have no type in it. Upstream:
/// `Structural.ToKubeOpenAPI`.
fn without_types(schema: &StructuralSchema) -> StructuralSchema {
    let mut schema = schema.clone();
    schema.int_or_string = false;
    schema.properties.values_mut().for_each(|property| *property = without_types(property));
    if let Some(items) = &mut schema.items {
        **items = without_types(items);
    }
    if let Some(AdditionalProperties::Schema(values)) = &mut schema.additional_properties {
        **values = without_types(values);
    }
    schema
}
