//! The patch operations on JSON text. They take and return bytes.
//!
//! Empty input counts as an empty object, as in upstream's `handleUnmarshal`. An empty JSON patch is refused. 64-bit
//! integers keep their exact value. If an input is not valid JSON, the error message names the input.

use super::three_way::{self as three_way_patch, Overwrite, Precondition};
use super::{PatchContext, apply as strategic_merge, conflict, diff, json_merge, json_patch};
use crate::document::{
    Arena, Doc, Map, from_json, from_json_in, in_document, to_json, to_json_with_capacity,
};
#[cfg(doc)]
use crate::error::ErrorKind;
use crate::error::Result;

/// The documents of a three-way patch, as text.
#[derive(Clone, Copy, Debug)]
pub struct ThreeWayTexts<'a> {
    /// The document that the client applied last.
    pub last_applied: &'a [u8],
    /// The document that the client applies now.
    pub modified: &'a [u8],
    /// The live object.
    pub live: &'a [u8],
}

/// Applies a strategic merge patch. Upstream: `StrategicMergePatchUsingLookupPatchMeta`.
///
/// # Errors
///
/// The errors of [`patch::apply`](crate::patch::apply). [`ErrorKind::InvalidDocument`] and [`ErrorKind::TooDeep`] if an
/// input cannot be read.
///
/// ```
/// # #[cfg(feature = "builtin")] {
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
/// # }
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn apply(context: &PatchContext, live: &[u8], patch: &[u8]) -> Result<Vec<u8>> {
    let length = live.len() + patch.len();
    let arena = Arena::for_text_of(length);
    let (live, patch) = (parse(live, "the object", &arena)?, parse(patch, "the patch", &arena)?);
    strategic_merge::apply_owned(context, live, patch).map(|result| to_json_with_capacity(&result, length))
}

/// Merges several strategic merge patches into one. Upstream: `MergeStrategicMergeMapPatchUsingLookupPatchMeta`.
///
/// # Errors
///
/// The errors of [`patch::combine`](crate::patch::combine). [`ErrorKind::InvalidDocument`] and [`ErrorKind::TooDeep`]
/// if a patch cannot be read.
pub fn combine(context: &PatchContext, patches: &[&[u8]]) -> Result<Vec<u8>> {
    let arena = Arena::for_text_of(patches.iter().map(|patch| patch.len()).sum());
    let mut parsed = Vec::with_capacity(patches.len());
    for (index, patch) in patches.iter().enumerate() {
        parsed.push(parse(patch, &format!("patch {}", index + 1), &arena)?);
    }
    strategic_merge::combine(context, &parsed).map(|result| to_json(&result))
}

/// Creates the strategic merge patch that turns `original` into `modified`. Upstream:
/// `CreateTwoWayMergePatchUsingLookupPatchMeta`.
///
/// # Errors
///
/// The errors of [`patch::two_way`](crate::patch::two_way). [`ErrorKind::InvalidDocument`] and [`ErrorKind::TooDeep`]
/// if an input cannot be read.
pub fn two_way(context: &PatchContext, original: &[u8], modified: &[u8]) -> Result<Vec<u8>> {
    let length = modified.len();
    let arena = Arena::for_text_of(original.len() + length);
    let original = parse(original, "the original document", &arena)?;
    let modified = parse(modified, "the modified document", &arena)?;
    diff::two_way(context, &original, &modified).map(|patch| to_json_with_capacity(&patch, length))
}

/// Creates the strategic merge patch that `kubectl apply` sends. Upstream: `CreateThreeWayMergePatch`.
///
/// # Errors
///
/// The errors of [`patch::three_way`](crate::patch::three_way). [`ErrorKind::InvalidDocument`] and
/// [`ErrorKind::TooDeep`] if a document cannot be read.
pub fn three_way(
    context: &PatchContext,
    documents: ThreeWayTexts<'_>,
    overwrite: Overwrite,
    preconditions: &[Precondition],
) -> Result<Vec<u8>> {
    let length = documents.modified.len();
    let arena = documents.arena();
    let documents = documents.parse(&arena)?;
    three_way_patch::three_way(context, documents.as_three_way(), overwrite, preconditions)
        .map(|patch| to_json_with_capacity(&patch, length))
}

/// Returns true if two strategic merge patches change the same field in different ways. Upstream:
/// `MergingMapsHaveConflicts`.
///
/// # Errors
///
/// The errors of [`patch::have_conflicts`](crate::patch::have_conflicts). [`ErrorKind::InvalidDocument`] and
/// [`ErrorKind::TooDeep`] if a patch cannot be read.
pub fn have_conflicts(context: &PatchContext, left: &[u8], right: &[u8]) -> Result<bool> {
    let arena = Arena::for_text_of(left.len() + right.len());
    let (left, right) = (parse(left, "the left patch", &arena)?, parse(right, "the right patch", &arena)?);
    conflict::have_conflicts(context, &left, &right)
}

/// Applies a JSON merge patch. Upstream: `jsonpatch.MergePatch`, which refuses empty inputs.
///
/// # Errors
///
/// The errors of [`json_merge::apply`]. [`ErrorKind::InvalidDocument`] and [`ErrorKind::TooDeep`] if an input cannot be
/// read.
pub fn json_merge_apply(live: &[u8], patch: &[u8]) -> Result<Vec<u8>> {
    let arena = Arena::for_text_of(live.len() + patch.len());
    let (live, patch) = (parse(live, "the object", &arena)?, parse(patch, "the patch", &arena)?);
    json_merge::apply_owned(live, patch).map(|result| to_json(&result))
}

/// Creates the JSON merge patch that turns `original` into `modified`. Upstream: `jsonpatch.CreateMergePatch`, which
/// refuses empty inputs.
///
/// # Errors
///
/// The errors of [`json_merge::two_way`]. [`ErrorKind::InvalidDocument`] and [`ErrorKind::TooDeep`] if an input cannot
/// be read.
pub fn json_merge_two_way(original: &[u8], modified: &[u8]) -> Result<Vec<u8>> {
    let arena = Arena::for_text_of(original.len() + modified.len());
    let original = parse(original, "the original document", &arena)?;
    let modified = parse(modified, "the modified document", &arena)?;
    json_merge::two_way(&original, &modified).map(|patch| to_json(&patch))
}

/// Creates the JSON merge patch that `kubectl apply` sends. Upstream: `CreateThreeWayJSONMergePatch`.
///
/// # Errors
///
/// The errors of [`json_merge::three_way`]. [`ErrorKind::InvalidDocument`] and
/// [`ErrorKind::TooDeep`] if a document cannot be read.
pub fn json_merge_three_way(documents: ThreeWayTexts<'_>, preconditions: &[Precondition]) -> Result<Vec<u8>> {
    let arena = documents.arena();
    let documents = documents.parse(&arena)?;
    json_merge::three_way(documents.as_three_way(), preconditions).map(|patch| to_json(&patch))
}

/// Applies a JSON patch. Upstream: `jsonpatch.Patch.Apply`.
///
/// # Errors
///
/// The errors of [`json_patch::apply`]. [`ErrorKind::InvalidDocument`] and [`ErrorKind::TooDeep`] if an input cannot be
/// read.
pub fn json_patch_apply(live: &[u8], patch: &[u8]) -> Result<Vec<u8>> {
    let arena = Arena::for_text_of(live.len());
    let live = parse(live, "the object", &arena)?;
    let patch = from_json(patch).map_err(in_document("the patch"))?;
    json_patch::apply(&live, &patch).map(|result| to_json(&result))
}

struct ParsedTexts<'d> {
    last_applied: Doc<'d>,
    modified: Doc<'d>,
    live: Doc<'d>,
}

impl<'d> ThreeWayTexts<'d> {
    fn arena(self) -> Arena {
        Arena::for_text_of(self.last_applied.len() + self.modified.len() + self.live.len())
    }

    fn parse(self, arena: &'d Arena) -> Result<ParsedTexts<'d>> {
        Ok(ParsedTexts {
            last_applied: parse(self.last_applied, "the last-applied document", arena)?,
            modified: parse(self.modified, "the modified document", arena)?,
            live: parse(self.live, "the live document", arena)?,
        })
    }
}

impl<'d> ParsedTexts<'d> {
    fn as_three_way(&self) -> three_way_patch::ThreeWay<'_, 'd> {
        three_way_patch::ThreeWay {
            last_applied: &self.last_applied,
            modified: &self.modified,
            live: &self.live,
        }
    }
}

/// Parses a document. Empty input counts as an empty object.
fn parse<'d>(bytes: &'d [u8], document_name: &str, arena: &'d Arena) -> Result<Doc<'d>> {
    if bytes.is_empty() {
        return Ok(Doc::Map(Map::new()));
    }
    from_json_in(bytes, arena).map_err(in_document(document_name))
}
