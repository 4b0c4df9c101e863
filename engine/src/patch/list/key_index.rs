//! An index from keys to the positions of their first occurrences.
//!
//! A merge builds several indices, and most merging lists are short. The keys are therefore stored in a vector. Up to
//! [`LINEAR_SEARCH_LIMIT`] keys are searched linearly. Up to [`BINARY_SEARCH_LIMIT`] keys are searched by bisection if
//! they were inserted in ascending order. For other keys, a hash table contains their numbers. It needs less memory than
//! a hash map with the keys.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// An index from keys to the positions of their first occurrences.
pub(super) struct KeyIndex<K> {
    /// The distinct keys with the positions of their first occurrences, in the order of insertion.
    keys: Vec<(K, usize)>,
    /// The hash table. A slot has the number of a key, counted from 1, or 0 if it is free. The table is empty as long
    /// as the keys are searched without it.
    slots: Vec<usize>,
    /// Whether each key is greater than the previous one, so that the keys need no hash table.
    is_ascending: bool,
}

/// Maximum number of keys that are searched linearly.
const LINEAR_SEARCH_LIMIT: usize = 8;

/// Maximum number of ascending keys that are searched by bisection. In longer lists, a hash table is faster.
const BINARY_SEARCH_LIMIT: usize = 64;

impl<K: Ord + Hash> KeyIndex<K> {
    pub(super) fn with_capacity(keys: usize) -> Self {
        let is_ascending = keys <= BINARY_SEARCH_LIMIT;
        let slots = if is_ascending { Vec::new() } else { vec![0; slot_count_for(keys)] };
        KeyIndex { keys: Vec::with_capacity(keys), slots, is_ascending }
    }

    /// Returns the number of distinct keys.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the distinct key with this index in the order of insertion.
    pub(super) fn nth_key(&self, index: usize) -> Option<&K> {
        self.keys.get(index).map(|(key, _)| key)
    }

    /// Returns the position of the first occurrence of a key.
    pub(super) fn get(&self, key: &K) -> Option<usize> {
        if !self.slots.is_empty() {
            return self.probe(key).ok().map(|number| self.keys[number - 1].1);
        }
        let found = if self.keys.len() <= LINEAR_SEARCH_LIMIT {
            self.keys.iter().position(|(other, _)| other == key)
        } else {
            self.keys.binary_search_by(|(other, _)| other.cmp(key)).ok()
        };
        found.map(|index| self.keys[index].1)
    }

    /// Adds a key with its position. Returns false if the index already has the key, and keeps the first position.
    pub(super) fn insert(&mut self, key: K, position: usize) -> bool {
        if self.is_ascending && self.keys.len() < BINARY_SEARCH_LIMIT {
            let order = self.keys.last().map_or(Ordering::Less, |(last, _)| last.cmp(&key));
            if order == Ordering::Less {
                self.keys.push((key, position));
                return true;
            }
            if order == Ordering::Equal {
                return false;
            }
        }
        self.is_ascending = false;
        if self.slots.is_empty() && self.keys.len() < LINEAR_SEARCH_LIMIT {
            let is_new = self.keys.iter().all(|(other, _)| *other != key);
            if is_new {
                self.keys.push((key, position));
            }
            return is_new;
        }
        if 2 * (self.keys.len() + 1) > self.slots.len() {
            self.grow();
        }
        let Err(free) = self.probe(&key) else { return false };
        self.keys.push((key, position));
        self.slots[free] = self.keys.len();
        true
    }

    fn grow(&mut self) {
        self.slots = vec![0; slot_count_for(self.keys.capacity().max(2 * self.keys.len()))];
        for number in 1..=self.keys.len() {
            if let Err(free) = self.probe(&self.keys[number - 1].0) {
                self.slots[free] = number;
            }
        }
    }

    /// Returns the number of a key. Returns the index of the free slot for the key as the error if the key is missing.
    fn probe(&self, key: &K) -> Result<usize, usize> {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        // The length is a power of two.
        let mask = self.slots.len() - 1;
        let mut slot = usize::try_from(hasher.finish() & mask as u64).unwrap_or_default();
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                number if self.keys[number - 1].0 == *key => return Ok(number),
                _ => slot = (slot + 1) & mask,
            }
        }
    }
}

/// Returns the size of a hash table for a number of keys. At least half of the slots stay free, so that a lookup checks
/// few slots.
fn slot_count_for(keys: usize) -> usize {
    (2 * keys + 2).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::patch::go_compat::equality::ScalarKey;
    use crate::patch::list::identity::ItemKey;

    fn key(number: usize) -> ItemKey<'static> {
        ItemKey::Single(ScalarKey::String(format!("key {number:04}").into()))
    }

    #[rstest]
    fn the_first_position_of_a_key_is_kept(
        #[values(0, 5, BINARY_SEARCH_LIMIT, 100)] capacity: usize,
        #[values(1, LINEAR_SEARCH_LIMIT, LINEAR_SEARCH_LIMIT + 1, 20, BINARY_SEARCH_LIMIT + 1, 1000)]
        n: usize,
        #[values("ascending", "descending", "last descends", "repeated")] order: &str,
    ) {
        // The keys have even numbers. An odd number is that of a key that the index does not have.
        let number_of = |index| match order {
            "descending" => 2 * (n - index),
            "last descends" if index + 1 == n => 0,
            _ => 2 * index + 2,
        };
        let mut index = KeyIndex::with_capacity(capacity);
        for i in 0..n {
            assert!(index.insert(key(number_of(i)), i));
            if order == "repeated" {
                assert!(!index.insert(key(number_of(i / 2)), n + i), "an existing key was inserted again");
            }
            assert_eq!(index.len(), i + 1);
        }
        for i in 0..n {
            assert_eq!(index.get(&key(number_of(i))), Some(i));
            assert_eq!(index.get(&key(number_of(i) + 1)), None);
            assert_eq!(index.nth_key(i), Some(&key(number_of(i))));
            assert!(!index.insert(key(number_of(i)), n), "an existing key was inserted again");
        }
        assert_eq!(index.len(), n);
    }
}
