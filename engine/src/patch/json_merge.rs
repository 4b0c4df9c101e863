//! JSON merge patch (RFC 7386): what `kubectl apply` sends for custom resources.
//!
//! Upstream: `gopkg.in/evanphx/json-patch.v4` for applying and the two-way patch, `jsonmergepatch` for the
//! three-way patch.

use super::three_way::{Precondition, ThreeWay};
use crate::error::{Error, ErrorKind, Result};
use crate::value::{Map, Value};

/// Applies a JSON merge patch. A list as patch takes the place of the document, as RFC 7386 says; a scalar is
/// refused with [`ErrorKind::InvalidDocument`], as upstream's `MergePatch` does.
pub fn apply(live: &Value, patch: &Value) -> Result<Value> {
    match (live, patch) {
        (Value::Map(live), Value::Map(patch)) => {
            let mut result = live.clone();
            merge(&mut result, patch.clone());
            Ok(Value::Map(result))
        }
        (live, Value::Map(_) | Value::List(_)) if !live.is_null() => {
            let mut result = patch.clone();
            prune(&mut result);
            Ok(result)
        }
        (live, Value::Map(_) | Value::List(_)) => {
            object(live, "the object to patch").cloned().map(Value::Map)
        }
        (_, patch) => object(patch, "the patch").cloned().map(Value::Map),
    }
}

fn merge(live: &mut Map, patch: Map) {
    let mut changed = Vec::new();
    for (key, mut value) in patch {
        match (live.get_mut(&key), &mut value) {
            (held, Value::Null) => {
                if held.is_some() {
                    changed.push((key, None));
                }
            }
            (Some(Value::Map(held)), Value::Map(inner)) => merge(held, std::mem::take(inner)),
            // A list that takes a map's place is taken as it is; elsewhere upstream prunes nulls in maps of lists.
            (Some(held @ Value::Map(_)), _) => *held = value,
            (Some(held), _) => {
                prune(&mut value);
                *held = value;
            }
            (None, _) => {
                prune(&mut value);
                changed.push((key, Some(value)));
            }
        }
    }
    live.update(changed);
}

/// Drops null entries of maps, also of maps in lists; null items of lists stay.
fn prune(value: &mut Value) {
    match value {
        Value::Map(map) => map.retain(|_, value| {
            prune(value);
            !value.is_null()
        }),
        Value::List(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

/// The JSON merge patch that turns `original` into `modified`. A value that is to be null cannot be said in a
/// merge patch: applying it deletes the key.
pub fn two_way(original: &Value, modified: &Value) -> Result<Value> {
    let original = object(original, "the original document")?;
    let modified = object(modified, "the modified document")?;
    Ok(Value::Map(diff(original, modified)))
}

fn diff(original: &Map, modified: &Map) -> Map {
    let mut patch = Map::new();
    for (key, after) in modified.iter() {
        match (original.get(key), after) {
            (Some(Value::Map(before)), Value::Map(after)) => {
                let inner = diff(before, after);
                if !inner.is_empty() {
                    patch.insert(key.clone(), Value::Map(inner));
                }
            }
            (Some(before), _) if same(before, after) => {}
            _ => {
                patch.insert(key.clone(), after.clone());
            }
        }
    }
    for key in original.keys().filter(|key| !modified.contains_key(key)) {
        patch.insert(key.clone(), Value::Null);
    }
    patch
}

/// Upstream reads every number as a float here, so that `1` and `1.0` are the same; integers that a float
/// cannot hold are compared exactly all the same.
#[allow(clippy::cast_precision_loss, clippy::float_cmp)]
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(i), Value::Float(f)) | (Value::Float(f), Value::Int(i)) => *i as f64 == *f,
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// The JSON merge patch that brings live to the modified document, deleting only what was last applied.
///
/// [`ErrorKind::Conflict`] where additions and deletions speak of the same key.
pub fn three_way(documents: ThreeWay<'_>, preconditions: &[Precondition]) -> Result<Value> {
    let last_applied = object(documents.last_applied, "the last-applied document")?;
    let modified = object(documents.modified, "the modified document")?;
    let live = object(documents.live, "the live document")?;
    let changes = only(diff(live, modified), Keep::Changes);
    let mut patch = only(diff(last_applied, modified), Keep::Deletions);
    if conflict(&changes, &patch) {
        return Err(Error::new(
            ErrorKind::Conflict,
            format!(
                "the changes {} and the deletions {} speak of the same fields",
                Value::Map(changes),
                Value::Map(patch)
            ),
        ));
    }
    merge(&mut patch, changes);
    for precondition in preconditions {
        precondition.check(&patch)?;
    }
    Ok(Value::Map(patch))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Changes,
    Deletions,
}

/// Upstream: `keepOrDeleteNullInObj`.
fn only(patch: Map, keep: Keep) -> Map {
    let mut kept = Map::new();
    for (key, value) in patch {
        match value {
            Value::Null if keep == Keep::Deletions => {
                kept.insert(key, Value::Null);
            }
            Value::Map(inner) if !inner.is_empty() => {
                let inner = only(inner, keep);
                if !inner.is_empty() {
                    kept.insert(key, Value::Map(inner));
                }
            }
            Value::Null => {}
            // An empty map that was set is a value, not an empty patch.
            value if keep == Keep::Changes => {
                kept.insert(key, value);
            }
            _ => {}
        }
    }
    kept
}

/// Upstream: `mergepatch.HasConflicts`.
fn conflict(left: &Map, right: &Map) -> bool {
    left.iter().any(|(key, left)| right.get(key).is_some_and(|right| values_conflict(left, right)))
}

fn values_conflict(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Map(left), Value::Map(right)) => conflict(left, right),
        (Value::List(left), Value::List(right)) => {
            left.len() != right.len() || left.iter().zip(right).any(|(l, r)| values_conflict(l, r))
        }
        _ => left != right,
    }
}

fn object<'a>(document: &'a Value, what: &str) -> Result<&'a Map> {
    document.as_map().ok_or_else(|| {
        Error::new(
            ErrorKind::InvalidDocument,
            format!("{what} must be an object, not {}", document.kind().described()),
        )
    })
}
