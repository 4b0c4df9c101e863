//! Where the items are that a patch means.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::item::{Item, scalar};
use crate::document::{Doc, Map, OwnedText};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::list::identity::ScalarKey;

/// So many different sets of keys can the items of one patch list be found by: each costs a pass over the live
/// list.
const MAX_KEY_SETS: usize = 64;

/// What items are looked for by, names sorted.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Sought {
    /// Keys with these values, lacking where the patch's item lacks them.
    equal: Vec<OwnedText>,
    /// Keys that are there to be removed, whatever their values.
    removed: Vec<OwnedText>,
}

/// The values of the keys that must be equal.
type Key<'d> = Vec<Option<ScalarKey<'d>>>;

/// Where items are by what they are looked for by: one pass over the list for each different set of keys.
#[derive(Default)]
pub(super) struct ItemIndex<'d> {
    by_keys: FxHashMap<Sought, FxHashMap<Key<'d>, BTreeSet<usize>>>,
}

impl<'d> ItemIndex<'d> {
    /// The item of the list that the patch's item means.
    ///
    /// A key that is listed and null is to be removed: the item is then the first that the other listed keys
    /// match and that has the key. The document's own example matches two items so, and means the first.
    pub(super) fn find(&mut self, item: &Item<'d>, list: &[Doc<'d>]) -> Result<Option<usize>> {
        let found = self.search(item, list).map_err(|e| e.at_index(item.index));
        found.map(|places| places.and_then(|places| places.first().copied()))
    }

    fn search(&mut self, item: &Item<'d>, list: &[Doc<'d>]) -> Result<Option<&BTreeSet<usize>>> {
        let sought = Sought::by(item);
        let key = sought.values(&item.map)?;
        let first_alone = !sought.removed.is_empty();
        if !self.by_keys.contains_key(&sought) && self.by_keys.len() == MAX_KEY_SETS {
            return Err(Error::new(
                ErrorKind::BadPatchMergeKey,
                format!("the items of a list can list at most {MAX_KEY_SETS} different sets of keys"),
            ));
        }
        let index = self.by_keys.entry(sought).or_insert_with_key(|sought| index_of(list, sought));
        let places = index.get(&key).filter(|places| !places.is_empty());
        match places {
            Some(places) if places.len() > 1 && !first_alone => Err(Error::new(
                ErrorKind::AmbiguousMergeKey,
                format!("{} match {} live items: list more keys", item.listed.join(", "), places.len()),
            )),
            places => Ok(places),
        }
    }

    /// Notes that an item is in this place.
    pub(super) fn put(&mut self, place: usize, item: &Map<'d>) {
        for (sought, index) in &mut self.by_keys {
            if let Some(key) = sought.key_of(item) {
                index.entry(key).or_default().insert(place);
            }
        }
    }

    /// Notes that the item in this place is about to change.
    pub(super) fn take_out(&mut self, place: usize, item: &Map<'d>) {
        for (sought, index) in &mut self.by_keys {
            if let Some(places) = sought.key_of(item).and_then(|key| index.get_mut(&key)) {
                places.remove(&place);
            }
        }
    }
}

impl Sought {
    fn by(item: &Item) -> Self {
        let mut names = item.listed.clone();
        names.sort();
        let (removed, equal) = names.into_iter().partition(|name| item.removes(name));
        Sought { equal, removed }
    }

    /// The key by which an item of the list is found; none where it cannot be.
    fn key_of<'d>(&self, item: &Map<'d>) -> Option<Key<'d>> {
        let has = |name: &OwnedText| item.get(name).is_some_and(|value| !value.is_null());
        if self.removed.iter().all(has) { self.values(item).ok() } else { None }
    }

    /// An item that has a null for a key lacks it.
    fn values<'d>(&self, item: &Map<'d>) -> Result<Key<'d>> {
        let value =
            |name: &OwnedText| scalar(item, name).map(|value| value.filter(|v| *v != ScalarKey::Null));
        self.equal.iter().map(value).collect()
    }
}

fn index_of<'d>(list: &[Doc<'d>], sought: &Sought) -> FxHashMap<Key<'d>, BTreeSet<usize>> {
    let mut index: FxHashMap<Key<'d>, BTreeSet<usize>> = FxHashMap::default();
    for (place, held) in list.iter().enumerate() {
        if let Some(key) = held.as_map().and_then(|map| sought.key_of(map)) {
            index.entry(key).or_default().insert(place);
        }
    }
    index
}
