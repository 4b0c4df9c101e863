//! Access to the fields of documents.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap, Text};
use skewer_engine::schema::StructType;

pub(crate) fn set(map: &mut OwnedMap, field: &'static str, value: OwnedDoc) {
    map.insert(Text::from_static(field), value);
}

pub(crate) fn set_default(map: &mut OwnedMap, field: &'static str, value: impl FnOnce() -> OwnedDoc) {
    if map.get(field).is_none_or(Doc::is_null) {
        set(map, field, value());
    }
}

pub(crate) fn string(value: &str) -> OwnedDoc {
    Doc::from(value).to_static()
}

pub(crate) fn text_of<'m>(map: &'m OwnedMap, field: &str) -> &'m str {
    map.get(field).and_then(Doc::as_str).unwrap_or_default()
}

pub(crate) fn map_of<'m>(map: &'m mut OwnedMap, field: &str) -> Option<&'m mut OwnedMap> {
    map.get_mut(field).and_then(Doc::as_map_mut)
}

pub(crate) fn has_items(map: &OwnedMap, field: &str) -> bool {
    map.get(field).is_some_and(|value| match value {
        Doc::List(items) => !items.is_empty(),
        Doc::Map(map) => !map.is_empty(),
        _ => false,
    })
}

/// Returns true if Go sees no value of a field. The zero value of a pointer is a value.
pub(crate) fn is_unset(ty: &StructType, map: &OwnedMap, field: &str) -> bool {
    match map.get(field) {
        None | Some(Doc::Null) => true,
        Some(_) if ty.field(field).is_some_and(|field| field.is_pointer) => false,
        Some(Doc::String(value)) => value.is_empty(),
        Some(value) => *value == Doc::Int(0),
    }
}
