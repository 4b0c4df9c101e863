//! The operations on JSON text: bytes in, bytes out.
//!
//! An empty input is an empty object, as in upstream's `handleUnmarshal`; an empty JSON patch is refused. Integers
//! of 64 bits stay exact. What is refused because it is no document says which document it was.

use super::three_way::{Overwrite, Precondition};
use super::{PatchContext, apply as merge, conflict, diff, json_merge, json_patch, three_way as values};
use crate::document::{Doc, Map, from_json, from_json_borrowed, to_json, to_json_of};
use crate::error::{Error, Result};

/// The documents of a three-way patch, as text.
#[derive(Clone, Copy, Debug)]
pub struct ThreeWay<'a> {
    /// What was applied last time.
    pub last_applied: &'a [u8],
    /// What is wanted.
    pub modified: &'a [u8],
    /// What is stored.
    pub live: &'a [u8],
}

/// Applies a strategic merge patch. Upstream: `StrategicMergePatchUsingLookupPatchMeta`.
///
/// ```
/// # use std::sync::Arc;
/// # use skewer_engine::patch::{self, PatchContext};
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::document::from_json;
/// # let release = builtin::newest();
/// let service = PatchContext::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// use skewer_engine::patch::bytes;
///
/// let live = br#"{"metadata":{"finalizers":["a","b"]}}"#;
/// let patch = br#"{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}}"#;
/// assert_eq!(bytes::apply(&service, live, patch)?, br#"{"metadata":{"finalizers":["b"]}}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn apply(context: &PatchContext, live: &[u8], patch: &[u8]) -> Result<Vec<u8>> {
    let length = live.len() + patch.len();
    let (live, patch) = (read(live, "the object")?, read(patch, "the patch")?);
    merge::apply_owned(context, live, patch).map(|result| to_json_of(&result, length))
}

/// Merges strategic merge patches into one. Upstream: `MergeStrategicMergeMapPatchUsingLookupPatchMeta`.
pub fn combine(context: &PatchContext, patches: &[&[u8]]) -> Result<Vec<u8>> {
    let mut read_patches = Vec::with_capacity(patches.len());
    for (index, patch) in patches.iter().enumerate() {
        read_patches.push(read(patch, &format!("patch {}", index + 1))?);
    }
    merge::combine(context, &read_patches).map(|result| to_json(&result))
}

/// Creates a strategic merge patch from two documents. Upstream: `CreateTwoWayMergePatchUsingLookupPatchMeta`.
pub fn two_way(context: &PatchContext, original: &[u8], modified: &[u8]) -> Result<Vec<u8>> {
    let length = modified.len();
    let (original, modified) =
        (read(original, "the original document")?, read(modified, "the modified document")?);
    diff::two_way(context, &original, &modified).map(|patch| to_json_of(&patch, length))
}

/// Creates a strategic merge patch from three documents. Upstream: `CreateThreeWayMergePatch`.
pub fn three_way(
    context: &PatchContext,
    documents: ThreeWay<'_>,
    overwrite: Overwrite,
    preconditions: &[Precondition],
) -> Result<Vec<u8>> {
    let length = documents.modified.len();
    let documents = documents.read()?;
    values::three_way(context, documents.borrowed(), overwrite, preconditions)
        .map(|patch| to_json_of(&patch, length))
}

/// Do two strategic merge patches change the same thing differently? Upstream: `MergingMapsHaveConflicts`.
pub fn have_conflicts(context: &PatchContext, left: &[u8], right: &[u8]) -> Result<bool> {
    let (left, right) = (read(left, "the left patch")?, read(right, "the right patch")?);
    conflict::have_conflicts(context, &left, &right)
}

/// Applies a JSON merge patch. Upstream: `jsonpatch.MergePatch`, which refuses empty inputs.
pub fn json_merge_apply(live: &[u8], patch: &[u8]) -> Result<Vec<u8>> {
    let (live, patch) = (read(live, "the object")?, read(patch, "the patch")?);
    json_merge::apply(&live, &patch).map(|result| to_json(&result))
}

/// Creates a JSON merge patch from two documents. Upstream: `jsonpatch.CreateMergePatch`, which refuses empty
/// inputs.
pub fn json_merge_two_way(original: &[u8], modified: &[u8]) -> Result<Vec<u8>> {
    let (original, modified) =
        (read(original, "the original document")?, read(modified, "the modified document")?);
    json_merge::two_way(&original, &modified).map(|patch| to_json(&patch))
}

/// Creates a JSON merge patch from three documents. Upstream: `CreateThreeWayJSONMergePatch`.
pub fn json_merge_three_way(documents: ThreeWay<'_>, preconditions: &[Precondition]) -> Result<Vec<u8>> {
    let documents = documents.read()?;
    json_merge::three_way(documents.borrowed(), preconditions).map(|patch| to_json(&patch))
}

/// Applies a JSON patch. Upstream: `jsonpatch.Patch.Apply`.
pub fn json_patch_apply(live: &[u8], patch: &[u8]) -> Result<Vec<u8>> {
    let live = read(live, "the object")?;
    let patch = from_json(patch).map_err(|error| named(&error, "the patch"))?;
    json_patch::apply(&live, &patch).map(|result| to_json(&result))
}

struct Read<'d> {
    last_applied: Doc<'d>,
    modified: Doc<'d>,
    live: Doc<'d>,
}

impl<'d> ThreeWay<'d> {
    fn read(self) -> Result<Read<'d>> {
        Ok(Read {
            last_applied: read(self.last_applied, "the last-applied document")?,
            modified: read(self.modified, "the modified document")?,
            live: read(self.live, "the live document")?,
        })
    }
}

impl<'d> Read<'d> {
    fn borrowed(&self) -> values::ThreeWay<'_, 'd> {
        values::ThreeWay { last_applied: &self.last_applied, modified: &self.modified, live: &self.live }
    }
}

fn read<'d>(bytes: &'d [u8], what: &str) -> Result<Doc<'d>> {
    if bytes.is_empty() {
        return Ok(Doc::Map(Map::new()));
    }
    from_json_borrowed(bytes).map_err(|error| named(&error, what))
}

fn named(error: &Error, what: &str) -> Error {
    Error::new(error.kind(), format!("{what} is no JSON document: {}", error.message()))
}
