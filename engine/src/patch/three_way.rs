//! The three-way strategic merge patch, which `kubectl apply` sends.

use super::apply::{Merge, MergeMode};
use super::conflict::find_conflict_in_maps;
use super::context::PatchContext;
use super::diff::{Diff, DiffOptions, map_or_empty};
use crate::document::{Doc, Map, OwnedText};
use crate::error::{Error, ErrorKind, Result};

/// Whether the patch may overwrite fields that somebody else has changed in the live object since the last apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// The values of the modified document overwrite those of the live object.
    Yes,
    /// A patch that would overwrite such a field is refused with [`ErrorKind::Conflict`].
    No,
}

/// A key that the patch must not change. Upstream: `mergepatch.PreconditionFunc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// A key at the root of the object. Upstream: `RequireKeyUnchanged`.
    KeyUnchanged(OwnedText),
    /// A key in the `metadata` of the object. Upstream: `RequireMetadataKeyUnchanged`.
    MetadataKeyUnchanged(OwnedText),
}

impl Precondition {
    /// Checks that a patch does not contain the key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::PreconditionFailed`] if the patch contains the key.
    pub fn check(&self, patch: &Map) -> Result<()> {
        let (has_key, key_name) = match self {
            Precondition::KeyUnchanged(key) => (patch.contains_key(key), key.to_string()),
            Precondition::MetadataKeyUnchanged(key) => (
                patch.get("metadata").and_then(Doc::as_map).is_some_and(|m| m.contains_key(key)),
                format!("metadata.{key}"),
            ),
        };
        if has_key {
            return Err(Error::new(
                ErrorKind::PreconditionFailed,
                format!("the patch changes {key_name}, which must not change"),
            ));
        }
        Ok(())
    }
}

/// The documents of a three-way patch.
#[derive(Clone, Copy, Debug)]
pub struct ThreeWay<'a, 'd> {
    /// The document that the client applied last. The patch deletes what this document has and `modified` lacks.
    pub last_applied: &'a Doc<'d>,
    /// The document that the client applies now.
    pub modified: &'a Doc<'d>,
    /// The live object. The patch adds and changes what differs between this object and `modified`.
    pub live: &'a Doc<'d>,
}

/// Creates the patch that gives the live object the values of the modified document. The patch deletes only values that
/// the last-applied document has. Upstream: `CreateThreeWayMergePatch`.
///
/// # Errors
///
/// - [`ErrorKind::PreconditionFailed`] if the patch contains the key of a precondition.
/// - [`ErrorKind::Conflict`] if `overwrite` is [`Overwrite::No`] and the patch conflicts with a change of the live
///   object since the last apply.
/// - The kinds of [`two_way`](crate::patch::two_way) and of [`combine`](crate::patch::combine), which are used on the
///   documents and on the partial patches.
///
/// ```
/// # #[cfg(feature = "builtin")] {
/// # use std::sync::Arc;
/// # use skewer_engine::patch::{self, PatchContext};
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::document::from_json;
/// # let release = builtin::newest();
/// let service = PatchContext::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// use skewer_engine::patch::{Overwrite, Precondition, ThreeWay};
///
/// let last_applied = from_json(br#"{"spec":{"type":"NodePort","clusterIP":"None"}}"#)?;
/// let modified = from_json(br#"{"spec":{"clusterIP":"None"}}"#)?;
/// let live = from_json(br#"{"spec":{"type":"NodePort","clusterIP":"None","sessionAffinity":"None"}}"#)?;
/// let documents = ThreeWay { last_applied: &last_applied, modified: &modified, live: &live };
/// let preconditions = [Precondition::MetadataKeyUnchanged("name".into())];
/// let patch = patch::three_way(&service, documents, Overwrite::Yes, &preconditions)?;
/// // `type` was applied before and is missing now. `sessionAffinity` was never applied.
/// assert_eq!(patch.to_string(), r#"{"spec":{"type":null}}"#);
/// # }
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn three_way<'d>(
    context: &PatchContext,
    documents: ThreeWay<'_, 'd>,
    overwrite: Overwrite,
    preconditions: &[Precondition],
) -> Result<Doc<'d>> {
    context.refuse_custom_resource()?;
    let empty = Map::new();
    let last_applied = map_or_empty(documents.last_applied, &empty, "the last-applied document")?;
    let modified = map_or_empty(documents.modified, &empty, "the modified document")?;
    let live = map_or_empty(documents.live, &empty, "the live document")?;

    let changes = DiffOptions { set_element_order: true, ignore_deletions: true, ..DiffOptions::default() };
    let changes = Diff::new(context, changes).diff_documents(live, modified)?;
    let deletions =
        DiffOptions { set_element_order: true, ignore_changes_and_additions: true, ..DiffOptions::default() };
    let mut patch = Diff::new(context, deletions).diff_documents(last_applied, modified)?;
    Merge::new(context, MergeMode::Combine).merge_map(&mut patch, changes, context.root)?;

    for precondition in preconditions {
        precondition.check(&patch)?;
    }
    if overwrite == Overwrite::No {
        let live_changes = Diff::new(context, DiffOptions::default()).diff_documents(last_applied, live)?;
        // The comparison sorts the lists of scalars that both patches replace, and these lists stay sorted in the
        // returned patch. Upstream does the same, probably by mistake.
        if let Some(path) = find_conflict_in_maps(context, &mut patch, &live_changes)? {
            let conflict = Error::new(
                ErrorKind::Conflict,
                format!(
                    "the patch {} conflicts with the changes of the live object since the last apply, {}",
                    Doc::Map(patch),
                    Doc::Map(live_changes)
                ),
            );
            return Err(conflict.at_path(&path));
        }
    }
    Ok(Doc::Map(patch))
}
