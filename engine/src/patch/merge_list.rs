//! Merging lists.

use super::identity::{self, ItemKey, MergeKeys, Positions, ScalarSet};
use super::merge::Merge;
use super::order::{self, Orders};
use crate::directive::DirectiveSet;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, Strategy, TypeId};
use crate::value::{Kind, Value};

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
    /// The same list, its items told apart as this order of items does it: by all recommended merge keys when
    /// an item names more of them than the default merge key (patch-merge-key, "Relation with
    /// `setElementOrder` Directive").
    #[must_use]
    pub(crate) fn ordered_by(self, wanted: &[Value], directives: &'a DirectiveSet) -> Self {
        let meta = &self.field.meta;
        let names_more = |keys: MergeKeys<'_>| {
            wanted.iter().filter_map(Value::as_map).any(|item| {
                item.keys().any(|key| keys.names().contains(key) && !meta.merge_key.contains(key))
            })
        };
        match directives.iter().find_map(|d| d.identity(meta)) {
            Some(keys) if names_more(keys) => ListMerge { keys, ..self },
            _ => self,
        }
    }

    /// May this item be stored where live has nothing?
    pub(crate) fn is_storable(&self, item: &Value) -> bool {
        item.as_map().is_none_or(|map| self.directives.asked(map).iter().all(|d| d.is_storable(map)))
    }
}

impl Merge<'_> {
    /// Merges a patch list into a live list, as its strategy says. Upstream: `mergeSliceHandler`.
    pub fn merge_lists(&self, list: ListMerge<'_>, live: &mut Vec<Value>, patch: Vec<Value>) -> Result<()> {
        self.place_lists(list, live, patch).map(drop)
    }

    /// [`Merge::merge_lists`], with what it knows of where it left the items.
    pub(crate) fn place_lists(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Value>,
        mut patch: Vec<Value>,
    ) -> Result<Placed> {
        for directive in self.directives().iter() {
            if let Some(result) = directive.merge_list(self, list, live, &mut patch) {
                return result.map(|()| Placed::Anywhere(None));
            }
        }
        if list.field.meta.strategy == Strategy::Merge {
            self.place_keyed(list, live, patch)
        } else {
            *live = patch;
            Ok(Placed::Anywhere(None))
        }
    }

    /// Merges a patch list into a live list whatever its strategy. Upstream: `mergeSlice`.
    pub fn merge_keyed(&self, list: ListMerge<'_>, live: &mut Vec<Value>, patch: Vec<Value>) -> Result<()> {
        self.place_keyed(list, live, patch).map(drop)
    }

    fn place_keyed(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Value>,
        mut patch: Vec<Value>,
    ) -> Result<Placed> {
        if live.is_empty() && patch.is_empty() {
            return Ok(Placed::Anywhere(None));
        }
        let kind = identity::common_kind([live.as_slice(), patch.as_slice()])?;
        let (wanted, live_order) = if kind == Kind::Map {
            if list.keys.is_empty() {
                return Err(Error::new(
                    ErrorKind::UndeclaredMergeKey,
                    format!("the schema has no merge key for the items of {}", list.field.name),
                ));
            }
            for directive in self.directives().iter() {
                directive.merge_items(list, live, &mut patch)?;
            }
            match self.merge_maps(list, live, patch)? {
                (None, _) => return Ok(Placed::AsTheyStood),
                (Some(wanted), live_order) => (Positions::of_keys(wanted), live_order),
            }
        } else {
            union(list.keys, live, patch)
        };
        let orders = Orders { wanted, live: live_order, kind: Ok(kind) };
        let (merged, live_order) = order::normalize(std::mem::take(live), orders, list.keys)?;
        *live = merged;
        Ok(Placed::Anywhere(Some(live_order)))
    }

    /// Merges items by key; what finds no match is appended. Upstream: `mergeSliceWithoutSpecialElements`.
    ///
    /// Returns the keys of the patch's items and the order that live had; no keys where there is nothing to bring
    /// into order. That is so when the patch names items of live in their order there, and adds none: upstream's
    /// sorting and interleaving of them then gives the order of live again.
    fn merge_maps(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Value>,
        patch: Vec<Value>,
    ) -> Result<(Option<Vec<ItemKey>>, Positions)> {
        let live_order = Positions::of(list.keys, live);
        let mut as_it_stood = live_order.tell_apart(live.len());
        let mut next = 0;
        let mut keys = Vec::with_capacity(patch.len());
        let mut places = PlacesBeyond { live: &live_order, appended: Positions::of(list.keys, &[]) };
        for (index, item) in patch.into_iter().enumerate() {
            let key = identity::key_of(list.keys, &item).map_err(|e| e.at_index(index))?;
            match (places.get(&key), item) {
                (Some(place), Value::Map(patch)) => {
                    let Value::Map(held) = &mut live[place] else { continue };
                    self.merge_map(held, patch, list.item).map_err(|e| e.at_index(index))?;
                    // A patch can take the key of its own item away.
                    as_it_stood &= place >= next
                        && identity::key_of(list.keys, &live[place]).is_ok_and(|after| after == key);
                    next = place + 1;
                }
                (_, item) => {
                    as_it_stood = false;
                    places.appended.append(key.clone(), live.len());
                    live.push(item);
                }
            }
            keys.push(key);
        }
        as_it_stood = as_it_stood && !live.iter().any(order::is_deletion);
        Ok(((!as_it_stood).then_some(keys), live_order))
    }
}

/// Where the merge of two lists left the items of live.
pub(crate) enum Placed {
    /// Where they stood, and with the keys that they had: no item was added or moved, though some may be gone.
    AsTheyStood,
    /// Somewhere else. Where they stood, if that is known.
    Anywhere(Option<Positions>),
}

/// The places of a live list that grows: the order of the live list itself must stay as it was.
struct PlacesBeyond<'a> {
    live: &'a Positions,
    appended: Positions,
}

impl PlacesBeyond<'_> {
    fn get(&self, key: &ItemKey) -> Option<usize> {
        self.live.get(key).or_else(|| self.appended.get(key))
    }
}

/// Adds the items that are new; of equal items the first stays. Upstream: `deduplicateScalars`.
fn union(keys: MergeKeys<'_>, live: &mut Vec<Value>, patch: Vec<Value>) -> (Positions, Positions) {
    let orders = (Positions::of(keys, &patch), Positions::of(keys, live));
    let mut seen = ScalarSet::default();
    live.extend(patch);
    live.retain(|item| identity::ScalarKey::of(item).is_none_or(|key| seen.insert(key)));
    orders
}
