//! Applying a strategic merge patch, and merging patches with each other.

use super::context::PatchContext;
use super::directive_set::DirectiveSet;
use super::hooks::Flow;
use super::list::merge::ListMerge;
use crate::document::{Doc, Kind, Map};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, PatchStrategy, TypeId};

/// Applies a strategic merge patch to an object.
///
/// Both documents are maps; null counts as an empty one. Errors name the place in the patch. The inputs are
/// unchanged: what is merged is a copy of `live`.
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

/// [`apply`] on documents that nobody needs any more.
pub(super) fn apply_owned<'d>(context: &PatchContext, live: Doc<'d>, patch: Doc<'d>) -> Result<Doc<'d>> {
    Merge::new(context, MergeMode::Apply).documents(live, patch)
}

/// Merges several patches into one that does what they do one after the other, as far as upstream's
/// `MergeStrategicMergeMapPatchUsingLookupPatchMeta` does: nulls and list directives stay.
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
    context.require_strategic()?;
    let merge = Merge::new(context, MergeMode::Combine);
    // Whatever else is wrong with one of them, all must be patches.
    let patches: Vec<Map> =
        patches.iter().map(|patch| object(patch.clone(), "a patch")).collect::<Result<_>>()?;
    let mut combined = Map::new();
    for patch in patches {
        merge.merge_map(&mut combined, patch, context.root)?;
    }
    Ok(Doc::Map(combined))
}

/// What merging is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeMode {
    /// A patch is applied to an object: directives act, nulls delete. Upstream: `MergeParallelList` and
    /// `IgnoreUnmatchedNulls` set.
    Apply,
    /// A patch is merged into a patch: directives and nulls are kept. Upstream: both unset.
    Combine,
}

/// A merge at work. Directives see it in their hooks.
#[derive(Clone, Copy, Debug)]
pub struct Merge<'a> {
    context: &'a PatchContext,
    mode: MergeMode,
}

impl<'a> Merge<'a> {
    pub(crate) fn new(context: &'a PatchContext, mode: MergeMode) -> Self {
        Merge { context, mode }
    }

    /// What the merge is for.
    #[must_use]
    pub fn mode(&self) -> MergeMode {
        self.mode
    }

    /// The directives that are known.
    #[must_use]
    pub fn directives(&self) -> &'a DirectiveSet {
        &self.context.directives
    }

    fn documents<'d>(&self, live: Doc<'d>, patch: Doc<'d>) -> Result<Doc<'d>> {
        let mut live = object(live, "the object to patch")?;
        let patch = object(patch, "the patch")?;
        // As upstream: documents are read before anybody looks at what they are of.
        self.context.require_strategic()?;
        self.merge_map(&mut live, patch, self.context.root)?;
        Ok(Doc::Map(live))
    }

    /// Merges a patch map into a live map of this type. Upstream: `mergeMap`.
    pub fn merge_map<'d>(&self, live: &mut Map<'d>, mut patch: Map<'d>, ty: TypeId) -> Result<()> {
        for directive in self.directives().asked(&patch) {
            if directive.is_asked(&patch) && directive.merge_map(self, live, &mut patch, ty)? == Flow::Done {
                return Ok(());
            }
        }
        // New and deleted entries wait until the end: each would shift all entries behind it.
        let mut changed = Vec::new();
        for (key, value) in patch {
            let held = live.get_mut(&key);
            let stays = match (held, value) {
                (None, Doc::Null) if self.mode == MergeMode::Apply => continue,
                (None, value) => {
                    changed.extend(self.storable(value).map(|value| (key, Some(value))));
                    continue;
                }
                (Some(held), Doc::Null) => {
                    *held = Doc::Null;
                    self.mode == MergeMode::Combine
                }
                (Some(held), value) => {
                    self.merge_field(held, value, (key.as_str(), ty)).map_err(|e| e.at(&key))?
                }
            };
            if !stays {
                changed.push((key, None));
            }
        }
        live.update(changed);
        Ok(())
    }

    /// Merges into the value of a field that live has; false when nothing is to be left of it.
    pub(crate) fn merge_field<'d>(
        &self,
        held: &mut Doc<'d>,
        value: Doc<'d>,
        (key, ty): (&str, TypeId),
    ) -> Result<bool> {
        match (&mut *held, value) {
            (Doc::Map(live), Doc::Map(patch)) => {
                let field = self.field(ty, key)?;
                if field.meta.strategy == PatchStrategy::Replace {
                    *live = patch;
                } else {
                    self.merge_map(live, patch, field.ty)?;
                }
            }
            (Doc::List(live), Doc::List(patch)) => {
                self.merge_lists(self.list(ty, key)?, live, patch)?;
            }
            (_, value) => match self.storable(value) {
                Some(value) => *held = value,
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    fn field(&self, ty: TypeId, key: &str) -> Result<&'a Field> {
        self.context.field(ty, key)
    }

    /// The list that a field holds, as the schema has it. Upstream: `LookupPatchMetadataForSlice`.
    pub fn list(&self, ty: TypeId, key: &str) -> Result<ListMerge<'a>> {
        let (field, item) = self.context.list_field(ty, key)?;
        Ok(ListMerge {
            field,
            item,
            keys: self.directives().declared_keys(&field.meta),
            directives: self.directives(),
        })
    }

    /// What is stored of a value where live has nothing: without nulls when a patch is applied, and without
    /// maps that a directive keeps out. `None` when nothing is. Upstream: `discardNullValuesFromPatch`,
    /// `removeDirectives`.
    pub(crate) fn storable<'d>(&self, mut value: Doc<'d>) -> Option<Doc<'d>> {
        if self.mode == MergeMode::Apply {
            discard_nulls(&mut value);
        }
        self.strip(&mut value).then_some(value)
    }

    /// The items of a list that may be stored; nulls stay. Upstream: `removeDirectives` alone.
    pub(crate) fn storable_items<'d>(&self, mut items: Vec<Doc<'d>>) -> Vec<Doc<'d>> {
        items.retain_mut(|item| self.strip(item));
        items
    }

    fn strip(&self, value: &mut Doc) -> bool {
        match value {
            Doc::Map(map) => {
                if !self.directives().lets_store(map) {
                    return false;
                }
                self.strip_keys(map);
                map.retain(|_, value| self.strip(value));
            }
            Doc::List(items) => items.retain_mut(|item| self.strip(item)),
            _ => {}
        }
        true
    }

    /// Takes directives out of a map that is stored as it is, unless they are kept for a later merge.
    fn strip_keys(&self, map: &mut Map) {
        if self.mode == MergeMode::Apply {
            self.directives().asked(map).iter().for_each(|d| d.strip(map));
        }
    }

    /// An item that is added to a merging list. Upstream stores it with all that it holds; what never shipped takes
    /// its own out, at any depth.
    pub(crate) fn added_item<'d>(&self, mut item: Doc<'d>) -> Doc<'d> {
        if self.mode == MergeMode::Apply && self.directives().has_proposed() {
            self.strip_proposed(&mut item);
        }
        item
    }

    fn strip_proposed(&self, value: &mut Doc) {
        match value {
            Doc::Map(map) => {
                self.strip_keys(map);
                map.iter_mut().for_each(|(_, value)| self.strip_proposed(value));
            }
            Doc::List(items) => items.retain_mut(|item| {
                // Of items that say what they are found by, a deletion finds nothing here.
                let is_deletion = self.directives().listed_keys(item).is_some()
                    && item.as_map().is_some_and(|map| !self.directives().lets_store(map));
                self.strip_proposed(item);
                !is_deletion
            }),
            _ => {}
        }
    }
}

fn object<'d>(document: Doc<'d>, what: &str) -> Result<Map<'d>> {
    match document {
        Doc::Map(map) => Ok(map),
        Doc::Null => Ok(Map::new()),
        other => Err(Error::new(
            ErrorKind::InvalidDocument,
            format!("{what} must be an object, not {}", other.kind().described()),
        )),
    }
}

fn discard_nulls(value: &mut Doc) {
    match value {
        Doc::Map(map) => map.retain(|_, value| {
            discard_nulls(value);
            value.kind() != Kind::Null
        }),
        Doc::List(items) => items.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}
