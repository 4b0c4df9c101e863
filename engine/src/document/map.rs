//! JSON objects as lists of entries that are sorted by key.

use std::fmt;

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
#[derive(Clone, Default)]
pub struct Map<'a>(Entries<'a>);

/// A map that borrows nothing.
pub type OwnedMap = Map<'static>;

/// A key and its value.
pub(super) type Entry<'a> = (Text<'a>, Doc<'a>);

/// The memory of the entries of a map. Entries in an arena are copied when the map is changed.
#[derive(Clone)]
enum Entries<'a> {
    Owned(Vec<Entry<'a>>),
    InArena(&'a [Entry<'a>]),
}

impl Default for Entries<'_> {
    fn default() -> Self {
        Entries::InArena(&[])
    }
}

impl<'a> Map<'a> {
    /// Creates an empty map.
    #[must_use]
    pub const fn new() -> Self {
        Map(Entries::InArena(&[]))
    }

    /// Creates an empty map with capacity for `n` entries.
    #[must_use]
    pub fn with_capacity(n: usize) -> Self {
        Map(Entries::Owned(Vec::with_capacity(n)))
    }

    /// Creates a map from entries in any order. The error is a key that occurs twice.
    pub(crate) fn from_entries(mut entries: Vec<Entry<'a>>) -> Result<Self, Text<'a>> {
        sort_entries(&mut entries)?;
        Ok(Map::from_sorted(entries))
    }

    /// Creates a map from entries that [`sort_entries`] has sorted.
    pub(super) fn from_sorted(entries: Vec<Entry<'a>>) -> Self {
        Map(Entries::Owned(entries))
    }

    /// Creates a map from entries in an arena. The caller has sorted them with [`sort_entries`].
    pub(super) fn in_arena(entries: &'a [Entry<'a>]) -> Self {
        Map(Entries::InArena(entries))
    }

    /// Returns true if the map owns no memory.
    pub(super) fn is_borrowed(&self) -> bool {
        matches!(self.0, Entries::InArena(_))
    }

    fn entries(&self) -> &[Entry<'a>] {
        match &self.0 {
            Entries::Owned(entries) => entries,
            Entries::InArena(entries) => entries,
        }
    }

    /// Returns the entries for a change. Entries in an arena are copied first.
    fn entries_mut(&mut self) -> &mut Vec<Entry<'a>> {
        if let Entries::InArena(entries) = self.0 {
            self.0 = Entries::Owned(entries.to_vec());
        }
        match &mut self.0 {
            Entries::Owned(entries) => entries,
            Entries::InArena(_) => unreachable!("the entries were copied"),
        }
    }

    fn into_entries(self) -> Vec<Entry<'a>> {
        match self.0 {
            Entries::Owned(entries) => entries,
            Entries::InArena(entries) => entries.to_vec(),
        }
    }

    fn binary_search(&self, key: &str) -> Result<usize, usize> {
        self.entries().binary_search_by(|(k, _)| k.as_str().cmp(key))
    }

    fn position(&self, key: &str) -> Option<usize> {
        // Most maps are small. Comparing lengths rules out most keys, so a linear search beats a binary search.
        if self.len() <= 8 {
            return self.keys().position(|k| k == key);
        }
        self.binary_search(key).ok()
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Returns true if the map has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Doc<'a>> {
        self.position(key).map(|i| &self.entries()[i].1)
    }

    /// Returns a mutable reference to the value of a key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Doc<'a>> {
        self.position(key).map(|i| &mut self.entries_mut()[i].1)
    }

    /// Returns true if the map has the key.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Returns a map with only this key and its value. Returns an empty map if the map does not have the key.
    #[must_use]
    pub(crate) fn with_only(&self, key: &str) -> Self {
        let entry = self.position(key).map_or(0..0, |i| i..i + 1);
        Map(match &self.0 {
            Entries::Owned(entries) => Entries::Owned(entries[entry].to_vec()),
            Entries::InArena(entries) => Entries::InArena(&entries[entry]),
        })
    }

    /// Sets the value of a key and returns the previous value.
    pub fn insert(&mut self, key: Text<'a>, value: Doc<'a>) -> Option<Doc<'a>> {
        // Most maps are built in key order: appending needs no search and moves no entries.
        if self.entries().last().is_none_or(|(last, _)| *last < key) {
            self.entries_mut().push((key, value));
            return None;
        }
        match self.binary_search(&key) {
            Ok(i) => Some(std::mem::replace(&mut self.entries_mut()[i].1, value)),
            Err(i) => {
                self.entries_mut().insert(i, (key, value));
                None
            }
        }
    }

    /// Removes a key and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Doc<'a>> {
        self.position(key).map(|i| self.entries_mut().remove(i).1)
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
        let old = std::mem::take(self).into_entries();
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
        self.0 = Entries::Owned(result);
    }

    /// Removes the entries for which `keep` returns false.
    pub fn retain(&mut self, mut keep: impl FnMut(&Text<'a>, &mut Doc<'a>) -> bool) {
        self.entries_mut().retain_mut(|(k, v)| keep(k, v));
    }

    /// Copies the map into one that borrows nothing.
    #[must_use]
    pub fn to_static(&self) -> OwnedMap {
        let entries = self.iter().map(|(key, value)| (key.to_static(), value.to_static()));
        Map(Entries::Owned(entries.collect()))
    }

    /// Returns a copy that borrows its strings, and the maps that are in an arena.
    #[must_use]
    pub(crate) fn borrowed<'b>(&'b self) -> Map<'b>
    where
        'a: 'b,
    {
        Map(match &self.0 {
            Entries::Owned(entries) => {
                let entries = entries.iter().map(|(key, value)| (key.as_borrowed(), value.borrowed()));
                Entries::Owned(entries.collect())
            }
            Entries::InArena(entries) => Entries::InArena(entries),
        })
    }

    /// Iterates over the entries in key order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Text<'a>, &Doc<'a>)> + ExactSizeIterator {
        self.entries().iter().map(|(k, v)| (k, v))
    }

    /// Iterates over the entries in key order, with mutable references to the values.
    pub fn iter_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = (&Text<'a>, &mut Doc<'a>)> + ExactSizeIterator {
        self.entries_mut().iter_mut().map(|(k, v)| (&*k, v))
    }

    /// Iterates over the keys in order.
    #[must_use]
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Text<'a>> + ExactSizeIterator {
        self.entries().iter().map(|(k, _)| k)
    }

    /// Iterates over the keys that begin with a dollar sign. In a patch these are the directives.
    ///
    /// The keys are adjacent. Only keys that begin with a character below `$`, such as a space, precede them.
    #[inline]
    pub fn dollar_keys(&self) -> impl Iterator<Item = &Text<'a>> {
        let is_before = |(key, _): &Entry<'a>| key.as_bytes().first().is_none_or(|byte| *byte < b'$');
        let entries = self.entries();
        let from =
            if entries.first().is_some_and(is_before) { entries.partition_point(is_before) } else { 0 };
        entries[from..].iter().map(|(key, _)| key).take_while(|key| key.starts_with('$'))
    }
}

impl PartialEq for Map<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.entries() == other.entries()
    }
}

impl fmt::Debug for Map<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Map").field(&self.entries()).finish()
    }
}

/// Sorts the entries of a map by key. The error is a key that occurs twice.
pub(super) fn sort_entries<'a>(entries: &mut [Entry<'a>]) -> Result<(), Text<'a>> {
    let sorted = entries.is_sorted_by(|a, b| is_less(&a.0, &b.0));
    if !sorted {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        if let Some(pair) = entries.windows(2).find(|w| w[0].0 == w[1].0) {
            return Err(pair[0].0.clone());
        }
    }
    Ok(())
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
        self.into_entries().into_iter()
    }
}

/// The last entry of a key wins, as with repeated calls of `insert`.
impl<'a> FromIterator<(Text<'a>, Doc<'a>)> for Map<'a> {
    fn from_iter<I: IntoIterator<Item = (Text<'a>, Doc<'a>)>>(entries: I) -> Self {
        let entries = entries.into_iter();
        let mut map = Map::with_capacity(entries.size_hint().0);
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}
