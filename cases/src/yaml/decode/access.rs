use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess};

use super::Trail;
use super::blank::Blank;
use super::failure::Failure;
use super::reader::NodeReader;
use crate::yaml::{Entry, Node, Span};

/// The elements of a list.
pub(super) struct Items<'de, 't> {
    reader: NodeReader<'de, 't>,
    left: std::iter::Enumerate<std::slice::Iter<'de, Node>>,
    /// Is every element needed, as in a tuple? Otherwise those that fail are left out.
    all: bool,
}

impl<'de, 't> Items<'de, 't> {
    pub(super) fn new(reader: NodeReader<'de, 't>, items: &'de [Node], all: bool) -> Self {
        Items { reader, left: items.iter().enumerate(), all }
    }
}

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = Failure;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Failure> {
        let state = self.reader.state;
        let Some((index, node)) = self.left.find(|(_, node)| !state.is_skipped(node)) else {
            return Ok(None);
        };
        let trail = Trail::Index(self.reader.trail, index);
        let reader = self.reader.below(node, &trail);
        let result = seed.deserialize(reader);
        let result = if self.all { reader.located(result) } else { reader.skippable(result) };
        result.map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// The entries of a map or the fields of a struct.
pub(super) struct Entries<'de, 't> {
    reader: NodeReader<'de, 't>,
    left: std::vec::IntoIter<&'de Entry>,
    /// Fields that the struct lacks, which come last.
    blanks: std::vec::IntoIter<&'static str>,
    /// The entry whose key was given out last; a blank has none.
    current: Option<&'de Entry>,
}

impl<'de, 't> Entries<'de, 't> {
    pub(super) fn new(
        reader: NodeReader<'de, 't>,
        entries: Vec<&'de Entry>,
        blanks: Vec<&'static str>,
    ) -> Self {
        Entries { reader, left: entries.into_iter(), blanks: blanks.into_iter(), current: None }
    }
}

impl<'de> MapAccess<'de> for Entries<'de, '_> {
    type Error = Failure;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Failure> {
        let state = self.reader.state;
        self.current = self.left.find(|entry| !state.is_skipped(&entry.value));
        let Some(entry) = self.current else {
            let Some(field) = self.blanks.next() else { return Ok(None) };
            return seed.deserialize(BorrowedStrDeserializer::new(field)).map(Some);
        };
        let trail = Trail::Key(self.reader.trail, entry.name());
        let reader = self.reader.below(&entry.key, &trail);
        let result = reader.located(seed.deserialize(reader));
        // An entry whose key fails is left out like one whose value does.
        self.reader.below(&entry.value, &trail).skippable(result).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Failure> {
        let Some(entry) = self.current else {
            // Why there is a blank was reported; a type that takes none adds nothing to that.
            return seed.deserialize(Blank::default()).map_err(|_| Failure::Reported);
        };
        let trail = Trail::Key(self.reader.trail, entry.name());
        let reader = self.reader.below(&entry.value, &trail);
        reader.skippable(seed.deserialize(reader))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len() + self.blanks.len())
    }
}

/// The three parts of a `Spanned`: the offset, the length, the value.
pub(super) struct SpannedParts<D> {
    span: Span,
    given: usize,
    value: Option<D>,
}

impl<D> SpannedParts<D> {
    pub(super) fn new(span: Span, value: D) -> Self {
        SpannedParts { span, given: 0, value: Some(value) }
    }
}

impl<'de, D: Deserializer<'de, Error = Failure>> SeqAccess<'de> for SpannedParts<D> {
    type Error = Failure;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Failure> {
        self.given += 1;
        match self.given {
            1 => seed.deserialize(self.span.offset.into_deserializer()).map(Some),
            2 => seed.deserialize(self.span.length.into_deserializer()).map(Some),
            _ => self.value.take().map(|value| seed.deserialize(value)).transpose(),
        }
    }
}
