//! Where each key stands first: a hash table of places beside the keys.
//!
//! Most lists that merge are short, and a merge makes several of these. A table of numbers beside a plain list of keys
//! takes a fraction of the memory of a map that holds them, and none where a look at all keys is quicker.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

pub(super) struct KeyIndex<K> {
    /// The keys, each once, with the place where it stands first.
    keys: Vec<(K, usize)>,
    /// Numbers of keys, from 1, by hash; 0 is free. Empty as long as there are few keys.
    slots: Vec<usize>,
}

/// So many keys are looked through one by one.
const FEW: usize = 8;

impl<K: Eq + Hash> KeyIndex<K> {
    pub(super) fn with_capacity(keys: usize) -> Self {
        let slots = if keys <= FEW { Vec::new() } else { vec![0; slots_for(keys)] };
        KeyIndex { keys: Vec::with_capacity(keys), slots }
    }

    /// How many keys there are.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The key that was noted after this many others.
    pub(super) fn noted(&self, number: usize) -> Option<&K> {
        self.keys.get(number).map(|(key, _)| key)
    }

    /// Where the key stands first.
    pub(super) fn get(&self, key: &K) -> Option<usize> {
        if self.slots.is_empty() {
            return self.keys.iter().find(|(held, _)| held == key).map(|(_, place)| *place);
        }
        self.find(key).ok().map(|number| self.keys[number - 1].1)
    }

    /// Notes a key; false when it is there already.
    pub(super) fn insert(&mut self, key: K, place: usize) -> bool {
        if self.slots.is_empty() && self.keys.len() < FEW {
            let is_new = self.keys.iter().all(|(held, _)| *held != key);
            if is_new {
                self.keys.push((key, place));
            }
            return is_new;
        }
        if 2 * (self.keys.len() + 1) > self.slots.len() {
            self.grow();
        }
        let Err(free) = self.find(&key) else { return false };
        self.keys.push((key, place));
        self.slots[free] = self.keys.len();
        true
    }

    fn grow(&mut self) {
        self.slots = vec![0; slots_for(2 * self.keys.len())];
        for number in 1..=self.keys.len() {
            if let Err(free) = self.find(&self.keys[number - 1].0) {
                self.slots[free] = number;
            }
        }
    }

    /// The number of a key, or the slot where it would be noted.
    fn find(&self, key: &K) -> Result<usize, usize> {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        // The length is a power of two.
        let mask = self.slots.len() - 1;
        let mut at = usize::try_from(hasher.finish() & mask as u64).unwrap_or_default();
        loop {
            match self.slots[at] {
                0 => return Err(at),
                number if self.keys[number - 1].0 == *key => return Ok(number),
                _ => at = (at + 1) & mask,
            }
        }
    }
}

/// At least half of the slots are free, so that a free one is soon found.
fn slots_for(keys: usize) -> usize {
    (2 * keys + 2).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::patch::list::identity::{ItemKey, ScalarKey};

    fn key(number: usize) -> ItemKey<'static> {
        ItemKey::One(ScalarKey::String(format!("key {number}").into()))
    }

    #[rstest]
    fn the_first_place_counts(
        #[values(0, 5, 100)] capacity: usize,
        #[values(1, FEW, FEW + 1, 20, 1000)] n: usize,
    ) {
        let mut index = KeyIndex::with_capacity(capacity);
        for number in 0..n {
            assert!(index.insert(key(number), number));
            assert!(!index.insert(key(number / 2), n + number), "a key that is there is not noted again");
            assert_eq!(index.len(), number + 1);
        }
        for number in 0..n {
            assert_eq!(index.get(&key(number)), Some(number));
            assert_eq!(index.noted(number), Some(&key(number)));
        }
        assert_eq!(index.get(&key(n)), None);
    }
}
