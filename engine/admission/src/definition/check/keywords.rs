//! Keywords that contradict each other, and those that API servers do not support. Upstream:
//! `ValidateCustomResourceDefinitionOpenAPISchema`, `specStandardValidatorV3`.

use skewer_engine::document::{Doc, OwnedMap};

use super::checker::{Checker, Class};
use super::raw;

/// Keywords of `OpenAPI` that API servers do not support.
const NOT_SUPPORTED: [&str; 6] =
    ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

/// The properties that a schema inherits from the schemas around it.
#[derive(Clone, Copy, Default)]
struct Context {
    /// Whether the schema is inside of metadata, or of the version or the kind of an object.
    is_in_metadata: bool,
    has_forbidden_defaults: bool,
    /// Whether values have no old values, because they are in a list that is not of the type `map`.
    has_no_old_values: bool,
}

pub(super) fn check(checker: &mut Checker, schema: &OwnedMap) {
    check_schema(checker, schema, Context::default(), true);
}

fn check_schema(checker: &mut Checker, schema: &OwnedMap, context: Context, is_root: bool) {
    check_support(checker, schema, context);
    check_lists(checker, schema);
    check_rules(checker, schema, context);
    if raw::map(schema, "properties").is_some_and(|properties| !properties.is_empty())
        && matches!(schema.get("additionalProperties"), Some(Doc::Bool(false) | Doc::Map(_)))
    {
        checker.report_at("additionalProperties", "not possible with `properties`");
    }
    if let Some(values) = raw::map(schema, "additionalProperties") {
        let has_forbidden_defaults = context.has_forbidden_defaults || context.is_in_metadata;
        let context = Context { has_forbidden_defaults, ..context };
        checker.at(&["additionalProperties"], |checker| check_schema(checker, values, context, false));
    }
    let is_object = is_root || raw::is_set(schema, "x-kubernetes-embedded-resource");
    for (name, property) in raw::schemas(schema, "properties") {
        let is_metadata = is_object && matches!(name, "metadata" | "kind" | "apiVersion");
        let context = Context {
            is_in_metadata: context.is_in_metadata || is_metadata,
            has_forbidden_defaults: context.has_forbidden_defaults || (is_root && is_metadata),
            has_no_old_values: context.has_no_old_values,
        };
        checker.at(&["properties", name], |checker| check_schema(checker, property, context, false));
    }
    for key in ["allOf", "oneOf", "anyOf"] {
        for (index, nested) in raw::list(schema, key).iter().enumerate() {
            let Some(nested) = nested.as_map() else { continue };
            checker.at(&[key], |checker| {
                checker.at_index(index, |checker| check_schema(checker, nested, context, false));
            });
        }
    }
    if let Some(nested) = raw::map(schema, "not") {
        checker.at(&["not"], |checker| check_schema(checker, nested, context, false));
    }
    if let Some(items) = raw::map(schema, "items") {
        let is_map = raw::text(schema, "x-kubernetes-list-type") == "map";
        let context = Context { has_no_old_values: context.has_no_old_values || !is_map, ..context };
        checker.at(&["items"], |checker| check_schema(checker, items, context, false));
    }
}

fn check_support(checker: &mut Checker, schema: &OwnedMap, context: Context) {
    for key in NOT_SUPPORTED.iter().filter(|key| !raw::is_empty(schema.get(key))) {
        checker.report_at(key, format!("{key} is not supported"));
    }
    if raw::is_set(schema, "uniqueItems") {
        checker.report_at("uniqueItems", "uniqueItems is not supported: use `x-kubernetes-list-type: set`");
    }
    if raw::has(schema, "default") && context.has_forbidden_defaults {
        checker.report_at("default", "metadata cannot have a default here");
    }
    if context.is_in_metadata && raw::is_set(schema, "x-kubernetes-embedded-resource") {
        checker.report_at("x-kubernetes-embedded-resource", "not possible inside of metadata");
    }
    if matches!(schema.get("x-kubernetes-preserve-unknown-fields"), Some(Doc::Bool(false))) {
        checker.report_at("x-kubernetes-preserve-unknown-fields", "must be true, or missing");
    }
    if raw::has(schema, "x-kubernetes-map-type") && raw::text(schema, "type") != "object" {
        checker.report_at("type", "expected object, because of x-kubernetes-map-type");
    }
}

fn check_lists(checker: &mut Checker, schema: &OwnedMap) {
    let list_type = raw::text(schema, "x-kubernetes-list-type");
    let keys: Vec<&str> =
        raw::list(schema, "x-kubernetes-list-map-keys").iter().filter_map(Doc::as_str).collect();
    let items = raw::map(schema, "items");
    if raw::has(schema, "x-kubernetes-list-type") && raw::text(schema, "type") != "array" {
        checker.report_at("type", "expected array, because of x-kubernetes-list-type");
    } else if let (Some(items), "set") = (items, list_type) {
        checker.at(&["items"], |checker| check_set_items(checker, items));
    }
    if !keys.is_empty() && list_type != "map" {
        checker.report("x-kubernetes-list-map-keys is only possible with `x-kubernetes-list-type: map`");
    }
    if let (Some(items), "set" | "map") = (items, list_type)
        && raw::is_set(items, "nullable")
    {
        let message = "an item of a set, or of a list of type map, cannot be null";
        checker.at(&["items", "nullable"], |checker| checker.report_as(Class::ListKeys, message));
    }
    if list_type == "map" {
        if keys.is_empty() {
            checker.report_at("x-kubernetes-list-map-keys", "missing: a list of type map has keys");
        }
        match items {
            Some(items) if raw::text(items, "type") == "object" => check_keys(checker, items, &keys),
            _ => checker
                .at(&["items", "type"], |checker| checker.report("expected object in a list of type map")),
        }
    }
}

/// The items of a set are scalars, or atomic.
fn check_set_items(checker: &mut Checker, items: &OwnedMap) {
    let is_atomic = match raw::text(items, "type") {
        "array" => matches!(raw::text(items, "x-kubernetes-list-type"), "" | "atomic"),
        "object" => raw::text(items, "x-kubernetes-map-type") == "atomic",
        _ => true,
    };
    if !is_atomic {
        checker.report_as(Class::AtomicSet, "an item of a set that is a list or a map is atomic");
    }
}

/// Checks the keys of a list of type `map`. Upstream: `validateMapListKeysMapSet`.
fn check_keys(checker: &mut Checker, items: &OwnedMap, keys: &[&str]) {
    let required = raw::list(items, "required");
    for (index, key) in keys.iter().enumerate() {
        if keys[..index].contains(key) {
            checker.report_at("x-kubernetes-list-map-keys", format!("the key {key} twice"));
        }
        let Some(property) = raw::map(items, "properties").and_then(|properties| raw::map(properties, key))
        else {
            checker.report_at("x-kubernetes-list-map-keys", format!("the items have no field {key}"));
            continue;
        };
        checker.at(&["items", "properties", key], |checker| {
            if matches!(raw::text(property, "type"), "array" | "object") {
                checker.report_at("type", "the key of a list of type map is a scalar");
            }
            if !required.iter().any(|name| name.as_str() == Some(key)) && !raw::has(property, "default") {
                let message = "the key of a list of type map is required or has a default";
                checker.report_as(Class::ListKeys, message);
            }
            if raw::is_set(property, "nullable") {
                let message = "the key of a list of type map cannot be null";
                checker.at(&["nullable"], |checker| checker.report_as(Class::ListKeys, message));
            }
        });
    }
}

/// Checks what surrounds the expressions of rules.
fn check_rules(checker: &mut Checker, schema: &OwnedMap, context: Context) {
    for (index, rule) in raw::list(schema, "x-kubernetes-validations").iter().enumerate() {
        let Some(rule) = rule.as_map() else { continue };
        checker.at(&["x-kubernetes-validations"], |checker| {
            checker.at_index(index, |checker| check_rule(checker, rule, context));
        });
    }
}

fn check_rule(checker: &mut Checker, rule: &OwnedMap, context: Context) {
    const REASONS: [&str; 4] =
        ["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"];
    let has_lines = |text: &str| text.trim().contains(['\n', '\r']);
    let expression = raw::text(rule, "rule");
    let message = raw::text(rule, "message");
    if expression.trim().is_empty() {
        checker.report_at("rule", "missing");
    } else if has_lines(message) {
        checker.report_at("message", "the text has line breaks");
    } else if has_lines(expression) && message.trim().is_empty() {
        checker.report_at("message", "missing: a rule with line breaks has a message");
    }
    for key in ["message", "messageExpression", "fieldPath"] {
        checker.check_text(rule, key, |text| !text.trim().is_empty(), "the text is empty");
    }
    checker.check_text(rule, "fieldPath", |path| !path.contains(['\n', '\r']), "the text has line breaks");
    let message =
        "expected FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate";
    checker.check_text(rule, "reason", |reason| REASONS.contains(&reason), message);
    if has_old_self(expression) {
        if context.has_no_old_values {
            checker.report_at("rule", "`oldSelf` in a place where values have no old values");
        }
    } else if raw::has(rule, "optionalOldSelf") {
        checker.report_at("optionalOldSelf", "the rule has no `oldSelf`");
    }
}

/// Returns whether an expression has the variable `oldSelf`, apart from its texts.
fn has_old_self(expression: &str) -> bool {
    let mut code = String::new();
    let mut quote = None;
    let mut chars = expression.chars();
    while let Some(c) = chars.next() {
        match quote {
            Some(_) if c == '\\' => drop(chars.next()),
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None => code.push(c),
        }
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    code.split(|c| !is_name(c)).any(|name| name == "oldSelf")
}
