//! JSON merge patch (RFC 7386): what `kubectl apply` sends for custom resources.
//!
//! Upstream: `gopkg.in/evanphx/json-patch.v4` for applying and the two-way patch, `jsonmergepatch` for the
//! three-way patch.

use super::diff::object;
use super::three_way::{Precondition, ThreeWay};
use crate::document::{Doc, Map};
use crate::error::{Error, ErrorKind, Result};

/// Applies a JSON merge patch.
///
/// As upstream: a patch replaces a document that is no object, and a list as a patch replaces any document.
/// Neither may be null, and a scalar is no patch ([`ErrorKind::InvalidDocument`]).
///
/// ```
/// # use skewer_engine::document::from_json;
/// use skewer_engine::patch::json_merge;
///
/// let live = from_json(br#"{"a":1,"list":[1,2]}"#)?;
/// let patch = from_json(br#"{"a":null,"list":[3]}"#)?;
/// assert_eq!(json_merge::apply(&live, &patch)?.to_string(), r#"{"list":[3]}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn apply<'d>(live: &Doc<'d>, patch: &Doc<'d>) -> Result<Doc<'d>> {
    if live.is_null() {
        return Err(no_object(live, "the object to patch"));
    }
    match (live, patch) {
        (Doc::Map(live), Doc::Map(patch)) => {
            let mut result = live.clone();
            merge(&mut result, patch.clone());
            Ok(Doc::Map(result))
        }
        (_, Doc::Map(_) | Doc::List(_)) => {
            let mut result = patch.clone();
            prune(&mut result);
            Ok(result)
        }
        _ => Err(no_object(patch, "the patch")),
    }
}

fn merge<'d>(live: &mut Map<'d>, patch: Map<'d>) {
    let mut changed = Vec::new();
    for (key, mut value) in patch {
        match (live.get_mut(&key), &mut value) {
            (held, Doc::Null) => {
                if held.is_some() {
                    changed.push((key, None));
                }
            }
            (Some(Doc::Map(held)), Doc::Map(inner)) => merge(held, std::mem::take(inner)),
            // A list that takes a map's place is taken as it is; elsewhere upstream prunes nulls in maps of lists.
            (Some(held @ Doc::Map(_)), _) => *held = value,
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
fn prune(value: &mut Doc) {
    match value {
        Doc::Map(map) => map.retain(|_, value| {
            prune(value);
            !value.is_null()
        }),
        Doc::List(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

/// The JSON merge patch that turns `original` into `modified`. A value that is to be null cannot be said in a
/// merge patch: applying it deletes the key.
///
/// As upstream: null is an empty object, and of two lists of the same length the result is the list of patches
/// from item to item. [`ErrorKind::WrongKind`] for a list beside anything else, [`ErrorKind::InvalidDocument`] for
/// scalars and for lists of different lengths.
///
/// ```
/// # use skewer_engine::document::from_json;
/// use skewer_engine::patch::json_merge;
///
/// let original = from_json(br#"{"a":1,"b":2}"#)?;
/// let modified = from_json(br#"{"b":3}"#)?;
/// assert_eq!(json_merge::two_way(&original, &modified)?.to_string(), r#"{"a":null,"b":3}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn two_way<'d>(original: &Doc<'d>, modified: &Doc<'d>) -> Result<Doc<'d>> {
    match (original, modified) {
        (Doc::List(original), Doc::List(modified)) => {
            if original.len() != modified.len() {
                return Err(Error::new(
                    ErrorKind::InvalidDocument,
                    format!("lists of {} and of {} documents have no patch", original.len(), modified.len()),
                ));
            }
            let patch = |(before, after)| objects(before, after).map(Doc::Map);
            original.iter().zip(modified).map(patch).collect::<Result<_>>().map(Doc::List)
        }
        (Doc::List(_), _) | (_, Doc::List(_)) => Err(Error::new(
            ErrorKind::WrongKind,
            "a list of documents has no patch from or to anything but a list of documents",
        )),
        _ => objects(original, modified).map(Doc::Map),
    }
}

fn objects<'d>(original: &Doc<'d>, modified: &Doc<'d>) -> Result<Map<'d>> {
    let empty = Map::new();
    let original = object(original, &empty, "the original document")?;
    let modified = object(modified, &empty, "the modified document")?;
    Ok(diff(original, modified))
}

fn diff<'d>(original: &Map<'d>, modified: &Map<'d>) -> Map<'d> {
    let mut patch = Map::new();
    for (key, after) in modified.iter() {
        match (original.get(key), after) {
            (Some(Doc::Map(before)), Doc::Map(after)) => {
                let inner = diff(before, after);
                if !inner.is_empty() {
                    patch.insert(key.clone(), Doc::Map(inner));
                }
            }
            (Some(before), _) if same(before, after) => {}
            _ => {
                patch.insert(key.clone(), after.clone());
            }
        }
    }
    for key in original.keys().filter(|key| !modified.contains_key(key)) {
        patch.insert(key.clone(), Doc::Null);
    }
    patch
}

/// Upstream reads every number as a float here, so that `1` and `1.0` are the same; integers that a float
/// cannot hold are compared exactly all the same.
#[allow(clippy::cast_precision_loss, clippy::float_cmp)]
fn same(a: &Doc, b: &Doc) -> bool {
    match (a, b) {
        (Doc::Int(i), Doc::Float(f)) | (Doc::Float(f), Doc::Int(i)) => *i as f64 == *f,
        (Doc::List(a), Doc::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Doc::Map(a), Doc::Map(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// The JSON merge patch that brings live to the modified document, deleting only what was last applied.
///
/// ```
/// # use skewer_engine::document::from_json;
/// use skewer_engine::patch::{ThreeWay, json_merge};
///
/// let last_applied = from_json(br#"{"a":1}"#)?;
/// let modified = from_json(br#"{"b":2}"#)?;
/// let live = from_json(br#"{"a":1,"theirs":3}"#)?;
/// let documents = ThreeWay { last_applied: &last_applied, modified: &modified, live: &live };
/// assert_eq!(json_merge::three_way(documents, &[])?.to_string(), r#"{"a":null,"b":2}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn three_way<'d>(documents: ThreeWay<'_, 'd>, preconditions: &[Precondition]) -> Result<Doc<'d>> {
    let patch_of = |original| match two_way(original, documents.modified)? {
        Doc::Map(patch) => Ok(patch),
        other => Err(no_object(&other, "the patch between the documents")),
    };
    let changes = only(patch_of(documents.live)?, Keep::Changes);
    let mut patch = only(patch_of(documents.last_applied)?, Keep::Deletions);
    // Upstream asks here whether the two conflict. They cannot: a deletion is of what modified does not have or has null,
    // a change of what it has.
    merge(&mut patch, changes);
    for precondition in preconditions {
        precondition.check(&patch)?;
    }
    Ok(Doc::Map(patch))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Changes,
    Deletions,
}

/// Upstream: `keepOrDeleteNullInObj`.
fn only(patch: Map<'_>, keep: Keep) -> Map<'_> {
    let mut kept = Map::new();
    for (key, value) in patch {
        match value {
            Doc::Null if keep == Keep::Deletions => {
                kept.insert(key, Doc::Null);
            }
            Doc::Map(inner) if !inner.is_empty() => {
                let inner = only(inner, keep);
                if !inner.is_empty() {
                    kept.insert(key, Doc::Map(inner));
                }
            }
            Doc::Null => {}
            // An empty map that was set is a value, not an empty patch.
            value if keep == Keep::Changes => {
                kept.insert(key, value);
            }
            _ => {}
        }
    }
    kept
}

fn no_object(document: &Doc, what: &str) -> Error {
    Error::new(
        ErrorKind::InvalidDocument,
        format!("{what} must be an object, not {}", document.kind().described()),
    )
}
