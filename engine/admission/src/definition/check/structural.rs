//! The rules of structural schemas. Upstream: `ValidateStructural`, `validateStructuralCompleteness`.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};

use super::checker::{Checker, Class};
use super::raw;
use crate::go_regex::{NotCompiled, Pattern};
use crate::reason::ServerReason;

/// The position of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

impl Level {
    /// Returns the message for a schema without a type. Upstream: `Required value: must not be empty for specified object
    /// fields`, `... for specified array items`, `... at the root`.
    const fn missing_type(self) -> &'static str {
        match self {
            Level::Root => "missing: the root has the type object",
            Level::Item => "missing: the items of a list have a type",
            Level::Field => "missing: each field has a type",
        }
    }
}

/// Keywords that a schema inside `allOf` and the like cannot have.
const NOT_NESTED: [&str; 13] = [
    "type",
    "additionalProperties",
    "default",
    "title",
    "description",
    "nullable",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
];

pub(super) fn check(checker: &mut Checker, schema: &OwnedMap) {
    check_schema(checker, schema, Level::Root);
    check_completeness(checker, schema, schema);
}

fn report(checker: &mut Checker, reason: ServerReason, message: &str) {
    checker.report_as(Class::NotStructural, reason, message);
}

fn report_at(checker: &mut Checker, key: &str, reason: ServerReason, message: &str) {
    checker.at(&[key], |checker| report(checker, reason, message));
}

/// Upstream: `validateStructuralInvariants`.
fn check_schema(checker: &mut Checker, schema: &OwnedMap, level: Level) {
    let is_root = level == Level::Root;
    let has_additional = raw::has(schema, "additionalProperties");
    if raw::text(schema, "type") == "array" && raw::map(schema, "items").is_none() {
        report_at(checker, "items", ServerReason::Required, "missing: a list has a schema for its items");
    }
    if let Some(items) = raw::map(schema, "items") {
        checker.at(&["items"], |checker| check_schema(checker, items, Level::Item));
    }
    for (name, property) in raw::schemas(schema, "properties") {
        checker.at(&["properties", name], |checker| check_schema(checker, property, Level::Field));
    }
    if has_additional && is_root {
        report_at(checker, "additionalProperties", ServerReason::Forbidden, "not possible at the root");
    }
    if let Some(values) = raw::map(schema, "additionalProperties") {
        checker.at(&["additionalProperties"], |checker| check_schema(checker, values, Level::Field));
    }
    check_extensions(checker, schema, level);
    check_alternatives(checker, schema, Types::InSchema);
    if is_root || raw::is_set(schema, "x-kubernetes-embedded-resource") {
        check_object_fields(checker, schema, is_root);
    }
}

fn check_extensions(checker: &mut Checker, schema: &OwnedMap, level: Level) {
    let ty = raw::text(schema, "type");
    let has_additional = raw::has(schema, "additionalProperties");
    let is_int_or_string = raw::is_set(schema, "x-kubernetes-int-or-string");
    let is_embedded = raw::is_set(schema, "x-kubernetes-embedded-resource");
    let keeps_unknown = raw::is_set(schema, "x-kubernetes-preserve-unknown-fields");
    if is_int_or_string && keeps_unknown {
        let message = "not possible with x-kubernetes-int-or-string";
        report_at(checker, "x-kubernetes-preserve-unknown-fields", ServerReason::Invalid, message);
    }
    if is_int_or_string && is_embedded {
        let message = "not possible with x-kubernetes-int-or-string";
        report_at(checker, "x-kubernetes-embedded-resource", ServerReason::Invalid, message);
    }
    if is_embedded && ty != "object" {
        let reason = if ty.is_empty() { ServerReason::Required } else { ServerReason::Invalid };
        report_at(checker, "type", reason, "expected object, because of x-kubernetes-embedded-resource");
    } else if ty.is_empty() && !is_int_or_string && !keeps_unknown {
        report_at(checker, "type", ServerReason::Required, level.missing_type());
    }
    if level == Level::Root && !matches!(ty, "" | "object") {
        report_at(checker, "type", ServerReason::Invalid, "expected object at the root");
    }
    if is_embedded && has_additional {
        let message = "not possible with x-kubernetes-embedded-resource";
        report_at(checker, "additionalProperties", ServerReason::Forbidden, message);
    }
    if is_embedded && !keeps_unknown && raw::is_empty(schema.get("properties")) {
        let message = "missing: an object inside of an object has fields, or keeps unknown fields";
        report_at(checker, "properties", ServerReason::Required, message);
    }
}

/// Checks the fields that all objects have. Upstream: `validateStructuralMetadataInvariants`.
fn check_object_fields(checker: &mut Checker, schema: &OwnedMap, is_root: bool) {
    let Some(properties) = raw::map(schema, "properties") else { return };
    for (name, ty) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        if raw::map(properties, name).is_some_and(|property| raw::text(property, "type") != ty) {
            let message = format!("expected {ty}");
            checker.at(&["properties", name, "type"], |checker| {
                report(checker, ServerReason::Invalid, &message);
            });
        }
    }
    let Some(metadata) = raw::map(properties, "metadata").filter(|_| is_root) else { return };
    let is_allowed = |(key, value): (&str, &OwnedDoc)| match key {
        "type" | "default" => true,
        "properties" => value.as_map().is_some_and(|properties| {
            properties.keys().all(|name| matches!(name.as_str(), "name" | "generateName"))
        }),
        _ => is_dropped(key, value),
    };
    if !metadata.iter().all(|(key, value)| is_allowed((key.as_str(), value))) {
        checker.at(&["properties", "metadata"], |checker| {
            let message = "only the name and the generateName of metadata can be restricted";
            report(checker, ServerReason::Forbidden, message);
        });
    }
}

/// Returns whether structural schemas do not have a keyword with this value. Upstream: `newValueValidation`.
fn is_dropped(key: &str, value: &OwnedDoc) -> bool {
    match key {
        "enum" | "allOf" | "anyOf" | "oneOf" => raw::is_empty(Some(value)),
        "items" => value.as_list().is_some_and(<[OwnedDoc]>::is_empty),
        // Upstream: `validateUnsupportedFields`.
        "$ref" => value.as_str().is_some_and(str::is_empty),
        _ => false,
    }
}

/// Returns whether a list is that of an integer or a string: `[{type: integer}, {type: string}]`.
fn is_int_or_string(alternatives: &[OwnedDoc]) -> bool {
    let is = |schema: &OwnedDoc, ty: &str| {
        schema.as_map().is_some_and(|schema| {
            raw::text(schema, "type") == ty
                && schema.iter().all(|(key, value)| match key.as_str() {
                    "type" => true,
                    // Inside of `anyOf`, only a schema and `true` are read.
                    "additionalProperties" => *value == Doc::Bool(false) || is_dropped(key, value),
                    _ => is_dropped(key, value),
                })
        })
    };
    matches!(alternatives, [first, second] if is(first, "integer") && is(second, "string"))
}

/// The positions at which `anyOf` can have the types of an integer or a string: in a schema, and in the first schema of
/// its `allOf`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Types {
    InSchema,
    InFirstOfAllOf,
    Forbidden,
}

/// Checks the pattern, and `allOf` and the like, of a schema or of a schema inside them. Upstream:
/// `validateValueValidation`.
fn check_alternatives(checker: &mut Checker, schema: &OwnedMap, types: Types) {
    if let Err(why @ NotCompiled::Invalid { .. }) = Pattern::compile(raw::text(schema, "pattern")) {
        let message = format!("must be a valid regular expression, but isn't: {why}");
        report_at(checker, "pattern", ServerReason::Invalid, &message);
    }
    for key in ["anyOf", "allOf", "oneOf"] {
        let alternatives = raw::list(schema, key);
        if key == "anyOf" && types != Types::Forbidden && is_int_or_string(alternatives) {
            continue;
        }
        for (index, nested) in alternatives.iter().enumerate() {
            let Some(nested) = nested.as_map() else { continue };
            let types = match (types, key, index) {
                (Types::InSchema, "allOf", 0) => Types::InFirstOfAllOf,
                _ => Types::Forbidden,
            };
            checker.at(&[key], |checker| {
                checker.at_index(index, |checker| check_nested(checker, nested, types));
            });
        }
    }
    if let Some(nested) = raw::map(schema, "not") {
        checker.at(&["not"], |checker| check_nested(checker, nested, Types::Forbidden));
    }
}

/// Upstream: `validateNestedValueValidation`.
fn check_nested(checker: &mut Checker, nested: &OwnedMap, types: Types) {
    for key in NOT_NESTED {
        // Additional properties that are forbidden count as missing.
        let is_there = match nested.get(key) {
            Some(Doc::Bool(false)) if key == "additionalProperties" => false,
            Some(Doc::List(items)) if key != "default" => !items.is_empty(),
            value => value.is_some(),
        };
        if is_there {
            report_at(
                checker,
                key,
                ServerReason::Forbidden,
                "not possible inside allOf, anyOf, oneOf and not",
            );
        }
    }
    if let Some(items) = raw::map(nested, "items") {
        checker.at(&["items"], |checker| check_nested(checker, items, Types::Forbidden));
    }
    for (name, property) in raw::schemas(nested, "properties") {
        checker.at(&["properties", name], |checker| {
            if name == "metadata" {
                let message = "metadata cannot be restricted inside allOf, anyOf, oneOf and not";
                report(checker, ServerReason::Forbidden, message);
            }
            check_nested(checker, property, Types::Forbidden);
        });
    }
    check_alternatives(checker, nested, types);
}

/// Checks that the fields and items inside `allOf` and the like are also outside. Only what is at the root is checked for this.
/// The path is that of the schema outside. Upstream: `validateValueValidationCompleteness`.
fn check_completeness(checker: &mut Checker, schema: &OwnedMap, outside: &OwnedMap) {
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|key| raw::list(schema, key));
    let all = lists.chain(schema.get("not"));
    all.filter_map(Doc::as_map).for_each(|nested| check_nested_completeness(checker, nested, outside));
}

fn check_nested_completeness(checker: &mut Checker, nested: &OwnedMap, outside: &OwnedMap) {
    check_completeness(checker, nested, outside);
    if let Some(items) = raw::map(nested, "items") {
        checker.at(&["items"], |checker| check_outside(checker, items, raw::map(outside, "items")));
    }
    let properties = raw::map(outside, "properties");
    for (name, property) in raw::schemas(nested, "properties") {
        let outside = properties.and_then(|properties| raw::map(properties, name));
        checker.at(&["properties", name], |checker| check_outside(checker, property, outside));
    }
}

fn check_outside(checker: &mut Checker, nested: &OwnedMap, outside: Option<&OwnedMap>) {
    match outside {
        None => {
            let message = "missing: the schema has this only inside allOf, anyOf, oneOf or not";
            report(checker, ServerReason::Required, message);
        }
        Some(outside) => check_nested_completeness(checker, nested, outside),
    }
}
