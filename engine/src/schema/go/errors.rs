//! Errors of reading Go, with their positions.

use std::fmt;

use crate::error::{Error, ErrorKind};

/// An error in a Go text, with its position. Displayed as `line:column: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GoError {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in bytes as Go's own tools count.
    pub column: u32,
    /// The kind of error.
    pub kind: GoErrorKind,
    /// A sentence that names the error, and the remedy where it is known.
    pub message: String,
}

impl fmt::Display for GoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for GoError {}

/// The engine's error for a schema that cannot be read: kind [`ErrorKind::InvalidSchema`], position in the
/// message.
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
            /// A tag that a directive declares contradicts the other metadata of the field. It has the id of the rule
            /// that the directive declares: see [`TagCheck`](crate::schema::TagCheck).
            Tag(&'static str),
        }

        impl GoErrorKind {
            /// Every kind there is, except for those of the tags of directives.
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
    /// `...` where the document left something out.
    Ellipsis = "ellipsis",
    /// The text is longer than [`super::MAX_SOURCE`].
    TooLarge = "too-large",
    /// Brackets or types nest deeper than [`super::MAX_NESTING`].
    TooDeep = "too-deep",
    /// The text declares no type.
    Empty = "empty",
    /// A declaration that is neither a type nor a constant.
    UnsupportedDeclaration = "unsupported-declaration",
    /// A type that has no form in a document: channels, functions, generics, complex numbers.
    UnsupportedType = "unsupported-type",
    /// A type name that is declared neither here nor in the table of well-known types.
    UnresolvedType = "unresolved-type",
    /// A type that contains itself by value, or is an alias of itself.
    RecursiveType = "recursive-type",
    /// A map whose keys are not strings.
    MapKey = "map-key",
    /// A struct tag that is not a row of `key:"value"` pairs.
    MalformedTag = "malformed-tag",
    /// An option of the `json` tag that is not known, or does not apply to the field.
    BadJsonOption = "bad-json-option",
    /// A field that `encoding/json` ignores, because its name is not exported.
    UnexportedField = "unexported-field",
    /// `,inline` where nothing can be inlined.
    BadInline = "bad-inline",
    /// Two types of one name.
    DuplicateType = "duplicate-type",
    /// Two fields of one struct with the same JSON name.
    DuplicateField = "duplicate-field",
    /// Two constants of one name.
    DuplicateConstant = "duplicate-constant",
    /// A constant of a string type whose value cannot be told.
    BadConstant = "bad-constant",
    /// `+enum` on a type that is not a string, or has no constants.
    BadEnum = "bad-enum",
    /// An unknown patch strategy, or a combination that upstream refuses.
    BadStrategy = "bad-strategy",
    /// A list of merge keys with an empty or repeated entry, or one that its marker contradicts.
    BadMergeKey = "bad-merge-key",
    /// A marker with a value that it cannot have, or two that contradict each other.
    BadMarker = "bad-marker",
    /// A marker that stands above no type, field or constant.
    MisplacedMarker = "misplaced-marker",
}

/// A position in a source, from 1.
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

    /// Returns the position `bytes` further on the same line.
    pub(super) fn plus_bytes(self, bytes: usize) -> Self {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        Position { line: self.line, column: self.column.saturating_add(bytes) }
    }
}
