//! The change from client-side to server-side apply. Only the manager `kubectl` makes it: it takes the fields that the
//! annotation of `kubectl apply` lists, and keeps the annotation up to date. Upstream: `lastAppliedManager` and
//! `lastAppliedUpdater`.

use super::compare::FieldComparison;
use super::conflict::Conflicts;
use super::field_set::FieldSet;
use super::field_set_of::field_set_of;
use super::go_json;
use super::resource::ResourceVersion;
use super::validate::{Duplicates, validate};
use crate::document::{Doc, OwnedDoc, OwnedMap, Text, from_json};

/// The annotation in which `kubectl apply` stores the configuration.
const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Maximum size of all annotations of an object, in bytes. Upstream: `TotalAnnotationSizeLimitB`.
const MAX_ANNOTATION_SIZE: usize = 256 * 1024;

/// Returns the conflicts that remain if the manager owns what the annotation lists. The value of a field in the
/// annotation must be that of the live object. `live` has the version of the request.
pub(super) fn remaining_conflicts(
    version: &ResourceVersion,
    live: &Doc<'_>,
    conflicts: Conflicts,
) -> Conflicts {
    let Some(allowed) = owned_by_annotation(version, live) else { return conflicts };
    let remaining = conflicts.into_iter().map(|(manager, fields)| {
        let fields = fields.difference(&allowed);
        (manager, fields)
    });
    remaining.filter(|(_, fields)| !fields.is_empty()).collect()
}

/// Returns the fields that the annotation lists with the value that they have in the live object. Returns `None` if
/// there is no such annotation, or if it is no valid configuration of this version.
fn owned_by_annotation(version: &ResourceVersion, live: &Doc<'_>) -> Option<FieldSet<'static>> {
    let text = annotations(live)?.get(ANNOTATION)?.as_str()?.to_owned();
    let place = version.place();
    validate(place, live, None, Duplicates::Refused).ok()?;
    let applied = from_json(text.as_bytes()).ok()?;
    let member = |key: &str| applied.as_map()?.get(key)?.as_str();
    if member("apiVersion") != Some(version.api_version.as_str()) || member("kind").is_none_or(str::is_empty)
    {
        return None;
    }
    validate(place, &applied, None, Duplicates::Refused).ok()?;
    let changes = FieldComparison::new(place, &applied, live).ok()?;
    let fields = field_set_of(place, &applied).ok()?;
    let fields = fields.difference(&changes.modified).difference(&changes.added);
    Some(fields.difference(&changes.removed).to_static())
}

/// Returns the annotations of an object, with an empty string for each null. Returns `None` if another value is not a
/// string. Upstream: `NestedNullCoercingStringMap`.
fn annotations(object: &Doc<'_>) -> Option<OwnedMap> {
    let annotations = object.as_map()?.get("metadata")?.as_map()?.get("annotations")?.as_map()?;
    let coerced = annotations.iter().map(|(key, value)| match value {
        Doc::Null => Some((key.to_static(), Doc::from(""))),
        Doc::String(text) => Some((key.to_static(), Doc::String(text.to_static()))),
        _ => None,
    });
    coerced.collect()
}

/// Updates the annotation in the result of an apply request, if the object has it.
pub(super) fn update(object: &mut Doc<'_>, configuration: &Doc<'_>) {
    let Some(mut annotations_of_object) = annotations(object) else { return };
    if annotations_of_object.get(ANNOTATION).and_then(Doc::as_str).is_none_or(str::is_empty) {
        return;
    }
    let mut configuration = configuration.to_static();
    let of_configuration = annotations(&configuration);
    let metadata =
        configuration.as_map_mut().and_then(|map| map.get_mut("metadata")).and_then(Doc::as_map_mut);
    if let Some(metadata) = metadata {
        match of_configuration {
            Some(mut annotations) => {
                annotations.remove(ANNOTATION);
                metadata.insert(Text::from_static("annotations"), Doc::Map(annotations));
            }
            None => {
                metadata.remove("annotations");
            }
        }
    }
    let value = format!("{}\n", go_json::write(&configuration));
    annotations_of_object.insert(Text::from_static(ANNOTATION), Doc::from(value));
    let size = |(key, value): (&Text<'_>, &OwnedDoc)| key.len() + value.as_str().map_or(0, str::len);
    if annotations_of_object.iter().map(size).sum::<usize>() > MAX_ANNOTATION_SIZE {
        annotations_of_object.remove(ANNOTATION);
    }
    let metadata = object.as_map_mut().and_then(|map| map.get_mut("metadata")).and_then(Doc::as_map_mut);
    if let Some(metadata) = metadata {
        metadata.insert(Text::from_static("annotations"), Doc::Map(annotations_of_object));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_annotation_becomes_an_empty_string() {
        let json = |text: &str| from_json(text.as_bytes()).unwrap();
        let mut object =
            json(&format!(r#"{{"metadata":{{"annotations":{{"a":null,"{ANNOTATION}":"{{}}"}}}}}}"#));
        let configuration = json(r#"{"kind":"T","metadata":{"annotations":{"a":null}}}"#);
        update(&mut object, &configuration);
        let annotations = annotations(&object).unwrap();
        assert_eq!(annotations.get("a"), Some(&Doc::from("")));
        let expected = "{\"kind\":\"T\",\"metadata\":{\"annotations\":{\"a\":\"\"}}}\n";
        assert_eq!(annotations.get(ANNOTATION).and_then(Doc::as_str), Some(expected));
    }
}
