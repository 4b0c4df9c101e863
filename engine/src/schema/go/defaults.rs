//! The values of `+default` markers.

use super::consts::Evaluator;
use super::errors::{GoErrorKind, Position};
use super::markers::DefaultText;
use super::read::Reader;
use super::roots::Root;
use crate::document::{Doc, OwnedDoc, from_json};
use crate::schema::ScalarType;

/// The value of `+default=…`: JSON; for a string also bare text; or `ref(Constant)`.
pub(super) fn default(
    reader: &mut Reader<'_>,
    root: Root,
    (text, at): DefaultText,
    evaluator: &mut Evaluator<'_, '_>,
) -> Option<OwnedDoc> {
    if let Some(name) = text.strip_prefix("ref(").and_then(|rest| rest.strip_suffix(')')) {
        let last = name.rsplit('.').next().unwrap_or_default();
        let value = evaluator.named(last).map(Doc::from);
        if value.is_none() {
            let message = format!("+default refers to `{name}`, which is no string constant of this text");
            reader.errors.push(at.error(GoErrorKind::BadMarker, message));
        }
        return value;
    }
    let value = from_json(text.as_bytes());
    if matches!(root, Root::Scalar(ScalarType::String | ScalarType::Bytes)) {
        return Some(match value {
            Ok(value @ Doc::String(_)) => value,
            // Half a string is a slip, not a value.
            _ if text.starts_with('"') => return bad_default(reader, at, &text, root),
            _ => Doc::from(text),
        });
    }
    let value = match (value, root) {
        (Ok(value), _) => value,
        (Err(_), Root::Any | Root::Scalar(ScalarType::IntOrString)) if is_bare(&text) => {
            Doc::from(text.as_str())
        }
        (Err(_), _) => return bad_default(reader, at, &text, root),
    };
    if fits(&value, root) { Some(value) } else { bad_default(reader, at, &text, root) }
}

fn is_bare(text: &str) -> bool {
    !text.starts_with(['{', '[', '"'])
}

fn fits(value: &OwnedDoc, root: Root) -> bool {
    match root {
        Root::Any | Root::Cyclic => true,
        Root::Struct | Root::Map => matches!(value, Doc::Map(_)),
        Root::List => matches!(value, Doc::List(_)),
        Root::Scalar(ScalarType::Boolean) => matches!(value, Doc::Bool(_)),
        Root::Scalar(ScalarType::Integer) => matches!(value, Doc::Int(_)),
        Root::Scalar(ScalarType::Number) => matches!(value, Doc::Int(_) | Doc::Float(_)),
        Root::Scalar(ScalarType::IntOrString) => {
            matches!(value, Doc::Int(_) | Doc::Float(_) | Doc::String(_))
        }
        Root::Scalar(ScalarType::String | ScalarType::Bytes) => matches!(value, Doc::String(_)),
    }
}

fn bad_default(reader: &mut Reader<'_>, at: Position, text: &str, root: Root) -> Option<OwnedDoc> {
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
