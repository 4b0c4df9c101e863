//! Keywords that contradict each other, and those that API servers do not support. Upstream:
//! `ValidateCustomResourceDefinitionOpenAPISchema`, `specStandardValidatorV3`.

use skewer_engine::document::{Doc, OwnedMap};

use super::checker::{Checker, Class};
use super::walk::{Place, inner};
use super::{raw, rules};
use crate::reason::ServerReason;

/// The properties that a schema inherits from the schemas around it.
#[derive(Clone, Copy, Default)]
struct Context {
    /// Whether the schema is inside of metadata, or of the version or the kind of an object.
    is_in_metadata: bool,
    has_forbidden_defaults: bool,
}

pub(super) fn check(checker: &mut Checker, schema: &OwnedMap) {
    check_schema(checker, schema, Context::default(), true);
}

fn check_schema(checker: &mut Checker, schema: &OwnedMap, context: Context, is_root: bool) {
    checker.owner = checker.path.clone();
    check_support(checker, schema, context);
    check_types(checker, schema);
    check_lists(checker, schema);
    rules::check_texts(checker, schema);
    let has_properties = raw::map(schema, "properties").is_some_and(|properties| !properties.is_empty());
    if has_properties && matches!(schema.get("additionalProperties"), Some(Doc::Bool(false) | Doc::Map(_))) {
        checker.report_at("additionalProperties", ServerReason::Forbidden, "not possible with `properties`");
    }
    let is_object = is_root || raw::is_set(schema, "x-kubernetes-embedded-resource");
    for (place, schema) in inner(schema) {
        let mut context = context;
        match place {
            Place::Value("properties", "metadata" | "kind" | "apiVersion") if is_object => {
                context.is_in_metadata = true;
                context.has_forbidden_defaults |= is_root;
            }
            Place::Member("additionalProperties") => context.has_forbidden_defaults |= context.is_in_metadata,
            Place::Member("additionalItems") | Place::Value("patternProperties", _) => continue,
            _ => {}
        }
        checker.at_place(place, |checker| check_schema(checker, schema, context, false));
    }
}

/// Upstream: `specStandardValidatorV3.validate`.
fn check_support(checker: &mut Checker, schema: &OwnedMap, context: Context) {
    let is_filled = |key: &str| !raw::is_empty(schema.get(key));
    for (key, is_there) in [
        ("id", is_filled("id")),
        ("patternProperties", is_filled("patternProperties")),
        ("definitions", is_filled("definitions")),
        ("additionalItems", raw::has(schema, "additionalItems")),
        ("dependencies", raw::has(schema, "dependencies")),
        ("$ref", raw::has(schema, "$ref")),
    ] {
        if is_there {
            checker.report_at(key, ServerReason::Forbidden, format!("{key} is not supported"));
        }
    }
    if raw::is_set(schema, "uniqueItems") {
        let message = "uniqueItems is not supported: use `x-kubernetes-list-type: set`";
        checker.report_at("uniqueItems", ServerReason::Forbidden, message);
    }
    if raw::has(schema, "default") && context.has_forbidden_defaults {
        checker.report_at("default", ServerReason::Forbidden, "metadata cannot have a default here");
    }
    if !raw::list(schema, "items").is_empty() {
        checker.report_at("items", ServerReason::Forbidden, "expected a schema, not a list of schemas");
    }
    if context.is_in_metadata && raw::is_set(schema, "x-kubernetes-embedded-resource") {
        let message = "not possible inside of metadata";
        checker.report_at("x-kubernetes-embedded-resource", ServerReason::Forbidden, message);
    }
    if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Doc::Bool(false)) {
        let message = "must be true, or missing";
        checker.report_at("x-kubernetes-preserve-unknown-fields", ServerReason::Invalid, message);
    }
}

fn check_types(checker: &mut Checker, schema: &OwnedMap) {
    let ty = raw::text(schema, "type");
    if !ty.is_empty() && !raw::TYPES.contains(&ty) {
        let message = format!("expected object, array, string, integer, number or boolean, found {ty:?}");
        let report =
            |checker: &mut Checker| checker.report_as(Class::UnknownType, ServerReason::Unsupported, message);
        checker.at(&["type"], report);
    }
    if ty == "null" {
        checker.report_at("type", ServerReason::Forbidden, "use `nullable`");
    }
    for (key, expected, words) in [
        ("x-kubernetes-map-type", "object", &["atomic", "granular"][..]),
        ("x-kubernetes-list-type", "array", &["atomic", "set", "map"]),
    ] {
        let Some(word) = schema.get(key).and_then(Doc::as_str) else { continue };
        if ty != expected {
            let reason = if ty.is_empty() { ServerReason::Required } else { ServerReason::Invalid };
            checker.report_at("type", reason, format!("expected {expected}, because of {key}"));
        }
        if !words.contains(&word) {
            let message = format!("expected {}, found {word:?}", words.join(" or "));
            checker.report_at(key, ServerReason::Unsupported, message);
        }
    }
}

fn check_lists(checker: &mut Checker, schema: &OwnedMap) {
    const KEYS: &str = "x-kubernetes-list-map-keys";
    let list_type = raw::text(schema, "x-kubernetes-list-type");
    let keys: Vec<&str> = raw::list(schema, KEYS).iter().filter_map(Doc::as_str).collect();
    let items = raw::map(schema, "items");
    if let (Some(items), "set", "array") = (items, list_type, raw::text(schema, "type")) {
        checker.at(&["items"], |checker| check_set_items(checker, items));
    }
    if !keys.is_empty() && list_type != "map" {
        let has_type = raw::has(schema, "x-kubernetes-list-type");
        let reason = if has_type { ServerReason::Invalid } else { ServerReason::Required };
        let message = format!("{KEYS} is only possible with `x-kubernetes-list-type: map`");
        checker.report_at("x-kubernetes-list-type", reason, message);
    }
    if let (Some(items), "set" | "map") = (items, list_type)
        && raw::is_set(items, "nullable")
    {
        let message = "an item of a set, or of a list of type map, cannot be null";
        let report =
            |checker: &mut Checker| checker.report_as(Class::ListKeys, ServerReason::Forbidden, message);
        checker.at(&["items", "nullable"], report);
    }
    if list_type != "map" {
        return;
    }
    if keys.is_empty() {
        checker.report_at(KEYS, ServerReason::Required, "missing: a list of type map has keys");
    }
    match (items, schema.get("items")) {
        (Some(items), _) => {
            if raw::text(items, "type") != "object" {
                let message = "expected object in a list of type map";
                checker.at(&["items", "type"], |checker| checker.report(ServerReason::Invalid, message));
            }
            check_keys(checker, items, &keys);
        }
        (None, Some(_)) => {
            checker.report_at(
                "items",
                ServerReason::Invalid,
                "a list of type map has one schema for its items",
            );
        }
        (None, None) => {
            checker.report_at(
                "items",
                ServerReason::Required,
                "missing: a list of type map has a schema for its items",
            );
        }
    }
}

/// The items of a set are scalars, or atomic.
fn check_set_items(checker: &mut Checker, items: &OwnedMap) {
    let key = match raw::text(items, "type") {
        "array" => "x-kubernetes-list-type",
        "object" => "x-kubernetes-map-type",
        _ => return,
    };
    let is_default = key == "x-kubernetes-list-type" && !raw::has(items, key);
    if !is_default && raw::text(items, key) != "atomic" {
        let message = "an item of a set that is a list or a map is atomic";
        checker.at(&[key], |checker| checker.report_as(Class::AtomicSet, ServerReason::Invalid, message));
    }
}

/// Checks the keys of a list of type `map`. Upstream: `validateMapListKeysMapSet`.
fn check_keys(checker: &mut Checker, items: &OwnedMap, keys: &[&str]) {
    let required = raw::list(items, "required");
    let is_object = raw::text(items, "type") == "object";
    for (index, key) in keys.iter().enumerate() {
        let property = raw::map(items, "properties").and_then(|properties| raw::map(properties, key));
        let problem = if property.is_none() { Some(format!("the items have no field {key}")) } else { None };
        let repeated = keys[..index].contains(key).then(|| format!("the key {key} twice"));
        for message in problem.into_iter().chain(repeated).filter(|_| is_object) {
            checker.report_at("x-kubernetes-list-map-keys", ServerReason::Invalid, message);
        }
        let Some(property) = property else { continue };
        checker.at(&["items", "properties", key], |checker| {
            if is_object && matches!(raw::text(property, "type"), "array" | "object") {
                checker.report_at("type", ServerReason::Invalid, "the key of a list of type map is a scalar");
            }
            if !required.iter().any(|name| name.as_str() == Some(key)) && !raw::has(property, "default") {
                let message = "missing: the key of a list of type map is required or has a default";
                let report = |checker: &mut Checker| {
                    checker.report_as(Class::ListKeys, ServerReason::Required, message);
                };
                checker.at(&["default"], report);
            }
            if raw::is_set(property, "nullable") {
                let message = "the key of a list of type map cannot be null";
                let report = |checker: &mut Checker| {
                    checker.report_as(Class::ListKeys, ServerReason::Forbidden, message);
                };
                checker.at(&["nullable"], report);
            }
        });
    }
}
