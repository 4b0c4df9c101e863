//! The entries of a JSON object, sorted by key.

use super::{Doc, Text};

/// An object of a [`Doc`]: entries sorted by key, each key once.
///
/// Sorted entries give the same output as Go, let two maps be merged in one pass, and put all directives (`$…`)
/// together.
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
    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Map(Vec::new())
    }

    /// An empty map with room for `n` entries.
    #[must_use]
    pub fn with_capacity(n: usize) -> Self {
        Map(Vec::with_capacity(n))
    }

    /// Builds a map from entries in any order. A key that occurs twice is returned as the error.
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

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Doc<'a>> {
        // Most maps are small, and telling keys apart by their lengths is quicker than searching among them.
        if self.0.len() <= 8 {
            return self.0.iter().find(|(k, _)| k == key).map(|(_, value)| value);
        }
        self.binary_search(key).ok().map(|i| &self.0[i].1)
    }

    /// The value of a key, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Doc<'a>> {
        self.binary_search(key).ok().map(|i| &mut self.0[i].1)
    }

    /// Returns true if the map has the key.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.binary_search(key).is_ok()
    }

    /// Sets a key and returns the value that it had.
    pub fn insert(&mut self, key: Text<'a>, value: Doc<'a>) -> Option<Doc<'a>> {
        // Building in order is the common case: no search, no shift.
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

    /// Removes a key and returns the value that it had.
    pub fn remove(&mut self, key: &str) -> Option<Doc<'a>> {
        self.binary_search(key).ok().map(|i| self.0.remove(i).1)
    }

    /// Sets and removes (`None`) many keys in one pass. The changes are sorted by key, each key once.
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

    /// Keeps the entries for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&Text<'a>, &mut Doc<'a>) -> bool) {
        self.0.retain_mut(|(k, v)| keep(k, v));
    }

    /// Copies the map, so that it borrows nothing.
    #[must_use]
    pub fn to_static(&self) -> OwnedMap {
        Map(self.0.iter().map(|(key, value)| (key.to_static(), value.to_static())).collect())
    }

    /// The entries by key.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Text<'a>, &Doc<'a>)> + ExactSizeIterator {
        self.0.iter().map(|(k, v)| (k, v))
    }

    /// The entries by key, values to change.
    pub fn iter_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = (&Text<'a>, &mut Doc<'a>)> + ExactSizeIterator {
        self.0.iter_mut().map(|(k, v)| (&*k, v))
    }

    /// The keys in order.
    #[must_use]
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Text<'a>> + ExactSizeIterator {
        self.0.iter().map(|(k, _)| k)
    }

    /// The keys that begin with a dollar sign: in a patch, the directives. They are adjacent, and come before all
    /// fields but those whose names begin with one of the few characters that sort before `$`.
    #[inline]
    pub fn dollar_keys(&self) -> impl Iterator<Item = &Text<'a>> {
        let is_before =
            |(key, _): &(Text<'a>, Doc<'a>)| key.as_bytes().first().is_none_or(|byte| *byte < b'$');
        let from = if self.0.first().is_some_and(is_before) { self.0.partition_point(is_before) } else { 0 };
        self.0[from..].iter().map(|(key, _)| key).take_while(|key| key.starts_with('$'))
    }
}

/// Returns `a < b`, which the first bytes usually decide.
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

/// Later entries of an equal key win, as with repeated `insert`.
impl<'a> FromIterator<(Text<'a>, Doc<'a>)> for Map<'a> {
    fn from_iter<I: IntoIterator<Item = (Text<'a>, Doc<'a>)>>(entries: I) -> Self {
        let mut map = Map::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}
