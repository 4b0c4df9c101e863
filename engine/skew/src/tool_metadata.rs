//! The metadata with which tools mark their objects. It says nothing about what they do with the manifest of a user, and it
//! contains names of a run.

use skewer_engine::document::from_json;
use skewer_engine::server_side_apply::{FieldSet, PathElement};
use skewer_engine::{Doc, OwnedDoc, Text};

use super::apply_tool::LAST_APPLIED_ANNOTATION;
use super::owner_entry::{OwnerEntry, entries, with_entries};
use super::stored_object::without_managed_fields;

/// The annotations of tools: `kubectl apply`, Helm and kapp.
const ANNOTATIONS: [&str; 5] = [
    LAST_APPLIED_ANNOTATION,
    "meta.helm.sh/release-name",
    "meta.helm.sh/release-namespace",
    "kapp.k14s.io/identity",
    "kapp.k14s.io/original",
];

/// The labels of tools: Helm.
const LABELS: [&str; 1] = ["app.kubernetes.io/managed-by"];

const MARKS: [(&str, &[&str]); 2] = [("annotations", &ANNOTATIONS), ("labels", &LABELS)];

/// Returns an object without the metadata of tools, and without their ownership of it.
pub(crate) fn without_tool_metadata(object: &OwnedDoc) -> OwnedDoc {
    let mut kept = entries(object).iter().filter_map(without_owned_marks).peekable();
    let mut object = match kept.peek() {
        Some(_) => with_entries(object, kept.collect()),
        None => without_managed_fields(object.clone()),
    };
    let Some(Doc::Map(metadata)) = object.as_map_mut().and_then(|object| object.get_mut("metadata")) else {
        return object;
    };
    for (member, names) in MARKS {
        let Some(Doc::Map(marks)) = metadata.get_mut(member) else { continue };
        for name in names {
            marks.remove(name);
        }
        if marks.is_empty() {
            metadata.remove(member);
        }
    }
    object
}

/// Returns an entry of managed fields without the metadata of tools. `None` if nothing else is owned.
fn without_owned_marks(entry: &OwnedDoc) -> Option<OwnedDoc> {
    let owned = OwnerEntry::read(entry)?;
    let mut marks = FieldSet::new();
    for (member, names) in MARKS {
        let path = ["metadata", member].map(|name| PathElement::Field(Text::from_static(name)));
        marks.insert(&path);
        for name in names {
            marks.insert(&[path[0].clone(), path[1].clone(), PathElement::Field(Text::from_static(name))]);
        }
    }
    let fields = owned.fields.difference(&marks);
    if fields.is_empty() {
        return None;
    }
    let mut entry = entry.clone();
    entry.as_map_mut()?.insert("fieldsV1".into(), from_json(fields.to_json().as_bytes()).ok()?);
    Some(entry)
}
