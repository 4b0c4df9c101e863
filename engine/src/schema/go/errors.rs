//! Errors of reading Go, with their positions.

use std::fmt;

use crate::error::{Error, ErrorKind};

/// An error in a Go text, with its position. Displayed as `line:column: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GoError {
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1 in bytes, as in the tools of Go.
    pub column: u32,
    /// The kind of error.
    pub kind: GoErrorKind,
    /// A message that describes the error and, if possible, how to correct it.
    pub message: String,
}

impl fmt::Display for GoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for GoError {}

/// Converts the error to the kind [`ErrorKind::InvalidSchema`]. The message contains the position.
impl From<GoError> for Error {
    fn from(error: GoError) -> Self {
        Error::new(ErrorKind::InvalidSchema, error.to_string())
    }
}

macro_rules! go_error_kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $id:literal,)+) => {
        /// The kind of an error in a Go text.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum GoErrorKind {
            $($(#[doc = $doc])+ $name,)+
            /// A tag that a directive declares contradicts the other metadata of the field. This kind has the id of the
            /// rule that the directive declares: see [`TagCheck`](crate::schema::TagCheck).
            Tag(&'static str),
        }

        impl GoErrorKind {
            /// All kinds except [`GoErrorKind::Tag`].
            pub const ALL: &'static [GoErrorKind] = &[$(GoErrorKind::$name),+];

            /// Returns the id that messages and cases use.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self { $(GoErrorKind::$name => $id,)+ GoErrorKind::Tag(rule) => rule }
            }
        }
    };
}

go_error_kinds! {
    /// The text is not Go.
    Syntax = "syntax",
    /// The text contains `...`, with which a design document leaves something out.
    Ellipsis = "ellipsis",
    /// The text is longer than [`super::MAX_SOURCE`].
    TooLarge = "too-large",
    /// Brackets or types nest deeper than [`super::MAX_NESTING`].
    TooDeep = "too-deep",
    /// The text declares no type.
    Empty = "empty",
    /// The text has a declaration that is neither a type nor a constant.
    UnsupportedDeclaration = "unsupported-declaration",
    /// The type cannot occur in a document: a channel, a function, a generic type or a complex number.
    UnsupportedType = "unsupported-type",
    /// A type name is neither declared in the text nor well known.
    UnresolvedType = "unresolved-type",
    /// A type contains itself by value, or is an alias of itself.
    RecursiveType = "recursive-type",
    /// The keys of a map are not strings.
    MapKey = "map-key",
    /// A struct tag is not a sequence of `key:"value"` pairs.
    MalformedTag = "malformed-tag",
    /// An option of the `json` tag is unknown, or cannot be used on the field.
    BadJsonOption = "bad-json-option",
    /// `encoding/json` ignores the field, because its name is not exported.
    UnexportedField = "unexported-field",
    /// The option `,inline` is on a field that cannot be inlined.
    BadInline = "bad-inline",
    /// Two types have the same name.
    DuplicateType = "duplicate-type",
    /// Two fields of a struct have the same JSON name.
    DuplicateField = "duplicate-field",
    /// Two constants have the same name.
    DuplicateConstant = "duplicate-constant",
    /// The value of a constant of a string type cannot be determined.
    BadConstant = "bad-constant",
    /// The marker `+enum` is on a type that is not a string type, or that has no constants.
    BadEnum = "bad-enum",
    /// A patch strategy is unknown, or upstream refuses the combination of strategies.
    BadStrategy = "bad-strategy",
    /// A list of merge keys has an empty or repeated entry, or differs from the marker `+patchMergeKey`.
    BadMergeKey = "bad-merge-key",
    /// The value of a marker is invalid, or two markers contradict each other.
    BadMarker = "bad-marker",
    /// A marker is not above a type, a field or a constant.
    MisplacedMarker = "misplaced-marker",
}

/// A line and a column in a text, both counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Position {
    /// Returns an error at this position.
    pub(super) fn error(self, kind: GoErrorKind, message: impl Into<String>) -> GoError {
        GoError { line: self.line, column: self.column, kind, message: message.into() }
    }

    /// Returns the position that is `bytes` bytes further to the right on the same line.
    pub(super) fn plus_bytes(self, bytes: usize) -> Self {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        Position { line: self.line, column: self.column.saturating_add(bytes) }
    }
}
