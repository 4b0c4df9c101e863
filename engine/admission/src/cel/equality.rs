//! Which values are equal. A comparison that is an error is not equal, and `==` returns the error. Upstream: `Equal` (cel-go,
//! `common/types`), and the methods `Equal` of the types.

use cel::Value;
use cel::objects::{Key, Map};

use super::operators::compare_numbers;
use super::origins::{Origin, Origins, are_equal_sets, field, has_same_keys};
use super::quantity;
use super::types::{ListKind, Ty};
use super::value::{as_optional, poison_message, unsupported};

/// Whether a value is equal to another one, or the error of the comparison.
type Equality = Result<bool, String>;

/// Compares two values. Only null is equal to null.
pub(super) fn equal(a: &Value, b: &Value, origins: &Origins) -> Equality {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => Ok(matches!((a, b), (Value::Null, Value::Null))),
        (a, b) => is_equal_to(a, b, origins),
    }
}

/// Whether two values are equal. Those that cannot be compared are not.
pub(super) fn is_equal(a: &Value, b: &Value, origins: &Origins) -> bool {
    is_equal_to(a, b, origins) == Ok(true)
}

/// Compares a value with another one. The first one decides which comparisons are errors. Upstream: the methods `Equal`.
pub(super) fn is_equal_to(a: &Value, b: &Value, origins: &Origins) -> Equality {
    if let Some(message) = poison_message(a) {
        return Err(message.to_owned());
    }
    match (a, b) {
        (Value::List(items), Value::List(others)) => lists(items, others, origins.of(a), origins),
        (Value::Map(map), Value::Map(other)) => match origins.of(a) {
            Some(Origin::Object(ty)) => maps_of_object(map, other, ty, origins),
            _ => Ok(maps(map, other, origins)),
        },
        (Value::List(_) | Value::Map(_), _) => match origins.of(a) {
            Some(Origin::Object(_) | Origin::Sum(_)) => Err(unsupported()),
            _ => Ok(false),
        },
        (Value::Opaque(_), _) => opaque(a, b, origins),
        (Value::Bytes(a), Value::Bytes(b)) => Ok(a == b),
        (Value::String(a), Value::String(b)) | (Value::Function(a, None), Value::Function(b, None)) => {
            Ok(a == b)
        }
        (Value::Bool(a), Value::Bool(b)) => Ok(a == b),
        (Value::Null, Value::Null) => Ok(true),
        (Value::Duration(a), Value::Duration(b)) => Ok(a == b),
        (Value::Timestamp(a), Value::Timestamp(b)) => Ok(a == b),
        _ => Ok(compare_numbers(a, b).is_some_and(std::cmp::Ordering::is_eq)),
    }
}

/// Upstream: `Optional.Equal`, and the types of the Kubernetes libraries, which are equal to nothing else.
fn opaque(a: &Value, b: &Value, origins: &Origins) -> Equality {
    match (as_optional(a), as_optional(b)) {
        (Some(a), Some(b)) => match (a.value(), b.value()) {
            (Some(a), Some(b)) => is_equal_to(a, b, origins),
            (a, b) => Ok(a.is_none() && b.is_none()),
        },
        (Some(_), None) => Ok(false),
        (None, _) => match (a, b) {
            _ if quantity::of(a).is_some() && quantity::is_computed(b) => Err(unsupported()),
            (Value::Opaque(a), Value::Opaque(b)) if a.runtime_type_name() == b.runtime_type_name() => {
                Ok(a.opaque_eq(b.as_ref()))
            }
            _ => Err(unsupported()),
        },
    }
}

/// Upstream: the methods `Equal` of the types of lists.
fn lists(a: &[Value], b: &[Value], origin: Option<&Origin>, origins: &Origins) -> Equality {
    if a.len() != b.len() {
        return Ok(false);
    }
    let pairs = || a.iter().zip(b);
    match origin {
        // Only an item that is not equal decides: one that cannot be compared does not.
        None => Ok(pairs().all(|(a, b)| equal(a, b, origins) != Ok(false))),
        Some(Origin::Joined(..)) => unless_different(pairs().map(|(a, b)| equal(a, b, origins))),
        Some(Origin::Object(Ty::List(_, kind))) => match kind.as_ref() {
            ListKind::Plain => of_object(a, b, origins),
            ListKind::Set => origins.are_equal_sets(a, b),
            ListKind::Map(keys) => by_key(a, b, origins, &|a, b| origins.has_same_names(a, b, keys)),
        },
        Some(Origin::Object(_) | Origin::Sum(ListKind::Plain)) => of_object(a, b, origins),
        Some(Origin::Sum(ListKind::Set)) => are_equal_sets(a, b),
        Some(Origin::Sum(ListKind::Map(keys))) => by_key(a, b, origins, &|a, b| has_same_keys(a, b, keys)),
    }
}

/// Upstream: `unstructuredList.Equal`.
fn of_object(a: &[Value], b: &[Value], origins: &Origins) -> Equality {
    all(a.iter().zip(b).map(|(a, b)| is_equal_to(a, b, origins)))
}

/// Upstream: `unstructuredMapList.Equal`, `refValMapList.Equal`.
fn by_key(
    a: &[Value],
    b: &[Value],
    origins: &Origins,
    has_same_keys: &dyn Fn(&Value, &Value) -> bool,
) -> Equality {
    let is_equal = all(b.iter().map(|b| match a.iter().rfind(|a| has_same_keys(a, b)) {
        Some(a) => is_equal_to(a, b, origins),
        None => Ok(false),
    }))?;
    Ok(is_equal && a.iter().all(|a| b.iter().any(|b| has_same_keys(a, b))))
}

/// Upstream: `baseMap.Equal`.
fn maps(a: &Map, b: &Map, origins: &Origins) -> bool {
    a.map.len() == b.map.len()
        && a.map.iter().all(|(key, a)| field(b, key).is_some_and(|b| equal(a, b, origins) != Ok(false)))
}

/// A field that is null is like one that is missing, except that it counts. A field that the schema does not declare can be
/// missing from the other map. Upstream: `unstructuredMap.Equal`.
fn maps_of_object(a: &Map, b: &Map, ty: &Ty, origins: &Origins) -> Equality {
    if a.map.len() != b.map.len() {
        return Ok(false);
    }
    // The order is that of Go, which is random. A difference decides here.
    unless_different(a.map.keys().map(|key| {
        let is_declared = match (ty, key) {
            (Ty::Object(fields), Key::String(name)) => fields.contains_key(name.as_str()),
            _ => true,
        };
        match (field(a, key), field(b, key)) {
            (Some(a), Some(b)) => is_equal_to(a, b, origins),
            (a, b) => Ok(a.is_none() && b.is_none() || !is_declared && b.is_none()),
        }
    }))
}

/// Returns false if a result is, and otherwise the first error.
fn unless_different(equalities: impl Iterator<Item = Equality>) -> Equality {
    let mut result = Ok(true);
    for equality in equalities {
        match equality {
            Ok(false) => return Ok(false),
            Err(_) if result.is_ok() => result = equality,
            _ => {}
        }
    }
    result
}

/// Returns the first result that is not true.
fn all(mut equalities: impl Iterator<Item = Equality>) -> Equality {
    equalities.find(|equality| *equality != Ok(true)).unwrap_or(Ok(true))
}
