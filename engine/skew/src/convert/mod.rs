//! The conversion of a document to the types of a party: decoding and encoding again.

mod scalar;
mod scalar_form;

use skewer_engine::document::{Doc, Map, OwnedDoc, OwnedMap, OwnedText};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Field, ScalarType, Schema, StructType, Type, TypeId};

pub use scalar::Decoder;

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
/// The result lacks all fields that the type does not have, unless the type keeps unknown fields. For fields that are
/// declared in Go it follows `encoding/json`: it lacks the empty and zero values that the field omits (`omitempty`,
/// `omitzero`), and has the zero value of each other field that the document lacks. The zero value of a pointer, list or
/// map is null, that of a struct has the zero values of its fields. A null in a list or a map becomes the zero value.
/// Scalars have the form that Go writes: the quantity `1.5` becomes `1500m`, and times are in UTC.
///
/// Fields from `OpenAPI` have no zero value: a field that is missing stays out of the result, and also a null
/// of a field that is not nullable. Their scalars stay
/// as they are, as servers keep those of custom resources.
///
/// # Errors
///
/// - [`ErrorKind::Undecodable`] if a value does not fit its type
/// - [`ErrorKind::StrictUnknownField`] if the document has an unknown field and `unknown` is
///   [`UnknownFieldHandling::Refuse`]
///
/// ```
/// # use std::sync::Arc;
/// # use skewer_engine::patch::PatchContext;
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::document::from_json;
/// # let release = builtin::newest();
/// let service = PatchContext::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// use skewer_skew::{Decoder, UnknownFieldHandling, convert};
///
/// let document = from_json(br#"{"spec":{"$retainKeys":["type"],"type":"ClusterIP"}}"#)?;
/// let stored = convert(&service, &document, Decoder::Json, UnknownFieldHandling::Drop)?;
/// assert_eq!(stored.to_string(), r#"{"metadata":{},"spec":{"type":"ClusterIP"},"status":{"loadBalancer":{}}}"#);
/// assert!(convert(&service, &document, Decoder::Json, UnknownFieldHandling::Refuse).is_err());
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn convert(
    context: &PatchContext,
    document: &OwnedDoc,
    decoder: Decoder,
    unknown: UnknownFieldHandling,
) -> Result<OwnedDoc> {
    Conversion { context, decoder, unknown }
        .convert_value(document, ValueOrigin { ty: context.root, is_go: false })
}

struct Conversion<'a> {
    context: &'a PatchContext,
    decoder: Decoder,
    unknown: UnknownFieldHandling,
}

/// The type of a value, and whether the value belongs to a field that is declared in Go.
#[derive(Clone, Copy)]
struct ValueOrigin {
    ty: TypeId,
    is_go: bool,
}

impl Conversion<'_> {
    fn convert_value(&self, value: &OwnedDoc, ValueOrigin { ty, is_go }: ValueOrigin) -> Result<OwnedDoc> {
        match (self.context.schema.get(ty), value) {
            (_, Doc::Null) if is_go => self.convert_null(ty),
            (_, Doc::Null) => Ok(Doc::Null),
            (Type::Any, _) => Ok(self.convert_any(value, is_go)),
            (Type::Struct(_), Doc::Map(map)) => self.convert_fields(map, ty),
            (Type::Map(values), Doc::Map(map)) => map
                .iter()
                .map(|(key, value)| {
                    let origin = ValueOrigin { ty: *values, is_go };
                    Ok((key.clone(), self.convert_value(value, origin).map_err(|e| e.at(key))?))
                })
                .collect::<Result<OwnedMap>>()
                .map(Doc::Map),
            (Type::List(items_type), Doc::List(items)) => items
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    let origin = ValueOrigin { ty: *items_type, is_go };
                    self.convert_value(item, origin).map_err(|e| e.at_index(index))
                })
                .collect::<Result<Vec<_>>>()
                .map(Doc::List),
            (Type::Scalar(scalar), value) if is_go => {
                scalar::convert(*scalar, value, self.decoder).map_err(undecodable)
            }
            (ty, _) if ty.accepts_scalar(value.kind()) => Ok(value.clone()),
            (expected, _) => Err(undecodable(format!(
                "expected {}, found {}",
                expected.describe(),
                value.kind().with_article()
            ))),
        }
    }

    /// Returns the zero value for a null in place of a Go value that is no pointer.
    fn convert_null(&self, ty: TypeId) -> Result<OwnedDoc> {
        match self.context.schema.get(ty) {
            // `Duration.UnmarshalJSON` reads null as empty text.
            Type::Scalar(ScalarType::Duration) if self.decoder == Decoder::Json => {
                Err(undecodable("expected a duration such as 1h30m, found null".to_owned()))
            }
            _ => Ok(zero_value(&self.context.schema, ty)),
        }
    }

    /// Go keeps any value as the JSON text that it decoded. `FromUnstructured` encodes it first.
    fn convert_any(&self, value: &OwnedDoc, is_go: bool) -> OwnedDoc {
        if is_go && self.decoder != Decoder::Json { encoded_by_go(value) } else { value.clone() }
    }

    fn convert_fields(&self, map: &OwnedMap, ty: TypeId) -> Result<OwnedDoc> {
        let mut fields = Map::with_capacity(map.len());
        for (key, value) in map.iter() {
            match self.context.schema.field(ty, key) {
                Some(field) if value.is_null() => {
                    if field.nullable {
                        fields.insert(key.clone(), Doc::Null);
                    } else if field.is_go && !field.is_pointer {
                        self.convert_null(field.ty).map_err(|e| e.at(key))?;
                    }
                }
                Some(field) => {
                    let origin = ValueOrigin { ty: field.ty, is_go: field.is_go };
                    let value = self.convert_value(value, origin).map_err(|e| e.at(key))?;
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
        let decoded = Decoded { document: map, decoder: self.decoder };
        add_zero_values(&self.context.schema, ty, &mut fields, Some(decoded));
        Ok(Doc::Map(fields))
    }
}

fn undecodable(message: String) -> Error {
    Error::new(ErrorKind::Undecodable, message)
}

/// Returns the document that results when Go writes it and it is read again: whole floats are integers.
fn encoded_by_go(document: &OwnedDoc) -> OwnedDoc {
    match document {
        Doc::Float(float) => Doc::from_go_float(*float),
        Doc::List(items) => Doc::List(items.iter().map(encoded_by_go).collect()),
        Doc::Map(map) => {
            Doc::Map(map.iter().map(|(key, value)| (key.clone(), encoded_by_go(value))).collect())
        }
        _ => document.clone(),
    }
}

/// The document from which a struct was decoded. It decides which embedded pointers are set.
#[derive(Clone, Copy)]
struct Decoded<'d> {
    document: &'d OwnedMap,
    decoder: Decoder,
}

impl Decoded<'_> {
    /// Returns true if the pointer to the embedded struct that declares a field is set. The JSON decoder sets it if the
    /// document has one of its fields, even with null; `FromUnstructured` always does.
    fn sets_embedded_pointer(self, s: &StructType, field: &Field) -> bool {
        let is_beside =
            |key: &OwnedText| s.field(key).is_some_and(|other| other.declared_in == field.declared_in);
        self.decoder != Decoder::Json || self.document.keys().any(is_beside)
    }
}

/// Adds the zero values of the fields that Go writes although they are not set. Without a document, nothing was decoded
/// into the struct.
fn add_zero_values(schema: &Schema, ty: TypeId, fields: &mut OwnedMap, decoded: Option<Decoded<'_>>) {
    let Some(s) = schema.as_struct(ty) else { return };
    let is_there = |field: &Field| {
        !field.is_embedded_by_pointer
            || decoded.is_some_and(|decoded| decoded.sets_embedded_pointer(s, field))
    };
    let missing: Vec<(&Field, OwnedDoc)> = s
        .fields()
        .filter(|field| is_written_if_unset(schema, field))
        .filter(|field| !fields.contains_key(&field.name) && is_there(field))
        .map(|field| (field, if field.is_pointer { Doc::Null } else { zero_value(schema, field.ty) }))
        .collect();
    for (field, zero) in missing {
        fields.insert(field.name.clone(), zero);
    }
}

/// Returns true if Go writes a field that is not set.
fn is_written_if_unset(schema: &Schema, field: &Field) -> bool {
    let is_empty_if_unset = field.is_pointer || !is_struct_in_go(schema.get(field.ty));
    field.is_go && !field.omit_zero && !(field.omit_empty && is_empty_if_unset)
}

/// Returns true if Go writes a struct for a field that is not set.
fn is_struct_if_unset(schema: &Schema, field: &Field) -> bool {
    !field.is_pointer && schema.as_struct(field.ty).is_some() && is_written_if_unset(schema, field)
}

/// Returns the zero value of a Go type that is no pointer, as Go writes it.
fn zero_value(schema: &Schema, ty: TypeId) -> OwnedDoc {
    match schema.get(ty) {
        Type::Struct(_) => {
            let mut fields = Map::new();
            add_zero_values(schema, ty, &mut fields, None);
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

/// Returns a document without the values that only say that a field is not set: nulls, except those of nullable fields, and
/// the zero values that Go writes for fields without `omitempty` and `omitzero`. With and without such a value, a document is the same object,
/// and parties with different types write different ones of them. Documents are compared in this form.
///
/// Fields and values that do not fit the types are kept.
///
/// ```
/// # use std::sync::Arc;
/// # use skewer_engine::patch::PatchContext;
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::document::from_json;
/// # let release = builtin::newest();
/// let service = PatchContext::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// use skewer_skew::without_unset_fields;
///
/// let written_by_go = from_json(br#"{"metadata":{},"spec":{"type":"ClusterIP"},"status":{"loadBalancer":{}}}"#)?;
/// assert_eq!(without_unset_fields(&service, written_by_go).to_string(), r#"{"spec":{"type":"ClusterIP"}}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
#[must_use]
pub fn without_unset_fields(context: &PatchContext, mut document: OwnedDoc) -> OwnedDoc {
    remove_unset_fields(&context.schema, context.root, &mut document);
    document
}

fn remove_unset_fields(schema: &Schema, ty: TypeId, document: &mut OwnedDoc) {
    match (schema.get(ty), document) {
        (Type::Struct(s), Doc::Map(map)) => map.retain(|key, value| {
            let Some(field) = s.field(key) else { return true };
            remove_unset_fields(schema, field.ty, value);
            !is_unset(schema, field, value)
        }),
        (Type::Map(values), Doc::Map(map)) => {
            for (_, value) in map.iter_mut() {
                remove_unset_fields(schema, *values, value);
            }
        }
        (Type::List(items_type), Doc::List(items)) => {
            for item in items {
                remove_unset_fields(schema, *items_type, item);
            }
        }
        _ => {}
    }
}

/// Returns a document with an empty map for each Go struct that the document lacks. A struct is always there, and so is the
/// metadata of a custom resource. In this form, a difference between two documents has the path of the field that is missing, not
/// the path of the struct that would have it.
#[must_use]
pub fn with_empty_structs(context: &PatchContext, mut document: OwnedDoc) -> OwnedDoc {
    add_empty_structs(&context.schema, context.root, &mut document);
    if let (true, Doc::Map(object)) = (context.custom_resource, &mut document)
        && !object.contains_key("metadata")
    {
        object.insert("metadata".into(), Doc::Map(Map::new()));
    }
    document
}

fn add_empty_structs(schema: &Schema, ty: TypeId, document: &mut OwnedDoc) {
    match (schema.get(ty), document) {
        (Type::Struct(s), Doc::Map(map)) => {
            for field in s.fields() {
                let is_always_there = !field.is_embedded_by_pointer && is_struct_if_unset(schema, field);
                if is_always_there && !map.contains_key(&field.name) {
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
        return !field.nullable;
    }
    // Even a zero value shows that a pointer is set: that of the field, or that to the embedded struct.
    if field.is_pointer || field.is_embedded_by_pointer || !is_written_if_unset(schema, field) {
        return false;
    }
    match (schema.get(field.ty), value) {
        (Type::Struct(_), value) => value.as_map().is_some_and(Map::is_empty),
        (_, value) => match (zero_value(schema, field.ty), value) {
            (Doc::Int(0), Doc::Float(number)) => *number == 0.0,
            (zero, value) => zero == *value,
        },
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
        (Type::Scalar(_) | Type::Enum(_), value) => value.is_null() || is_zero_scalar(value),
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
