//! The three-way patch: what `kubectl apply` sends.

use super::apply::{Merge, MergeMode};
use super::conflict::maps_have_conflicts;
use super::context::PatchContext;
use super::diff::{Diff, DiffOptions, object};
use crate::document::{Doc, Map, OwnedText};
use crate::error::{Error, ErrorKind, Result};

/// What to do about fields that were changed differently in live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// The modified document wins.
    Yes,
    /// Refuse with [`ErrorKind::Conflict`].
    No,
}

/// Something that the patch must not touch. Upstream: `mergepatch.PreconditionFunc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// The key of the object: `RequireKeyUnchanged`.
    KeyUnchanged(OwnedText),
    /// The key of its `metadata`: `RequireMetadataKeyUnchanged`.
    MetadataKeyUnchanged(OwnedText),
}

impl Precondition {
    /// Refuses a patch that holds the key, with [`ErrorKind::PreconditionFailed`].
    pub fn check(&self, patch: &Map) -> Result<()> {
        let (holds, what) = match self {
            Precondition::KeyUnchanged(key) => (patch.contains_key(key), key.to_string()),
            Precondition::MetadataKeyUnchanged(key) => (
                patch.get("metadata").and_then(Doc::as_map).is_some_and(|m| m.contains_key(key)),
                format!("metadata.{key}"),
            ),
        };
        if holds {
            return Err(Error::new(
                ErrorKind::PreconditionFailed,
                format!("the patch would change {what}, which must not change"),
            ));
        }
        Ok(())
    }
}

/// The documents of a three-way patch.
#[derive(Clone, Copy, Debug)]
pub struct ThreeWay<'a, 'd> {
    /// What was applied last time: deletions are told from it.
    pub last_applied: &'a Doc<'d>,
    /// What is wanted.
    pub modified: &'a Doc<'d>,
    /// What is stored: additions and changes are told from it.
    pub live: &'a Doc<'d>,
}

/// The patch that brings live to the modified document, deleting only what was last applied.
///
/// ```
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
/// // What somebody else wrote stays, what was applied and is wanted no more goes.
/// assert_eq!(patch.to_string(), r#"{"spec":{"type":null}}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn three_way<'d>(
    context: &PatchContext,
    documents: ThreeWay<'_, 'd>,
    overwrite: Overwrite,
    preconditions: &[Precondition],
) -> Result<Doc<'d>> {
    context.require_strategic()?;
    let empty = Map::new();
    let last_applied = object(documents.last_applied, &empty, "the last-applied document")?;
    let modified = object(documents.modified, &empty, "the modified document")?;
    let live = object(documents.live, &empty, "the live document")?;

    let changes = DiffOptions { set_element_order: true, ignore_deletions: true, ..DiffOptions::default() };
    let changes = Diff::new(context, changes).documents(live, modified)?;
    let deletions =
        DiffOptions { set_element_order: true, ignore_changes_and_additions: true, ..DiffOptions::default() };
    let mut patch = Diff::new(context, deletions).documents(last_applied, modified)?;
    Merge::new(context, MergeMode::Combine).merge_map(&mut patch, changes, context.root)?;

    for precondition in preconditions {
        precondition.check(&patch)?;
    }
    if overwrite == Overwrite::No {
        let in_live = Diff::new(context, DiffOptions::default()).documents(last_applied, live)?;
        // As upstream, and surely not meant there: lists of scalars that both sides replace come out of the
        // comparison sorted, and so they are in the patch.
        if let Some(place) = maps_have_conflicts(context, &mut patch, &in_live)? {
            let conflict = Error::new(
                ErrorKind::Conflict,
                format!(
                    "the patch {} conflicts with what changed in live since the last apply, {}",
                    Doc::Map(patch),
                    Doc::Map(in_live)
                ),
            );
            return Err(conflict.at_path(&place));
        }
    }
    Ok(Doc::Map(patch))
}
