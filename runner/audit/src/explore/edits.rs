//! The changes that clients make to objects.

use skewer_admission::structural::{StructuralSchema, ValueType};
use skewer_engine::{Doc, FieldPath, OwnedDoc, PathSegment};

use super::instance::concrete;
use crate::cause::Cause;
use crate::effect::value_at;
use crate::facts::Property;
use crate::revision::Revisions;
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
        Doc::Map(map) => map.keys().next().map(|key| PathSegment::Key(key.clone())),
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
    let (field, schema) =
        schema.properties.iter().find(|(field, schema)| *field != name && is_scalar(schema))?;
    let value = sample::other_value(schema, container.get(field).unwrap_or(&Doc::Null))?;
    path.push(PathSegment::Key(field.clone().into()));
    Some(ClientEdit::Set(path, value))
}

/// Returns the edit with which a client of the time before the change chooses another member of a union.
pub(super) fn other_member(cause: &Cause, old_object: Option<&OwnedDoc>) -> Option<ClientEdit> {
    cause.union_member.as_ref()?;
    let old_object = old_object?;
    let union = concrete(old_object, cause.path.parent()?.steps())?;
    let fields = value_at(old_object, &union)?.as_map()?.clone();
    Some(ClientEdit::Choose(union, fields))
}

/// Returns the path of a value that another manager can own, and an edit of a neighbour of it: two values of a map, or two
/// items of a list.
pub(super) fn shared_value(
    object: &OwnedDoc,
    cause: &Cause,
    revisions: &Revisions,
) -> Option<(FieldPath, ClientEdit)> {
    if !cause.has(Property::MapType) && !cause.has(Property::ListType) {
        return None;
    }
    let path = concrete(object, cause.path.steps())?;
    let container = value_at(object, &path)?;
    let inside = |segment: PathSegment| {
        let mut inside = path.clone();
        inside.push(segment);
        inside
    };
    let (own, shared) = match container {
        Doc::Map(map) if map.len() < 2 => return None,
        Doc::Map(map) => {
            let mut keys = map.keys().map(|key| inside(PathSegment::Key(key.clone())));
            (keys.next()?, keys.next()?)
        }
        Doc::List(items) if items.len() > 1 => (inside(PathSegment::Index(0)), inside(PathSegment::Index(1))),
        _ => return None,
    };
    let schema = sample::element(revisions.old.schema(), cause.path.steps())?;
    let schema = match own.segments().last()? {
        PathSegment::Key(key) => schema.field(key)?,
        PathSegment::Index(_) => schema.items.as_deref()?,
    };
    let value = sample::other_value(schema, value_at(object, &own)?)?;
    Some((shared, ClientEdit::Set(own, value)))
}
