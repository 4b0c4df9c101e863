use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess};

use super::error::DecodeError;
use crate::Span;

/// The three parts of a [`Spanned`](crate::Spanned) as a sequence: the offset, the length, the value.
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

impl<'de, D: Deserializer<'de, Error = DecodeError>> SeqAccess<'de> for SpannedParts<D> {
    type Error = DecodeError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        self.given += 1;
        match self.given {
            1 => seed.deserialize(self.span.offset.into_deserializer()).map(Some),
            2 => seed.deserialize(self.span.length.into_deserializer()).map(Some),
            _ => self.value.take().map(|value| seed.deserialize(value)).transpose(),
        }
    }
}
