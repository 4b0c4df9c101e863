//! Memory for the documents of one operation.

use bumpalo::Bump;
use bumpalo::collections::Vec;

use super::map::Entry;
use super::{Doc, Text};

/// Memory for documents that are read for one operation and freed together.
///
/// Most maps of a Kubernetes document are small and have only scalars. [`from_json_in`](super::from_json_in) stores them
/// next to each other in an arena. A map that contains a list owns its entries, because an arena does not free what its
/// contents own. A map in an arena is copied when it is changed.
#[derive(Debug, Default)]
pub struct Arena(Bump);

impl Arena {
    /// Maximum number of bytes that an arena reserves before it is used.
    const MAX_RESERVED: usize = 64 * 1024;

    /// Creates an arena for documents whose texts have this total length in bytes.
    #[must_use]
    pub fn for_text_of(length: usize) -> Self {
        Arena(Bump::with_capacity((2 * length).min(Self::MAX_RESERVED)))
    }

    /// Creates an empty vector in the arena for the entries of a map.
    pub(super) fn entries(&self, capacity: usize) -> Vec<'_, Entry<'_>> {
        Vec::with_capacity_in(capacity, &self.0)
    }

    /// Copies a string into the arena.
    pub(super) fn copy_text(&self, text: &str) -> Text<'_> {
        Text::borrowed(self.0.alloc_str(text))
    }
}

/// A vector that constructs an item in its own memory.
pub(super) trait PushWith<T> {
    /// Appends an item that is constructed only after the vector has reserved its memory.
    fn push_with(&mut self, item: impl FnOnce() -> T);
}

impl<T> PushWith<T> for std::vec::Vec<T> {
    #[inline]
    fn push_with(&mut self, item: impl FnOnce() -> T) {
        self.extend(std::iter::once_with(item));
    }
}

impl<T> PushWith<T> for Vec<'_, T> {
    #[inline]
    fn push_with(&mut self, item: impl FnOnce() -> T) {
        // After the loop, the compiler knows that `push` reserves nothing.
        while self.len() == self.capacity() {
            self.reserve(1);
        }
        self.push(item());
    }
}

/// Returns true if the entries own no memory.
pub(super) fn all_borrowed(entries: &[Entry<'_>]) -> bool {
    entries.iter().all(|(key, value)| key.is_borrowed() && is_borrowed(value))
}

/// Returns true if the document owns no memory.
fn is_borrowed(value: &Doc<'_>) -> bool {
    match value {
        Doc::Null | Doc::Bool(_) | Doc::Int(_) | Doc::Float(_) => true,
        Doc::String(text) => text.is_borrowed(),
        Doc::List(items) => items.capacity() == 0,
        Doc::Map(map) => map.is_borrowed(),
    }
}
