//! The functions of lists. Upstream: `k8s.io/apiserver/pkg/cel/library/lists.go`, and cel-go, `ext/lists.go`.

use std::cmp::Ordering;
use std::sync::Arc;

use cel::Value;
use chrono::Duration;

use super::operators::{add, compare, equal};
use super::types::Ty;
use super::value::{Evaluated, list, optional_of, unsupported};

/// Calls a function of a list, which is the first argument. `ty` is the type of the list. Returns `None` if it is not a
/// function of lists.
pub(super) fn call(name: &str, args: &[Value], ty: &Ty) -> Option<Evaluated> {
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
        ("indexOf", [item]) => Ok(index(items.iter().position(|other| equal(other, item, &Ty::Dyn)))),
        ("lastIndexOf", [item]) => Ok(index(items.iter().rposition(|other| equal(other, item, &Ty::Dyn)))),
        ("slice", [Value::Int(start), Value::Int(end)]) => slice(items, *start, *end),
        ("distinct", []) => Ok(list(distinct(items))),
        ("reverse", []) => Ok(list(items.iter().rev().cloned())),
        ("sort", []) => sorted(items).map(list),
        ("first", []) => Ok(optional_of(items.first().cloned())),
        ("last", []) => Ok(optional_of(items.last().cloned())),
        _ => return None,
    })
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
    refuse_unordered(items)?;
    let mut sorted = true;
    for (item, next) in items.iter().zip(items.iter().skip(1)) {
        // Items of different types have no order, which is no error here.
        sorted &= compare(item, next).ok().flatten() != Some(Ordering::Greater);
    }
    Ok(Value::Bool(sorted))
}

fn sum(items: &[Value], ty: &Ty) -> Evaluated {
    let item = if let Ty::List(item, _) = ty { item.as_ref() } else { &Ty::Dyn };
    let zero = match item {
        Ty::Uint => Value::UInt(0),
        Ty::Double => Value::Float(0.0),
        Ty::Duration => Value::Duration(Duration::zero()),
        _ => Value::Int(0),
    };
    items.iter().try_fold(zero, |sum, item| add(&sum, item, &Ty::Dyn))
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

fn distinct(items: &[Value]) -> Vec<Value> {
    let mut distinct: Vec<Value> = Vec::new();
    for item in items {
        if !distinct.iter().any(|known| equal(item, known, &Ty::Dyn)) {
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
