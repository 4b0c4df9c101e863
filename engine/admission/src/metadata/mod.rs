//! The metadata of objects, and of objects inside of objects. Upstream: `apiextensions-apiserver`, package `objectmeta`.
//!
//! Times are checked, but not converted to UTC.

mod names;
#[cfg(test)]
mod tests;
mod validate;

pub use names::is_object_name;
pub(super) use names::{is_dns_1035_label, is_dns_1123_subdomain};
#[cfg(feature = "cel")]
pub(super) use names::{is_dns_1123_label, is_label_value, is_qualified_name};
pub(super) use validate::{common_errors, validate};

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap, Text};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::field_path::{FieldPath, PathSegment};

use super::go_types::{GoField, GoType, decode_object, field, written};
use super::structural::StructuralSchema;

const METADATA: &str = "metadata";

pub(super) const OBJECT_META: &[GoField] = &[
    field("name", GoType::Text),
    field("generateName", GoType::Text),
    field("namespace", GoType::Text),
    field("selfLink", GoType::Text),
    field("uid", GoType::Text),
    field("resourceVersion", GoType::Text),
    field("generation", GoType::Integer),
    field("creationTimestamp", GoType::Time),
    field("deletionTimestamp", GoType::Time),
    field("deletionGracePeriodSeconds", GoType::OptionalInteger),
    field("labels", GoType::TextMap),
    field("annotations", GoType::TextMap),
    field("ownerReferences", GoType::Objects(OWNER_REFERENCE)),
    field("finalizers", GoType::Texts),
    field("managedFields", GoType::Objects(MANAGED_FIELDS_ENTRY)),
];

const OWNER_REFERENCE: &[GoField] = &[
    written("apiVersion"),
    written("kind"),
    written("name"),
    written("uid"),
    field("controller", GoType::OptionalFlag),
    field("blockOwnerDeletion", GoType::OptionalFlag),
];

const MANAGED_FIELDS_ENTRY: &[GoField] = &[
    field("manager", GoType::Text),
    field("operation", GoType::Text),
    field("apiVersion", GoType::Text),
    field("time", GoType::Time),
    field("fieldsType", GoType::Text),
    field("fieldsV1", GoType::Any),
    field("subresource", GoType::Text),
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
