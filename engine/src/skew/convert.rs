//! The conversion of a document to the types of a party: decoding and encoding again.

use crate::document::{Doc, Map, OwnedDoc, OwnedMap};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::PatchContext;
use crate::schema::{Field, Schema, StructType, Type, TypeId};

/// The treatment of fields that a type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownFieldHandling {
    /// Unknown fields are dropped, as when Go decodes JSON into a struct.
    Drop,
    /// A document with an unknown field is refused, as with `fieldValidation=Strict`.
    Refuse,
}

/// Decodes a document into the root type of a party and encodes it again.
///
/// The result lacks all fields that the type does not have, unless the type keeps unknown fields. For fields that are declared in Go it follows
/// `encoding/json`: it lacks the empty and zero values that the field omits (`omitempty`, `omitzero`), and has the zero
/// value of each other field that the document lacks. The zero value of a pointer, list or map is null, that of a struct
/// has the zero values of its fields. A null in a map or a list becomes the zero value of its type; the types do not say
/// which items are pointers, so that none is. Fields from `OpenAPI` have no zero value: a field that is missing or null stays
/// out of the result.
///
/// # Errors
///
/// - [`ErrorKind::Undecodable`] if a value does not fit its type
/// - [`ErrorKind::StrictUnknownField`] if the document has an unknown field and `unknown` is
///   [`UnknownFieldHandling::Refuse`]
///
/// ```
/// # #[cfg(feature = "builtin")] {
/// # use std::sync::Arc;
/// # use skewer_engine::patch::PatchContext;
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::document::from_json;
/// # let release = builtin::newest();
/// let service = PatchContext::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// use skewer_engine::skew::{UnknownFieldHandling, convert};
///
/// let document = from_json(br#"{"spec":{"$retainKeys":["type"],"type":"ClusterIP"}}"#)?;
/// let stored = convert(&service, &document, UnknownFieldHandling::Drop)?;
/// assert_eq!(stored.to_string(), r#"{"metadata":{},"spec":{"type":"ClusterIP"},"status":{"loadBalancer":{}}}"#);
/// assert!(convert(&service, &document, UnknownFieldHandling::Refuse).is_err());
/// # }
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn convert(
    context: &PatchContext,
    document: &OwnedDoc,
    unknown: UnknownFieldHandling,
) -> Result<OwnedDoc> {
    Conversion { context, unknown }.convert_value(document, context.root, false)
}

struct Conversion<'a> {
    context: &'a PatchContext,
    unknown: UnknownFieldHandling,
}

impl Conversion<'_> {
    /// Converts a value. `in_go` says whether the field that has the value is declared in Go.
    fn convert_value(&self, value: &OwnedDoc, ty: TypeId, in_go: bool) -> Result<OwnedDoc> {
        match (self.context.schema.get(ty), value) {
            (_, Doc::Null) | (Type::Any, _) => Ok(value.clone()),
            (Type::Struct(_), Doc::Map(map)) => self.convert_fields(map, ty),
            (Type::Map(values), Doc::Map(map)) => map
                .iter()
                .map(|(key, value)| {
                    let value = self.convert_element(value, *values, in_go).map_err(|e| e.at(key))?;
                    Ok((key.clone(), value))
                })
                .collect::<Result<OwnedMap>>()
                .map(Doc::Map),
            (Type::List(items_type), Doc::List(items)) => items
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    self.convert_element(item, *items_type, in_go).map_err(|e| e.at_index(index))
                })
                .collect::<Result<Vec<_>>>()
                .map(Doc::List),
            (ty, _) if ty.accepts_scalar(value.kind()) => Ok(value.clone()),
            (expected, _) => Err(Error::new(
                ErrorKind::Undecodable,
                format!("expected {}, found {}", expected.describe(), value.kind().with_article()),
            )),
        }
    }

    /// Converts a value of a map or an item of a list. In Go, a null leaves the zero value in its place.
    fn convert_element(&self, value: &OwnedDoc, ty: TypeId, in_go: bool) -> Result<OwnedDoc> {
        if value.is_null() && in_go {
            return Ok(zero_value(&self.context.schema, ty));
        }
        self.convert_value(value, ty, in_go)
    }

    fn convert_fields(&self, map: &OwnedMap, ty: TypeId) -> Result<OwnedDoc> {
        let mut fields = Map::with_capacity(map.len());
        for (key, value) in map.iter() {
            match self.context.schema.field(ty, key) {
                Some(_) if value.is_null() => {}
                Some(field) => {
                    let value = self.convert_value(value, field.ty, field.is_go).map_err(|e| e.at(key))?;
                    if !is_omitted(&self.context.schema, field, &value) {
                        fields.insert(key.clone(), value);
                    }
                }
                None if self.context.schema.topology(ty).keeps_unknown_fields => {
                    fields.insert(key.clone(), value.clone());
                }
                None if self.unknown == UnknownFieldHandling::Drop => {}
                None => {
                    return Err(Error::new(
                        ErrorKind::StrictUnknownField,
                        format!("unknown field {key}, refused by strict field validation"),
                    )
                    .at(key));
                }
            }
        }
        add_zero_values(&self.context.schema, ty, &mut fields);
        Ok(Doc::Map(fields))
    }
}

/// Adds the zero values of the fields that Go writes although they are not set.
fn add_zero_values(schema: &Schema, ty: TypeId, fields: &mut OwnedMap) {
    let Some(s) = schema.as_struct(ty) else { return };
    let missing: Vec<(&Field, OwnedDoc)> = s
        .fields()
        .filter(|field| !fields.contains_key(&field.name))
        .filter(|field| !field.is_embedded_by_pointer || has_field_beside(s, field, fields))
        .filter_map(|field| Some((field, written_if_unset(schema, field)?)))
        .collect();
    for (field, zero) in missing {
        fields.insert(field.name.clone(), zero);
    }
}

/// Returns true if a document has a field that is declared in the same struct as another field.
fn has_field_beside(s: &StructType, field: &Field, document: &OwnedMap) -> bool {
    document.keys().any(|key| s.field(key).is_some_and(|other| other.declared_in == field.declared_in))
}

/// Returns the value that Go writes for a field that is not set, or `None` if it writes nothing.
fn written_if_unset(schema: &Schema, field: &Field) -> Option<OwnedDoc> {
    let ty = schema.get(field.ty);
    if !field.is_go || field.omit_zero || (field.omit_empty && (field.is_pointer || !is_struct_in_go(ty))) {
        return None;
    }
    Some(if field.is_pointer { Doc::Null } else { zero_value(schema, field.ty) })
}

/// Returns the zero value of a Go type as Go writes it.
fn zero_value(schema: &Schema, ty: TypeId) -> OwnedDoc {
    match schema.get(ty) {
        Type::Struct(_) => {
            let mut fields = Map::new();
            add_zero_values(schema, ty, &mut fields);
            Doc::Map(fields)
        }
        Type::Scalar(scalar) => scalar.zero().unwrap_or(Doc::Null),
        Type::Enum(_) => Doc::from(""),
        Type::List(_) | Type::Map(_) | Type::Any => Doc::Null,
    }
}

/// Returns true if the Go type is a struct. `omitempty` never omits a struct.
fn is_struct_in_go(ty: &Type) -> bool {
    match ty {
        Type::Struct(_) => true,
        Type::Scalar(scalar) => scalar.is_struct_in_go(),
        Type::Enum(_) | Type::List(_) | Type::Map(_) | Type::Any => false,
    }
}

/// Returns a document without the values that only say that a field is not set: nulls, and the zero values that Go
/// writes for fields without `omitempty` and `omitzero`. With and without such a value, a document is the same object,
/// and parties with different types write different ones of them. Documents are compared in this form.
///
/// Fields and values that do not fit the types are kept.
///
/// ```
/// # #[cfg(feature = "builtin")] {
/// # use std::sync::Arc;
/// # use skewer_engine::patch::PatchContext;
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::document::from_json;
/// # let release = builtin::newest();
/// let service = PatchContext::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// use skewer_engine::skew::without_unset_fields;
///
/// let written_by_go = from_json(br#"{"metadata":{},"spec":{"type":"ClusterIP"},"status":{"loadBalancer":{}}}"#)?;
/// assert_eq!(without_unset_fields(&service, &written_by_go).to_string(), r#"{"spec":{"type":"ClusterIP"}}"#);
/// # }
/// # Ok::<(), skewer_engine::Error>(())
/// ```
#[must_use]
pub fn without_unset_fields(context: &PatchContext, document: &OwnedDoc) -> OwnedDoc {
    remove_unset_fields(&context.schema, context.root, document)
}

fn remove_unset_fields(schema: &Schema, ty: TypeId, document: &OwnedDoc) -> OwnedDoc {
    match (schema.get(ty), document) {
        (Type::Struct(s), Doc::Map(map)) => {
            let fields = map.iter().filter_map(|(key, value)| {
                let Some(field) = s.field(key) else { return Some((key.clone(), value.clone())) };
                let value = remove_unset_fields(schema, field.ty, value);
                (!is_unset(schema, field, &value)).then(|| (key.clone(), value))
            });
            Doc::Map(fields.collect())
        }
        (Type::Map(values), Doc::Map(map)) => Doc::Map(
            map.iter()
                .map(|(key, value)| (key.clone(), remove_unset_fields(schema, *values, value)))
                .collect(),
        ),
        (Type::List(items_type), Doc::List(items)) => {
            Doc::List(items.iter().map(|item| remove_unset_fields(schema, *items_type, item)).collect())
        }
        _ => document.clone(),
    }
}

/// Returns a document with an empty map for each Go struct that the document lacks. A struct is always there. In this
/// form, a difference between two documents has the path of the field that is missing, not the path of the struct that
/// would have it.
#[must_use]
pub fn with_empty_structs(context: &PatchContext, document: &OwnedDoc) -> OwnedDoc {
    let mut document = document.clone();
    add_empty_structs(&context.schema, context.root, &mut document);
    document
}

fn add_empty_structs(schema: &Schema, ty: TypeId, document: &mut OwnedDoc) {
    match (schema.get(ty), document) {
        (Type::Struct(s), Doc::Map(map)) => {
            for field in s.fields() {
                let is_missing = !map.contains_key(&field.name) && !field.is_embedded_by_pointer;
                if is_missing && matches!(written_if_unset(schema, field), Some(Doc::Map(_))) {
                    map.insert(field.name.clone(), Doc::Map(Map::new()));
                }
                if let Some(value) = map.get_mut(&field.name) {
                    add_empty_structs(schema, field.ty, value);
                }
            }
        }
        (Type::Map(values), Doc::Map(map)) => {
            for (_, value) in map.iter_mut() {
                add_empty_structs(schema, *values, value);
            }
        }
        (Type::List(item_type), Doc::List(items)) => {
            for item in items {
                add_empty_structs(schema, *item_type, item);
            }
        }
        _ => {}
    }
}

/// Returns true if a value without unset fields says only that the field is not set.
fn is_unset(schema: &Schema, field: &Field, value: &OwnedDoc) -> bool {
    if value.is_null() {
        return true;
    }
    // Even a zero value shows that the pointer to the embedded struct is set.
    if field.is_embedded_by_pointer {
        return false;
    }
    match (written_if_unset(schema, field), value) {
        (Some(Doc::Map(_)), Doc::Map(map)) => map.is_empty(),
        (Some(Doc::Int(0)), Doc::Float(number)) => *number == 0.0,
        (zero, value) => zero.as_ref() == Some(value),
    }
}

/// Returns true if `encoding/json` omits the value of a field.
fn is_omitted(schema: &Schema, field: &Field, value: &OwnedDoc) -> bool {
    (field.omit_empty && is_empty(schema, field, value)) || (field.omit_zero && is_zero(schema, field, value))
}

/// Returns true if `omitempty` omits the value. It never omits a pointer that is set, or a struct.
fn is_empty(schema: &Schema, field: &Field, value: &OwnedDoc) -> bool {
    match (schema.get(field.ty), value) {
        (ty, _) if field.is_pointer || is_struct_in_go(ty) => false,
        (Type::List(_), Doc::List(items)) => items.is_empty(),
        (Type::Map(_), Doc::Map(map)) => map.is_empty(),
        (Type::Scalar(_) | Type::Enum(_), value) => is_zero_scalar(value),
        _ => false,
    }
}

/// Returns true if `omitzero` omits the value: null, a zero scalar, or a struct in which all fields are zero.
fn is_zero(schema: &Schema, field: &Field, value: &OwnedDoc) -> bool {
    match (schema.get(field.ty), value) {
        (_, Doc::Null) => true,
        _ if field.is_pointer => false,
        (Type::Struct(_), Doc::Map(map)) => map.iter().all(|(key, value)| {
            schema.field(field.ty, key).is_some_and(|field| is_zero(schema, field, value))
        }),
        (Type::Scalar(scalar), value) if scalar.is_struct_in_go() => scalar.zero().as_ref() == Some(value),
        (Type::Scalar(_) | Type::Enum(_), value) => is_zero_scalar(value),
        _ => false,
    }
}

fn is_zero_scalar(value: &OwnedDoc) -> bool {
    match value {
        Doc::Bool(b) => !b,
        Doc::Int(i) => *i == 0,
        Doc::Float(f) => *f == 0.0,
        Doc::String(s) => s.is_empty(),
        Doc::Null | Doc::List(_) | Doc::Map(_) => false,
    }
}
