//! The schemas of a definition, and those in them.

use skewer_engine::document::{Doc, OwnedMap};

use super::checker::Checker;
use super::raw;

/// Returns the schema of a version.
pub(super) fn schema_of(version: &OwnedMap) -> Option<&OwnedMap> {
    raw::map(raw::map(version, "schema")?, "openAPIV3Schema")
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
