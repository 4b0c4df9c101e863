//! The metadata of objects, and of objects inside of objects. Upstream: `apiextensions-apiserver`, package `objectmeta`.
//!
//! Times are checked, but not converted to UTC.

mod names;
#[cfg(test)]
mod tests;
mod validate;

pub(super) use names::{is_dns_1035_label, is_dns_1123_subdomain};
pub(super) use validate::validate;

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap, Text};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::field_path::{FieldPath, PathSegment};

use super::structural::StructuralSchema;

const METADATA: &str = "metadata";

/// The type of a field of metadata. Except for [`Type::Object`], the zero value is left out.
#[derive(Clone, Copy)]
enum Type {
    Text,
    Integer,
    /// A pointer to an integer, whose zero is kept.
    OptionalInteger,
    /// A pointer to a boolean, whose false is kept.
    OptionalFlag,
    Time,
    Any,
    Texts,
    TextMap,
    Objects(&'static [Field]),
}

struct Field {
    name: &'static str,
    ty: Type,
    is_always_written: bool,
}

const fn field(name: &'static str, ty: Type) -> Field {
    Field { name, ty, is_always_written: false }
}

const fn written(name: &'static str) -> Field {
    Field { name, ty: Type::Text, is_always_written: true }
}

const OBJECT_META: &[Field] = &[
    field("name", Type::Text),
    field("generateName", Type::Text),
    field("namespace", Type::Text),
    field("selfLink", Type::Text),
    field("uid", Type::Text),
    field("resourceVersion", Type::Text),
    field("generation", Type::Integer),
    field("creationTimestamp", Type::Time),
    field("deletionTimestamp", Type::Time),
    field("deletionGracePeriodSeconds", Type::OptionalInteger),
    field("labels", Type::TextMap),
    field("annotations", Type::TextMap),
    field("ownerReferences", Type::Objects(OWNER_REFERENCE)),
    field("finalizers", Type::Texts),
    field("managedFields", Type::Objects(MANAGED_FIELDS_ENTRY)),
];

const OWNER_REFERENCE: &[Field] = &[
    written("apiVersion"),
    written("kind"),
    written("name"),
    written("uid"),
    field("controller", Type::OptionalFlag),
    field("blockOwnerDeletion", Type::OptionalFlag),
];

const MANAGED_FIELDS_ENTRY: &[Field] = &[
    field("manager", Type::Text),
    field("operation", Type::Text),
    field("apiVersion", Type::Text),
    field("time", Type::Time),
    field("fieldsType", Type::Text),
    field("fieldsV1", Type::Any),
    field("subresource", Type::Text),
];

/// Decodes the metadata of an object, so that only known fields with values remain. Adds the paths of unknown fields.
///
/// # Errors
///
/// [`ErrorKind::Undecodable`] if a field does not have its type.
pub(super) fn coerce_root(object: &mut OwnedDoc, unknown: &mut Vec<FieldPath>) -> Result<()> {
    let Some(map) = object.as_map_mut() else { return Ok(()) };
    coerce_member(map, &FieldPath::root(), unknown)
}

/// Decodes the metadata of the objects inside of an object.
///
/// # Errors
///
/// [`ErrorKind::InvalidValue`] if an object cannot be decoded.
pub(super) fn coerce_embedded(
    schema: &StructuralSchema,
    object: &mut OwnedDoc,
    unknown: &mut Vec<FieldPath>,
) -> Result<()> {
    coerce_value(schema, object, &mut FieldPath::root(), unknown)
}

/// Upstream: `coercer.coerce`.
fn coerce_value(
    schema: &StructuralSchema,
    value: &mut OwnedDoc,
    path: &mut FieldPath,
    unknown: &mut Vec<FieldPath>,
) -> Result<()> {
    match value {
        Doc::Map(map) => {
            if schema.embedded_resource {
                for key in ["apiVersion", "kind"] {
                    if map.get(key).is_some_and(|value| value.as_str().is_none()) {
                        let error = Error::new(ErrorKind::InvalidValue, "expected a string");
                        return Err(error.at(key).at_path(path));
                    }
                }
                coerce_member(map, path, unknown).map_err(|error| {
                    let message = format!("invalid metadata: {}", error.message());
                    Error::new(ErrorKind::InvalidValue, message).at(METADATA).at_path(path)
                })?;
            }
            for (key, value) in map.iter_mut() {
                let Some(field) = schema.field(key) else { continue };
                path.push(PathSegment::Key(key.clone()));
                coerce_value(field, value, path, unknown)?;
                path.pop();
            }
        }
        Doc::List(items) => {
            let Some(schema) = &schema.items else { return Ok(()) };
            for (index, item) in items.iter_mut().enumerate() {
                path.push(PathSegment::Index(index));
                coerce_value(schema, item, path, unknown)?;
                path.pop();
            }
        }
        _ => {}
    }
    Ok(())
}

/// Decodes the metadata of an object, if it has any. Upstream: `GetObjectMetaWithOptions`, `SetObjectMeta`.
fn coerce_member(map: &mut OwnedMap, path: &FieldPath, unknown: &mut Vec<FieldPath>) -> Result<()> {
    let Some(metadata) = map.get(METADATA) else { return Ok(()) };
    let mut path = path.clone();
    path.push(PathSegment::Key(Text::from_static(METADATA)));
    let decoded = decode_object(OBJECT_META, metadata, &mut path, unknown)?;
    map.insert(Text::from_static(METADATA), decoded);
    Ok(())
}

fn undecodable(expected: &str, value: &OwnedDoc, path: &FieldPath) -> Error {
    let message = format!("expected {expected}, found {}", value.kind().with_article());
    Error::new(ErrorKind::Undecodable, message).at_path(path)
}

/// Decodes an object with fixed fields. Null has none of them.
fn decode_object(
    fields: &[Field],
    value: &OwnedDoc,
    path: &mut FieldPath,
    unknown: &mut Vec<FieldPath>,
) -> Result<OwnedDoc> {
    let mut decoded = OwnedMap::new();
    let empty = OwnedMap::new();
    let map = match value {
        Doc::Null => &empty,
        Doc::Map(map) => map,
        _ => return Err(undecodable("a map", value, path)),
    };
    for (key, value) in map.iter() {
        path.push(PathSegment::Key(key.clone()));
        match fields.iter().find(|field| field.name == key.as_str()) {
            Some(field) => {
                if let Some(value) = decode(field.ty, value, path, unknown)? {
                    decoded.insert(key.clone(), value);
                }
            }
            None => unknown.push(path.clone()),
        }
        path.pop();
    }
    for field in fields.iter().filter(|field| field.is_always_written) {
        if !decoded.contains_key(field.name) {
            decoded.insert(Text::from_static(field.name), Doc::from(""));
        }
    }
    Ok(Doc::Map(decoded))
}

/// Decodes the value of a field. Returns `None` if it is the zero value.
fn decode(
    ty: Type,
    value: &OwnedDoc,
    path: &mut FieldPath,
    unknown: &mut Vec<FieldPath>,
) -> Result<Option<OwnedDoc>> {
    let decoded = match (ty, value) {
        (_, Doc::Null) => return Ok(None),
        (Type::Text, Doc::String(text)) => (!text.as_str().is_empty()).then(|| value.clone()),
        (Type::Integer, Doc::Int(number)) => (*number != 0).then(|| value.clone()),
        (Type::OptionalInteger, Doc::Int(_)) | (Type::OptionalFlag, Doc::Bool(_)) | (Type::Any, _) => {
            Some(value.clone())
        }
        (Type::Time, Doc::String(text)) if names::is_time(text.as_str()) => Some(value.clone()),
        (Type::Texts, Doc::List(items)) => {
            let mut texts = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                path.push(PathSegment::Index(index));
                texts.push(text_or_empty(item, path)?);
                path.pop();
            }
            (!texts.is_empty()).then_some(Doc::List(texts))
        }
        (Type::TextMap, Doc::Map(map)) => {
            let mut texts = OwnedMap::new();
            for (key, value) in map.iter() {
                path.push(PathSegment::Key(key.clone()));
                texts.insert(key.clone(), text_or_empty(value, path)?);
                path.pop();
            }
            (!texts.is_empty()).then_some(Doc::Map(texts))
        }
        (Type::Objects(fields), Doc::List(items)) => {
            let mut objects = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                path.push(PathSegment::Index(index));
                objects.push(decode_object(fields, item, path, unknown)?);
                path.pop();
            }
            (!objects.is_empty()).then_some(Doc::List(objects))
        }
        (ty, value) => return Err(undecodable(describe(ty), value, path)),
    };
    Ok(decoded)
}

fn text_or_empty(value: &OwnedDoc, path: &FieldPath) -> Result<OwnedDoc> {
    match value {
        Doc::Null => Ok(Doc::from("")),
        Doc::String(_) => Ok(value.clone()),
        _ => Err(undecodable("a string", value, path)),
    }
}

fn describe(ty: Type) -> &'static str {
    match ty {
        Type::Text => "a string",
        Type::Integer | Type::OptionalInteger => "an integer",
        Type::OptionalFlag => "true or false",
        Type::Time => "a time such as 2006-01-02T15:04:05Z",
        Type::Any => "a value",
        Type::Texts => "a list of strings",
        Type::TextMap => "a map of strings",
        Type::Objects(_) => "a list of maps",
    }
}
