//! The errors in declarations of unions.

use std::fmt;

use crate::error::{Error, ErrorKind};

/// An error in the declaration of a union. Displayed as `Type.Field, line N: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnionError {
    /// The line of the marker or field in its source, counted from 1. 0 if the source has no lines.
    pub line: u32,
    /// The type, or the type and the field, such as `Union.FieldA`.
    pub subject: String,
    /// The name of the type.
    pub type_name: String,
    /// The key of the field in documents, such as `fieldA`. Empty if the error is about the type.
    pub key: String,
    /// The kind of the error.
    pub kind: UnionErrorKind,
    /// A description of the error. It usually says how to correct the declaration.
    pub message: String,
}

impl fmt::Display for UnionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.subject)?;
        if self.line > 0 {
            write!(f, ", line {}", self.line)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for UnionError {}

/// Converts the error to the kind [`ErrorKind::InvalidSchema`]. The message contains the line and the id of the union
/// error.
impl From<UnionError> for Error {
    fn from(error: UnionError) -> Self {
        Error::new(ErrorKind::InvalidSchema, format!("{error} [{}]", error.kind.id()))
    }
}

macro_rules! union_error_kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $id:literal,)+) => {
        /// The kind of a [`UnionError`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum UnionErrorKind {
            $($(#[doc = $doc])+ $name,)+
        }

        impl UnionErrorKind {
            /// All kinds.
            pub const ALL: &'static [UnionErrorKind] = &[$(UnionErrorKind::$name),+];

            /// Returns the id that messages and cases use.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self { $(UnionErrorKind::$name => $id),+ }
            }
        }
    };
}

union_error_kinds! {
    /// The value of a marker does not have the documented form.
    MalformedMarker = "malformed-marker",
    /// A field has the same marker twice.
    MarkerTwice = "marker-twice",
    /// A union marker is on an embedded struct, which is not a field.
    MarkerOnEmbedded = "marker-on-embedded",
    /// The type of the discriminator is not a string type with constants. KEP-1027, "Go Markers": "MUST be an enum
    /// defined as a string".
    DiscriminatorNotAnEnum = "discriminator-not-an-enum",
    /// The type of the discriminator has constants but not the marker `+enum`. KEP-1027, "Discriminator Values".
    DiscriminatorEnumOpen = "discriminator-enum-open",
    /// The discriminator can be missing, and its absence has no meaning. KEP-1027, "Go Markers": it must be required,
    /// or `omitempty` with the empty string as a value, or optional and `omitempty` with `+default`.
    DiscriminatorMayBeMissing = "discriminator-may-be-missing",
    /// The discriminator has a `+default`, but is required or not `omitempty`. KEP-1027, "Go Markers": it must be "optional
    /// and omitempty if a default value is specified".
    DefaultNotOptional = "default-not-optional",
    /// The enum of the discriminator does not have the value of `+default`.
    DefaultNotInEnum = "default-not-in-enum",
    /// A field is marked as a discriminator and as a member.
    DiscriminatorIsMember = "discriminator-is-member",
    /// A struct has several discriminators, and a member does not name one of them.
    AmbiguousDiscriminator = "ambiguous-discriminator",
    /// `+unionDiscriminatedBy` names a field that is not a discriminator.
    UnknownDiscriminatorField = "unknown-discriminator-field",
    /// `+unionDiscriminatedBy` is on a field that is not a member.
    DiscriminatedByWithoutMember = "discriminated-by-without-member",
    /// A struct has a member but no discriminator.
    MemberWithoutDiscriminator = "member-without-discriminator",
    /// The enum does not have the name of a member as a value. KEP-1027, "Go Markers": "MUST correspond to one of the
    /// valid enum values".
    MemberNotInEnum = "member-not-in-enum",
    /// A member is required, so that no other member can be selected.
    MemberNotOptional = "member-not-optional",
    /// A value of the discriminator selects two members.
    DuplicateMemberValue = "duplicate-member-value",
    /// One of several discriminators has no members.
    NoMembers = "no-members",
    /// The discriminator and a member are in different structs. KEP-1027, "Examples": "unions can't span across
    /// multiple go structures".
    SpansStructs = "spans-structs",
    /// A field of an embedded union is hidden by a field with the same name at a smaller depth.
    HiddenField = "hidden-field",
    /// The value of `x-kubernetes-unions` has neither the form of KEP-1027 nor that of the revision of 2019.
    MalformedExtension = "malformed-extension",
    /// `x-kubernetes-unions` names a field that the struct does not have.
    UnknownField = "unknown-field",
    /// The unions of a schema are larger than [`super::MAX_UNION_SIZE`].
    TooLarge = "too-large",
    /// `+k8s:unionDiscriminator` is on a field that is not a string.
    DiscriminatorNotAString = "discriminator-not-a-string",
    /// A union has two fields with `+k8s:unionDiscriminator`.
    TwoDiscriminators = "two-discriminators",
    /// `+k8s:unionMember` is on a struct that is not a pointer. Go cannot tell whether such a field is set.
    MemberNeverUnset = "member-never-unset",
}
