//! The schema of a version. Upstream: `validateCustomResourceDefinitionValidation`.

use skewer_engine::document::{Doc, OwnedMap};

use super::checker::{Checker, Class};
use super::{defaults, keywords, raw, rules, structural};
use crate::fields::Fields;
use crate::reason::Reason;
use crate::structural::StructuralSchema;

/// The keywords that cannot be at the root of a schema with the subresource `status`. Upstream: `allowedFieldsAtRootSchema`.
const NOT_WITH_STATUS: [&str; 22] = [
    "id",
    "$schema",
    "$ref",
    "nullable",
    "default",
    "enum",
    "maxProperties",
    "minProperties",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "additionalProperties",
    "patternProperties",
    "dependencies",
    "additionalItems",
    "definitions",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
];

/// Those that are checked before the type.
const BEFORE_TYPE: [&str; 3] = ["id", "$schema", "$ref"];

pub(super) fn check(checker: &mut Checker, schema: &OwnedMap, has_status: bool) {
    let before = checker.problems.len();
    if has_status {
        check_root_with_status(checker, schema);
    }
    if raw::is_set(schema, "nullable") {
        checker.report_at("nullable", Reason::Forbidden, "an object cannot be null");
    }
    let is_structural = is_convertible(schema) && !checker.ignores(Class::NotStructural);
    let read = is_structural.then(|| StructuralSchema::read(schema, &mut Fields::default()));
    let before_structural = checker.problems.len();
    if let Some(read) = &read {
        structural::check(checker, schema);
        // Defaults of a schema that is not structural are not checked.
        if checker.problems.len() == before_structural {
            defaults::check(checker, schema, read);
        }
    }
    // Nor are rules, or those beside invalid defaults.
    let rules = read.filter(|_| checker.problems.len() == before_structural);
    let before_keywords = checker.problems.len();
    keywords::check(checker, schema);
    if let Some(read) = rules {
        rules::check(checker, schema, &read, before_keywords);
    }
    if !is_convertible(schema) && checker.problems.len() == before && !checker.ignores(Class::NotStructural) {
        let message = "the schema has a keyword that is not supported, such as `$schema`";
        checker.report_as(Class::NotStructural, Reason::Invalid, message);
    }
}

/// Reports the first of the keywords that cannot be at the root, and of a wrong type.
fn check_root_with_status(checker: &mut Checker, schema: &OwnedMap) {
    let key = NOT_WITH_STATUS.iter().find(|key| raw::has(schema, key));
    let is_object = matches!(raw::text(schema, "type"), "" | "object");
    match key {
        Some(key) if is_object || BEFORE_TYPE.contains(key) => {
            let message =
                format!("{key} is not possible at the root of a schema with the subresource status");
            checker.report(Reason::Invalid, message);
        }
        _ if !is_object => {
            let message = "expected object in a schema with the subresource status";
            checker.report_at("type", Reason::Invalid, message);
        }
        _ => {}
    }
}

/// Returns whether a schema has only keywords that structural schemas have. Upstream: `NewStructural`.
pub(super) fn is_convertible(schema: &OwnedMap) -> bool {
    const NOT_CONVERTIBLE: [&str; 6] =
        ["id", "$schema", "$ref", "patternProperties", "dependencies", "definitions"];
    let is_convertible_itself = NOT_CONVERTIBLE.iter().all(|key| raw::is_empty(schema.get(key)))
        && !raw::has(schema, "additionalItems")
        && raw::list(schema, "items").is_empty()
        && schema.get("x-kubernetes-preserve-unknown-fields") != Some(&Doc::Bool(false));
    is_convertible_itself && inner(schema).all(|(_, schema)| is_convertible(schema))
}

/// Returns whether a schema, or one inside of it, has one of several keywords. Upstream: `SchemaHas`.
pub(super) fn has_any(schema: &OwnedMap, keys: &[&str]) -> bool {
    let has = |key: &&str| match schema.get(key) {
        Some(Doc::List(items)) if *key != "default" => !items.is_empty(),
        value => value.is_some(),
    };
    keys.iter().any(has) || inner(schema).any(|(_, schema)| has_any(schema, keys))
}

/// The place of a schema in another one.
#[derive(Clone, Copy)]
pub(super) enum Place<'s> {
    Member(&'static str),
    Item(&'static str, usize),
    Value(&'static str, &'s str),
}

impl Checker {
    /// Calls a function with the path of a place.
    pub(super) fn at_place<T>(&mut self, place: Place<'_>, check: impl FnOnce(&mut Self) -> T) -> T {
        match place {
            Place::Member(key) => self.at(&[key], check),
            Place::Item(key, index) => self.at(&[key], |checker| checker.at_index(index, check)),
            Place::Value(key, name) => self.at(&[key, name], check),
        }
    }
}

/// Returns the schemas in a schema.
pub(super) fn inner(schema: &OwnedMap) -> impl Iterator<Item = (Place<'_>, &OwnedMap)> {
    let member = |key| Some((Place::Member(key), raw::map(schema, key)?));
    let members = ["items", "additionalProperties", "additionalItems", "not"].into_iter().filter_map(member);
    let lists = ["items", "allOf", "oneOf", "anyOf"].into_iter().flat_map(|key| {
        let items = raw::list(schema, key).iter().enumerate();
        items.filter_map(move |(index, item)| Some((Place::Item(key, index), item.as_map()?)))
    });
    let maps = ["properties", "patternProperties", "definitions", "dependencies"].into_iter();
    let maps = maps.flat_map(|key| {
        raw::schemas(schema, key).map(move |(name, schema)| (Place::Value(key, name), schema))
    });
    members.chain(lists).chain(maps)
}
