use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, SeqAccess, Visitor,
};
use serde::ser::{Serialize, Serializer};

/// A range of bytes in the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The offset of the first byte.
    pub offset: usize,
    /// The length in bytes. It is 0 if the value is not written in the text, such as the value in `key:`.
    pub length: usize,
}

impl Span {
    /// Creates a span of `length` bytes from `offset`.
    #[must_use]
    pub const fn new(offset: usize, length: usize) -> Self {
        Span { offset, length }
    }

    /// Returns the offset of the first byte after the span.
    #[must_use]
    pub const fn end(self) -> usize {
        self.offset.saturating_add(self.length)
    }

    /// Returns the shortest span that contains both spans.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        let offset = self.offset.min(other.offset);
        Span { offset, length: self.end().max(other.end()) - offset }
    }
}

/// A value with its source span.
///
/// If read from a [`ParsedFile`](crate::ParsedFile), the span is that of the value. Any other deserializer sets the
/// default span. Comparisons and hashes use only the value, so a `Spanned<String>` can be the key of a map.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The source span of the value.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Creates a value with a span.
    pub const fn new(value: T, span: Span) -> Self {
        Spanned { value, span }
    }

    /// Returns the value without its span.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Creates a value that is not from a file.
impl<T> From<T> for Spanned<T> {
    fn from(value: T) -> Self {
        Spanned { value, span: Span::default() }
    }
}

impl From<&str> for Spanned<String> {
    fn from(value: &str) -> Self {
        value.to_owned().into()
    }
}

impl<T: fmt::Display> fmt::Display for Spanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Spanned<T> {}

impl<T: PartialOrd> PartialOrd for Spanned<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<T: Ord> Ord for Spanned<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(&other.value)
    }
}

impl<T: Hash> Hash for Spanned<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

/// The newtype name by which the deserializer of this crate recognises [`Spanned`]. No Rust type can have this name.
pub(super) const SPANNED_NEWTYPE_NAME: &str = "$skewer::Spanned";

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SPANNED_NEWTYPE_NAME, SpannedVisitor(PhantomData))
    }
}

impl<T: Serialize> Serialize for Spanned<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

struct SpannedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for SpannedVisitor<T> {
    type Value = Spanned<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value with its source span")
    }

    /// Reads the value from any other deserializer, without a span.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Spanned<T>, D::Error> {
        T::deserialize(deserializer).map(|value| Spanned { value, span: Span::default() })
    }

    /// Reads the offset, the length and the value from the deserializer of this crate.
    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Spanned<T>, A::Error> {
        let missing = || A::Error::custom("a value with its source span has three parts");
        let offset = parts.next_element()?.ok_or_else(missing)?;
        let length = parts.next_element()?.ok_or_else(missing)?;
        let value = parts.next_element()?.ok_or_else(missing)?;
        Ok(Spanned { value, span: Span { offset, length } })
    }
}

/// The JSON Schema is that of the value, because a file contains no spans.
impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// The three parts of a [`Spanned`] as a sequence: the offset, the length, the value.
pub(crate) struct SpannedParts<D> {
    span: Span,
    given: usize,
    value: Option<D>,
}

impl<D> SpannedParts<D> {
    pub(crate) fn new(span: Span, value: D) -> Self {
        SpannedParts { span, given: 0, value: Some(value) }
    }
}

impl<'de, D: Deserializer<'de>> SeqAccess<'de> for SpannedParts<D> {
    type Error = D::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, D::Error> {
        self.given += 1;
        match self.given {
            1 => seed.deserialize(self.span.offset.into_deserializer()).map(Some),
            2 => seed.deserialize(self.span.length.into_deserializer()).map(Some),
            _ => self.value.take().map(|value| seed.deserialize(value)).transpose(),
        }
    }
}
