//! Strings of documents.

use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use compact_str::CompactString;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A string of a document. It either borrows from the text that was read, or owns its bytes.
///
/// A patch leaves most strings of a document unchanged; borrowing avoids copying them. An owned string of up to 24
/// bytes is stored inline, without an allocation.
///
/// ```
/// use skewer_engine::{OwnedText, Text};
///
/// let read = String::from("name");
/// let text = Text::borrowed(&read);
/// let owned: OwnedText = text.to_static();
/// assert_eq!(text, owned);
/// assert!(owned.starts_with("na"));
/// ```
#[derive(Clone)]
pub struct Text<'a>(Repr<'a>);

#[derive(Clone)]
enum Repr<'a> {
    Borrowed(&'a str),
    /// A borrowed string that JSON writes without escapes.
    EscapeFree(&'a str),
    Owned(CompactString),
}

/// A string that borrows nothing.
pub type OwnedText = Text<'static>;

impl<'a> Text<'a> {
    /// Borrows a string.
    #[must_use]
    pub const fn borrowed(text: &'a str) -> Self {
        Text(Repr::Borrowed(text))
    }

    /// Borrows a string without characters that JSON escapes. The writer copies it without searching for them.
    pub(super) const fn escape_free(text: &'a str) -> Self {
        Text(Repr::EscapeFree(text))
    }

    /// Returns true if the string is known to have no characters that JSON escapes.
    pub(super) fn is_escape_free(&self) -> bool {
        matches!(self.0, Repr::EscapeFree(_))
    }

    /// Returns a text that borrows this one.
    #[must_use]
    pub(crate) fn as_borrowed(&self) -> Text<'_> {
        match &self.0 {
            Repr::Borrowed(text) => Text::borrowed(text),
            Repr::EscapeFree(text) => Text::escape_free(text),
            Repr::Owned(text) => Text::borrowed(text),
        }
    }

    /// Returns true if the text owns no memory.
    pub(super) fn is_borrowed(&self) -> bool {
        !matches!(self.0, Repr::Owned(_))
    }

    /// Returns the text as a string slice.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Borrowed(text) | Repr::EscapeFree(text) => text,
            Repr::Owned(text) => text,
        }
    }

    /// Copies the text into one that borrows nothing.
    #[must_use]
    pub fn to_static(&self) -> OwnedText {
        Text(Repr::Owned(CompactString::from(self.as_str())))
    }
}

impl OwnedText {
    /// Creates a text from a string constant without copying it.
    #[must_use]
    pub const fn from_static(text: &'static str) -> Self {
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

/// Returns the first and the last N bytes of a text, which may overlap.
#[inline]
fn ends<const N: usize>(text: &[u8]) -> Option<(&[u8; N], &[u8; N])> {
    Some((text.first_chunk()?, text.last_chunk()?))
}

/// Returns true if two strings are equal. Most keys and values are short, and two comparisons of machine words, which may
/// overlap, are faster than a call.
#[inline]
fn is_equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    match a.len() {
        4..=8 => ends::<4>(a) == ends::<4>(b),
        9..=16 => ends::<8>(a) == ends::<8>(b),
        17..=32 => ends::<16>(a) == ends::<16>(b),
        _ => a == b,
    }
}

/// Compares two strings. Strings of the same length, such as numbered names, are compared as by [`is_equal`]: if the first
/// bytes are equal, then the last bytes have the same order as the whole strings, because they overlap.
#[inline]
fn compare(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    match a.len() {
        length if length != b.len() => a.cmp(b),
        4..=8 => ends::<4>(a).cmp(&ends::<4>(b)),
        9..=16 => ends::<8>(a).cmp(&ends::<8>(b)),
        _ => a.cmp(b),
    }
}

impl<'b> PartialEq<Text<'b>> for Text<'_> {
    #[inline]
    fn eq(&self, other: &Text<'b>) -> bool {
        is_equal(self, other)
    }
}

impl Eq for Text<'_> {}

impl PartialEq<str> for Text<'_> {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        is_equal(self, other)
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        is_equal(self, other)
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
        compare(self, other)
    }
}

/// Hashes like `str`, as `Borrow<str>` requires: a hash map with `Text` keys can be searched for a `&str`.
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
        Text(Repr::Owned(text.into()))
    }
}

impl From<&String> for Text<'_> {
    fn from(text: &String) -> Self {
        Text(Repr::Owned(text.into()))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Text(Repr::Owned(text.into()))
    }
}

impl From<Cow<'_, str>> for Text<'_> {
    fn from(text: Cow<'_, str>) -> Self {
        Text(Repr::Owned(text.into()))
    }
}

impl From<Text<'_>> for String {
    fn from(text: Text<'_>) -> Self {
        match text.0 {
            Repr::Borrowed(text) | Repr::EscapeFree(text) => text.to_owned(),
            Repr::Owned(text) => text.into_string(),
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
        CompactString::deserialize(deserializer).map(|text| Text(Repr::Owned(text)))
    }
}

/// Returns text as a quoted Go string (`%q`): `"a\nb"`. Upstream: `strconv.Quote`.
#[must_use]
pub fn go_quote(text: &str) -> String {
    struct Quoted<'t>(&'t str);
    impl fmt::Display for Quoted<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write_quoted(f, self.0)
        }
    }
    Quoted(text).to_string()
}

/// Writes text as a quoted Go string. Go writes characters that are not printable as escapes.
pub(crate) fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\u{7}' => f.write_str("\\a")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\u{b}' => f.write_str("\\v")?,
            c if c < ' ' || c == '\u{7f}' => write!(f, "\\x{:02x}", u32::from(c))?,
            c if is_printable(c) => f.write_char(c)?,
            c if u32::from(c) < 0x1_0000 => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "\\U{:08x}", u32::from(c))?,
        }
    }
    f.write_char('"')
}

/// Returns true if Go prints a character as it is. Rust escapes the same characters in debug output, except for those
/// that combine with the previous one.
fn is_printable(c: char) -> bool {
    c.is_ascii() || c.escape_debug().count() == 1
}
