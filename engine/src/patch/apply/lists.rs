//! Merging lists.

use super::Merge;
use crate::document::{Doc, DocKind, Map, OwnedText};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::go_compat::equality::{ScalarKey, ScalarSet};
use crate::patch::go_compat::slice_aliasing::live_scalars_after_union;
use crate::patch::list::element_order::{self, MergeOrder};
use crate::patch::list::identity::{self, ItemKey, KeyPositions, MergeKeys};
use crate::patch::list::matching::{ItemMatch, ItemMatches};
use crate::patch::{DirectiveSet, SpareCapacity};
use crate::schema::{Field, PatchStrategy, TypeId};

/// Maximum number of distinct merge keys that the items of one patch list can name. The limit exists because each item
/// is compared by all of these keys.
pub const MAX_LISTED_MERGE_KEYS: usize = 64;

/// Creates the error for a patch list whose items name more than [`MAX_LISTED_MERGE_KEYS`] merge keys with a directive.
fn too_many_listed_keys(directive: &str) -> Error {
    Error::invalid_directive(
        directive,
        format!(
            "the items of the list name too many different merge keys: expected at most {MAX_LISTED_MERGE_KEYS}"
        ),
    )
}

/// A list that is to be merged.
#[derive(Clone, Copy, Debug)]
pub struct ListMerge<'a> {
    /// The field whose value is the list.
    pub field: &'a Field,
    /// The type of the list items.
    pub item_type: TypeId,
    /// The merge keys by which the items of the list are matched. Empty for a list of scalars.
    pub merge_keys: MergeKeys<'a>,
    /// The directives of the patch context.
    pub directives: &'a DirectiveSet,
    /// The spare capacity that upstream's Go slices have behind the items of a list of scalars.
    pub(crate) spare_capacity: SpareCapacity,
}

impl<'a> ListMerge<'a> {
    /// Returns the same list with the merge keys that identify the items of an element order. These are the recommended
    /// merge keys if an item of the order has one of them besides the default merge key. Otherwise, they are the merge
    /// keys that the patch lists, under the same condition. Otherwise, the merge keys of the list do not change.
    /// Source: patch-merge-key, "Relation with `setElementOrder` Directive".
    #[must_use]
    pub(crate) fn with_order_keys(self, element_order: &[Doc], listed_keys: Option<&'a [OwnedText]>) -> Self {
        let default = self.merge_keys.names();
        // If there is no default merge key, an item can lack all merge keys. It is then `{}` in the order.
        let names_none = |item: &Map| default.is_empty() && item.is_empty();
        let names_more = |keys: &MergeKeys<'_>| {
            element_order.iter().filter_map(Doc::as_map).any(|item| {
                names_none(item)
                    || item.keys().any(|key| keys.names().contains(key) && !default.contains(key))
            })
        };
        let recommended = self.directives.recommended_merge_keys(&self.field.meta);
        let listed = listed_keys.map(MergeKeys::without_default);
        let merge_keys = recommended.into_iter().chain(listed).find(names_more).unwrap_or(self.merge_keys);
        ListMerge { merge_keys, ..self }
    }

    /// Collects the merge keys that the items of a patch list name with a directive. Returns `None` if no item names
    /// merge keys.
    pub(crate) fn listed_merge_keys(&self, patch: &[Doc]) -> Result<Option<Vec<OwnedText>>> {
        let mut all: Option<Vec<OwnedText>> = None;
        for (index, item) in patch.iter().enumerate() {
            let Some((directive, keys)) = self.directives.find_listed_merge_keys(item) else { continue };
            let all = all.get_or_insert_default();
            for key in keys {
                if !all.contains(&key) {
                    all.push(key);
                }
            }
            if all.len() > MAX_LISTED_MERGE_KEYS {
                return Err(too_many_listed_keys(directive.name()).at_index(index));
            }
        }
        Ok(all)
    }

    /// Returns true if an item of an element order identifies an item of the patch list. The items are compared by
    /// those merge keys that the patch item lists and the order uses. If there are none, they are compared by all merge
    /// keys of the order.
    pub(crate) fn is_named_by(
        &self,
        patch_item: &Doc,
        listed_keys: Option<&[OwnedText]>,
        order_item: &Doc,
    ) -> Result<bool> {
        let is_order_key = |key: &&OwnedText| self.merge_keys.names().contains(*key);
        let listed: Vec<OwnedText> =
            listed_keys.unwrap_or_default().iter().filter(is_order_key).cloned().collect();
        if listed.is_empty() {
            return identity::is_same_item(self.merge_keys, patch_item, order_item);
        }
        identity::is_same_item(MergeKeys::without_default(&listed), patch_item, order_item)
    }

    /// Returns true if this patch item can be stored in a list that does not have it yet.
    pub(crate) fn is_storable(&self, item: &Doc) -> bool {
        item.as_map().is_none_or(|map| self.directives.is_storable(map))
    }
}

impl Merge<'_> {
    /// Merges a patch list into a live list or replaces the live list, as the patch strategy of the field requires.
    /// Upstream: `mergeSliceHandler`.
    ///
    /// # Errors
    ///
    /// The errors of [`Merge::merge_list_items`], and the errors of directives.
    pub fn merge_lists_by_strategy<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        mut patch: Vec<Doc<'d>>,
    ) -> Result<()> {
        for directive in self.directives().iter() {
            if let Some(result) = directive.merge_list(self, list, live, &mut patch) {
                return result;
            }
        }
        if list.field.meta.strategy == PatchStrategy::Merge {
            self.merge_list_items(list, live, patch)
        } else {
            *live = patch;
            Ok(())
        }
    }

    /// Merges the items of a patch list into a live list, whatever the patch strategy. Upstream: `mergeSlice`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MixedList`], [`ErrorKind::ListOfLists`], [`ErrorKind::NotAScalar`], [`ErrorKind::MissingMergeKey`],
    /// and the errors of merging two items and of directives.
    pub fn merge_list_items<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        mut patch: Vec<Doc<'d>>,
    ) -> Result<()> {
        if live.is_empty() && patch.is_empty() {
            return Ok(());
        }
        let kind = identity::common_kind_of(live, &patch)?;
        if kind == DocKind::Map {
            if list.merge_keys.is_empty() {
                return Err(Error::new(
                    ErrorKind::UndeclaredMergeKey,
                    format!("the schema has no merge key for the items of {}", list.field.name),
                ));
            }
            for directive in self.directives().iter() {
                directive.before_merge_items(list, live, &mut patch)?;
            }
            self.merge_items_by_key(list, live, patch)
        } else {
            let order = union_scalars(list, live, patch);
            *live = element_order::normalize_element_order(
                std::mem::take(live),
                MergeOrder { item_kind: Ok(kind), ..order },
                list.merge_keys,
                self.directives(),
            )?;
            Ok(())
        }
    }

    /// Merges the maps of a patch list into a live list by their merge keys. Appends the maps that match no live item.
    /// Upstream: `mergeSliceWithoutSpecialElements`.
    fn merge_items_by_key<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: Vec<Doc<'d>>,
    ) -> Result<()> {
        if patch.iter().all(|item| self.has_no_directives(item))
            && let Some(matches) = ItemMatches::find(list.merge_keys, live, &patch, |_, _| false)
        {
            let ItemMatches { matches, .. } = matches;
            return self.merge_items_by_match(list, live, patch, &matches);
        }
        let patch_order = KeyPositions::of(list.merge_keys, &patch);
        let live_order = KeyPositions::of(list.merge_keys, live);
        let mut positions =
            ExtendedPositions { live: &live_order, appended: KeyPositions::of(list.merge_keys, &[]) };
        let mut nulls = NullKeyedItems { next_index: 0 };
        for (index, item) in patch.into_iter().enumerate() {
            let key = identity::item_key(list.merge_keys, &item).map_err(|e| e.at_index(index))?;
            let live_index = if key == NULL_KEY {
                nulls.next_match(list.merge_keys, live)
            } else {
                positions.get(&key)?
            };
            match (live_index, item) {
                (Some(live_index), Doc::Map(patch)) => {
                    let Doc::Map(live_item) = &mut live[live_index] else { continue };
                    self.merge_map(live_item, patch, list.item_type)
                        .map_err(|e| e.at_index_in(live_index, index))?;
                }
                (_, item) => {
                    positions.appended.append(key, live.len());
                    live.push(self.prepare_appended_item(item));
                }
            }
        }
        let order = MergeOrder { requested: patch_order, live: live_order, item_kind: Ok(DocKind::Map) };
        let merged = std::mem::take(live);
        *live = element_order::normalize_element_order(merged, order, list.merge_keys, self.directives())?;
        Ok(())
    }

    /// Merges the maps of a patch list whose live items are already known. `matches` has the live item for
    /// each patch item. The merge does not change any merge key, so that the indices also determine the order.
    fn merge_items_by_match<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: Vec<Doc<'d>>,
        matches: &[ItemMatch],
    ) -> Result<()> {
        let (live_length, mut patched) = (live.len(), Vec::with_capacity(patch.len()));
        for ((index, item), item_match) in patch.into_iter().enumerate().zip(matches) {
            let live_index = item_match.original_index();
            let at_item = |error: Error| error.at_index_in(live_index.unwrap_or(index), index);
            patched.push(live_index.unwrap_or(live.len()));
            match (live_index.and_then(|live_index| live.get_mut(live_index)), item) {
                (Some(Doc::Map(live_item)), Doc::Map(patch)) => {
                    self.merge_map(live_item, patch, list.item_type).map_err(at_item)?;
                }
                (_, item) => live.push(self.prepare_appended_item(item)),
            }
        }
        *live = element_order::order_matched_items(std::mem::take(live), &patched, live_length);
        Ok(())
    }

    /// Returns true if the item is a map on which no directive acts.
    pub(crate) fn has_no_directives(&self, item: &Doc) -> bool {
        item.as_map().is_some_and(|map| self.directives().candidates_for(map).is_empty())
    }
}

/// The key of an item that has its merge key with the value null, instead of lacking it.
const NULL_KEY: ItemKey<'static> = ItemKey::Single(ScalarKey::Null);

/// A cursor over the live items whose merge key is null. Patching such a live item deletes its merge key. The next
/// patch item with a null key therefore matches the next of these live items.
struct NullKeyedItems {
    next_index: usize,
}

impl NullKeyedItems {
    fn next_match(&mut self, keys: MergeKeys<'_>, live: &[Doc]) -> Option<usize> {
        let is_null = |item: &Doc| identity::item_key(keys, item).is_ok_and(|key| key == NULL_KEY);
        self.next_index += live[self.next_index..].iter().position(is_null)?;
        Some(self.next_index)
    }
}

/// The positions of the keys of a live list, and of the items appended to this list. They are kept apart, because the
/// positions in the original list are needed for ordering the result.
struct ExtendedPositions<'a, 'd> {
    live: &'a KeyPositions<'d>,
    appended: KeyPositions<'d>,
}

impl<'d> ExtendedPositions<'_, 'd> {
    fn get(&self, key: &ItemKey<'d>) -> Result<Option<usize>> {
        match self.live.get(key)? {
            Some(index) => Ok(Some(index)),
            None => self.appended.get(key),
        }
    }
}

/// Appends the scalars of the patch to the live list. If several scalars are equal, only the first is kept. Returns the
/// order for the result. Upstream: `deduplicateScalars`.
fn union_scalars<'d>(list: ListMerge<'_>, live: &mut Vec<Doc<'d>>, patch: Vec<Doc<'d>>) -> MergeOrder<'d> {
    let keys = list.merge_keys;
    let aliased_live = live_scalars_after_union(live, &patch, list.spare_capacity);
    let order = MergeOrder {
        requested: KeyPositions::of(keys, &patch),
        live: KeyPositions::of(keys, aliased_live.as_deref().unwrap_or(live)),
        item_kind: Ok(DocKind::Null),
    };
    let mut seen = ScalarSet::default();
    live.extend(patch);
    live.retain(|item| ScalarKey::of(item).is_none_or(|key| seen.insert(key)));
    order
}
