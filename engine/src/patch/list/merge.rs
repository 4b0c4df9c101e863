//! Merging lists.

use super::element_order::{self, Orders};
use super::identity::{self, ItemKey, MergeKeys, Positions, ScalarKey, ScalarSet};
use super::matching::Matched;
use crate::document::{Doc, Kind, Map, OwnedText};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::DirectiveSet;
use crate::patch::apply::Merge;
use crate::patch::go_compat::slice_aliasing::union_left_behind;
use crate::schema::{Field, PatchStrategy, TypeId};

/// So many different keys can the items of one patch list say they are found by: every item is held against all.
pub(crate) const MAX_LISTED_KEYS: usize = 64;

pub(crate) fn too_many_keys() -> Error {
    Error::new(
        ErrorKind::BadPatchMergeKey,
        format!("the items of a list can be found by at most {MAX_LISTED_KEYS} different keys"),
    )
}

/// A list that is to be merged.
#[derive(Clone, Copy, Debug)]
pub struct ListMerge<'a> {
    /// The field that holds it.
    pub field: &'a Field,
    /// The type of its items.
    pub item: TypeId,
    /// The keys by which its items are told apart; none for scalars.
    pub keys: MergeKeys<'a>,
    /// The directives that are known.
    pub directives: &'a DirectiveSet,
}

impl<'a> ListMerge<'a> {
    /// The same list, its items told apart as this order of items does it: by all recommended merge keys, or by
    /// those that the patch lists, when an item names more of them than the default merge key (patch-merge-key,
    /// "Relation with `setElementOrder` Directive").
    #[must_use]
    pub(crate) fn ordered_by(self, wanted: &[Doc], listed: Option<&'a [OwnedText]>) -> Self {
        let default = self.keys.names();
        // Of an item that has none of the keys, and may, no key is named: `{}`.
        let names_none = |item: &Map| default.is_empty() && item.is_empty();
        let names_more = |keys: &MergeKeys<'_>| {
            wanted.iter().filter_map(Doc::as_map).any(|item| {
                names_none(item)
                    || item.keys().any(|key| keys.names().contains(key) && !default.contains(key))
            })
        };
        let recommended = self.directives.recommended_keys(&self.field.meta);
        let listed = listed.map(MergeKeys::without_default);
        let keys = recommended.into_iter().chain(listed).find(names_more).unwrap_or(self.keys);
        ListMerge { keys, ..self }
    }

    /// All keys that items of a patch list say they are found by; `None` where none does.
    pub(crate) fn listed_keys(&self, patch: &[Doc]) -> Result<Option<Vec<OwnedText>>> {
        let mut all: Option<Vec<OwnedText>> = None;
        for (index, item) in patch.iter().enumerate() {
            let Some(keys) = self.directives.listed_keys(item) else { continue };
            let all = all.get_or_insert_default();
            for key in keys {
                if !all.contains(&key) {
                    all.push(key);
                }
            }
            if all.len() > MAX_LISTED_KEYS {
                return Err(too_many_keys().at_index(index));
            }
        }
        Ok(all)
    }

    /// Does an order mean this item of a patch list by this item of its own? By the keys that the patch's item
    /// lists, as far as the order goes by them.
    pub(crate) fn is_meant(
        &self,
        (item, listed): (&Doc, Option<&[OwnedText]>),
        candidate: &Doc,
    ) -> Result<bool> {
        let of_the_order = |key: &&OwnedText| self.keys.names().contains(*key);
        let listed: Vec<OwnedText> =
            listed.unwrap_or_default().iter().filter(of_the_order).cloned().collect();
        if listed.is_empty() {
            return identity::same(self.keys, item, candidate);
        }
        identity::same(MergeKeys::without_default(&listed), item, candidate)
    }

    /// May this item be stored where live has nothing?
    pub(crate) fn is_storable(&self, item: &Doc) -> bool {
        item.as_map().is_none_or(|map| self.directives.lets_store(map))
    }
}

impl Merge<'_> {
    /// Merges a patch list into a live list, as its strategy says. Upstream: `mergeSliceHandler`.
    pub fn merge_lists<'d>(
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
            self.merge_keyed(list, live, patch)
        } else {
            *live = patch;
            Ok(())
        }
    }

    /// Merges a patch list into a live list whatever its strategy. Upstream: `mergeSlice`.
    pub fn merge_keyed<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        mut patch: Vec<Doc<'d>>,
    ) -> Result<()> {
        if live.is_empty() && patch.is_empty() {
            return Ok(());
        }
        let kind = identity::common_kind([live.as_slice(), patch.as_slice()])?;
        if kind == Kind::Map {
            if list.keys.is_empty() {
                return Err(Error::new(
                    ErrorKind::UndeclaredMergeKey,
                    format!("the schema has no merge key for the items of {}", list.field.name),
                ));
            }
            for directive in self.directives().iter() {
                directive.merge_items(list, live, &mut patch)?;
            }
            self.merge_maps(list, live, patch)
        } else {
            let orders = union(list.keys, live, patch);
            *live = element_order::normalize(
                std::mem::take(live),
                Orders { kind: Ok(kind), ..orders },
                list.keys,
            )?;
            Ok(())
        }
    }

    /// Merges items by key; what finds no match is appended. Upstream: `mergeSliceWithoutSpecialElements`.
    fn merge_maps<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: Vec<Doc<'d>>,
    ) -> Result<()> {
        if patch.iter().all(|item| self.is_plain(item))
            && let Some(Matched { places, .. }) = Matched::of(list.keys, live, &patch)
        {
            return self.merge_matched(list, live, patch, &places);
        }
        let wanted = Positions::of(list.keys, &patch);
        let live_order = Positions::of(list.keys, live);
        let mut places = PlacesBeyond { live: &live_order, appended: Positions::of(list.keys, &[]) };
        let mut nulls = NullKeys { from: 0 };
        for (index, item) in patch.into_iter().enumerate() {
            let key = identity::key_of(list.keys, &item).map_err(|e| e.at_index(index))?;
            let place = if key == NULL { nulls.first(list.keys, live) } else { places.get(&key)? };
            match (place, item) {
                (Some(place), Doc::Map(patch)) => {
                    let Doc::Map(held) = &mut live[place] else { continue };
                    self.merge_map(held, patch, list.item).map_err(|e| e.at_index(index))?;
                }
                (_, item) => {
                    places.appended.append(key, live.len());
                    live.push(self.added_item(item));
                }
            }
        }
        let orders = Orders { wanted, live: live_order, kind: Ok(Kind::Map) };
        *live = element_order::normalize(std::mem::take(live), orders, list.keys)?;
        Ok(())
    }

    /// The same where the matches are plain. No item loses its key, so that places say how they are ordered.
    fn merge_matched<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: Vec<Doc<'d>>,
        places: &[Option<usize>],
    ) -> Result<()> {
        let (from_live, mut patched) = (live.len(), Vec::with_capacity(patch.len()));
        for ((index, item), place) in patch.into_iter().enumerate().zip(places) {
            patched.push(place.unwrap_or(live.len()));
            match (place.and_then(|place| live.get_mut(place)), item) {
                (Some(Doc::Map(held)), Doc::Map(patch)) => {
                    self.merge_map(held, patch, list.item).map_err(|e| e.at_index(index))?;
                }
                (_, item) => live.push(self.added_item(item)),
            }
        }
        *live = element_order::arrange(std::mem::take(live), &patched, from_live);
        Ok(())
    }

    /// Is this a map that no directive acts on?
    pub(crate) fn is_plain(&self, item: &Doc) -> bool {
        item.as_map().is_some_and(|map| self.directives().asked(map).is_empty())
    }
}

/// The key of an item whose merge key is there and null.
const NULL: ItemKey<'static> = ItemKey::One(ScalarKey::Null);

/// Items with a null for a key. The patch of such an item deletes its key, so that the next item of the patch with
/// that key is of the next one in live.
struct NullKeys {
    from: usize,
}

impl NullKeys {
    fn first(&mut self, keys: MergeKeys<'_>, live: &[Doc]) -> Option<usize> {
        let is_null = |item: &Doc| identity::key_of(keys, item).is_ok_and(|key| key == NULL);
        self.from += live[self.from..].iter().position(is_null)?;
        Some(self.from)
    }
}

/// The places of a live list that grows: the order of the live list itself must stay as it was.
struct PlacesBeyond<'a, 'd> {
    live: &'a Positions<'d>,
    appended: Positions<'d>,
}

impl<'d> PlacesBeyond<'_, 'd> {
    fn get(&self, key: &ItemKey<'d>) -> Result<Option<usize>> {
        match self.live.get(key)? {
            Some(place) => Ok(Some(place)),
            None => self.appended.get(key),
        }
    }
}

/// Adds the items that are new; of equal items the first stays. Upstream: `deduplicateScalars`.
fn union<'d>(keys: MergeKeys<'_>, live: &mut Vec<Doc<'d>>, patch: Vec<Doc<'d>>) -> Orders<'d> {
    let left = union_left_behind(live, &patch);
    let orders = Orders {
        wanted: Positions::of(keys, &patch),
        live: Positions::of(keys, left.as_deref().unwrap_or(live)),
        kind: Ok(Kind::Null),
    };
    let mut seen = ScalarSet::default();
    live.extend(patch);
    live.retain(|item| ScalarKey::of(item).is_none_or(|key| seen.insert(key)));
    orders
}
