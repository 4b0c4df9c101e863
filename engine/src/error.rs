//! Errors: each has a kind that a case can name, a field path, and a message.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::document::{OwnedText, Text};
use crate::field_path::{FieldPath, PathSegment};

/// The result of an engine operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of a failed operation.
///
/// Displayed as `path: message`. A failed operation leaves its inputs unchanged.
///
/// ```
/// use skewer_engine::ErrorKind;
/// use skewer_engine::document::from_json;
///
/// let error = from_json(br#"{"a":1,"a":2}"#).expect_err("a key that occurs twice is refused");
/// assert_eq!(error.kind(), ErrorKind::InvalidDocument);
/// assert_eq!(ErrorKind::from_id(error.kind().id()), Some(error.kind()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Repr>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Repr {
    kind: ErrorKind,
    path: FieldPath,
    directive: Option<OwnedText>,
    message: String,
}

impl Error {
    /// Makes an error at the root of the document; [`Error::at`] moves it down.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Repr { kind, path: FieldPath::root(), directive: None, message: message.into() }))
    }

    /// Makes an error of the kind [`ErrorKind::InvalidDirective`]. `directive` is the name of the directive.
    pub fn invalid_directive(directive: &str, message: impl Into<String>) -> Self {
        let mut error = Error::new(ErrorKind::InvalidDirective, message);
        error.0.directive = Some(Text::from(directive));
        error
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The name of the directive that is invalid. `None` for errors of other kinds, and for those of an implementation that
    /// does not name it.
    #[must_use]
    pub fn directive(&self) -> Option<&str> {
        self.0.directive.as_deref()
    }

    /// Describes the kind: its id, with the directive if there is one.
    #[must_use]
    pub fn describe_kind(&self) -> String {
        self.kind().describe(self.directive())
    }

    /// The path of the value that is wrong.
    #[must_use]
    pub fn path(&self) -> &FieldPath {
        &self.0.path
    }

    /// The message, without the path.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Prepends the key of a map to the path.
    #[must_use]
    pub fn at(mut self, key: &str) -> Self {
        self.0.path.prepend(PathSegment::Key(Text::from(key)));
        self
    }

    /// Prepends the index of a list item to the path.
    #[must_use]
    pub fn at_index(mut self, index: usize) -> Self {
        self.0.path.prepend(PathSegment::Index(index));
        self
    }

    /// Prepends a path to the path.
    #[must_use]
    pub(crate) fn at_path(mut self, path: &FieldPath) -> Self {
        path.segments().iter().rev().for_each(|segment| self.0.path.prepend(segment.clone()));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.path.segments().is_empty() {
            f.write_str(&self.0.message)
        } else {
            write!(f, "{}: {}", self.0.path, self.0.message)
        }
    }
}

impl std::error::Error for Error {}

macro_rules! error_kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $id:literal,)+) => {
        /// The kind of an error. Cases name a kind by its id, for example `missing-merge-key`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[doc = $doc])+ #[serde(rename = $id)] $name,)+
        }

        impl ErrorKind {
            /// Every kind.
            pub const ALL: &'static [ErrorKind] = &[$(ErrorKind::$name),+];

            /// Returns the id that cases and reports use.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self { $(ErrorKind::$name => $id),+ }
            }

            /// Describes the kind: `conflict`, or `invalid-directive of $retainKeys` for a directive.
            #[must_use]
            pub fn describe(self, directive: Option<&str>) -> String {
                match directive {
                    Some(directive) => format!("{} of {directive}", self.id()),
                    None => self.id().to_owned(),
                }
            }

            /// Returns the kind with this id.
            #[must_use]
            pub fn from_id(id: &str) -> Option<Self> {
                match id { $($id => Some(ErrorKind::$name),)+ _ => None }
            }
        }
    };
}

error_kinds! {
    /// The bytes are not one JSON object. Upstream: `mergepatch.ErrBadJSONDoc`.
    InvalidDocument = "invalid-document",
    /// The document nests deeper than [`crate::document::MAX_DEPTH`].
    TooDeep = "too-deep",
    /// Both sides have a map or a list in a field that the schema does not know. Upstream: `unable to find api
    /// field`.
    UnknownField = "unknown-field",
    /// The document has a list where the schema has none, or the other way round. Upstream: `expected slice or array
    /// type`.
    SchemaMismatch = "schema-mismatch",
    /// A value has another kind than expected. Upstream: `mergepatch.ErrBadArgType`.
    WrongKind = "wrong-kind",
    /// A list in a list that is to be merged. Upstream: `mergepatch.ErrNoListOfLists`.
    ListOfLists = "list-of-lists",
    /// The items of lists to be merged are of different kinds. Upstream: `list element types are not identical`.
    MixedList = "mixed-list",
    /// A list to be ordered has no items at all. Upstream: `no elements in any of the given slices`.
    EmptyList = "empty-list",
    /// An item of a merging list lacks its merge key. Upstream: `mergepatch.ErrNoMergeKey`.
    MissingMergeKey = "missing-merge-key",
    /// A list of maps is to be merged and the schema has no merge key for it. Upstream: `cannot merge lists
    /// without merge key`.
    UndeclaredMergeKey = "undeclared-merge-key",
    /// A directive is malformed, or does not fit the rest of the patch or a patch that it is combined with. The error has
    /// the name of the directive: see [`Error::invalid_directive`]. Upstream: `mergepatch.ErrBadPatchType`,
    /// `mergepatch.ErrBadPatchFormatForRetainKeys` and others, each for one directive.
    InvalidDirective = "invalid-directive",
    /// A list or a map where upstream compares scalars and panics ("hash of unhashable type", "comparing
    /// uncomparable type").
    NotAScalar = "not-a-scalar",
    /// More than two patch strategies on one field, or two without `retainKeys`. Upstream: `unexpected patch
    /// strategy`.
    BadStrategy = "bad-strategy",
    /// An item that lists its own merge keys leaves the default merge key out.
    DefaultMergeKeyMissing = "default-merge-key-missing",
    /// The merge keys of an item match more than one live item.
    AmbiguousMergeKey = "ambiguous-merge-key",
    /// A field was changed differently in live. Upstream: `mergepatch.ErrConflict`.
    Conflict = "conflict",
    /// A precondition of the caller does not hold. Upstream: `mergepatch.ErrPreconditionFailed`.
    PreconditionFailed = "precondition-failed",
    /// Strategic merge patch of a custom resource. Upstream:
    /// `mergepatch.ErrUnsupportedStrategicMergePatchFormat`.
    UnsupportedPatchFormat = "unsupported-patch-format",
    /// A JSON patch operation (RFC 6902) failed.
    JsonPatchFailed = "json-patch-failed",
    /// A document does not fit the type that it is decoded into.
    Undecodable = "undecodable",
    /// Strict field validation: the document has a field that the server does not know.
    StrictUnknownField = "strict-unknown-field",
    /// An enum does not have the value.
    UnknownEnumValue = "unknown-enum-value",
    /// A field is missing that documents of its type must have. Upstream: `field.Required`.
    RequiredFieldMissing = "required-field-missing",
    /// Several members of a union are set. KEP-1027, "Validation", 1: with the discriminator unmodified. Upstream:
    /// `must specify exactly one of`, `must specify at most one of`.
    UnionSeveralMembers = "union-several-members",
    /// No member of a union is set, and one must be. Upstream: `must specify one of`.
    UnionNoMember = "union-no-member",
    /// The discriminator of a union selects a member that is not set. KEP-1027, "Validation", 2. Upstream: `must be
    /// specified when`.
    UnionSelectedMemberEmpty = "union-selected-member-empty",
    /// A member of a union is set that the discriminator does not select. Upstream: `may only be specified when`.
    UnionUnselectedMemberSet = "union-unselected-member-set",
    /// The discriminator of a union is missing, and its meaning is then not defined.
    UnionDiscriminatorMissing = "union-discriminator-missing",
    /// The discriminator of a union has a value that is not known. KEP-1027, "Discriminator Field", case 39.
    UnionUnknownDiscriminator = "union-unknown-discriminator",
    /// The discriminator of a union is not a string.
    UnionDiscriminatorNotAString = "union-discriminator-not-a-string",
    /// A declaration of a type is malformed; the message has the line.
    InvalidSchema = "invalid-schema",
    /// A path or an intent does not fit the document.
    InvalidIntent = "invalid-intent",
    /// Another implementation refused, for a reason that none of the kinds above covers. The engine never returns
    /// this kind, and no case expects it.
    Unclassified = "unclassified",
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::at_the_root(Error::new(ErrorKind::Conflict, "differs"), "differs")]
    #[case::in_a_field(Error::new(ErrorKind::Conflict, "differs").at("a").at("spec"), "spec.a: differs")]
    #[case::in_an_item(Error::new(ErrorKind::Conflict, "differs").at("a").at_index(1).at("b"), "b[1].a: differs")]
    fn an_error_shows_path_and_message(#[case] error: Error, #[case] expected: &str) {
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.message(), "differs");
        assert_eq!(error.kind(), ErrorKind::Conflict);
    }

    #[test]
    fn the_error_of_a_directive_names_it() {
        let error = Error::invalid_directive("$other", "malformed").at("a");
        assert_eq!((error.kind(), error.directive()), (ErrorKind::InvalidDirective, Some("$other")));
        assert_eq!(error.describe_kind(), "invalid-directive of $other");
        let error = Error::new(ErrorKind::Conflict, "differs");
        assert_eq!((error.directive(), error.describe_kind().as_str()), (None, "conflict"));
    }

    #[test]
    fn a_prepended_path_comes_first() {
        let mut above = FieldPath::root();
        above.push(PathSegment::Key("spec".into()));
        above.push(PathSegment::Index(2));
        let error = Error::new(ErrorKind::Conflict, "differs").at("a").at_path(&above);
        assert_eq!(error.path().to_string(), "spec[2].a");
    }

    #[test]
    fn every_kind_is_serialized_as_its_id() {
        for kind in ErrorKind::ALL {
            assert_eq!(ErrorKind::from_id(kind.id()), Some(*kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.id());
        }
        assert_eq!(ErrorKind::from_id("no-such-kind"), None);
    }
}
