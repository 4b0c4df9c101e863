//! The values of documents in CEL, and the outcome of expressions.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use cel::Value;
use cel::common::ast::LiteralValue;
use cel::objects::{Key, OptionalValue};
use chrono::DateTime;
use skewer_engine::document::{Doc, Map};

use super::convert::{parse_base64, parse_date, parse_formatted_duration, parse_timestamp};
use super::types::{declares_names, escape};
use crate::structural::{AdditionalProperties, StructuralSchema, ValueType};

/// A value, or the message of an error.
pub(super) type Evaluated = Result<Value, String>;

/// The error of a value of the type `dyn` that an operator does not take.
pub(super) const NO_SUCH_OVERLOAD: &str = "no such overload";

/// Returns the value that rules see. A value that does not fit its schema becomes an error when a rule reads it, as
/// upstream, which converts values when they are read. Upstream: `UnstructuredToVal`.
pub(super) fn from_doc(doc: &Doc<'_>, schema: &StructuralSchema, is_resource_root: bool) -> Value {
    converted(doc, schema, is_resource_root, None)
}

/// Returns the value that rules see, if they read nothing of an object but these fields. The names are those in CEL.
pub(super) fn fields_from_doc(
    doc: &Doc<'_>,
    schema: &StructuralSchema,
    is_resource_root: bool,
    names: &[String],
) -> Value {
    converted(doc, schema, is_resource_root, Some(names))
}

fn converted(
    doc: &Doc<'_>,
    schema: &StructuralSchema,
    is_resource_root: bool,
    names: Option<&[String]>,
) -> Value {
    let is_resource_root = is_resource_root || schema.embedded_resource;
    if schema.int_or_string {
        return match doc {
            Doc::Int(i) => Value::Int(*i),
            Doc::String(s) => string(s),
            Doc::Null if schema.nullable => Value::Null,
            _ => poison("invalid data, expected XIntOrString value to be either a string or integer"),
        };
    }
    let ty = if is_resource_root { Some(ValueType::Object) } else { schema.ty };
    match (ty, doc) {
        (_, Doc::Null) if schema.nullable => Value::Null,
        (_, Doc::Null) => poison("invalid data, got null for schema with nullable=false"),
        (Some(ValueType::Object), Doc::Map(_)) => object(doc, schema, is_resource_root, names),
        (Some(ValueType::Array), Doc::List(items)) => {
            match (schema.items.as_deref(), &schema.unknown_list_type) {
                (None, _) => poison("invalid array type, expected Items with a non-empty Schema"),
                (_, Some(ty)) => poison(&format!(
                    "invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got {ty}"
                )),
                (Some(schema), None) => list(items.iter().map(|item| from_doc(item, schema, false))),
            }
        }
        (Some(ValueType::String), Doc::String(s)) => formatted(s, schema.validation.format.as_deref()),
        (Some(ValueType::Integer), Doc::Int(i)) => Value::Int(*i),
        (Some(ValueType::Number), Doc::Float(f)) => Value::Float(*f),
        #[expect(clippy::cast_precision_loss, reason = "Upstream converts the number in the same way.")]
        (Some(ValueType::Number), Doc::Int(i)) => Value::Float(*i as f64),
        (Some(ValueType::Boolean), Doc::Bool(b)) => Value::Bool(*b),
        (None, _) => untyped(doc),
        (Some(ty), doc) => poison(&format!("invalid data, expected {ty:?}, got {:?}", doc.kind())),
    }
}

fn object(
    doc: &Doc<'_>,
    schema: &StructuralSchema,
    is_resource_root: bool,
    names: Option<&[String]>,
) -> Value {
    let mut fields = HashMap::new();
    let name_only = is_resource_root && !declares_names(schema);
    for (key, value) in doc.as_map().into_iter().flat_map(Map::iter) {
        let is_name = name_only && matches!(key.as_ref(), "apiVersion" | "kind" | "metadata");
        let property = schema.properties.get(key.as_ref()).filter(|_| !is_name);
        let has_fields = is_resource_root || !schema.properties.is_empty();
        let values = match &schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) if schema.properties.is_empty() => Some(values),
            _ => None,
        };
        let is_absent = has_fields && value.is_null();
        let is_value = !is_absent && property.is_none() && values.is_some();
        let name = if is_value { None } else { escape(key) };
        let name = name.unwrap_or(Cow::Borrowed(key));
        // Expressions can also have a reserved name as it is.
        let is_read = |read: &String| *read == name || read.as_str() == key.as_ref();
        if names.is_some_and(|names| !names.iter().any(is_read)) {
            continue;
        }
        let value = match (property, values) {
            _ if is_absent => absent(),
            (Some(property), _) => from_doc(value, property, false),
            (None, Some(values)) => from_doc(value, values, false),
            // The checker lets no rule read such a field, but equality compares it.
            _ => untyped(value),
        };
        fields.insert(Key::from(name.into_owned()), value);
    }
    Value::Map(cel::objects::Map { map: Arc::new(fields) })
}

/// Returns a value for which there is no schema.
pub(super) fn untyped(doc: &Doc<'_>) -> Value {
    match doc {
        Doc::Null => Value::Null,
        Doc::Bool(b) => Value::Bool(*b),
        Doc::Int(i) => Value::Int(*i),
        Doc::Float(f) => Value::Float(*f),
        Doc::String(s) => string(s),
        Doc::List(items) => list(items.iter().map(untyped)),
        Doc::Map(map) => {
            let entries = map.iter().map(|(key, value)| (Key::from(key.as_ref()), untyped(value)));
            Value::Map(cel::objects::Map { map: Arc::new(entries.collect()) })
        }
    }
}

fn formatted(text: &str, format: Option<&str>) -> Value {
    let value = match format {
        Some("duration") => parse_formatted_duration(text).map(Value::Duration),
        // Upstream, an empty text is no error here, but 1970: `ParseDateTime`. The format of the value is still wrong.
        Some("date-time") if text.is_empty() => Some(Value::Timestamp(DateTime::UNIX_EPOCH.into())),
        Some("date-time") => parse_timestamp(text).map(Value::Timestamp),
        Some("date") => parse_date(text).map(Value::Timestamp),
        Some("byte") => parse_base64(text).map(|bytes| Value::Bytes(Arc::new(bytes))),
        _ => Some(string(text)),
    };
    value.unwrap_or_else(|| poison(&format!("Invalid {} {text}", format.unwrap_or_default())))
}

/// Returns the value of a literal.
pub(super) fn literal(literal: &LiteralValue) -> Value {
    match literal {
        LiteralValue::Boolean(value) => Value::Bool(*value.inner()),
        LiteralValue::Bytes(value) => Value::Bytes(Arc::new(value.inner().to_vec())),
        LiteralValue::Double(value) => Value::Float(*value.inner()),
        LiteralValue::Int(value) => Value::Int(*value.inner()),
        LiteralValue::UInt(value) => Value::UInt(*value.inner()),
        LiteralValue::String(value) => string(value.inner()),
        LiteralValue::Null => Value::Null,
    }
}

pub(super) fn string(text: &str) -> Value {
    Value::String(Arc::new(text.to_owned()))
}

pub(super) fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::List(Arc::new(items.into_iter().collect()))
}

/// A value that is an error when it is read. The interpreter of the crate, which is not used, has the variant
/// `Function`; its second field tells these values from types.
pub(super) fn poison(message: &str) -> Value {
    Value::Function(Arc::new(message.to_owned()), Some(Box::new(Value::Null)))
}

/// The value of a field that is null. Rules see no such field, but equality counts it. Upstream: `unstructuredMap.Find`.
fn absent() -> Value {
    Value::Function(Arc::new(String::new()), Some(Box::new(Value::Bool(false))))
}

pub(super) fn is_absent(value: &Value) -> bool {
    matches!(value, Value::Function(_, Some(kind)) if matches!(**kind, Value::Bool(_)))
}

/// Returns the message of a value that does not fit its schema.
pub(super) fn poison_message(value: &Value) -> Option<&str> {
    match value {
        Value::Function(message, Some(_)) => Some(message),
        _ => None,
    }
}

/// The value of a type, such as that of `type(self)`.
pub(super) fn type_value(name: &str) -> Value {
    Value::Function(Arc::new(name.to_owned()), None)
}

pub(super) fn unsupported() -> String {
    NO_SUCH_OVERLOAD.to_owned()
}

pub(super) fn as_optional(value: &Value) -> Option<&OptionalValue> {
    match value {
        Value::Opaque(opaque) => opaque.downcast_ref(),
        _ => None,
    }
}

pub(super) fn optional_of(value: Option<Value>) -> Value {
    let optional = value.map_or_else(OptionalValue::none, OptionalValue::of);
    Value::Opaque(Arc::new(optional))
}

/// Whether a value can be an index. Upstream: `newQualifier`.
pub(super) fn is_qualifier(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Bool(_))
}
