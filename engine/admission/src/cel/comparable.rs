//! Which values can be compared with each other. Upstream: the methods `Equal` of the types, which return an error for others.

use cel::Value;

use super::value::as_optional;

/// Whether a value of a library, such as a quantity, cannot be compared with a value. Upstream: `Quantity.Equal`, `IP.Equal`,
/// `CIDR.Equal`, `Semver.Equal`, `URL.Equal`, `Format.Equal`.
pub(super) fn is_of_other_library(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (_, Value::Null) => false,
        (Value::Opaque(x), Value::Opaque(y)) => {
            as_optional(a).is_none() && x.runtime_type_name() != y.runtime_type_name()
        }
        (Value::Opaque(_), _) => as_optional(a).is_none(),
        _ => false,
    }
}

/// Whether a list or a map of an object cannot be compared with a value. Upstream: `unstructuredList.Equal`,
/// `unstructuredMap.Equal`.
pub(super) fn is_of_other_kind(a: &Value, b: &Value) -> bool {
    // Two optionals are compared by what is in them. Upstream: cel-go, `Optional.Equal`.
    let (a, b) = match (as_optional(a), as_optional(b)) {
        (Some(a), Some(b)) => match (a.value(), b.value()) {
            (Some(a), Some(b)) => (a, b),
            _ => return false,
        },
        _ => (a, b),
    };
    match (a, b) {
        (_, Value::Null) | (Value::List(_), Value::List(_)) | (Value::Map(_), Value::Map(_)) => false,
        (a, _) => matches!(a, Value::List(_) | Value::Map(_)),
    }
}

/// Returns the value in an optional, or a value that is no optional.
pub(super) fn inner(value: &Value) -> &Value {
    as_optional(value).and_then(|optional| optional.value()).unwrap_or(value)
}
