//! Operators on values.

use std::cmp::Ordering;
use std::sync::Arc;

use cel::Value;
use cel::common::ast::operators;

use super::convert::timestamp_in_range;
use super::value::{Evaluated, unsupported};

/// Orders two values. NaN has no order.
pub(super) fn compare(a: &Value, b: &Value) -> Result<Option<Ordering>, String> {
    Ok(match (a, b) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
        _ if is_number(a) && is_number(b) => compare_numbers(a, b),
        _ => return Err(unsupported()),
    })
}

/// Returns whether an order satisfies an operator.
pub(super) fn order_matches(operator: &str, order: Ordering) -> bool {
    match operator {
        operators::LESS => order.is_lt(),
        operators::LESS_EQUALS => order.is_le(),
        operators::GREATER => order.is_gt(),
        _ => order.is_ge(),
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::UInt(_) | Value::Float(_))
}

/// Orders two numbers.
pub(super) fn compare_numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Float(a), b) => compare_with_float(integer(b)?, *a).map(Ordering::reverse),
        (a, Value::Float(b)) => compare_with_float(integer(a)?, *b),
        (a, b) => Some(integer(a)?.cmp(&integer(b)?)),
    }
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Int(i) => Some(i128::from(*i)),
        Value::UInt(u) => Some(i128::from(*u)),
        _ => None,
    }
}

/// Upstream: `compareIntDouble`, `compareUintDouble`, which convert the integer.
#[expect(clippy::cast_precision_loss, reason = "Upstream converts the number in the same way.")]
fn compare_with_float(integer: i128, float: f64) -> Option<Ordering> {
    (integer as f64).partial_cmp(&float)
}

/// Adds two values that are no lists. Upstream: the methods `Add`.
pub(super) fn add(a: &Value, b: &Value) -> Evaluated {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Ok(Value::String(Arc::new(format!("{a}{b}")))),
        (Value::Bytes(a), Value::Bytes(b)) => {
            Ok(Value::Bytes(Arc::new([a.as_slice(), b.as_slice()].concat())))
        }
        (Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int).ok_or_else(overflow),
        (Value::UInt(a), Value::UInt(b)) => a.checked_add(*b).map(Value::UInt).ok_or_else(overflow),
        (Value::Float(a), Value::Float(b)) => Ok(Value::Float(a + b)),
        (Value::Duration(a), Value::Duration(b)) => duration(a.checked_add(b)),
        (Value::Timestamp(t), Value::Duration(d)) | (Value::Duration(d), Value::Timestamp(t)) => {
            timestamp(t.checked_add_signed(*d))
        }
        _ => Err(unsupported()),
    }
}

/// Evaluates `-`, `*`, `/` or `%`.
pub(super) fn arithmetic(operator: &str, a: &Value, b: &Value) -> Evaluated {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => {
            refuse_zero(operator, *b == 0)?;
            let result = match operator {
                operators::SUBSTRACT => a.checked_sub(*b),
                operators::MULTIPLY => a.checked_mul(*b),
                operators::DIVIDE => a.checked_div(*b),
                _ => a.checked_rem(*b),
            };
            result.map(Value::Int).ok_or_else(overflow)
        }
        (Value::UInt(a), Value::UInt(b)) => {
            refuse_zero(operator, *b == 0)?;
            let result = match operator {
                operators::SUBSTRACT => a.checked_sub(*b),
                operators::MULTIPLY => a.checked_mul(*b),
                operators::DIVIDE => a.checked_div(*b),
                _ => a.checked_rem(*b),
            };
            result.map(Value::UInt).ok_or_else(overflow)
        }
        (Value::Float(a), Value::Float(b)) => Ok(Value::Float(match operator {
            operators::SUBSTRACT => a - b,
            operators::MULTIPLY => a * b,
            operators::DIVIDE => a / b,
            _ => return Err(unsupported()),
        })),
        (Value::Timestamp(a), Value::Timestamp(b)) if operator == operators::SUBSTRACT => {
            duration(Some(a.signed_duration_since(b)))
        }
        (Value::Timestamp(a), Value::Duration(b)) if operator == operators::SUBSTRACT => {
            timestamp(a.checked_sub_signed(*b))
        }
        (Value::Duration(a), Value::Duration(b)) if operator == operators::SUBSTRACT => {
            duration(a.checked_sub(b))
        }
        _ => Err(unsupported()),
    }
}

fn refuse_zero(operator: &str, is_zero: bool) -> Result<(), String> {
    match operator {
        operators::DIVIDE if is_zero => Err("division by zero".to_owned()),
        operators::MODULO if is_zero => Err("modulus by zero".to_owned()),
        _ => Ok(()),
    }
}

pub(super) fn negate(value: &Value) -> Evaluated {
    match value {
        Value::Int(i) => i.checked_neg().map(Value::Int).ok_or_else(overflow),
        Value::Float(f) => Ok(Value::Float(-f)),
        _ => Err(unsupported()),
    }
}

/// Returns a duration of at most 64 bits of nanoseconds.
fn duration(duration: Option<chrono::Duration>) -> Evaluated {
    let in_range = duration.filter(|duration| duration.num_nanoseconds().is_some());
    in_range.map(Value::Duration).ok_or_else(overflow)
}

fn timestamp(time: Option<chrono::DateTime<chrono::FixedOffset>>) -> Evaluated {
    time.and_then(timestamp_in_range).map(Value::Timestamp).ok_or_else(timestamp_overflow)
}

pub(super) fn timestamp_overflow() -> String {
    "timestamp overflow".to_owned()
}

pub(super) fn overflow() -> String {
    "integer overflow".to_owned()
}
