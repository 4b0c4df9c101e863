//! Errors of the engine. An error has a kind, which a case can expect, a field path and a message.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::field_path::{FieldPath, PathSegment};
use crate::text::{OwnedText, Text};

/// The result of an operation.
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
    /// Whether the path is known. An error of another implementation may have none.
    has_path: bool,
    is_in_base: bool,
    directive: Option<OwnedText>,
    /// Further kinds of errors that the message reports, sorted by id. `kind` comes before all of them.
    other_kinds: Vec<ErrorKind>,
    conflicts: Vec<ManagerConflict>,
    message: String,
}

/// A conflict between an applied configuration and another field manager.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManagerConflict {
    /// The name of the other manager.
    pub manager: String,
    /// The path of the field in the notation of field sets, such as `.spec.ports[port=80].name`. Upstream:
    /// `fieldpath.Path.String`.
    pub path: String,
    /// The operation with which the other manager became an owner of the field.
    pub operation: ManagerOperation,
    /// The API version in which the other manager owns the field. Only conflicts with an update have one.
    pub api_version: Option<String>,
    /// The subresource through which the other manager wrote the field.
    pub subresource: Option<String>,
}

/// The operation with which a field manager becomes an owner of fields. Upstream: `ManagedFieldsOperationType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ManagerOperation {
    /// A server-side apply.
    Apply,
    /// Any other request that writes the object.
    Update,
}

impl ManagerOperation {
    /// Returns the name that managed fields use: `Apply` or `Update`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ManagerOperation::Apply => "Apply",
            ManagerOperation::Update => "Update",
        }
    }
}

impl Error {
    /// Creates an error whose path is the root of the document. [`Error::at`] prepends keys to the path.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Repr {
            kind,
            path: FieldPath::root(),
            has_path: true,
            is_in_base: false,
            directive: None,
            other_kinds: Vec::new(),
            conflicts: Vec::new(),
            message: message.into(),
        }))
    }

    /// Creates an error of the kind [`ErrorKind::Conflict`] for an apply request. The conflicts are sorted by manager
    /// and path.
    ///
    /// ```
    /// use skewer_engine::error::{Error, ManagerConflict, ManagerOperation};
    ///
    /// let conflict = ManagerConflict {
    ///     manager: "scaler".to_owned(),
    ///     path: ".spec.replicas".to_owned(),
    ///     operation: ManagerOperation::Apply,
    ///     api_version: None,
    ///     subresource: None,
    /// };
    /// let error = Error::apply_conflict(vec![conflict], "Apply failed with 1 conflict");
    /// assert_eq!(error.conflicts()[0].manager, "scaler");
    /// ```
    pub fn apply_conflict(mut conflicts: Vec<ManagerConflict>, message: impl Into<String>) -> Self {
        conflicts.sort_unstable();
        let mut error = Error::new(ErrorKind::Conflict, message);
        error.0.conflicts = conflicts;
        error
    }

    /// Creates an error of the kind [`ErrorKind::InvalidDirective`]. `directive` is the name of the directive.
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

    /// Returns the error with further kinds, if its message reports errors of several kinds. The order in which upstream
    /// reports such errors varies, so [`Error::kind`] is then the first of all kinds, sorted by id.
    #[must_use]
    pub fn with_other_kinds(mut self, kinds: impl IntoIterator<Item = ErrorKind>) -> Self {
        let mut all = self.kinds();
        all.extend(kinds);
        all.sort_unstable_by_key(|kind| kind.id());
        all.dedup();
        self.0.kind = all.remove(0);
        self.0.other_kinds = all;
        self
    }

    /// Returns every kind of error that the message reports, sorted by id. Most errors have one kind.
    #[must_use]
    pub fn kinds(&self) -> Vec<ErrorKind> {
        std::iter::once(self.0.kind).chain(self.0.other_kinds.iter().copied()).collect()
    }

    /// Returns the conflicts of an apply request, sorted by manager and path. Empty for other errors.
    #[must_use]
    pub fn conflicts(&self) -> &[ManagerConflict] {
        &self.0.conflicts
    }

    /// The name of the invalid directive. Returns `None` if the error has another kind, or if it comes from an
    /// implementation that does not name the directive.
    #[must_use]
    pub fn directive(&self) -> Option<&str> {
        self.0.directive.as_deref()
    }

    /// Describes the kind of the error by its id and the name of the directive, if the error has one.
    #[must_use]
    pub fn describe_kind(&self) -> String {
        self.kind().describe(self.directive())
    }

    /// The path of the invalid value.
    #[must_use]
    pub fn path(&self) -> &FieldPath {
        &self.0.path
    }

    /// Returns the path of the invalid value, or `None` if the error comes from an implementation that does not say it.
    #[must_use]
    pub fn known_path(&self) -> Option<&FieldPath> {
        self.0.has_path.then_some(&self.0.path)
    }

    /// Returns true if the error is at this path, or if its path is not known.
    #[must_use]
    pub fn may_be_at(&self, path: &FieldPath) -> bool {
        self.known_path().is_none_or(|known| known == path)
    }

    /// Marks the error as one of the document with which the operation begins, such as the live object.
    #[must_use]
    pub fn in_base(mut self) -> Self {
        self.0.is_in_base = true;
        self
    }

    /// Returns true if the error is in the document with which the operation begins.
    #[must_use]
    pub fn is_in_base(&self) -> bool {
        self.0.is_in_base
    }

    /// Prepends the index of a list item in the document that has the error.
    #[must_use]
    pub fn at_index_in(self, base: usize, other: usize) -> Self {
        if self.is_in_base() { self.at_index(base) } else { self.at_index(other) }
    }

    /// Sets the path of the error. `None` means that the path is not known, as in most errors of other implementations.
    #[must_use]
    pub fn with_path(mut self, path: Option<FieldPath>) -> Self {
        self.0.has_path = path.is_some();
        self.0.path = path.unwrap_or_default();
        self
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
    pub fn at_path(mut self, path: &FieldPath) -> Self {
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

            /// Returns the meaning of the kind, in sentences.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(ErrorKind::$name => concat!($($doc),+).trim()),+ }
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
    /// The document nests deeper than the engine reads.
    TooDeep = "too-deep",
    /// Two documents both have a map or a list in a field that the schema does not know. Upstream: `unable to find api
    /// field`.
    UnknownField = "unknown-field",
    /// A field is a list in the document but not in the schema, or in the schema but not in the document. Upstream:
    /// `expected slice or array type`.
    SchemaMismatch = "schema-mismatch",
    /// A value has an unexpected kind, such as a string instead of a map. Upstream: `mergepatch.ErrBadArgType`.
    WrongKind = "wrong-kind",
    /// A list that is to be merged contains a list. Upstream: `mergepatch.ErrNoListOfLists`.
    ListOfLists = "list-of-lists",
    /// The items of lists to be merged are of different kinds. Upstream: `list element types are not identical`.
    MixedList = "mixed-list",
    /// A list that is to be ordered is empty in all documents. Upstream: `no elements in any of the given slices`.
    EmptyList = "empty-list",
    /// An item of a merging list lacks the merge key. Upstream: `mergepatch.ErrNoMergeKey`.
    MissingMergeKey = "missing-merge-key",
    /// A list of maps is to be merged, but the schema declares no merge key for it. Upstream: `cannot merge lists
    /// without merge key`.
    UndeclaredMergeKey = "undeclared-merge-key",
    /// A directive is malformed, contradicts the rest of the patch, or contradicts another patch with which the patch
    /// is combined. The error has the name of the directive. Upstream: `mergepatch.ErrBadPatchType`,
    /// `mergepatch.ErrBadPatchFormatForRetainKeys` and other errors, each of which is about one directive.
    InvalidDirective = "invalid-directive",
    /// A value is a list or a map, but upstream compares it as a scalar and panics ("hash of unhashable type",
    /// "comparing uncomparable type").
    NotAScalar = "not-a-scalar",
    /// A field has more than two patch strategies, or two of which neither is `retainKeys`. Upstream: `unexpected patch
    /// strategy`.
    BadStrategy = "bad-strategy",
    /// An item lists its own merge keys, but not the default merge key.
    DefaultMergeKeyMissing = "default-merge-key-missing",
    /// The merge keys of a patch item match more than one live item.
    AmbiguousMergeKey = "ambiguous-merge-key",
    /// The patch changes a field that somebody else has changed differently in the live object. Upstream:
    /// `mergepatch.ErrConflict`.
    Conflict = "conflict",
    /// A precondition of the caller does not hold. Upstream: `mergepatch.ErrPreconditionFailed`.
    PreconditionFailed = "precondition-failed",
    /// A strategic merge patch is used for a custom resource, which does not support it. Upstream:
    /// `mergepatch.ErrUnsupportedStrategicMergePatchFormat`.
    UnsupportedPatchFormat = "unsupported-patch-format",
    /// A JSON patch operation (RFC 6902) failed.
    JsonPatchFailed = "json-patch-failed",
    /// A document does not fit the type that it is decoded into.
    Undecodable = "undecodable",
    /// Strict field validation: the document has a field that the server does not know.
    StrictUnknownField = "strict-unknown-field",
    /// The value is not one of the values of its enum type.
    UnknownEnumValue = "unknown-enum-value",
    /// A required field is missing. Upstream: `field.Required`.
    RequiredFieldMissing = "required-field-missing",
    /// Several members of a union are set. KEP-1027, "Validation", 1: this is an error if the discriminator was not
    /// modified. Upstream: `must specify exactly one of`, `must specify at most one of`.
    UnionSeveralMembers = "union-several-members",
    /// No member of a union is set, but one member must be set. Upstream: `must specify one of`.
    UnionNoMember = "union-no-member",
    /// The discriminator of a union selects a member that is not set. KEP-1027, "Validation", 2. Upstream: `must be
    /// specified when`.
    UnionSelectedMemberEmpty = "union-selected-member-empty",
    /// A member of a union is set, but the discriminator does not select this member. Upstream: `may only be specified
    /// when`.
    UnionUnselectedMemberSet = "union-unselected-member-set",
    /// The discriminator of a union is missing, although the declaration does not define what that means.
    UnionDiscriminatorMissing = "union-discriminator-missing",
    /// The discriminator of a union has an unknown value. KEP-1027, "Discriminator Field", case 39.
    UnionUnknownDiscriminator = "union-unknown-discriminator",
    /// The discriminator of a union is not a string.
    UnionDiscriminatorNotAString = "union-discriminator-not-a-string",
    /// Server-side apply: a field is not declared in the schema. Upstream: `field not declared in schema`.
    FieldNotDeclared = "field-not-declared",
    /// Server-side apply: two items of an applied list have the same keys, or are the same value. Upstream: `duplicate
    /// entries for key`.
    DuplicateListItem = "duplicate-list-item",
    /// Server-side apply: an item of a list has none of the keys that identify it. Upstream: `omits all key fields`.
    MissingListKeys = "missing-list-keys",
    /// Server-side apply: an item of a list of type `map` is not a map, or an item of a set is not a scalar. Upstream:
    /// `associative list …`.
    InvalidListItem = "invalid-list-item",
    /// Server-side apply: managed fields cannot be read, or an apply configuration has some. Upstream: `failed to decode
    /// managed fields`, `metadata.managedFields must be nil`.
    InvalidManagedFields = "invalid-managed-fields",
    /// Server-side apply: the configuration has another API version or kind than the request. Upstream: `invalid object
    /// type`, `Incorrect version specified in apply patch`.
    WrongApiVersion = "wrong-api-version",
    /// Server-side apply: an object cannot be converted to an API version in which it has an owner.
    ConversionFailed = "conversion-failed",
    /// Server-side apply: a live set has two integers that are the same 64-bit float, so that managed fields cannot tell
    /// them apart. Upstream does not terminate on some of these sets.
    IndistinctNumbers = "indistinct-numbers",
    /// A request creates an object that exists. Upstream: `errors.NewAlreadyExists`.
    AlreadyExists = "already-exists",
    /// A request changes an object that does not exist. Upstream: `errors.NewNotFound`.
    NotFound = "not-found",
    /// The object of a request has another name than its endpoint.
    WrongName = "wrong-name",
    /// A value of a custom resource is not valid, for example outside the limits of its schema. Upstream:
    /// `field.Invalid`, `field.TooLong` and `field.TooMany`.
    InvalidValue = "invalid-value",
    /// A value is not allowed here. Upstream: `field.Forbidden`.
    ForbiddenValue = "forbidden-value",
    /// A value occurs twice. Upstream: `field.Duplicate`.
    DuplicateValue = "duplicate-value",
    /// The declaration of a type is invalid. The message has the line.
    InvalidSchema = "invalid-schema",
    /// An intent cannot be carried out on the document, for example because a path does not exist.
    InvalidIntent = "invalid-intent",
    /// An implementation other than the engine returned an error that belongs to none of the other kinds. The engine
    /// never returns this kind, and no case expects it.
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
    fn the_kinds_of_an_error_are_sorted_and_unique() {
        let error = Error::new(ErrorKind::WrongKind, "m");
        assert_eq!(error.kinds(), [ErrorKind::WrongKind]);
        let others = [ErrorKind::MissingListKeys, ErrorKind::WrongKind, ErrorKind::DuplicateListItem];
        let error = error.with_other_kinds(others).with_other_kinds([ErrorKind::MissingListKeys]);
        let expected = [ErrorKind::DuplicateListItem, ErrorKind::MissingListKeys, ErrorKind::WrongKind];
        assert_eq!(
            (error.kind(), error.kinds().as_slice()),
            (ErrorKind::DuplicateListItem, expected.as_slice())
        );
    }

    #[test]
    fn conflicts_are_sorted_by_manager_and_path() {
        let conflict = |manager: &str, path: &str, operation| ManagerConflict {
            manager: manager.to_owned(),
            path: path.to_owned(),
            operation,
            api_version: None,
            subresource: None,
        };
        let first = conflict("a", ".spec.b", ManagerOperation::Update);
        let second = conflict("b", ".spec.a", ManagerOperation::Apply);
        let third = conflict("b", ".spec.c", ManagerOperation::Apply);
        let error = Error::apply_conflict(vec![third.clone(), second.clone(), first.clone()], "m");
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert_eq!(error.conflicts(), [first, second, third]);
        assert!(Error::new(ErrorKind::Conflict, "m").conflicts().is_empty());
    }

    #[test]
    fn an_error_is_one_pointer_wide() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
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
    fn every_kind_has_a_text_that_is_readable_outside_the_documentation() {
        for kind in ErrorKind::ALL {
            let about = kind.about();
            assert!(
                about.ends_with('.') && !about.contains("[`") && !about.contains("  "),
                "{kind:?}: {about}"
            );
        }
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
