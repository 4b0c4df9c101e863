//! The members of a document. Members with a zero value count as missing, as in the Go types of API servers.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};

/// The types of values.
pub(super) const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

pub(super) fn map<'d>(of: &'d OwnedMap, key: &str) -> Option<&'d OwnedMap> {
    of.get(key)?.as_map()
}

pub(super) fn list<'d>(of: &'d OwnedMap, key: &str) -> &'d [OwnedDoc] {
    of.get(key).and_then(Doc::as_list).unwrap_or_default()
}

/// Returns a text. Empty if it is missing.
pub(super) fn text<'d>(of: &'d OwnedMap, key: &str) -> &'d str {
    of.get(key).and_then(Doc::as_str).unwrap_or_default()
}

pub(super) fn is_set(of: &OwnedMap, key: &str) -> bool {
    matches!(of.get(key), Some(Doc::Bool(true)))
}

/// Returns whether a member exists and is not null.
pub(super) fn has(of: &OwnedMap, key: &str) -> bool {
    of.get(key).is_some_and(|value| !value.is_null())
}

/// Returns whether a member is missing, or has the zero value of its type.
pub(super) fn is_empty(value: Option<&OwnedDoc>) -> bool {
    match value {
        None | Some(Doc::Null | Doc::Bool(false)) => true,
        Some(Doc::String(text)) => text.as_str().is_empty(),
        Some(Doc::List(items)) => items.is_empty(),
        Some(Doc::Map(map)) => map.is_empty(),
        Some(_) => false,
    }
}

/// Returns whether two parts of versions are the same for servers: lists and maps of schemas that are empty or missing do not
/// differ, except for values that objects can have. Upstream: `Semantic.DeepEqual`.
pub(super) fn is_same(a: Option<&OwnedDoc>, b: Option<&OwnedDoc>) -> bool {
    const MAPS: [&str; 4] = ["properties", "patternProperties", "definitions", "dependencies"];
    const VALUES: [&str; 3] = ["default", "example", "enum"];
    let is_without = |key: &str, value: Option<&OwnedDoc>| match value {
        Some(Doc::List(items)) => items.is_empty() && !matches!(key, "default" | "example" | "items"),
        value => value.is_none() || (MAPS.contains(&key) && is_empty(value)),
    };
    match (a, b) {
        // Each key once: definitions are deep.
        (Some(Doc::Map(a)), Some(Doc::Map(b))) => {
            a.keys().chain(b.keys().filter(|key| !a.contains_key(key))).all(|key| {
                let (value, other) = (a.get(key), b.get(key));
                let is_same = match (value, other) {
                    (Some(Doc::Map(value)), Some(Doc::Map(other))) if MAPS.contains(&key.as_str()) => {
                        value.len() == other.len()
                            && value.iter().all(|(name, schema)| {
                                other.get(name).is_some_and(|other| is_same(Some(schema), Some(other)))
                            })
                    }
                    _ if VALUES.contains(&key.as_str()) => value == other,
                    _ => is_same(value, other),
                };
                is_same || (is_without(key, value) && is_without(key, other))
            })
        }
        (Some(Doc::List(a)), Some(Doc::List(b))) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(Some(a), Some(b)))
        }
        (a, b) => a == b,
    }
}

/// Returns the members of a map of schemas.
pub(super) fn schemas<'d>(
    of: &'d OwnedMap,
    key: &str,
) -> impl Iterator<Item = (&'d str, &'d OwnedMap)> + use<'d> {
    let members = map(of, key).map(OwnedMap::iter).into_iter().flatten();
    members.filter_map(|(name, schema)| Some((name.as_str(), schema.as_map()?)))
}
