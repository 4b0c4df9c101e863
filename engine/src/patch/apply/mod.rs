//! Applying strategic merge patches to objects, and merging several patches into one.

mod lists;

pub use lists::{ListMerge, MAX_LISTED_MERGE_KEYS};

use super::context::PatchContext;
use super::directive_set::DirectiveSet;
use super::hooks::Flow;
use super::library::{LibraryChange, PatchLibrary};
use crate::document::{Doc, Map};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, PatchStrategy, TypeId};

/// Applies a strategic merge patch to an object.
///
/// Both documents must be maps. Null counts as an empty map. The result is a new document.
///
/// # Errors
///
/// The path of an error refers to the patch.
///
/// - [`ErrorKind::UnsupportedPatchFormat`] if the object is a custom resource.
/// - [`ErrorKind::InvalidDocument`] if a document is neither a map nor null.
/// - [`ErrorKind::UnknownField`] or [`ErrorKind::SchemaMismatch`] if the patch and the object have a map or a list in a
///   field that the schema does not know, or knows with another type.
/// - [`ErrorKind::UndeclaredMergeKey`], [`ErrorKind::MissingMergeKey`], [`ErrorKind::ListOfLists`],
///   [`ErrorKind::MixedList`], [`ErrorKind::EmptyList`], [`ErrorKind::WrongKind`] or [`ErrorKind::NotAScalar`] if two
///   lists cannot be merged.
/// - [`ErrorKind::InvalidDirective`] if a directive is malformed or contradicts the rest of the patch.
/// - [`ErrorKind::DefaultMergeKeyMissing`] or [`ErrorKind::AmbiguousMergeKey`] if the merge keys that an item lists
///   cannot be used.
///
/// ```
/// # #[cfg(feature = "builtin")] {
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
/// # }
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn apply<'d>(context: &PatchContext, live: &Doc<'d>, patch: &Doc<'d>) -> Result<Doc<'d>> {
    apply_owned(context, live.clone(), patch.clone())
}

/// Applies a strategic merge patch as [`apply`] does, and consumes both documents instead of copying them.
///
/// # Errors
///
/// The errors of [`apply`].
pub fn apply_owned<'d>(context: &PatchContext, live: Doc<'d>, patch: Doc<'d>) -> Result<Doc<'d>> {
    Merge::new(context, MergeMode::Apply).merge_documents(live, patch)
}

/// Merges several patches into one.
///
/// The result keeps nulls and directives for lists. Applying the result usually has the effect of applying the patches
/// one after the other, but there are exceptions, which upstream has too. Upstream:
/// `MergeStrategicMergeMapPatchUsingLookupPatchMeta`.
///
/// # Errors
///
/// The errors of [`apply`].
///
/// ```
/// # #[cfg(feature = "builtin")] {
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
/// # }
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn combine<'d>(context: &PatchContext, patches: &[Doc<'d>]) -> Result<Doc<'d>> {
    context.refuse_custom_resource()?;
    let merge = Merge::new(context, MergeMode::Combine);
    // All patches are checked before the first one is merged.
    let patches: Vec<Map> =
        patches.iter().map(|patch| into_map(patch.clone(), "a patch")).collect::<Result<_>>()?;
    let mut combined = Map::new();
    for patch in patches {
        merge.merge_map(&mut combined, patch, context.root)?;
    }
    Ok(Doc::Map(combined))
}

/// Whether a patch is merged into an object or into another patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeMode {
    /// A patch is applied to an object. Directives take effect, and nulls delete fields. Upstream: the options
    /// `MergeParallelList` and `IgnoreUnmatchedNulls` are set.
    Apply,
    /// A patch is merged into another patch. Directives and nulls are kept. Upstream: both options are unset.
    Combine,
}

/// The state of a merge, which the hooks of directives receive.
#[derive(Clone, Copy, Debug)]
pub struct Merge<'a> {
    context: &'a PatchContext,
    mode: MergeMode,
}

impl<'a> Merge<'a> {
    pub(crate) fn new(context: &'a PatchContext, mode: MergeMode) -> Self {
        Merge { context, mode }
    }

    /// Returns whether the patch is merged into an object or into another patch.
    #[must_use]
    pub fn mode(&self) -> MergeMode {
        self.mode
    }

    /// Returns the directives of the patch context.
    #[must_use]
    pub fn directives(&self) -> &'a DirectiveSet {
        &self.context.directives
    }

    /// Returns the behaviour of the patch library of the patch context.
    #[must_use]
    pub fn library(&self) -> PatchLibrary {
        self.context.library
    }

    fn merge_documents<'d>(&self, live: Doc<'d>, patch: Doc<'d>) -> Result<Doc<'d>> {
        let mut live = into_map(live, "the object to patch")?;
        let patch = into_map(patch, "the patch")?;
        // Like upstream, an invalid document is reported before a custom resource is refused.
        self.context.refuse_custom_resource()?;
        self.merge_map(&mut live, patch, self.context.root)?;
        Ok(Doc::Map(live))
    }

    /// Merges a map of the patch into a map of the live object. `ty` is the type of both. Upstream: `mergeMap`.
    ///
    /// # Errors
    ///
    /// The errors of [`apply`].
    pub fn merge_map<'d>(&self, live: &mut Map<'d>, mut patch: Map<'d>, ty: TypeId) -> Result<()> {
        for directive in self.directives().candidates_for(&patch) {
            if directive.is_active_in(&patch)
                && directive.before_merge_map(self, live, &mut patch, ty)? == Flow::Done
            {
                return Ok(());
            }
        }
        // All entries are added and deleted in one pass after the loop, because each single change would shift all
        // later entries.
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
                    self.merge_field(live_value, value, key.as_str(), ty).map_err(|e| e.at(&key))?
                }
            };
            if !is_kept {
                changed.push((key, None));
            }
        }
        live.update(changed);
        Ok(())
    }

    /// Merges a value of the patch into the value that a field has in the live object. Returns false if the caller must
    /// remove the field.
    pub(crate) fn merge_field<'d>(
        &self,
        live_value: &mut Doc<'d>,
        value: Doc<'d>,
        key: &str,
        ty: TypeId,
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

    /// Looks up a list field in the schema. Returns the properties of the list that are needed for merging it.
    /// Upstream: `LookupPatchMetadataForSlice`.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::UnknownField`] if the type has no field with this name.
    /// - [`ErrorKind::SchemaMismatch`] if the field is not a list.
    /// - [`ErrorKind::ListOfLists`] if the field is a list of lists.
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

    /// Prepares a value of the patch for a field that the live object does not have.
    ///
    /// Removes directives, and also nulls if the patch is applied to an object. Returns `None` if a directive, such as
    /// `$patch: delete`, prevents storing the value. The libraries of old releases store nulls or directives:
    /// [`LibraryChange::NullsDiscarded`], [`LibraryChange::DirectivesRemoved`]. Upstream: `discardNullValuesFromPatch`,
    /// `removeDirectives`.
    #[must_use]
    pub fn prepare_new_value<'d>(&self, mut value: Doc<'d>) -> Option<Doc<'d>> {
        if self.mode == MergeMode::Apply && self.library().has(LibraryChange::NullsDiscarded) {
            value.remove_null_entries();
        }
        if !self.library().has(LibraryChange::DirectivesRemoved) {
            return Some(self.without_proposed_directives(value));
        }
        self.remove_directives(&mut value).then_some(value)
    }

    /// Prepares a list of the patch for a field that the live object does not have. Removes directives and keeps nulls.
    /// The libraries of old releases keep directives, too: [`LibraryChange::DirectivesRemoved`]. Upstream:
    /// `removeDirectives` in `mergePatchIntoOriginal`.
    pub(crate) fn prepare_new_list<'d>(&self, mut items: Vec<Doc<'d>>) -> Vec<Doc<'d>> {
        if !self.library().has(LibraryChange::DirectivesRemoved) {
            return items.into_iter().map(|item| self.without_proposed_directives(item)).collect();
        }
        items.retain_mut(|item| self.remove_directives(item));
        items
    }

    /// Removes the directives from a value that is stored without being merged. Returns false if a directive prevents
    /// storing the value.
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

    /// Removes the keys of directives from a map that is stored without being merged. If two patches are merged, the
    /// keys are kept, because the server must still process them.
    fn remove_directive_keys(&self, map: &mut Map) {
        if self.mode == MergeMode::Apply {
            self.directives().candidates_for(map).iter().for_each(|d| d.strip_own_keys(map));
        }
    }

    /// Prepares a patch item that is appended to a merging list. Upstream stores such an item with its directives. The
    /// engine removes only the directives that never shipped, at any depth.
    pub(crate) fn prepare_appended_item<'d>(&self, item: Doc<'d>) -> Doc<'d> {
        self.without_proposed_directives(item)
    }

    /// Removes the directives that never shipped from a value that upstream stores with its directives.
    fn without_proposed_directives<'d>(&self, mut value: Doc<'d>) -> Doc<'d> {
        if self.mode == MergeMode::Apply && self.directives().has_proposed() {
            self.remove_proposed_directives(&mut value);
        }
        value
    }

    fn remove_proposed_directives(&self, value: &mut Doc) {
        match value {
            Doc::Map(map) => {
                self.remove_directive_keys(map);
                map.iter_mut().for_each(|(_, value)| self.remove_proposed_directives(value));
            }
            Doc::List(items) => items.retain_mut(|item| {
                // A deletion that lists its own merge keys is dropped, because a new list has no item to delete.
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
fn into_map<'d>(document: Doc<'d>, document_name: &str) -> Result<Map<'d>> {
    match document {
        Doc::Map(map) => Ok(map),
        Doc::Null => Ok(Map::new()),
        other => Err(Error::new(
            ErrorKind::InvalidDocument,
            format!("{document_name} must be an object, not {}", other.kind().with_article()),
        )),
    }
}
