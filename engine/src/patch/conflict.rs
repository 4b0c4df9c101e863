//! The search for conflicts between two strategic merge patches.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::context::PatchContext;
use super::diff::map_or_empty;
use super::go_compat::slice_aliasing::deduplicate_and_sort_in_place;
use super::go_compat::text::format_go_string;
use super::hooks::Placement;
use super::list::identity::{ItemKey, MergeKeys, common_kind_of, item_key, require_map};
use crate::document::{Doc, DocKind, Map, OwnedText};
#[cfg(doc)]
use crate::error::ErrorKind;
use crate::error::{Error, Result};
use crate::field_path::{FieldPath, PathSegment};
use crate::schema::{FieldMeta, PatchStrategy, TypeId};

/// Returns true if two patches change the same field in different ways. Upstream: `MergingMapsHaveConflicts`.
///
/// A patch is a map. Null counts as an empty map.
///
/// # Errors
///
/// - [`ErrorKind::UnsupportedPatchFormat`] if the object is a custom resource.
/// - [`ErrorKind::InvalidDocument`] if a patch is neither a map nor null.
/// - [`ErrorKind::UnknownField`] or [`ErrorKind::SchemaMismatch`] if both patches have a map or a list in a field that
///   the schema does not know, or knows with another type.
/// - [`ErrorKind::ListOfLists`], [`ErrorKind::MixedList`], [`ErrorKind::EmptyList`], [`ErrorKind::WrongKind`],
///   [`ErrorKind::MissingMergeKey`] or [`ErrorKind::NotAScalar`] if the items of two lists cannot be compared.
/// - [`ErrorKind::InvalidDirective`] if a directive is malformed.
///
/// ```
/// # #[cfg(feature = "builtin")] {
/// # use std::sync::Arc;
/// # use skewer_engine::patch::{self, PatchContext};
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::document::from_json;
/// # let release = builtin::newest();
/// let service = PatchContext::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// let left = from_json(br#"{"spec":{"ports":[{"port":80,"name":"http"}]}}"#)?;
/// let right = from_json(br#"{"spec":{"ports":[{"port":80,"name":"web"}]}}"#)?;
/// let other = from_json(br#"{"spec":{"ports":[{"port":443,"name":"https"}]}}"#)?;
/// assert!(patch::have_conflicts(&service, &left, &right)?);
/// assert!(!patch::have_conflicts(&service, &left, &other)?);
/// # }
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn have_conflicts(context: &PatchContext, left: &Doc, right: &Doc) -> Result<bool> {
    find_conflict(context, left, right).map(|path| path.is_some())
}

/// Returns the path of a field that two patches change in different ways. If the conflict is inside a list item, the
/// path ends at the list. Returns `None` if the patches do not conflict.
///
/// # Errors
///
/// The kinds of [`have_conflicts`].
pub fn find_conflict(context: &PatchContext, left: &Doc, right: &Doc) -> Result<Option<FieldPath>> {
    context.refuse_custom_resource()?;
    let empty = Map::new();
    let mut left = map_or_empty(left, &empty, "the left patch")?.clone();
    let right = map_or_empty(right, &empty, "the right patch")?;
    find_conflict_in_maps(context, &mut left, right)
}

/// Finds a conflict as [`find_conflict`] does. Like upstream, the comparison changes `left`: it sorts and deduplicates
/// the lists of scalars that it compares.
pub(super) fn find_conflict_in_maps(
    context: &PatchContext,
    left: &mut Map,
    right: &Map,
) -> Result<Option<FieldPath>> {
    let search = ConflictSearch { context, reversed_path: RefCell::default() };
    let has_conflict =
        search.has_conflict_in_maps(left, right, (Some(context.root), &FieldMeta::default()))?;
    let mut path = FieldPath::root();
    search.reversed_path.take().into_iter().rev().for_each(|key| path.push(PathSegment::Key(key)));
    Ok(has_conflict.then_some(path))
}

struct ConflictSearch<'a> {
    context: &'a PatchContext,
    /// The keys of the path to the conflict, from the innermost to the outermost.
    reversed_path: RefCell<Vec<OwnedText>>,
}

/// The type of a value, if the schema has one, and the metadata of the field with this value.
type FieldType<'a> = (Option<TypeId>, &'a FieldMeta);

impl ConflictSearch<'_> {
    fn has_conflict_in_values(&self, left: &mut Doc, right: &Doc, (ty, meta): FieldType<'_>) -> Result<bool> {
        match (left, right) {
            (Doc::Map(left), Doc::Map(right)) => self.has_conflict_in_maps(left, right, (ty, meta)),
            (Doc::List(left), Doc::List(right)) => self.has_conflict_in_lists(left, right, (ty, meta)),
            (left, right) => Ok(*left != *right),
        }
    }

    fn has_conflict_in_maps(&self, left: &mut Map, right: &Map, (ty, meta): FieldType<'_>) -> Result<bool> {
        if self.has_conflict_in_directives(left, right)? {
            return Ok(true);
        }
        if meta.strategy == PatchStrategy::Replace {
            return Ok(false);
        }
        self.has_conflict_in_fields(left, right, ty)
    }

    fn has_conflict_in_directives(&self, left: &Map, right: &Map) -> Result<bool> {
        for directive in self.context.directives.iter().filter(|d| d.placement() == Placement::Map) {
            let name = directive.name();
            let (left, right) = (left.get(name), right.get(name));
            let has_conflict = directive.has_conflict(left, right).map_err(|error| {
                let error = error.at(name);
                if directive.has_conflict(left, left).is_err() { error.in_base() } else { error }
            });
            if has_conflict? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Compares the fields of two maps. Like upstream, the key of a directive for a field, such as
    /// `$setElementOrder/ports`, is looked up as a field, and this lookup fails. Upstream: `mapsHaveConflicts`.
    fn has_conflict_in_fields(&self, left: &mut Map, right: &Map, ty: Option<TypeId>) -> Result<bool> {
        let none = FieldMeta::default();
        for (key, left_value) in left.iter_mut() {
            let is_map_directive = self
                .context
                .directives
                .directive_for_key(key)
                .is_some_and(|d| d.placement() == Placement::Map);
            let Some(right_value) = right.get(key).filter(|_| !is_map_directive) else { continue };
            let field_type = match (left_value.kind(), ty) {
                (DocKind::List, Some(ty)) => {
                    let (field, item) = self.context.list_field(ty, key).map_err(|e| e.at(key))?;
                    (Some(item), &*field.meta)
                }
                (DocKind::Map, Some(ty)) => {
                    let field = self.context.field(ty, key).map_err(|e| e.at(key))?;
                    (Some(field.ty), &*field.meta)
                }
                _ => (None, &none),
            };
            if self.has_conflict_in_values(left_value, right_value, field_type).map_err(|e| e.at(key))? {
                let mut reversed_path = self.reversed_path.borrow_mut();
                if left_value.kind() == DocKind::List {
                    // Indices and fields below a list are left out of the path, because a list item has another index
                    // in the patch than in the object.
                    reversed_path.clear();
                }
                reversed_path.push(key.to_static());
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Compares two lists. Upstream: `slicesHaveConflicts`.
    fn has_conflict_in_lists(
        &self,
        left: &mut [Doc],
        right: &[Doc],
        (ty, meta): FieldType<'_>,
    ) -> Result<bool> {
        if let Some(has_conflict) = self.conflict_by_listed_merge_keys(left, right, (ty, meta))? {
            return Ok(has_conflict);
        }
        let kind = common_kind_of(left, right)?;
        if meta.strategy == PatchStrategy::Merge {
            // Merging two lists of scalars adds the items of both, which never conflicts.
            return if kind == DocKind::Map {
                self.has_conflict_in_keyed_items(left, right, (ty, meta))
            } else {
                Ok(false)
            };
        }
        if left.len() != right.len() {
            return Ok(true);
        }
        if kind != DocKind::Map {
            return Ok(has_conflict_in_scalar_sets(left, right));
        }
        let none = FieldMeta::default();
        for (left, right) in left.iter_mut().zip(right) {
            if self.has_conflict_in_values(left, right, (ty, &none))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Compares the items of two lists that have the same merge key. If several items of a list have the same key, only
    /// the last of them is compared. Upstream: `mapsOfMapsHaveConflicts`.
    fn has_conflict_in_keyed_items(
        &self,
        left: &mut [Doc],
        right: &[Doc],
        (ty, meta): FieldType<'_>,
    ) -> Result<bool> {
        let keys = self.context.directives.declared_merge_keys(meta).or_empty_name();
        let mut right_items = FxHashMap::default();
        for item in right {
            right_items.insert(printed_merge_keys(keys, item)?, item);
        }
        let mut left_items = FxHashMap::default();
        for item in left {
            let key = printed_merge_keys(keys, item).map_err(Error::in_base)?;
            left_items.insert(key, item);
        }
        let none = FieldMeta::default();
        for (key, left) in left_items {
            let Some(right) = right_items.get(&key) else { continue };
            if self.has_conflict_in_values(left, right, (ty, &none))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Conflicts of lists whose items list their own merge keys. Upstream has no directive for this.
impl ConflictSearch<'_> {
    /// Compares two lists if an item of either list lists its own merge keys. Returns `None` otherwise.
    fn conflict_by_listed_merge_keys(
        &self,
        left: &mut [Doc],
        right: &[Doc],
        (ty, meta): FieldType<'_>,
    ) -> Result<Option<bool>> {
        let directives = &self.context.directives;
        if !directives.has_proposed() {
            return Ok(None);
        }
        let items = || left.iter().chain(right);
        let listed: Vec<_> = items().map(|item| directives.listed_merge_keys(item)).collect();
        if listed.iter().all(Option::is_none) {
            return Ok(None);
        }
        if *left == *right {
            return Ok(Some(false));
        }
        let replaces = left.is_empty() || right.is_empty() || listed.iter().any(Option::is_none);
        if meta.strategy != PatchStrategy::Merge && replaces {
            return Ok(Some(true));
        }
        let declared = directives.declared_merge_keys(meta).names();
        let keys_of_items = items().zip(&listed).map(|(item, listed)| {
            let names = listed.as_deref().unwrap_or(declared);
            // The patch removes a key that is null. The key then says nothing about the live item.
            let is_removed =
                |name: &OwnedText| item.as_map().and_then(|m| m.get(name)).is_some_and(Doc::is_null);
            names.iter().filter(|name| !is_removed(name)).cloned().collect::<Vec<OwnedText>>()
        });
        let common_keys = keys_of_items.reduce(|mut common, names| {
            common.retain(|name| names.contains(name));
            common
        });
        self.has_conflict_in_grouped_items(left, right, &common_keys.unwrap_or_default(), ty).map(Some)
    }

    /// Compares items of two lists that have the same values of these keys. If a list has several items with the same
    /// values, it is unknown which of them match, and the patches conflict.
    fn has_conflict_in_grouped_items(
        &self,
        left: &mut [Doc],
        right: &[Doc],
        keys: &[OwnedText],
        ty: Option<TypeId>,
    ) -> Result<bool> {
        let keys = MergeKeys::without_default(keys);
        let mut right_groups: FxHashMap<_, Vec<&Doc>> = FxHashMap::default();
        for (index, item) in right.iter().enumerate() {
            right_groups.entry(group_key(keys, item).map_err(|e| e.at_index(index))?).or_default().push(item);
        }
        let mut seen_groups = FxHashSet::default();
        for (index, item) in left.iter_mut().enumerate() {
            let key = group_key(keys, item).map_err(|e| e.at_index(index).in_base())?;
            let Some(right_items) = right_groups.get(&key) else { continue };
            let has_conflict = match right_items[..] {
                [right_item] if seen_groups.insert(key) => {
                    self.has_conflict_in_values(item, right_item, (ty, &FieldMeta::NONE))?
                }
                _ => true,
            };
            if has_conflict {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the key of the group to which an item belongs. Without merge keys, all items belong to one group.
fn group_key<'d>(keys: MergeKeys<'_>, item: &Doc<'d>) -> Result<Option<ItemKey<'d>>> {
    if keys.is_empty() { Ok(None) } else { item_key(keys, item).map(Some) }
}

/// Returns true if two lists of scalars with the patch strategy `replace` conflict.
///
/// The lists are compared as sorted sets. Like upstream, the comparison ends with the last item of the left set, so
/// that further items of the right set are ignored. If the right set is smaller, upstream panics, and this function
/// returns true.
fn has_conflict_in_scalar_sets(left: &mut [Doc], right: &[Doc]) -> bool {
    let mut right = right.to_vec();
    let (left_len, right_len) =
        (deduplicate_and_sort_in_place(left), deduplicate_and_sort_in_place(&mut right));
    left_len > right_len || left[..left_len] != right[..left_len]
}

/// Returns the values of an item's merge keys in the format in which upstream prints them.
fn printed_merge_keys(keys: MergeKeys<'_>, item: &Doc) -> Result<Vec<OwnedText>> {
    item_key(keys, item)?;
    let map = require_map(item)?;
    Ok(keys.names().iter().map(|k| map.get(k).map_or_else(Default::default, format_go_string)).collect())
}
