//! JSON merge patch (RFC 7386), which `kubectl apply` sends for custom resources.
//!
//! Creating a patch reads all numbers as float64, as all Kubernetes releases do. The integer 9007199254740993 is
//! therefore sent as 9007199254740992, and a change from one of these two numbers to the other is lost. Applying a
//! patch keeps the exact numbers.
//!
//! Upstream: `gopkg.in/evanphx/json-patch.v4` applies patches and creates two-way patches. `jsonmergepatch`
//! (k8s.io/apimachinery) creates three-way patches.

use super::diff::map_or_empty;
use super::library::{LibraryChange, PatchLibrary};
use super::three_way::{Precondition, ThreeWay};
use crate::document::{Doc, Map};
use crate::error::{Error, ErrorKind, Result};

/// Applies a JSON merge patch.
///
/// Like upstream, a patch that is a list replaces the live document, and any patch replaces a live document that is a
/// list or a scalar.
///
/// # Errors
///
/// [`ErrorKind::InvalidDocument`] if the live document is null, or if the patch is null or a scalar.
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
    apply_owned(live.clone(), patch.clone())
}

/// Applies a JSON merge patch as [`apply`] does, and consumes both documents instead of copying them.
///
/// # Errors
///
/// The kinds of [`apply`].
pub fn apply_owned<'d>(live: Doc<'d>, patch: Doc<'d>) -> Result<Doc<'d>> {
    if live.is_null() {
        return Err(not_an_object(&live, "the object to patch"));
    }
    match (live, patch) {
        (Doc::Map(mut live), Doc::Map(patch)) => {
            merge_maps(&mut live, patch);
            Ok(Doc::Map(live))
        }
        (_, mut patch @ (Doc::Map(_) | Doc::List(_))) => {
            patch.remove_null_entries();
            Ok(patch)
        }
        (_, patch) => Err(not_an_object(&patch, "the patch")),
    }
}

/// Applies a JSON merge patch as [`apply_owned`] does, with the library of a release. A library without
/// [`LibraryChange::NullItemsKept`] removes the null items of the lists of the patch.
///
/// # Errors
///
/// The kinds of [`apply`].
///
/// ```
/// # use skewer_engine::document::from_json;
/// use skewer_engine::patch::{PatchLibrary, json_merge};
///
/// let patch = from_json(br#"{"args":["x",null,"z"]}"#)?;
/// let patched = json_merge::apply_with(PatchLibrary::of_release(21), from_json(b"{}")?, patch)?;
/// assert_eq!(patched.to_string(), r#"{"args":["x","z"]}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn apply_with<'d>(library: PatchLibrary, live: Doc<'d>, patch: Doc<'d>) -> Result<Doc<'d>> {
    apply_owned(live, as_read_by(library, patch))
}

/// Returns a JSON merge patch as the library of a release reads it: before 1.22, without the null items of its lists.
#[must_use]
pub fn as_read_by(library: PatchLibrary, patch: Doc<'_>) -> Doc<'_> {
    if library.has(LibraryChange::NullItemsKept) { patch } else { without_null_items(patch) }
}

fn without_null_items(patch: Doc<'_>) -> Doc<'_> {
    match patch {
        Doc::Map(map) => {
            Doc::Map(map.into_iter().map(|(key, value)| (key, without_null_items(value))).collect())
        }
        Doc::List(items) => {
            Doc::List(items.into_iter().filter(|item| !item.is_null()).map(without_null_items).collect())
        }
        scalar => scalar,
    }
}

fn merge_maps<'d>(live: &mut Map<'d>, patch: Map<'d>) {
    let mut changed = Vec::new();
    for (key, mut value) in patch {
        match (live.get_mut(&key), &mut value) {
            (live_value, Doc::Null) => {
                if live_value.is_some() {
                    changed.push((key, None));
                }
            }
            (Some(Doc::Map(live_value)), Doc::Map(inner)) => merge_maps(live_value, std::mem::take(inner)),
            // Upstream removes the null entries of a new value, unless the value replaces a map.
            (Some(live_value @ Doc::Map(_)), _) => *live_value = value,
            (Some(live_value), _) => {
                value.remove_null_entries();
                *live_value = value;
            }
            (None, _) => {
                value.remove_null_entries();
                changed.push((key, Some(value)));
            }
        }
    }
    live.update(changed);
}

/// Creates the JSON merge patch that turns `original` into `modified`.
///
/// A merge patch cannot set a value to null. A null in `modified` is copied to the patch, and applying the patch
/// deletes the key.
///
/// Like upstream, null counts as an empty object. For two lists of the same length, the result is a list with the patch
/// between each pair of items. Numbers are converted to float64 and back: `1.0` becomes `1`, and 9007199254740993
/// becomes 9007199254740992.
///
/// # Errors
///
/// - [`ErrorKind::WrongKind`] if only one of the documents is a list.
/// - [`ErrorKind::InvalidDocument`] if a document or a list item is neither an object nor null, or if the lists have
///   different lengths.
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
                    format!(
                        "two lists of documents must have the same length, not {} and {}",
                        original.len(),
                        modified.len()
                    ),
                ));
            }
            let patch = |(before, after)| diff_objects(before, after).map(Doc::Map);
            original.iter().zip(modified).map(patch).collect::<Result<_>>().map(Doc::List)
        }
        (Doc::List(_), _) | (_, Doc::List(_)) => {
            Err(Error::new(ErrorKind::WrongKind, "both documents must be lists if one of them is"))
        }
        _ => diff_objects(original, modified).map(Doc::Map),
    }
}

fn diff_objects<'d>(original: &Doc<'d>, modified: &Doc<'d>) -> Result<Map<'d>> {
    let empty = Map::new();
    let original = map_or_empty(original, &empty, "the original document")?;
    let modified = map_or_empty(modified, &empty, "the modified document")?;
    Ok(diff_maps(original, modified))
}

fn diff_maps<'d>(original: &Map<'d>, modified: &Map<'d>) -> Map<'d> {
    let mut patch = Map::new();
    for (key, after) in modified.iter() {
        match (original.get(key), after) {
            (Some(Doc::Map(before)), Doc::Map(after)) => {
                let inner = diff_maps(before, after);
                if !inner.is_empty() {
                    patch.insert(key.clone(), Doc::Map(inner));
                }
            }
            (Some(before), _) if is_equal(before, after) => {}
            _ => {
                patch.insert(key.clone(), with_numbers_as_floats(after));
            }
        }
    }
    for key in original.keys().filter(|key| !modified.contains_key(key)) {
        patch.insert(key.clone(), Doc::Null);
    }
    patch
}

/// Returns true if two values are equal after all numbers are converted to float64. Upstream: `matchesValue`.
fn is_equal(a: &Doc, b: &Doc) -> bool {
    match (a, b) {
        (Doc::Int(_) | Doc::Float(_), Doc::Int(_) | Doc::Float(_)) => as_float(a) == as_float(b),
        (Doc::List(a), Doc::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b)),
        (Doc::Map(a), Doc::Map(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_equal(a, b)))
        }
        _ => a == b,
    }
}

/// Returns a number as Go's `encoding/json` decodes it into an `any`.
#[allow(clippy::cast_precision_loss)] // Upstream loses the precision, too.
fn as_float(number: &Doc) -> Option<f64> {
    match number {
        Doc::Int(integer) => Some(*integer as f64),
        Doc::Float(float) => Some(*float),
        _ => None,
    }
}

/// Copies a value, and converts each number to float64 and back, as Go does when it reads and writes the value.
fn with_numbers_as_floats<'d>(value: &Doc<'d>) -> Doc<'d> {
    match value {
        Doc::Int(_) | Doc::Float(_) => as_float(value).map_or(Doc::Null, Doc::from_go_float),
        Doc::List(items) => Doc::List(items.iter().map(with_numbers_as_floats).collect()),
        Doc::Map(map) => {
            Doc::Map(map.iter().map(|(key, value)| (key.clone(), with_numbers_as_floats(value))).collect())
        }
        other => other.clone(),
    }
}

/// Creates the JSON merge patch that gives the live object the values of the modified document. The patch deletes only
/// values that the last-applied document has. Upstream: `CreateThreeWayJSONMergePatch`.
///
/// # Errors
///
/// - [`ErrorKind::PreconditionFailed`] if the patch contains the key of a precondition.
/// - [`ErrorKind::InvalidDocument`] or [`ErrorKind::WrongKind`] if a document is neither an object nor null.
///
/// ```
/// # use skewer_engine::document::from_json;
/// use skewer_engine::patch::{ThreeWay, json_merge};
///
/// let last_applied = from_json(br#"{"a":1}"#)?;
/// let modified = from_json(br#"{"b":2}"#)?;
/// let live = from_json(br#"{"a":1,"neverApplied":3}"#)?;
/// let documents = ThreeWay { last_applied: &last_applied, modified: &modified, live: &live };
/// assert_eq!(json_merge::three_way(documents, &[])?.to_string(), r#"{"a":null,"b":2}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn three_way<'d>(documents: ThreeWay<'_, 'd>, preconditions: &[Precondition]) -> Result<Doc<'d>> {
    let patch_of = |original| match two_way(original, documents.modified)? {
        Doc::Map(patch) => Ok(patch),
        other => Err(not_an_object(&other, "the patch between the documents")),
    };
    let changes = filter_patch(patch_of(documents.live)?, PatchPart::Changes);
    let mut patch = filter_patch(patch_of(documents.last_applied)?, PatchPart::Deletions);
    // Upstream checks here whether the changes and the deletions conflict. They cannot conflict: `modified` has a
    // non-null value for each changed key, and a null or no value for each deleted key.
    merge_maps(&mut patch, changes);
    for precondition in preconditions {
        precondition.check(&patch)?;
    }
    Ok(Doc::Map(patch))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PatchPart {
    /// The entries whose value is not null.
    Changes,
    /// The entries whose value is null.
    Deletions,
}

/// Returns one part of a patch. Upstream: `keepOrDeleteNullInObj`.
fn filter_patch(patch: Map<'_>, part: PatchPart) -> Map<'_> {
    let mut kept = Map::new();
    for (key, value) in patch {
        match value {
            Doc::Null if part == PatchPart::Deletions => {
                kept.insert(key, Doc::Null);
            }
            Doc::Map(inner) if !inner.is_empty() => {
                let inner = filter_patch(inner, part);
                if !inner.is_empty() {
                    kept.insert(key, Doc::Map(inner));
                }
            }
            Doc::Null => {}
            // An empty map in the patch is a new value, not a patch without changes.
            value if part == PatchPart::Changes => {
                kept.insert(key, value);
            }
            _ => {}
        }
    }
    kept
}

fn not_an_object(document: &Doc, document_name: &str) -> Error {
    Error::new(
        ErrorKind::InvalidDocument,
        format!("{document_name} must be an object, not {}", document.kind().with_article()),
    )
}
