//! Sets of the fields that managers own.

use skewer_engine::server_side_apply::{FieldComparison, FieldSet, PathElement};
use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};

use crate::served::ServedKind;

/// Returns an entry of a manager that applied fields of the main resource.
#[must_use]
pub fn applied_entry(manager: &str, api_version: &str, fields: &FieldSet<'_>) -> OwnedDoc {
    let members = [
        ("apiVersion", api_version),
        ("fieldsType", "FieldsV1"),
        ("fieldsV1", &fields.to_json()),
        ("manager", manager),
        ("operation", "Apply"),
    ];
    let members =
        members.map(|(key, value)| (Text::from_static(key), Doc::String(Text::from(value.to_owned()))));
    Doc::Map(members.into_iter().collect::<OwnedMap>())
}

/// Returns the fields that an apply of a manifest sets: list items, and what has nothing below it. `None` if a list of it has
/// an item without an identity.
#[must_use]
pub fn fields_of(served: &ServedKind, manifest: &OwnedDoc) -> Option<FieldSet<'static>> {
    let identity = ["apiVersion", "kind"].into_iter().filter_map(|key| {
        let value = manifest.as_map()?.get(key)?.clone();
        Some((Text::from_static(key), value))
    });
    let empty = Doc::Map(identity.collect::<OwnedMap>());
    let added = FieldComparison::new(served.place(), &empty, manifest).ok()?.added;
    let mut fields = added.leaves().to_static();
    added.for_each(|path| {
        if path.last().is_some_and(|last| last.as_field().is_none()) {
            let path: Vec<PathElement<'static>> = path.iter().map(|element| element.to_static()).collect();
            fields.insert(&path);
        }
    });
    Some(fields)
}

/// Returns the members of a set of which no other member is above, as paths.
#[must_use]
pub fn highest(set: &FieldSet<'_>) -> Vec<Vec<PathElement<'static>>> {
    let mut found: Vec<Vec<PathElement<'static>>> = Vec::new();
    set.for_each(|path| {
        let path: Vec<PathElement<'static>> = path.iter().map(|element| element.to_static()).collect();
        if !found.iter().any(|above| path.starts_with(above)) {
            found.retain(|below| !below.starts_with(&path));
            found.push(path);
        }
    });
    found
}

/// Returns [`highest`] as texts.
#[must_use]
pub fn highest_paths(set: &FieldSet<'_>) -> Vec<String> {
    highest(set).iter().map(|path| path_text(path)).collect()
}

/// Returns true if a set has a path, or a path below it.
#[must_use]
pub fn has_at_or_below(set: &FieldSet<'_>, path: &[PathElement<'_>]) -> bool {
    let mut has = false;
    set.for_each(|member| {
        has |= member.len() >= path.len() && member.iter().zip(path).all(|(a, b)| **a == *b);
    });
    has
}

/// Returns a path in the notation of field sets without the first dot, such as `spec.containers[name="a"].image`.
#[must_use]
pub fn path_text(path: &[PathElement<'_>]) -> String {
    let text: String = path.iter().map(ToString::to_string).collect();
    text.trim_start_matches('.').to_owned()
}
