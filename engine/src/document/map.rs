//! JSON objects as lists of entries that are sorted by key.

use super::{Doc, Text};

/// A JSON object: entries with unique keys, sorted by key.
///
/// The sorted order has three advantages: the output equals Go's, two maps can be merged in one pass, and all
/// directives (`$…`) are adjacent.
///
/// ```
/// use skewer_engine::{Doc, Map};
///
/// let mut map = Map::new();
/// map.insert("b".into(), Doc::from(2));
/// map.insert("a".into(), Doc::from("x"));
/// assert_eq!(map.keys().map(|key| key.as_str()).collect::<Vec<_>>(), ["a", "b"]);
/// assert_eq!(Doc::from(map).to_string(), r#"{"a":"x","b":2}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map<'a>(Vec<(Text<'a>, Doc<'a>)>);

/// A map that borrows nothing.
pub type OwnedMap = Map<'static>;

impl<'a> Map<'a> {
    /// Creates an empty map.
    #[must_use]
    pub const fn new() -> Self {
        Map(Vec::new())
    }

    /// Creates an empty map with capacity for `n` entries.
    #[must_use]
    pub fn with_capacity(n: usize) -> Self {
        Map(Vec::with_capacity(n))
    }

    /// Creates a map from entries in any order. The error is a key that occurs twice.
    pub(crate) fn from_entries(mut entries: Vec<(Text<'a>, Doc<'a>)>) -> Result<Self, Text<'a>> {
        let sorted = entries.is_sorted_by(|a, b| is_less(&a.0, &b.0));
        if !sorted {
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            if let Some(pair) = entries.windows(2).find(|w| w[0].0 == w[1].0) {
                return Err(pair[0].0.clone());
            }
        }
        Ok(Map(entries))
    }

    fn binary_search(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(k, _)| k.as_str().cmp(key))
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the map has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Doc<'a>> {
        // Most maps are small. Comparing lengths rules out most keys, so a linear search beats a binary search.
        if self.0.len() <= 8 {
            return self.0.iter().find(|(k, _)| k == key).map(|(_, value)| value);
        }
        self.binary_search(key).ok().map(|i| &self.0[i].1)
    }

    /// Returns a mutable reference to the value of a key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Doc<'a>> {
        self.binary_search(key).ok().map(|i| &mut self.0[i].1)
    }

    /// Returns true if the map has the key.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.binary_search(key).is_ok()
    }

    /// Sets the value of a key and returns the previous value.
    pub fn insert(&mut self, key: Text<'a>, value: Doc<'a>) -> Option<Doc<'a>> {
        // Most maps are built in key order: appending needs no search and moves no entries.
        if self.0.last().is_none_or(|(last, _)| *last < key) {
            self.0.push((key, value));
            return None;
        }
        match self.binary_search(&key) {
            Ok(i) => Some(std::mem::replace(&mut self.0[i].1, value)),
            Err(i) => {
                self.0.insert(i, (key, value));
                None
            }
        }
    }

    /// Removes a key and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Doc<'a>> {
        self.binary_search(key).ok().map(|i| self.0.remove(i).1)
    }

    /// Sets many keys to new values, or removes them where the value is `None`, in one pass. The caller passes changes
    /// with unique keys, sorted by key.
    pub(crate) fn update(&mut self, changes: Vec<(Text<'a>, Option<Doc<'a>>)>) {
        match <[_; 1]>::try_from(changes) {
            Ok([(key, Some(value))]) => {
                self.insert(key, value);
            }
            Ok([(key, None)]) => {
                self.remove(&key);
            }
            Err(changes) if changes.is_empty() => {}
            Err(changes) => self.update_many(changes),
        }
    }

    fn update_many(&mut self, changes: Vec<(Text<'a>, Option<Doc<'a>>)>) {
        let old = std::mem::take(&mut self.0);
        let mut result = Vec::with_capacity(old.len() + changes.len());
        let mut old = old.into_iter().peekable();
        for (key, value) in changes {
            while let Some(entry) = old.next_if(|(k, _)| *k < key) {
                result.push(entry);
            }
            old.next_if(|(k, _)| *k == key);
            result.extend(value.map(|value| (key, value)));
        }
        result.extend(old);
        self.0 = result;
    }

    /// Removes the entries for which `keep` returns false.
    pub fn retain(&mut self, mut keep: impl FnMut(&Text<'a>, &mut Doc<'a>) -> bool) {
        self.0.retain_mut(|(k, v)| keep(k, v));
    }

    /// Copies the map into one that borrows nothing.
    #[must_use]
    pub fn to_static(&self) -> OwnedMap {
        Map(self.0.iter().map(|(key, value)| (key.to_static(), value.to_static())).collect())
    }

    /// Iterates over the entries in key order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Text<'a>, &Doc<'a>)> + ExactSizeIterator {
        self.0.iter().map(|(k, v)| (k, v))
    }

    /// Iterates over the entries in key order, with mutable references to the values.
    pub fn iter_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = (&Text<'a>, &mut Doc<'a>)> + ExactSizeIterator {
        self.0.iter_mut().map(|(k, v)| (&*k, v))
    }

    /// Iterates over the keys in order.
    #[must_use]
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Text<'a>> + ExactSizeIterator {
        self.0.iter().map(|(k, _)| k)
    }

    /// Iterates over the keys that begin with a dollar sign. In a patch these are the directives.
    ///
    /// The keys are adjacent. Only keys that begin with a character below `$`, such as a space, precede them.
    #[inline]
    pub fn dollar_keys(&self) -> impl Iterator<Item = &Text<'a>> {
        let is_before =
            |(key, _): &(Text<'a>, Doc<'a>)| key.as_bytes().first().is_none_or(|byte| *byte < b'$');
        let from = if self.0.first().is_some_and(is_before) { self.0.partition_point(is_before) } else { 0 };
        self.0[from..].iter().map(|(key, _)| key).take_while(|key| key.starts_with('$'))
    }
}

/// Returns true if `a` sorts before `b`. Comparing the first bytes usually suffices, and is faster than `str::cmp`.
fn is_less(a: &str, b: &str) -> bool {
    match (a.as_bytes().first(), b.as_bytes().first()) {
        (Some(first), Some(second)) if first != second => first < second,
        _ => a < b,
    }
}

impl<'a> IntoIterator for Map<'a> {
    type Item = (Text<'a>, Doc<'a>);
    type IntoIter = std::vec::IntoIter<(Text<'a>, Doc<'a>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// The last entry of a key wins, as with repeated calls of `insert`.
impl<'a> FromIterator<(Text<'a>, Doc<'a>)> for Map<'a> {
    fn from_iter<I: IntoIterator<Item = (Text<'a>, Doc<'a>)>>(entries: I) -> Self {
        let mut map = Map::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}
