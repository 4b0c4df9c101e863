//! An index of live items by the values of the merge keys that the items of a patch name.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::patch_item::{PatchItem, key_value};
use skewer_engine::document::{Doc, Map, OwnedText};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::patch::items::ScalarKey;

/// Maximum number of distinct sets of merge keys that the items of one patch list can name. Each set costs a pass over
/// the live list.
const MAX_KEY_SETS: usize = 64;

/// The sorted names of the merge keys by which a patch item finds its live item.
#[derive(Clone, PartialEq, Eq, Hash)]
struct LookupKeys {
    /// Keys whose values in the patch item and in the live item must be equal. If the patch item lacks such a key, the
    /// live item must lack the key too.
    equal: Vec<OwnedText>,
    /// Keys that the patch removes. The live item must have these keys, with any value.
    removed: Vec<OwnedText>,
}

/// The values of the keys in [`LookupKeys::equal`].
type KeyValues<'d> = Vec<Option<ScalarKey<'d>>>;

/// The indices of live items by their key values. Indexing one set of keys takes one pass over the live list.
pub(super) struct LiveItemIndex<'d> {
    name: &'static str,
    by_keys: FxHashMap<LookupKeys, FxHashMap<KeyValues<'d>, BTreeSet<usize>>>,
}

impl<'d> LiveItemIndex<'d> {
    pub(super) fn new(name: &'static str) -> Self {
        LiveItemIndex { name, by_keys: FxHashMap::default() }
    }

    /// Returns the index of the live item that a patch item matches.
    ///
    /// If the patch item has null for a listed key, the patch removes the key. The match is then the first live item
    /// that has the key and equals the patch item in the other listed keys. In the example of the design document, two
    /// items match in this way, and the patch is meant for the first of them.
    pub(super) fn find(&mut self, item: &PatchItem<'d>, list: &[Doc<'d>]) -> Result<Option<usize>> {
        let matches = self.find_all(item, list).map_err(|e| e.at_index(item.index));
        matches.map(|indices| indices.and_then(|indices| indices.first().copied()))
    }

    /// Returns the indices of all live items that a patch item matches. Several matches are an error, unless the patch
    /// item removes a key.
    fn find_all(&mut self, item: &PatchItem<'d>, list: &[Doc<'d>]) -> Result<Option<&BTreeSet<usize>>> {
        let lookup_keys = LookupKeys::of(item);
        let values = lookup_keys.values(&item.map)?;
        let is_first_match_enough = !lookup_keys.removed.is_empty();
        if !self.by_keys.contains_key(&lookup_keys) && self.by_keys.len() == MAX_KEY_SETS {
            return Err(Error::invalid_directive(
                self.name,
                format!(
                    "the items of the list name too many different sets of merge keys: expected at most {MAX_KEY_SETS}"
                ),
            ));
        }
        let indices_by_value =
            self.by_keys.entry(lookup_keys).or_insert_with_key(|lookup_keys| index_list(list, lookup_keys));
        let indices = indices_by_value.get(&values).filter(|indices| !indices.is_empty());
        match indices {
            Some(indices) if indices.len() > 1 && !is_first_match_enough => Err(Error::new(
                ErrorKind::AmbiguousMergeKey,
                format!(
                    "the values of {} match {} live items: list more merge keys",
                    item.listed_keys.join(", "),
                    indices.len()
                ),
            )),
            indices => Ok(indices),
        }
    }

    /// Adds a live item, which is at `index` in the live list.
    pub(super) fn insert(&mut self, index: usize, item: &Map<'d>) {
        for (lookup_keys, indices_by_value) in &mut self.by_keys {
            if let Some(values) = lookup_keys.values_for_lookup(item) {
                indices_by_value.entry(values).or_default().insert(index);
            }
        }
    }

    /// Removes a live item, because it is about to change.
    pub(super) fn remove(&mut self, index: usize, item: &Map<'d>) {
        for (lookup_keys, indices_by_value) in &mut self.by_keys {
            if let Some(indices) =
                lookup_keys.values_for_lookup(item).and_then(|values| indices_by_value.get_mut(&values))
            {
                indices.remove(&index);
            }
        }
    }
}

impl LookupKeys {
    fn of(item: &PatchItem) -> Self {
        let mut names = item.listed_keys.clone();
        names.sort();
        let (removed, equal) = names.into_iter().partition(|name| item.is_key_removed(name));
        LookupKeys { equal, removed }
    }

    /// Returns the key values by which a live item can be found. Returns `None` if these keys cannot find the item.
    fn values_for_lookup<'d>(&self, item: &Map<'d>) -> Option<KeyValues<'d>> {
        let has = |name: &OwnedText| item.get(name).is_some_and(|value| !value.is_null());
        if self.removed.iter().all(has) { self.values(item).ok() } else { None }
    }

    /// Returns the values of the keys that must be equal. A null counts as a missing key.
    fn values<'d>(&self, item: &Map<'d>) -> Result<KeyValues<'d>> {
        let value =
            |name: &OwnedText| key_value(item, name).map(|value| value.filter(|v| *v != ScalarKey::Null));
        self.equal.iter().map(value).collect()
    }
}

/// Indexes all items of a list by the values of `lookup_keys`.
fn index_list<'d>(list: &[Doc<'d>], lookup_keys: &LookupKeys) -> FxHashMap<KeyValues<'d>, BTreeSet<usize>> {
    let mut indices_by_value: FxHashMap<KeyValues<'d>, BTreeSet<usize>> = FxHashMap::default();
    for (index, item) in list.iter().enumerate() {
        if let Some(values) = item.as_map().and_then(|map| lookup_keys.values_for_lookup(map)) {
            indices_by_value.entry(values).or_default().insert(index);
        }
    }
    indices_by_value
}
