//! Definitions that keep all unknown fields (`spec.preserveUnknownFields`), as those of `v1beta1` do unless told otherwise.

use skewer_engine::{Doc, OwnedDoc, OwnedMap};

/// The member of the specification of a definition.
pub(crate) const KEY: &str = "preserveUnknownFields";

/// Returns a definition in which each object keeps its unknown fields by a keyword of its own: a server stores the same objects.
pub(super) fn with_keywords(document: &OwnedDoc) -> OwnedDoc {
    let mut document = document.clone();
    let spec = document.as_map_mut().and_then(|map| map.get_mut("spec")).and_then(Doc::as_map_mut);
    let Some(spec) = spec else { return document };
    spec.remove(KEY);
    let versions = spec.get_mut("versions").and_then(Doc::as_list_mut).into_iter().flatten();
    for version in versions.filter_map(Doc::as_map_mut) {
        let schema = version.get_mut("schema").and_then(Doc::as_map_mut);
        if let Some(schema) = schema.and_then(|schema| schema.get_mut("openAPIV3Schema")) {
            keep(schema);
        }
    }
    document
}

fn keep(schema: &mut OwnedDoc) {
    let Some(schema) = schema.as_map_mut() else { return };
    let is_object = schema.get("type").and_then(Doc::as_str) == Some("object");
    if is_object && !schema.contains_key("additionalProperties") {
        schema.insert("x-kubernetes-preserve-unknown-fields".into(), Doc::Bool(true));
    }
    let fields =
        schema.get_mut("properties").and_then(Doc::as_map_mut).into_iter().flat_map(OwnedMap::iter_mut);
    fields.for_each(|(_, field)| keep(field));
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(key) {
            keep(inner);
        }
    }
}
