//! Decodes scalars into Go types and encodes them again.

use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::schema::{ScalarType, Type};
use skewer_engine::time::{self, Precision};

use super::scalar_form::{bytes, duration, number, quantity};

/// The way in which a document is decoded into Go types. It makes a difference for scalars and nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoder {
    /// From JSON: the body of a create or update request, the result of a JSON merge patch or a JSON patch, a stored
    /// object. A number that does not fit its type is refused.
    Json,
    /// From maps in memory: the result of a strategic merge patch or a server-side apply. A whole float is an integer,
    /// and an integer that does not fit its type loses its upper bits. Upstream:
    /// `DefaultUnstructuredConverter.FromUnstructured`.
    Unstructured,
    /// As [`Decoder::Unstructured`], but empty text in place of bytes is null, as in Kubernetes up to 1.25.
    UnstructuredWithoutEmptyBytes,
}

/// Returns the scalar as Go writes it. A value that does not fit is described in the error.
pub(super) fn convert(scalar: ScalarType, value: &OwnedDoc, decoder: Decoder) -> Result<OwnedDoc, String> {
    match (scalar, value) {
        (ScalarType::String, Doc::String(_)) | (ScalarType::Boolean, Doc::Bool(_)) => Ok(value.clone()),
        (ScalarType::Integer | ScalarType::Int32, _) => integer(scalar, value, decoder),
        #[expect(clippy::cast_precision_loss, reason = "Go reads the integer into a float64")]
        (ScalarType::Number, Doc::Int(integer)) => Ok(Doc::from_go_float(*integer as f64)),
        (ScalarType::Number, Doc::Float(float)) => Ok(Doc::from_go_float(*float)),
        (ScalarType::IntOrString, _) => int_or_string(value, decoder),
        (ScalarType::Quantity, _) => quantity_of(value),
        (ScalarType::Time, Doc::String(text)) => time_of(text, Precision::Seconds),
        (ScalarType::MicroTime, Doc::String(text)) => time_of(text, Precision::Microseconds),
        (ScalarType::Duration, Doc::String(text)) => duration::canonical(text)
            .map(Doc::from)
            .ok_or_else(|| format!("expected a duration such as 1h30m, found {text:?}")),
        (ScalarType::Bytes, _) => bytes_of(value, decoder),
        _ => Err(wrong_kind(scalar, value)),
    }
}

/// Returns the error for a value whose kind does not fit.
fn wrong_kind(scalar: ScalarType, value: &OwnedDoc) -> String {
    format!("expected {}, found {}", Type::Scalar(scalar).describe(), value.kind().with_article())
}

/// JSON must have an integer that fits. `FromUnstructured` also takes a whole float, and cuts off the bits that do not
/// fit.
fn integer(scalar: ScalarType, value: &OwnedDoc, decoder: Decoder) -> Result<OwnedDoc, String> {
    let integer = match value {
        Doc::Int(integer) => *integer,
        Doc::Float(float) if decoder != Decoder::Json && float.fract() == 0.0 => {
            number::go_float_to_integer(*float)
        }
        _ => return Err(wrong_kind(scalar, value)),
    };
    if scalar != ScalarType::Int32 {
        return Ok(Doc::Int(integer));
    }
    #[expect(clippy::cast_possible_truncation, reason = "reflect.Value.Convert truncates")]
    match i32::try_from(integer) {
        Err(_) if decoder == Decoder::Json => Err(format!("expected an integer of 32 bits, found {integer}")),
        _ => Ok(Doc::Int(i64::from(integer as i32))),
    }
}

/// Upstream: `IntOrString.UnmarshalJSON`. `FromUnstructured` encodes the value as JSON first, where a whole float is an
/// integer.
fn int_or_string(value: &OwnedDoc, decoder: Decoder) -> Result<OwnedDoc, String> {
    let encoded = match value {
        Doc::Float(float) if decoder != Decoder::Json => Doc::from_go_float(*float),
        value => value.clone(),
    };
    match encoded {
        Doc::String(_) => Ok(encoded),
        Doc::Int(integer) if i32::try_from(integer).is_ok() => Ok(encoded),
        Doc::Int(integer) => Err(format!("expected a string or an integer of 32 bits, found {integer}")),
        _ => Err(format!("expected a string or an integer, found {}", value.kind().with_article())),
    }
}

/// Upstream: `Quantity.UnmarshalJSON`, which does not resolve the escapes of a JSON string. The text of a float is the
/// one that Go writes, because documents do not keep the text that was read.
fn quantity_of(value: &OwnedDoc) -> Result<OwnedDoc, String> {
    let written;
    let text = match value {
        Doc::String(text) => text.trim_matches(|c: char| c.is_whitespace() && !c.is_ascii_control()),
        Doc::Int(integer) => {
            written = integer.to_string();
            &written
        }
        Doc::Float(float) => {
            written = number::go_float_text(*float);
            &written
        }
        _ => return Err(wrong_kind(ScalarType::Quantity, value)),
    };
    quantity::canonical(text)
        .map(Doc::from)
        .map_err(|reason| format!("expected a quantity, found {text:?}: {reason}"))
}

fn time_of(text: &str, precision: Precision) -> Result<OwnedDoc, String> {
    let example = match precision {
        Precision::Seconds => "2006-01-02T15:04:05Z",
        Precision::Microseconds => "2006-01-02T15:04:05.000000Z",
    };
    time::canonical(text, precision)
        .map(|time| time.map_or(Doc::Null, Doc::from))
        .ok_or_else(|| format!("expected a time such as {example}, found {text:?}"))
}

/// Base64 text, or a list of numbers. Upstream: `literalStore` and `array` of `encoding/json`; `sliceFromUnstructured`.
fn bytes_of(value: &OwnedDoc, decoder: Decoder) -> Result<OwnedDoc, String> {
    match value {
        Doc::String(text) if text.is_empty() && decoder == Decoder::UnstructuredWithoutEmptyBytes => {
            Ok(Doc::Null)
        }
        Doc::String(text) => bytes::decode(text)
            .map(|bytes| Doc::from(bytes::encode(&bytes)))
            .ok_or_else(|| format!("expected base64 text, found {text:?}")),
        Doc::List(items) => {
            let bytes = items.iter().map(|item| byte(item, decoder)).collect::<Result<Vec<_>, _>>()?;
            Ok(Doc::from(bytes::encode(&bytes)))
        }
        _ => Err(wrong_kind(ScalarType::Bytes, value)),
    }
}

fn byte(value: &OwnedDoc, decoder: Decoder) -> Result<u8, String> {
    let refused = || format!("expected base64 text or a list of bytes, found a list with {value}");
    match value {
        Doc::Null => Ok(0),
        value => match integer(ScalarType::Integer, value, decoder).map_err(|_| refused())? {
            Doc::Int(integer) if decoder == Decoder::Json => u8::try_from(integer).map_err(|_| refused()),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "reflect.Value.Convert truncates"
            )]
            Doc::Int(integer) => Ok(integer as u8),
            _ => Err(refused()),
        },
    }
}
