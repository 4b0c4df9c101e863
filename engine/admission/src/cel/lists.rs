//! The functions of lists. Upstream: `k8s.io/apiserver/pkg/cel/library/lists.go`, and cel-go, `ext/lists.go`.

use std::cmp::Ordering;
use std::sync::Arc;

use cel::Value;
use chrono::Duration;

use super::equality::{is_equal, is_equal_to};
use super::operators::{add, compare};
use super::origins::{Origin, Origins};
use super::types::Ty;
use super::value::{Evaluated, list, optional_of, unsupported};

/// Calls a function of a list, which is the first argument. `ty` is the type of the list. Returns `None` if it is not a
/// function of lists.
pub(super) fn call(name: &str, args: &[Value], ty: &Ty, origins: &Origins) -> Option<Evaluated> {
    let [Value::List(items), rest @ ..] = args else {
        // `kube-cel` has some of these functions for other values, too.
        let is_of_lists =
            matches!(name, "isSorted" | "sum" | "min" | "max" | "sort" | "distinct" | "first" | "last");
        return is_of_lists.then(|| Err(unsupported()));
    };
    // Only the first item counts. Upstream: `defaultIsAssignableRuntimeType`.
    if let Ty::List(item, _) = ty
        && **item == Ty::Int
        && !matches!(items.first(), None | Some(Value::Int(_)))
    {
        return Some(Err(unsupported()));
    }
    Some(match (name, rest) {
        ("isSorted", []) => is_sorted(items),
        ("sum", []) => sum(items, ty),
        ("min", []) => extreme(name, items, Ordering::Greater),
        ("max", []) => extreme(name, items, Ordering::Less),
        ("indexOf", [item]) => Ok(index(items.iter().position(|other| is_equal(other, item, origins)))),
        ("lastIndexOf", [item]) => Ok(index(items.iter().rposition(|other| is_equal(other, item, origins)))),
        ("slice", [Value::Int(start), Value::Int(end)]) => slice(items, *start, *end),
        // Upstream returns an empty list as it is.
        ("distinct" | "sort", []) if items.is_empty() => Ok(Value::List(Arc::clone(items))),
        ("distinct", []) => Ok(list(distinct(items, origins))),
        ("reverse", []) => Ok(list(items.iter().rev().cloned())),
        ("sort", []) => sorted(items).map(list),
        ("first", []) => Ok(optional_of(items.first().cloned())),
        ("last", []) => Ok(optional_of(items.last().cloned())),
        _ => return None,
    })
}

/// Calls a function of two lists that are sets. Returns `None` if it is not one. Upstream: cel-go, `ext/sets.go`.
pub(super) fn of_sets(name: &str, args: &[Value], origins: &Origins) -> Option<Evaluated> {
    let [a @ Value::List(items), b @ Value::List(others)] = args else {
        return name.starts_with("sets.").then(|| Err(unsupported()));
    };
    let contains_all = |list: &Value, items: &[Value]| {
        let mut found = items.iter().map(|item| contains(list, item, origins));
        found.find(|found| *found != Ok(true)).unwrap_or(Ok(true))
    };
    let holds = match name {
        "sets.contains" => contains_all(a, others),
        "sets.equivalent" => match contains_all(a, others) {
            Ok(true) => contains_all(b, items),
            different => different,
        },
        "sets.intersects" => Ok(items.iter().any(|item| contains(b, item, origins) == Ok(true))),
        _ => return None,
    };
    Some(holds.map(Value::Bool))
}

/// Whether a list contains an item. A list of an object compares each of its values with the item, and returns the error of a
/// comparison; another one compares the item with its values. Upstream: the methods `Contains` of the types of lists.
pub(super) fn contains(list: &Value, item: &Value, origins: &Origins) -> Result<bool, String> {
    let Value::List(values) = list else { return Ok(false) };
    match origins.of(list) {
        Some(Origin::Joined(a, b)) => any([a, b].into_iter().map(|list| contains(list, item, origins))),
        Some(Origin::Object(_)) => any(values.iter().map(|value| is_equal_to(value, item, origins))),
        _ => Ok(values.iter().any(|value| is_equal_to(item, value, origins) == Ok(true))),
    }
}

/// Returns true if a result is, and otherwise the first error.
fn any(found: impl Iterator<Item = Result<bool, String>>) -> Result<bool, String> {
    let mut error = None;
    for found in found {
        match found {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(message) => error = error.or(Some(message)),
        }
    }
    error.map_or(Ok(false), Err)
}

/// Returns the numbers from 0 up to a number. Upstream: `genRange`.
pub(super) fn range(count: i64) -> Evaluated {
    if count < 0 {
        return Err(format!("lists.range: size must be non-negative, got {count}"));
    }
    Ok(list((0..count).map(Value::Int)))
}

fn index(position: Option<usize>) -> Value {
    Value::Int(position.and_then(|position| i64::try_from(position).ok()).unwrap_or(-1))
}

/// Refuses a list with an item that has no order. Upstream: `traits.Comparer`.
fn refuse_unordered(items: &[Value]) -> Result<(), String> {
    items.iter().try_for_each(|item| compare(item, item).map(|_| ()))
}

fn is_sorted(items: &[Value]) -> Evaluated {
    for (i, item) in items.iter().enumerate() {
        refuse_unordered(std::slice::from_ref(item))?;
        // Items of different types have no order, which is no error here.
        let before = i.checked_sub(1).and_then(|before| items.get(before));
        if before.is_some_and(|before| compare(before, item).ok().flatten() == Some(Ordering::Greater)) {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn sum(items: &[Value], ty: &Ty) -> Evaluated {
    let item = if let Ty::List(item, _) = ty { item.as_ref() } else { &Ty::Dyn };
    let zero = match item {
        Ty::Uint => Value::UInt(0),
        Ty::Double => Value::Float(0.0),
        Ty::Duration => Value::Duration(Duration::zero()),
        _ => Value::Int(0),
    };
    items.iter().try_fold(zero, |sum, item| add(&sum, item))
}

/// Returns the item that is nowhere in this order to another one.
fn extreme(name: &str, items: &[Value], replaced_if: Ordering) -> Evaluated {
    refuse_unordered(items)?;
    let mut items = items.iter();
    let mut found = items.next().ok_or_else(|| format!("{name} called on empty list"))?;
    for item in items {
        if compare(found, item).ok().flatten() == Some(replaced_if) {
            found = item;
        }
    }
    Ok(found.clone())
}

fn slice(items: &Arc<Vec<Value>>, start: i64, end: i64) -> Evaluated {
    let cannot = |why: &str| Err(format!("cannot slice({start}, {end}), {why}"));
    if start < 0 || end < 0 {
        return cannot("negative indexes not supported");
    }
    if start > end {
        return cannot("start index must be less than or equal to end index");
    }
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    match range.and_then(|(start, end)| items.get(start..end)) {
        Some(part) => Ok(list(part.to_vec())),
        None => cannot(&format!("list is length {}", items.len())),
    }
}

fn distinct(items: &[Value], origins: &Origins) -> Vec<Value> {
    let mut distinct: Vec<Value> = Vec::new();
    for item in items {
        if !distinct.iter().any(|known| is_equal(item, known, origins)) {
            distinct.push(item.clone());
        }
    }
    distinct
}

fn sorted(items: &[Value]) -> Result<Vec<Value>, String> {
    refuse_unordered(items)?;
    for (item, next) in items.iter().zip(items.iter().skip(1)) {
        if std::mem::discriminant(item) != std::mem::discriminant(next) {
            return Err("list elements must have the same type".to_owned());
        }
    }
    let mut sorted = items.to_vec();
    sorted.sort_by(|a, b| compare(a, b).ok().flatten().unwrap_or(Ordering::Equal));
    Ok(sorted)
}
