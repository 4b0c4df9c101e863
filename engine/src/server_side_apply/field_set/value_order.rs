//! Equality and order of values. Upstream: `value.Equals` and `value.Compare`.

use std::cmp::Ordering;

use crate::document::{Doc, Map};

/// Compares two values of any kinds. Numbers precede strings, booleans, lists, maps and null.
///
/// Two integers are compared exactly. A float is compared with an integer as a float.
pub(in crate::server_side_apply) fn compare(a: &Doc<'_>, b: &Doc<'_>) -> Ordering {
    compare_with(a, b, |a, b| match (a, b) {
        (Doc::Int(a), Doc::Int(b)) => a.cmp(b),
        _ => compare_floats(as_float(a), as_float(b)),
    })
}

/// Compares two values as [`compare`] does, except that integers are compared as floats.
pub(in crate::server_side_apply) fn compare_as_floats(a: &Doc<'_>, b: &Doc<'_>) -> Ordering {
    compare_with(a, b, |a, b| compare_floats(as_float(a), as_float(b)))
}

/// Compares two values as [`compare`] does, except that a float is compared with an integer exactly. This order is total,
/// and two integers have the same order as under [`compare`].
pub(in crate::server_side_apply) fn compare_exactly(a: &Doc<'_>, b: &Doc<'_>) -> Ordering {
    compare_with(a, b, |a, b| match (a, b) {
        (Doc::Float(_), Doc::Float(_)) => compare_floats(as_float(a), as_float(b)),
        _ => compare_floats(as_float(a), as_float(b)).then_with(|| as_integer(a).cmp(&as_integer(b))),
    })
}

/// Converts a number to an integer. The fraction of a float is lost.
#[allow(clippy::cast_possible_truncation)] // A float that equals a 64-bit integer, converted to a float, fits.
fn as_integer(value: &Doc<'_>) -> i128 {
    match value {
        Doc::Int(value) => i128::from(*value),
        other => as_float(other) as i128,
    }
}

fn compare_with(a: &Doc<'_>, b: &Doc<'_>, numbers: fn(&Doc<'_>, &Doc<'_>) -> Ordering) -> Ordering {
    match (a, b) {
        (Doc::Int(_) | Doc::Float(_), Doc::Int(_) | Doc::Float(_)) => numbers(a, b),
        (Doc::String(a), Doc::String(b)) => a.cmp(b),
        (Doc::Bool(a), Doc::Bool(b)) => a.cmp(b),
        (Doc::List(a), Doc::List(b)) => {
            let mut orders = a.iter().zip(b).map(|(a, b)| compare_with(a, b, numbers));
            orders.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Doc::Map(a), Doc::Map(b)) => compare_maps(a, b, numbers),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// Returns true if two values are equal. An integer and a float with the same value are equal.
pub(in crate::server_side_apply) fn equals(a: &Doc<'_>, b: &Doc<'_>) -> bool {
    match (a, b) {
        (Doc::List(a), Doc::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equals(a, b)),
        (Doc::Map(a), Doc::Map(b)) => {
            let mut pairs = a.iter().zip(b.iter());
            a.len() == b.len() && pairs.all(|((key, a), (other_key, b))| key == other_key && equals(a, b))
        }
        _ => compare(a, b).is_eq(),
    }
}

/// Converts a number to a float, as upstream does to compare it with a float. Other values become 0.
#[allow(clippy::cast_precision_loss)] // Upstream loses the same digits.
pub(in crate::server_side_apply) fn as_float(value: &Doc<'_>) -> f64 {
    match value {
        Doc::Int(value) => *value as f64,
        Doc::Float(value) => *value,
        _ => 0.0,
    }
}

fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

fn rank(value: &Doc<'_>) -> u8 {
    match value {
        Doc::Int(_) | Doc::Float(_) => 0,
        Doc::String(_) => 1,
        Doc::Bool(_) => 2,
        Doc::List(_) => 3,
        Doc::Map(_) => 4,
        Doc::Null => 5,
    }
}

/// Compares two maps. The first key that only one of them has decides, unless a value before it differs. Upstream:
/// `MapCompareUsing`, which visits the keys of both maps in order.
fn compare_maps(a: &Map<'_>, b: &Map<'_>, numbers: fn(&Doc<'_>, &Doc<'_>) -> Ordering) -> Ordering {
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    let mut visited = 0;
    loop {
        let key_order = match (left.peek(), right.peek()) {
            (None, None) => return Ordering::Equal,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((key, _)), Some((other_key, _))) => key.cmp(other_key),
        };
        let of_left = if key_order.is_le() { left.next() } else { None };
        let of_right = if key_order.is_ge() { right.next() } else { None };
        let order = match (of_left, of_right) {
            _ if visited == a.len() => Ordering::Less,
            _ if visited == b.len() => Ordering::Greater,
            (Some((_, a)), Some((_, b))) => compare_with(a, b, numbers),
            (None, _) => Ordering::Greater,
            (_, None) => Ordering::Less,
        };
        if order.is_ne() {
            return order;
        }
        visited += 1;
    }
}
