//! The functions of the language. Those of the Kubernetes libraries are in `kube-cel`.

use std::sync::Arc;

use cel::Value;
use chrono::{DateTime, Datelike, Timelike};

use super::convert::{duration_text, parse_duration, parse_timestamp, timestamp_in_range};
use super::lists;
use super::operators::{overflow, timestamp_overflow};
use super::origins::Origins;
use super::value::{Evaluated, as_optional, optional_of, poison_message, string, type_value, unsupported};
use crate::go_regex::Pattern;

/// Calls a function in a namespace. Returns `None` if it is not a function of the language.
pub(super) fn qualified(name: &str, args: &[Value], origins: &Origins) -> Option<Evaluated> {
    Some(match (name, args) {
        ("lists.range", [Value::Int(count)]) => lists::range(*count),
        ("optional.none", []) => Ok(optional_of(None)),
        ("optional.of", [value]) => Ok(optional_of(Some(value.clone()))),
        ("optional.ofNonZeroValue", [value]) => {
            // Upstream, an empty list or map of an object is no zero value: it has no method `IsZeroValue`.
            let is_zero = is_zero(value) && origins.of(value).is_none();
            Ok(optional_of((!is_zero).then(|| value.clone())))
        }
        _ => return None,
    })
}

/// Calls a function. The receiver of a method is the first argument. Returns `None` if it is not a function of the
/// language.
pub(super) fn call(name: &str, args: &[Value]) -> Option<Evaluated> {
    Some(match (name, args) {
        ("size", [value]) => size(value),
        ("startsWith", [Value::String(a), Value::String(b)]) => Ok(Value::Bool(a.starts_with(b.as_str()))),
        ("endsWith", [Value::String(a), Value::String(b)]) => Ok(Value::Bool(a.ends_with(b.as_str()))),
        ("contains", [Value::String(a), Value::String(b)]) => Ok(Value::Bool(a.contains(b.as_str()))),
        ("matches", [Value::String(a), Value::String(b)]) => {
            let pattern = Pattern::compile(b).map_err(|error| error.to_string());
            pattern.map(|pattern| Value::Bool(pattern.is_match(a)))
        }
        ("type", [value]) => Ok(type_value(type_name(value))),
        ("dyn", [value]) => Ok(value.clone()),
        ("bool", [value]) => to_bool(value),
        ("int", [value]) => to_int(value),
        ("uint", [value]) => to_uint(value),
        ("double", [value]) => to_double(value),
        // The libraries convert their own values.
        ("string", [value]) => return to_string(value),
        ("bytes", [Value::String(s)]) => Ok(Value::Bytes(Arc::new(s.as_bytes().to_vec()))),
        ("bytes", [Value::Bytes(b)]) => Ok(Value::Bytes(Arc::clone(b))),
        ("startsWith" | "endsWith" | "contains" | "matches", [_, _]) | ("bytes", [_]) => Err(unsupported()),
        ("duration", [value]) => to_duration(value),
        ("timestamp", [value]) => to_timestamp(value),
        ("hasValue", [value]) => {
            as_optional(value).map(|optional| Value::Bool(optional.value().is_some())).ok_or_else(unsupported)
        }
        ("value", [value]) => {
            let optional = as_optional(value).ok_or_else(unsupported);
            let inner =
                optional.and_then(|o| o.value().ok_or_else(|| "optional.none() dereference".to_owned()));
            inner.and_then(|inner| match poison_message(inner) {
                Some(message) => Err(message.to_owned()),
                None => Ok(inner.clone()),
            })
        }
        (name, [Value::Timestamp(time)]) if name.starts_with("get") => time_part(name, time),
        (name, [Value::Duration(duration)]) if name.starts_with("get") => match name {
            "getHours" => Ok(Value::Int(duration.num_hours())),
            "getMinutes" => Ok(Value::Int(duration.num_minutes())),
            "getSeconds" => Ok(Value::Int(duration.num_seconds())),
            _ => Err(unsupported()),
        },
        _ => return None,
    })
}

fn size(value: &Value) -> Evaluated {
    let size = match value {
        Value::String(s) => s.chars().count(),
        Value::Bytes(b) => b.len(),
        Value::List(items) => items.len(),
        Value::Map(map) => map.map.len(),
        _ => return Err(unsupported()),
    };
    i64::try_from(size).map(Value::Int).map_err(|_| overflow())
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(b) => !b,
        Value::Int(i) => *i == 0,
        Value::UInt(u) => *u == 0,
        Value::Float(f) => *f == 0.0,
        Value::String(s) => s.is_empty(),
        Value::Bytes(b) => b.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(map) => map.map.is_empty(),
        Value::Duration(duration) => duration.is_zero(),
        _ => false,
    }
}

/// Returns the name of the type of a value in CEL.
pub(super) fn type_name(value: &Value) -> &str {
    match value {
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::UInt(_) => "uint",
        Value::Float(_) => "double",
        Value::String(_) => "string",
        Value::Bytes(_) => "bytes",
        Value::List(_) => "list",
        Value::Map(_) => "map",
        Value::Null => "null_type",
        Value::Function(..) => "type",
        Value::Duration(_) => "google.protobuf.Duration",
        Value::Timestamp(_) => "google.protobuf.Timestamp",
        Value::Opaque(opaque) => opaque.runtime_type_name(),
    }
}

fn to_bool(value: &Value) -> Evaluated {
    match value {
        Value::Bool(b) => Ok(Value::Bool(*b)),
        Value::String(s) => match s.as_str() {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
            _ => Err(format!("type conversion error from 'string' to 'bool': {s}")),
        },
        _ => Err(unsupported()),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "The range is checked.")]
fn to_int(value: &Value) -> Evaluated {
    let int = match value {
        Value::Int(i) => *i,
        Value::UInt(u) => i64::try_from(*u).map_err(|_| overflow())?,
        // The bounds themselves are out of range. Upstream: `doubleToInt64Checked`.
        Value::Float(f) if *f > -9_223_372_036_854_775_808.0 && *f < 9_223_372_036_854_775_808.0 => *f as i64,
        Value::Float(_) => return Err(overflow()),
        Value::String(s) => {
            s.parse().map_err(|_| format!("strconv.ParseInt: parsing {s:?}: invalid syntax"))?
        }
        Value::Timestamp(time) => time.timestamp(),
        Value::Duration(duration) => duration.num_nanoseconds().ok_or_else(overflow)?,
        _ => return Err(unsupported()),
    };
    Ok(Value::Int(int))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "The range is checked.")]
fn to_uint(value: &Value) -> Evaluated {
    let uint = match value {
        Value::UInt(u) => *u,
        Value::Int(i) => u64::try_from(*i).map_err(|_| "unsigned integer overflow".to_owned())?,
        Value::Float(f) if *f >= 0.0 && *f < 18_446_744_073_709_551_616.0 => *f as u64,
        Value::Float(_) => return Err("unsigned integer overflow".to_owned()),
        Value::String(s) => {
            s.parse().map_err(|_| format!("strconv.ParseUint: parsing {s:?}: invalid syntax"))?
        }
        _ => return Err(unsupported()),
    };
    Ok(Value::UInt(uint))
}

#[expect(clippy::cast_precision_loss, reason = "Upstream converts the number in the same way.")]
fn to_double(value: &Value) -> Evaluated {
    let double = match value {
        Value::Float(f) => *f,
        Value::Int(i) => *i as f64,
        Value::UInt(u) => *u as f64,
        Value::String(s) => {
            s.parse().map_err(|_| format!("strconv.ParseFloat: parsing {s:?}: invalid syntax"))?
        }
        _ => return Err(unsupported()),
    };
    Ok(Value::Float(double))
}

/// Returns `None` for a value of a library, which converts it.
fn to_string(value: &Value) -> Option<Evaluated> {
    let text = match value {
        Value::String(s) => return Some(Ok(Value::String(Arc::clone(s)))),
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::UInt(u) => u.to_string(),
        Value::Float(f) => float_text(*f),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => return Some(Err("invalid UTF-8 in bytes, cannot convert to string".to_owned())),
        },
        Value::Timestamp(time) => time_text(time),
        Value::Duration(duration) => duration_text(duration),
        Value::Opaque(_) => return None,
        _ => return Some(Err(unsupported())),
    };
    Some(Ok(string(&text)))
}

/// Writes a time as Go does with the layout `RFC3339Nano`.
fn time_text(time: &DateTime<chrono::FixedOffset>) -> String {
    let text = time.to_rfc3339_opts(chrono::SecondsFormat::Nanos, true);
    let Some((seconds, rest)) = text.split_once('.') else { return text };
    let zone = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = rest[..rest.len() - zone.len()].trim_end_matches('0');
    let dot = if digits.is_empty() { "" } else { "." };
    format!("{seconds}{dot}{digits}{zone}")
}

/// Writes a float as Go does with `%g`.
fn float_text(float: f64) -> String {
    if float.is_nan() {
        return "NaN".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{float:e}");
    let exponent = scientific.split_once('e').and_then(|(digits, exponent)| {
        let exponent: i32 = exponent.parse().ok()?;
        (!(-4..6).contains(&exponent)).then_some((digits, exponent))
    });
    match exponent {
        Some((digits, exponent)) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        None => float.to_string(),
    }
}

fn to_duration(value: &Value) -> Evaluated {
    match value {
        Value::Duration(_) => Ok(value.clone()),
        Value::String(s) => {
            parse_duration(s).map(Value::Duration).ok_or_else(|| format!("time: invalid duration {s:?}"))
        }
        _ => Err(unsupported()),
    }
}

fn to_timestamp(value: &Value) -> Evaluated {
    let time = match value {
        Value::Timestamp(_) => return Ok(value.clone()),
        Value::String(s) => parse_timestamp(s).ok_or_else(|| format!("invalid timestamp {s:?}"))?,
        Value::Int(seconds) => {
            DateTime::from_timestamp(*seconds, 0).ok_or_else(timestamp_overflow)?.fixed_offset()
        }
        _ => return Err(unsupported()),
    };
    timestamp_in_range(time).map(Value::Timestamp).ok_or_else(timestamp_overflow)
}

fn time_part<Z: chrono::TimeZone>(name: &str, time: &DateTime<Z>) -> Evaluated {
    let time = time.to_utc();
    let part = match name {
        "getFullYear" => return Ok(Value::Int(i64::from(time.year()))),
        "getMonth" => time.month0(),
        "getDate" => time.day(),
        "getDayOfMonth" => time.day0(),
        "getDayOfWeek" => time.weekday().num_days_from_sunday(),
        "getDayOfYear" => time.ordinal0(),
        "getHours" => time.hour(),
        "getMinutes" => time.minute(),
        "getSeconds" => time.second(),
        _ => return Err(unsupported()),
    };
    Ok(Value::Int(i64::from(part)))
}
