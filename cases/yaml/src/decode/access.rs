//! Serde access to the parts of nodes.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::error::DecodeError;
use super::node_reader::{NodePath, NodeReader};
use super::placeholder::Placeholder;
use crate::{MapEntry, Node};

/// Serde access to the elements of a list.
pub(super) struct Items<'de, 't> {
    reader: NodeReader<'de, 't>,
    remaining: std::iter::Enumerate<std::slice::Iter<'de, Node>>,
    /// True if every element is required, as in a tuple. If false, elements with errors are left out.
    all_required: bool,
}

impl<'de, 't> Items<'de, 't> {
    pub(super) fn new(reader: NodeReader<'de, 't>, items: &'de [Node], all_required: bool) -> Self {
        Items { reader, remaining: items.iter().enumerate(), all_required }
    }
}

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = DecodeError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        let state = self.reader.state;
        let Some((index, node)) = self.remaining.find(|(_, node)| !state.is_skipped(node)) else {
            return Ok(None);
        };
        let path = NodePath::Index(self.reader.path, index);
        let reader = self.reader.child(node, &path);
        let result = seed.deserialize(reader);
        let result =
            if self.all_required { reader.report_here(result) } else { reader.report_and_skip(result) };
        result.map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.remaining.len())
    }
}

/// Serde access to the entries of a map or the fields of a struct.
pub(super) struct Entries<'de, 't> {
    reader: NodeReader<'de, 't>,
    remaining: std::vec::IntoIter<&'de MapEntry>,
    /// The missing required fields of the struct, which are filled with placeholders. They follow the entries of the
    /// map.
    placeholders: std::vec::IntoIter<&'static str>,
    /// The entry whose key was returned last; `None` if the last key was that of a missing field, for
    /// which a placeholder is decoded.
    current: Option<&'de MapEntry>,
}

impl<'de, 't> Entries<'de, 't> {
    pub(super) fn new(
        reader: NodeReader<'de, 't>,
        entries: Vec<&'de MapEntry>,
        placeholders: Vec<&'static str>,
    ) -> Self {
        Entries {
            reader,
            remaining: entries.into_iter(),
            placeholders: placeholders.into_iter(),
            current: None,
        }
    }
}

impl<'de> MapAccess<'de> for Entries<'de, '_> {
    type Error = DecodeError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, DecodeError> {
        let state = self.reader.state;
        self.current = self.remaining.find(|entry| !state.is_skipped(&entry.value));
        let Some(entry) = self.current else {
            let Some(field) = self.placeholders.next() else { return Ok(None) };
            return seed.deserialize(BorrowedStrDeserializer::new(field)).map(Some);
        };
        let path = NodePath::Key(self.reader.path, entry.name());
        let reader = self.reader.child(&entry.key, &path);
        let result = reader.report_here(seed.deserialize(reader));
        // An entry is left out if either its key or its value has an error.
        self.reader.child(&entry.value, &path).report_and_skip(result).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, DecodeError> {
        let Some(entry) = self.current else {
            // The missing field is already reported, so no error is added if its type accepts no placeholder.
            return seed.deserialize(Placeholder::default()).map_err(|_| DecodeError::Reported);
        };
        let path = NodePath::Key(self.reader.path, entry.name());
        let reader = self.reader.child(&entry.value, &path);
        reader.report_and_skip(seed.deserialize(reader))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.remaining.len() + self.placeholders.len())
    }
}
