//! The values of `+default` markers.

use super::consts::Evaluator;
use super::errors::{GoErrorKind, Position};
use super::markers::DefaultText;
use super::read::Reader;
use super::roots::Root;
use crate::schema::ScalarType;
use crate::value::{Value, from_json};

/// The value of `+default=…`: JSON; for a string also bare text; or `ref(Constant)`.
pub(super) fn default(
    reader: &mut Reader<'_>,
    root: Root,
    (text, at): DefaultText,
    evaluator: &mut Evaluator<'_, '_>,
) -> Option<Value> {
    if let Some(name) = text.strip_prefix("ref(").and_then(|rest| rest.strip_suffix(')')) {
        let last = name.rsplit('.').next().unwrap_or_default();
        let value = evaluator.named(last).map(Value::from);
        if value.is_none() {
            let message = format!("+default refers to `{name}`, which is no string constant of this text");
            reader.errors.push(at.error(GoErrorKind::BadMarker, message));
        }
        return value;
    }
    let value = from_json(text.as_bytes());
    if matches!(root, Root::Scalar(ScalarType::String | ScalarType::Bytes)) {
        return Some(match value {
            Ok(value @ Value::String(_)) => value,
            // Half a string is a slip, not a value.
            _ if text.starts_with('"') => return bad_default(reader, at, &text, root),
            _ => Value::from(text),
        });
    }
    let value = match (value, root) {
        (Ok(value), _) => value,
        (Err(_), Root::Any | Root::Scalar(ScalarType::IntOrString)) if is_bare(&text) => {
            Value::from(text.as_str())
        }
        (Err(_), _) => return bad_default(reader, at, &text, root),
    };
    if fits(&value, root) { Some(value) } else { bad_default(reader, at, &text, root) }
}

fn is_bare(text: &str) -> bool {
    !text.starts_with(['{', '[', '"'])
}

fn fits(value: &Value, root: Root) -> bool {
    match root {
        Root::Any | Root::Cyclic => true,
        Root::Struct | Root::Map => matches!(value, Value::Map(_)),
        Root::List => matches!(value, Value::List(_)),
        Root::Scalar(ScalarType::Boolean) => matches!(value, Value::Bool(_)),
        Root::Scalar(ScalarType::Integer) => matches!(value, Value::Int(_)),
        Root::Scalar(ScalarType::Number) => matches!(value, Value::Int(_) | Value::Float(_)),
        Root::Scalar(ScalarType::IntOrString) => {
            matches!(value, Value::Int(_) | Value::Float(_) | Value::String(_))
        }
        Root::Scalar(ScalarType::String | ScalarType::Bytes) => matches!(value, Value::String(_)),
    }
}

fn bad_default(reader: &mut Reader<'_>, at: Position, text: &str, root: Root) -> Option<Value> {
    let due = match root {
        Root::Struct | Root::Map => "a JSON object",
        Root::List => "a JSON list",
        Root::Scalar(ScalarType::Boolean) => "true or false",
        Root::Scalar(ScalarType::Integer) => "a whole number",
        Root::Scalar(ScalarType::Number) => "a number",
        Root::Scalar(ScalarType::String | ScalarType::Bytes) => "a string",
        Root::Scalar(ScalarType::IntOrString) => "a number or a string",
        Root::Any | Root::Cyclic => "JSON",
    };
    reader.errors.push(at.error(GoErrorKind::BadMarker, format!("+default={text}: the field takes {due}")));
    None
}
