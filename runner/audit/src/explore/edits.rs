//! The changes that clients make to objects.

use skewer_admission::structural::{StructuralSchema, ValueType};
use skewer_engine::{Doc, FieldPath, OwnedDoc, PathSegment, Text};

use super::instance::{concrete, with_value};
use super::search::is_accepted;
use crate::cause::Cause;
use crate::effect::value_at;
use crate::facts::Property;
use crate::revision::{Revisions, Side};
use crate::sample;
use crate::situation::ClientEdit;

/// Returns what clients of the time before the change can do with an object.
pub(super) fn edits(revisions: &Revisions, object: &OwnedDoc, cause: &Cause) -> Vec<ClientEdit> {
    let mut edits = vec![ClientEdit::Label];
    edits.extend(neighbour(revisions, object, cause));
    let Some(path) = concrete(object, cause.path.steps()) else { return edits };
    let schema = sample::element(revisions.old.schema(), cause.path.steps());
    let Some((schema, value)) = schema.zip(value_at(object, &path)) else { return edits };
    if let Some(other) = sample::other_value(schema, value) {
        edits.push(ClientEdit::Set(path.clone(), other));
    }
    if !path.segments().is_empty() {
        edits.push(ClientEdit::Remove(path.clone()));
    }
    let child = match value {
        Doc::List(items) if !items.is_empty() => Some(PathSegment::Index(0)),
        Doc::Map(map) => {
            let is_optional =
                |key: &&Text<'static>| !schema.validation.required.iter().any(|name| *name == ***key);
            let key = map.keys().find(is_optional).or_else(|| map.keys().next());
            key.map(|key| PathSegment::Key(key.clone()))
        }
        _ => None,
    };
    if let Some(child) = child.filter(|_| !path.segments().is_empty()) {
        let mut child_path = path;
        child_path.push(child);
        edits.push(ClientEdit::Remove(child_path));
    }
    edits
}

/// Returns an edit of another field of the object that contains the changed element. Errors in values that did not change
/// are only warnings, and this edit changes the object.
pub(super) fn neighbour(revisions: &Revisions, object: &OwnedDoc, cause: &Cause) -> Option<ClientEdit> {
    let parent = cause.path.parent()?;
    // An edit of the whole object is a label.
    let (_, name) = (parent.steps().first()?, cause.path.field_name()?);
    let mut path = concrete(object, parent.steps())?;
    let schema = sample::element(revisions.old.schema(), parent.steps())?;
    let container = value_at(object, &path)?.as_map()?;
    let is_scalar =
        |schema: &StructuralSchema| !matches!(schema.ty, Some(ValueType::Object | ValueType::Array) | None);
    // With another key, an item of a list is another item.
    let keys = parent.parent().and_then(|list| sample::element(revisions.old.schema(), list.steps()));
    let is_key = |field: &String| keys.is_some_and(|list| list.list_map_keys.contains(field));
    let is_other = |(field, schema): &(&String, &StructuralSchema)| {
        *field != name && !is_key(field) && is_scalar(schema)
    };
    let (field, schema) = schema.properties.iter().find(is_other)?;
    let value = sample::other_value(schema, container.get(field).unwrap_or(&Doc::Null))?;
    path.push(PathSegment::Key(field.clone().into()));
    Some(ClientEdit::Set(path, value))
}

/// Returns objects with another item in one of the lists that contain the changed element, each with an edit that removes this
/// item.
pub(super) fn without_another_item<'r>(
    revisions: &'r Revisions,
    object: &'r OwnedDoc,
    cause: &'r Cause,
) -> impl Iterator<Item = (OwnedDoc, ClientEdit)> + use<'r> {
    // The effect of the change can be that of an absent element.
    let container = || concrete(object, cause.path.parent()?.steps());
    let path = concrete(object, cause.path.steps()).or_else(container).unwrap_or_default();
    let is_index = |segment: &PathSegment| matches!(segment, PathSegment::Index(_));
    let lists: Vec<usize> = (0..path.segments().len()).filter(|at| is_index(&path.segments()[*at])).collect();
    lists.into_iter().filter_map(move |depth| {
        let items = sample::element(revisions.old.schema(), &cause.path.steps()[..=depth])?;
        let mut list = FieldPath::root();
        path.segments()[..depth].iter().for_each(|segment| list.push(segment.clone()));
        let values = value_at(object, &list)?.as_list()?;
        let first = values.first()?;
        let others = sample::other_value(items, first).into_iter().chain([first.clone()]);
        let mut with_other = others.map(|other| {
            let values = values.iter().cloned().chain([other]).collect();
            with_value(object.clone(), &list, Doc::List(values))
        });
        let with_other = with_other.find(|object| is_accepted(revisions, Side::Old, object))?;
        list.push(PathSegment::Index(values.len()));
        Some((with_other, ClientEdit::Remove(list)))
    })
}

/// Returns the edit that makes one object of another: of the smallest value that contains all differences.
pub(super) fn edit_between(old: &OwnedDoc, new: &OwnedDoc) -> ClientEdit {
    let mut path = FieldPath::root();
    let (mut old, mut new) = (old, new);
    while let (Doc::Map(before), Doc::Map(after)) = (old, new) {
        let keys = before.keys().chain(after.keys().filter(|key| !before.contains_key(key)));
        let mut different = keys.filter(|key| before.get(key) != after.get(key));
        let (Some(key), None) = (different.next(), different.next()) else { break };
        path.push(PathSegment::Key(key.to_static()));
        match (before.get(key), after.get(key)) {
            (Some(before), Some(after)) => (old, new) = (before, after),
            (_, Some(after)) => return ClientEdit::Set(path, after.clone()),
            (_, None) => return ClientEdit::Remove(path),
        }
    }
    match new {
        Doc::Map(fields) if !path.segments().is_empty() && lacks_a_key(old, new) => {
            ClientEdit::Choose(path, fields.clone())
        }
        _ => ClientEdit::Set(path, new.clone()),
    }
}

/// Returns true if one value lacks a key of another one, at the same place. A map that is set keeps its other keys.
fn lacks_a_key(old: &OwnedDoc, new: &OwnedDoc) -> bool {
    let (Doc::Map(old), Doc::Map(new)) = (old, new) else { return false };
    old.iter().any(|(key, value)| new.get(key).is_none_or(|new| lacks_a_key(value, new)))
}

/// Returns the edit with which a client of the time before the change chooses another member of a union.
pub(super) fn other_member(cause: &Cause, old_object: Option<&OwnedDoc>) -> Option<ClientEdit> {
    cause.union_member.as_ref()?;
    let old_object = old_object?;
    let union = concrete(old_object, cause.path.parent()?.steps())?;
    let fields = value_at(old_object, &union)?.as_map()?.clone();
    Some(ClientEdit::Choose(union, fields))
}

/// The most values of one object that another manager is tried as the owner of.
const MAX_SHARED: usize = 4;

/// Returns values that another manager can own, each with an edit of a neighbour of it, and with a label: a value of a map or
/// an item of a list.
pub(super) fn shared_values(
    object: &OwnedDoc,
    cause: &Cause,
    revisions: &Revisions,
) -> Vec<(FieldPath, ClientEdit)> {
    if !cause.has(Property::MapType) && !cause.has(Property::ListType) && !cause.has(Property::ListMapKeys) {
        return Vec::new();
    }
    let Some(path) = concrete(object, cause.path.steps()) else { return Vec::new() };
    let schema = sample::element(revisions.old.schema(), cause.path.steps());
    let (Some(schema), Some(container)) = (schema, value_at(object, &path)) else { return Vec::new() };
    let segments: Vec<PathSegment> = match container {
        // A client that does not apply a required field has no valid object.
        Doc::Map(map) => {
            let (required, optional): (Vec<_>, Vec<_>) =
                map.keys().partition(|key| schema.validation.required.iter().any(|name| *name == ***key));
            optional.into_iter().chain(required).map(|key| PathSegment::Key(key.clone())).collect()
        }
        Doc::List(items) if items.len() > 1 => (0..items.len()).rev().map(PathSegment::Index).collect(),
        _ => return Vec::new(),
    };
    let inside = |segment: &PathSegment| {
        let mut inside = path.clone();
        inside.push(segment.clone());
        inside
    };
    let edit = |own: &PathSegment| {
        let schema = match own {
            PathSegment::Key(key) => schema.field(key)?,
            PathSegment::Index(_) => schema.items.as_deref()?,
        };
        let value = sample::other_value(schema, value_at(object, &inside(own))?)?;
        Some(ClientEdit::Set(inside(own), value))
    };
    let of_shared = |shared: &PathSegment| {
        let edit = segments.iter().filter(|own| *own != shared).find_map(edit);
        let edits = edit.into_iter().chain([ClientEdit::Label]);
        edits.map(|edit| (inside(shared), edit)).collect::<Vec<_>>()
    };
    segments.iter().take(MAX_SHARED).flat_map(of_shared).collect()
}
