//! Strings of documents.

use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use compact_str::CompactString;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A string of a document: where it stands in the text that was read, or on its own.
///
/// Documents that are patched are mostly strings that nobody changes: these are not copied. A string of its own is
/// stored inline up to 24 bytes.
///
/// ```
/// use skewer_engine::{OwnedText, value::Text};
///
/// let read = String::from("name");
/// let text = Text::borrowed(&read);
/// let own: OwnedText = text.to_static();
/// assert_eq!(text, own);
/// assert!(own.starts_with("na"));
/// ```
#[derive(Clone)]
pub struct Text<'a>(Repr<'a>);

#[derive(Clone)]
enum Repr<'a> {
    Borrowed(&'a str),
    /// Nothing in it needs an escape in JSON.
    Plain(&'a str),
    Own(CompactString),
}

/// A string that borrows nothing.
pub type OwnedText = Text<'static>;

impl<'a> Text<'a> {
    /// A string that stands elsewhere.
    #[must_use]
    pub const fn borrowed(text: &'a str) -> Self {
        Text(Repr::Borrowed(text))
    }

    /// A string as it stands in JSON, without escapes.
    pub(super) const fn plain(text: &'a str) -> Self {
        Text(Repr::Plain(text))
    }

    /// Is it known that nothing in it needs an escape?
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.0, Repr::Plain(_))
    }

    /// The string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Borrowed(text) | Repr::Plain(text) => text,
            Repr::Own(text) => text,
        }
    }

    /// The same string, which borrows nothing.
    #[must_use]
    pub fn to_static(&self) -> OwnedText {
        Text(Repr::Own(CompactString::from(self.as_str())))
    }
}

impl OwnedText {
    /// A string of the program.
    #[must_use]
    pub const fn const_new(text: &'static str) -> Self {
        Text::borrowed(text)
    }
}

impl Default for Text<'_> {
    fn default() -> Self {
        Text::borrowed("")
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text<'_> {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Text<'_> {
    fn borrow(&self) -> &str {
        self
    }
}

impl<'b> PartialEq<Text<'b>> for Text<'_> {
    fn eq(&self, other: &Text<'b>) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text<'_> {}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Text<'_> {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<Text<'_>> for str {
    fn eq(&self, other: &Text<'_>) -> bool {
        self == other.as_str()
    }
}

impl PartialEq<Text<'_>> for &str {
    fn eq(&self, other: &Text<'_>) -> bool {
        *self == other.as_str()
    }
}

impl PartialEq<Text<'_>> for String {
    fn eq(&self, other: &Text<'_>) -> bool {
        self == other.as_str()
    }
}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other)
    }
}

/// As that of `str`, by which strings are looked up.
impl Hash for Text<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl From<&str> for Text<'_> {
    fn from(text: &str) -> Self {
        Text(Repr::Own(text.into()))
    }
}

impl From<&String> for Text<'_> {
    fn from(text: &String) -> Self {
        Text(Repr::Own(text.into()))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Text(Repr::Own(text.into()))
    }
}

impl From<Cow<'_, str>> for Text<'_> {
    fn from(text: Cow<'_, str>) -> Self {
        Text(Repr::Own(text.into()))
    }
}

impl From<Text<'_>> for String {
    fn from(text: Text<'_>) -> Self {
        match text.0 {
            Repr::Borrowed(text) | Repr::Plain(text) => text.to_owned(),
            Repr::Own(text) => text.into_string(),
        }
    }
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for OwnedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        CompactString::deserialize(deserializer).map(|text| Text(Repr::Own(text)))
    }
}
