//! Applying a strategic merge patch, and merging patches with each other.

mod lists;

pub use lists::{ListMerge, MAX_LISTED_MERGE_KEYS};

use super::context::PatchContext;
use super::directive_set::DirectiveSet;
use super::hooks::Flow;
use crate::document::{Doc, Map};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, PatchStrategy, TypeId};

/// Applies a strategic merge patch to an object.
///
/// Both documents are maps; null counts as an empty one. The path of an error is a path in the patch. The inputs are
/// unchanged: the patch is merged into a copy of `live`.
///
/// ```
/// # use std::sync::Arc;
/// # use skewer_engine::patch::{self, PatchContext};
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::document::from_json;
/// # let release = builtin::newest();
/// let service = PatchContext::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// let live = from_json(br#"{"spec":{"ports":[{"port":80},{"port":443}],"type":"ClusterIP"}}"#)?;
/// let patch = from_json(br#"{"spec":{"ports":[{"port":443,"name":"https"}],"type":null}}"#)?;
/// let result = patch::apply(&service, &live, &patch)?;
/// assert_eq!(result.to_string(), r#"{"spec":{"ports":[{"port":80},{"name":"https","port":443}]}}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn apply<'d>(context: &PatchContext, live: &Doc<'d>, patch: &Doc<'d>) -> Result<Doc<'d>> {
    apply_owned(context, live.clone(), patch.clone())
}

/// Applies a strategic merge patch as [`apply`] does, and consumes both documents instead of copying them.
///
/// # Errors
///
/// Those of [`apply`].
pub fn apply_owned<'d>(context: &PatchContext, live: Doc<'d>, patch: Doc<'d>) -> Result<Doc<'d>> {
    Merge::new(context, MergeMode::Apply).merge_documents(live, patch)
}

/// Merges several patches into one patch with the effect of applying them in turn, as far as upstream achieves that:
/// nulls and list directives stay. Upstream: `MergeStrategicMergeMapPatchUsingLookupPatchMeta`.
///
/// ```
/// # use std::sync::Arc;
/// # use skewer_engine::patch::{self, PatchContext};
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::document::from_json;
/// # let release = builtin::newest();
/// let service = PatchContext::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// let first = from_json(br#"{"spec":{"ports":[{"port":80,"name":"http"}]}}"#)?;
/// let second = from_json(br#"{"spec":{"ports":[{"port":443}],"type":null}}"#)?;
/// let both = patch::combine(&service, &[first, second])?;
/// assert_eq!(both.to_string(), r#"{"spec":{"ports":[{"port":443},{"name":"http","port":80}],"type":null}}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn combine<'d>(context: &PatchContext, patches: &[Doc<'d>]) -> Result<Doc<'d>> {
    context.refuse_custom_resource()?;
    let merge = Merge::new(context, MergeMode::Combine);
    // All patches are checked before any of them is merged.
    let patches: Vec<Map> =
        patches.iter().map(|patch| into_map(patch.clone(), "a patch")).collect::<Result<_>>()?;
    let mut combined = Map::new();
    for patch in patches {
        merge.merge_map(&mut combined, patch, context.root)?;
    }
    Ok(Doc::Map(combined))
}

/// The purpose of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeMode {
    /// A patch is applied to an object: directives act, nulls delete. Upstream: `MergeParallelList` and
    /// `IgnoreUnmatchedNulls` set.
    Apply,
    /// A patch is merged into a patch: directives and nulls are kept. Upstream: both unset.
    Combine,
}

/// A merge in progress, which directives see in their hooks.
#[derive(Clone, Copy, Debug)]
pub struct Merge<'a> {
    context: &'a PatchContext,
    mode: MergeMode,
}

impl<'a> Merge<'a> {
    pub(crate) fn new(context: &'a PatchContext, mode: MergeMode) -> Self {
        Merge { context, mode }
    }

    /// The purpose of the merge.
    #[must_use]
    pub fn mode(&self) -> MergeMode {
        self.mode
    }

    /// The directives of the patch context.
    #[must_use]
    pub fn directives(&self) -> &'a DirectiveSet {
        &self.context.directives
    }

    fn merge_documents<'d>(&self, live: Doc<'d>, patch: Doc<'d>) -> Result<Doc<'d>> {
        let mut live = into_map(live, "the object to patch")?;
        let patch = into_map(patch, "the patch")?;
        // Upstream also reads the documents before it looks at their type.
        self.context.refuse_custom_resource()?;
        self.merge_map(&mut live, patch, self.context.root)?;
        Ok(Doc::Map(live))
    }

    /// Merges a patch map into a live map of this type. Upstream: `mergeMap`.
    pub fn merge_map<'d>(&self, live: &mut Map<'d>, mut patch: Map<'d>, ty: TypeId) -> Result<()> {
        for directive in self.directives().candidates_for(&patch) {
            if directive.is_active_in(&patch)
                && directive.before_merge_map(self, live, &mut patch, ty)? == Flow::Done
            {
                return Ok(());
            }
        }
        // New and deleted entries wait until the end: each would shift all entries behind it.
        let mut changed = Vec::new();
        for (key, value) in patch {
            let live_value = live.get_mut(&key);
            let is_kept = match (live_value, value) {
                (None, Doc::Null) if self.mode == MergeMode::Apply => continue,
                (None, value) => {
                    changed.extend(self.prepare_new_value(value).map(|value| (key, Some(value))));
                    continue;
                }
                (Some(live_value), Doc::Null) => {
                    *live_value = Doc::Null;
                    self.mode == MergeMode::Combine
                }
                (Some(live_value), value) => {
                    self.merge_field(live_value, value, (key.as_str(), ty)).map_err(|e| e.at(&key))?
                }
            };
            if !is_kept {
                changed.push((key, None));
            }
        }
        live.update(changed);
        Ok(())
    }

    /// Merges a value of the patch into the value of a field that live has. Returns false if the field is to be
    /// removed.
    pub(crate) fn merge_field<'d>(
        &self,
        live_value: &mut Doc<'d>,
        value: Doc<'d>,
        (key, ty): (&str, TypeId),
    ) -> Result<bool> {
        match (&mut *live_value, value) {
            (Doc::Map(live), Doc::Map(patch)) => {
                let field = self.field(ty, key)?;
                if field.meta.strategy == PatchStrategy::Replace {
                    *live = patch;
                } else {
                    self.merge_map(live, patch, field.ty)?;
                }
            }
            (Doc::List(live), Doc::List(patch)) => {
                self.merge_lists_by_strategy(self.list_of_field(ty, key)?, live, patch)?;
            }
            (_, value) => match self.prepare_new_value(value) {
                Some(value) => *live_value = value,
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    fn field(&self, ty: TypeId, key: &str) -> Result<&'a Field> {
        self.context.field(ty, key)
    }

    /// Looks up the list that a field holds in the schema. Upstream: `LookupPatchMetadataForSlice`.
    pub fn list_of_field(&self, ty: TypeId, key: &str) -> Result<ListMerge<'a>> {
        let (field, item_type) = self.context.list_field(ty, key)?;
        Ok(ListMerge {
            field,
            item_type,
            merge_keys: self.directives().declared_merge_keys(&field.meta),
            directives: self.directives(),
            spare_capacity: self.context.spare_capacity,
        })
    }

    /// Prepares a value of the patch to be stored where live has none: removes the nulls when a patch is applied, and
    /// the maps that a directive forbids to store. `None` if nothing is to be stored. Upstream:
    /// `discardNullValuesFromPatch`, `removeDirectives`.
    #[must_use]
    pub fn prepare_new_value<'d>(&self, mut value: Doc<'d>) -> Option<Doc<'d>> {
        if self.mode == MergeMode::Apply {
            value.remove_null_entries();
        }
        self.remove_directives(&mut value).then_some(value)
    }

    /// Prepares a list of the patch to be stored where live has none. Nulls stay. Upstream: `removeDirectives` alone.
    pub(crate) fn prepare_new_list<'d>(&self, mut items: Vec<Doc<'d>>) -> Vec<Doc<'d>> {
        items.retain_mut(|item| self.remove_directives(item));
        items
    }

    /// Removes the directives of a value that is stored as it is. Returns false if the value itself must not be
    /// stored.
    fn remove_directives(&self, value: &mut Doc) -> bool {
        match value {
            Doc::Map(map) => {
                if !self.directives().is_storable(map) {
                    return false;
                }
                self.remove_directive_keys(map);
                map.retain(|_, value| self.remove_directives(value));
            }
            Doc::List(items) => items.retain_mut(|item| self.remove_directives(item)),
            _ => {}
        }
        true
    }

    /// Removes the keys of directives from a map that is stored as it is, unless a later merge needs them.
    fn remove_directive_keys(&self, map: &mut Map) {
        if self.mode == MergeMode::Apply {
            self.directives().candidates_for(map).iter().for_each(|d| d.strip_own_keys(map));
        }
    }

    /// Prepares an item that is appended to a merging list. Upstream stores it unchanged. Directives that never
    /// shipped are removed from it, at any depth.
    pub(crate) fn prepare_appended_item<'d>(&self, mut item: Doc<'d>) -> Doc<'d> {
        if self.mode == MergeMode::Apply && self.directives().has_proposed() {
            self.remove_proposed_directives(&mut item);
        }
        item
    }

    fn remove_proposed_directives(&self, value: &mut Doc) {
        match value {
            Doc::Map(map) => {
                self.remove_directive_keys(map);
                map.iter_mut().for_each(|(_, value)| self.remove_proposed_directives(value));
            }
            Doc::List(items) => items.retain_mut(|item| {
                // A deletion with merge keys of its own matches nothing in a new list.
                let is_deletion = self.directives().listed_merge_keys(item).is_some()
                    && item.as_map().is_some_and(|map| !self.directives().is_storable(map));
                self.remove_proposed_directives(item);
                !is_deletion
            }),
            _ => {}
        }
    }
}

/// Converts a document into a map. Null counts as an empty map.
fn into_map<'d>(document: Doc<'d>, what: &str) -> Result<Map<'d>> {
    match document {
        Doc::Map(map) => Ok(map),
        Doc::Null => Ok(Map::new()),
        other => Err(Error::new(
            ErrorKind::InvalidDocument,
            format!("{what} must be an object, not {}", other.kind().with_article()),
        )),
    }
}
