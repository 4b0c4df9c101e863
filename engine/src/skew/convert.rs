//! Decoding into a party's types and encoding again.

use crate::error::{Error, ErrorKind, Result};
use crate::patch::Knowledge;
use crate::schema::{Field, ScalarType, Type, TypeId};
use crate::value::{Kind, Map, Value};

/// What becomes of a field that the type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It is gone, as after decoding into a Go struct.
    Drop,
    /// The document is refused, as with strict field validation.
    Refuse,
}

/// The document as it is after it was decoded into the type of a party and encoded again: without fields that
/// the type does not have, without nulls, and without zero values where the type omits them.
///
/// Values of the wrong kind are [`ErrorKind::Undecodable`], unknown fields [`ErrorKind::StrictUnknownField`]
/// when refused.
///
/// ```
/// # use std::sync::Arc;
/// # use skewer_engine::patch::Knowledge;
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::value::from_json;
/// # let release = builtin::newest();
/// let service = Knowledge::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// use skewer_engine::skew::{Unknown, convert};
///
/// let document = from_json(br#"{"spec":{"$retainKeys":["type"],"type":"ClusterIP"}}"#)?;
/// let stored = convert(&service, &document, Unknown::Drop)?;
/// assert_eq!(stored.to_string(), r#"{"spec":{"type":"ClusterIP"}}"#);
/// assert!(convert(&service, &document, Unknown::Refuse).is_err());
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn convert(knowledge: &Knowledge, document: &Value, unknown: Unknown) -> Result<Value> {
    Conversion { knowledge, unknown }.value(document, knowledge.root)
}

struct Conversion<'a> {
    knowledge: &'a Knowledge,
    unknown: Unknown,
}

impl Conversion<'_> {
    fn value(&self, value: &Value, ty: TypeId) -> Result<Value> {
        match (self.knowledge.schema.get(ty), value) {
            (_, Value::Null) | (Type::Any, _) => Ok(value.clone()),
            (Type::Struct(_), Value::Map(map)) => self.fields(map, ty),
            (Type::Map(of), Value::Map(map)) => map
                .iter()
                .map(|(key, value)| Ok((key.clone(), self.value(value, *of).map_err(|e| e.at(key))?)))
                .collect::<Result<Map>>()
                .map(Value::Map),
            (Type::List(of), Value::List(items)) => items
                .iter()
                .enumerate()
                .map(|(index, item)| self.value(item, *of).map_err(|e| e.at_index(index)))
                .collect::<Result<Vec<_>>>()
                .map(Value::List),
            (ty, _) if fits(ty, value) => Ok(value.clone()),
            (expected, _) => Err(Error::new(
                ErrorKind::Undecodable,
                format!("expected {}, found {}", described(expected), value.kind().described()),
            )),
        }
    }

    fn fields(&self, map: &Map, ty: TypeId) -> Result<Value> {
        let mut kept = Map::with_capacity(map.len());
        for (key, value) in map.iter() {
            match self.knowledge.schema.field(ty, key) {
                Some(_) if value.is_null() => {}
                Some(field) => {
                    let value = self.value(value, field.ty).map_err(|e| e.at(key))?;
                    if !self.is_omitted(field, &value) {
                        kept.insert(key.clone(), value);
                    }
                }
                None if self.unknown == Unknown::Drop => {}
                None => {
                    return Err(Error::new(
                        ErrorKind::StrictUnknownField,
                        format!("unknown field {key}, refused by strict field validation"),
                    )
                    .at(key));
                }
            }
        }
        Ok(Value::Map(kept))
    }
}

/// What `encoding/json` leaves out.
impl Conversion<'_> {
    fn is_omitted(&self, field: &Field, value: &Value) -> bool {
        (field.omit_empty && self.is_empty(field, value)) || (field.omit_zero && self.is_zero(field, value))
    }

    /// Nothing that a pointer or an interface holds is empty: they would have to hold nothing.
    fn is_empty(&self, field: &Field, value: &Value) -> bool {
        match (self.knowledge.schema.get(field.ty), value) {
            _ if field.is_pointer => false,
            (Type::List(_), Value::List(items)) => items.is_empty(),
            (Type::Map(_), Value::Map(map)) => map.is_empty(),
            (Type::Scalar(_) | Type::Enum(_), value) => is_zero_scalar(value),
            _ => false,
        }
    }

    fn is_zero(&self, field: &Field, value: &Value) -> bool {
        let schema = &self.knowledge.schema;
        match (schema.get(field.ty), value) {
            _ if field.is_pointer => false,
            (Type::Struct(_), Value::Map(map)) => map.iter().all(|(key, value)| {
                schema.field(field.ty, key).is_some_and(|field| self.is_zero(field, value))
            }),
            (Type::Scalar(_) | Type::Enum(_), value) => is_zero_scalar(value),
            _ => false,
        }
    }
}

fn is_zero_scalar(value: &Value) -> bool {
    match value {
        Value::Bool(b) => !b,
        Value::Int(i) => *i == 0,
        Value::Float(f) => *f == 0.0,
        Value::String(s) => s.is_empty(),
        Value::Null | Value::List(_) | Value::Map(_) => false,
    }
}

fn fits(ty: &Type, value: &Value) -> bool {
    let scalar = match ty {
        Type::Scalar(scalar) => *scalar,
        Type::Enum(_) => ScalarType::String,
        _ => return false,
    };
    match scalar {
        ScalarType::String | ScalarType::Bytes => value.kind() == Kind::String,
        ScalarType::Integer => value.kind() == Kind::Int,
        ScalarType::Number => matches!(value.kind(), Kind::Int | Kind::Float),
        ScalarType::Boolean => value.kind() == Kind::Bool,
        ScalarType::IntOrString => matches!(value.kind(), Kind::Int | Kind::Float | Kind::String),
    }
}

fn described(ty: &Type) -> String {
    match ty {
        Type::Scalar(ScalarType::String) => "a string".to_owned(),
        Type::Scalar(ScalarType::Bytes) => "base64 text".to_owned(),
        Type::Scalar(ScalarType::Integer) => "an integer".to_owned(),
        Type::Scalar(ScalarType::Number) => "a number".to_owned(),
        Type::Scalar(ScalarType::Boolean) => "a boolean".to_owned(),
        Type::Scalar(ScalarType::IntOrString) => "text or a number".to_owned(),
        Type::Enum(e) => format!("a {}, which is a string", e.name),
        Type::List(_) => "a list".to_owned(),
        Type::Map(_) => "a map".to_owned(),
        Type::Struct(s) => format!("a {}, which is a map", s.name),
        Type::Any => "any value".to_owned(),
    }
}
