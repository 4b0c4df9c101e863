//! The conversion of a document to the types of a party: decoding and encoding again.

use crate::document::{Doc, Map, OwnedDoc, OwnedMap};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::PatchContext;
use crate::schema::{Field, Type, TypeId};

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
/// The result lacks all fields that the type does not have, all fields that are null, and the empty or zero values that
/// the type omits (`omitempty`, `omitzero`).
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
/// assert_eq!(stored.to_string(), r#"{"spec":{"type":"ClusterIP"}}"#);
/// assert!(convert(&service, &document, UnknownFieldHandling::Refuse).is_err());
/// # }
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn convert(
    context: &PatchContext,
    document: &OwnedDoc,
    unknown: UnknownFieldHandling,
) -> Result<OwnedDoc> {
    Conversion { context, unknown }.convert_value(document, context.root)
}

struct Conversion<'a> {
    context: &'a PatchContext,
    unknown: UnknownFieldHandling,
}

impl Conversion<'_> {
    fn convert_value(&self, value: &OwnedDoc, ty: TypeId) -> Result<OwnedDoc> {
        match (self.context.schema.get(ty), value) {
            (_, Doc::Null) | (Type::Any, _) => Ok(value.clone()),
            (Type::Struct(_), Doc::Map(map)) => self.convert_fields(map, ty),
            (Type::Map(values), Doc::Map(map)) => map
                .iter()
                .map(|(key, value)| {
                    Ok((key.clone(), self.convert_value(value, *values).map_err(|e| e.at(key))?))
                })
                .collect::<Result<OwnedMap>>()
                .map(Doc::Map),
            (Type::List(items_type), Doc::List(items)) => items
                .iter()
                .enumerate()
                .map(|(index, item)| self.convert_value(item, *items_type).map_err(|e| e.at_index(index)))
                .collect::<Result<Vec<_>>>()
                .map(Doc::List),
            (ty, _) if ty.accepts_scalar(value.kind()) => Ok(value.clone()),
            (expected, _) => Err(Error::new(
                ErrorKind::Undecodable,
                format!("expected {}, found {}", expected.describe(), value.kind().with_article()),
            )),
        }
    }

    fn convert_fields(&self, map: &OwnedMap, ty: TypeId) -> Result<OwnedDoc> {
        let mut fields = Map::with_capacity(map.len());
        for (key, value) in map.iter() {
            match self.context.schema.field(ty, key) {
                Some(_) if value.is_null() => {}
                Some(field) => {
                    let value = self.convert_value(value, field.ty).map_err(|e| e.at(key))?;
                    if !self.is_omitted(field, &value) {
                        fields.insert(key.clone(), value);
                    }
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
        Ok(Doc::Map(fields))
    }
}

/// The rules by which `encoding/json` omits fields.
impl Conversion<'_> {
    fn is_omitted(&self, field: &Field, value: &OwnedDoc) -> bool {
        (field.omit_empty && self.is_empty(field, value)) || (field.omit_zero && self.is_zero(field, value))
    }

    /// Returns true if `omitempty` omits the value. It never omits a pointer that is set.
    fn is_empty(&self, field: &Field, value: &OwnedDoc) -> bool {
        match (self.context.schema.get(field.ty), value) {
            _ if field.is_pointer => false,
            (Type::List(_), Doc::List(items)) => items.is_empty(),
            (Type::Map(_), Doc::Map(map)) => map.is_empty(),
            (Type::Scalar(_) | Type::Enum(_), value) => is_zero_scalar(value),
            _ => false,
        }
    }

    /// Returns true if `omitzero` omits the value: a zero scalar, or a struct in which all fields are zero.
    fn is_zero(&self, field: &Field, value: &OwnedDoc) -> bool {
        let schema = &self.context.schema;
        match (schema.get(field.ty), value) {
            _ if field.is_pointer => false,
            (Type::Struct(_), Doc::Map(map)) => map.iter().all(|(key, value)| {
                schema.field(field.ty, key).is_some_and(|field| self.is_zero(field, value))
            }),
            (Type::Scalar(_) | Type::Enum(_), value) => is_zero_scalar(value),
            _ => false,
        }
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
