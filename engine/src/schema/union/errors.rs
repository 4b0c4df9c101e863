//! Errors in the declarations of unions.

use std::fmt;

use crate::error::{Error, ErrorKind};

/// A rule of declaring unions that a type breaks. Displayed as `Type.Field, line N: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnionError {
    /// Line of the marker or field in its source, from 1; 0 when the source has no lines.
    pub line: u32,
    /// The type, and the field if one has the error: `Union.FieldA`.
    pub subject: String,
    /// The rule.
    pub kind: UnionErrorKind,
    /// A sentence that names the error and the remedy.
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

/// The engine's error for a schema with such a declaration: kind [`ErrorKind::InvalidSchema`], line and id in the
/// message.
impl From<UnionError> for Error {
    fn from(error: UnionError) -> Self {
        Error::new(ErrorKind::InvalidSchema, format!("{error} [{}]", error.kind.id()))
    }
}

macro_rules! union_error_kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $id:literal,)+) => {
        /// The rule of declaring unions that is broken.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum UnionErrorKind {
            $($(#[doc = $doc])+ $name,)+
        }

        impl UnionErrorKind {
            /// Every kind there is.
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
    /// A marker whose value has not the form that its document gives.
    MalformedMarker = "malformed-marker",
    /// A marker twice on one field.
    MarkerTwice = "marker-twice",
    /// A union marker on an embedded struct, which has no field of its own.
    MarkerOnEmbedded = "marker-on-embedded",
    /// The discriminator's type is no string with constants. KEP-1027, "Go Markers": "MUST be an enum defined as a
    /// string".
    DiscriminatorNotAnEnum = "discriminator-not-an-enum",
    /// The discriminator's type has constants and is not marked `+enum`. KEP-1027, "Discriminator Values".
    DiscriminatorEnumOpen = "discriminator-enum-open",
    /// The discriminator can be missing, and its absence has no meaning. KEP-1027, "Go Markers": required, or
    /// `omitempty` with the empty string as default option, or optional and `omitempty` with `+default`.
    DiscriminatorMayBeMissing = "discriminator-may-be-missing",
    /// The `+default` of the discriminator is none of its values.
    DefaultNotInEnum = "default-not-in-enum",
    /// One field is the discriminator and a member.
    DiscriminatorIsMember = "discriminator-is-member",
    /// A struct has several discriminators, and a member does not say which is its own.
    AmbiguousDiscriminator = "ambiguous-discriminator",
    /// `+unionDiscriminatedBy` names no field that is a discriminator.
    UnknownDiscriminatorField = "unknown-discriminator-field",
    /// `+unionDiscriminatedBy` on a field that is no member.
    DiscriminatedByWithoutMember = "discriminated-by-without-member",
    /// A member in a struct without a discriminator.
    MemberWithoutDiscriminator = "member-without-discriminator",
    /// The name of a member is no value of the enum. KEP-1027, "Go Markers": "MUST correspond to one of the valid
    /// enum values".
    MemberNotInEnum = "member-not-in-enum",
    /// The name of a member is another one than the JSON name. KEP-1027, "Go Markers": "should match the serialized
    /// JSON name of the field case-insensitively".
    MemberNameDiffers = "member-name-differs",
    /// A member is required, so that no other could ever be chosen.
    MemberNotOptional = "member-not-optional",
    /// One value of the discriminator selects two members.
    DuplicateMemberValue = "duplicate-member-value",
    /// One of several discriminators has no member.
    NoMembers = "no-members",
    /// Discriminator and member stand in different structs. KEP-1027, "Examples": "unions can't span across multiple
    /// go structures".
    SpansStructs = "spans-structs",
    /// A field of an inlined union is hidden by a field of the same name nearer to the surface.
    HiddenField = "hidden-field",
    /// `x-kubernetes-unions` has not the form of either revision.
    MalformedExtension = "malformed-extension",
    /// `x-kubernetes-unions` names a field that the struct does not have.
    UnknownField = "unknown-field",
    /// The unions of a schema are larger than [`super::MAX_UNION_SIZE`].
    TooLarge = "too-large",
    /// `+k8s:unionDiscriminator` on something else than a string.
    DiscriminatorNotAString = "discriminator-not-a-string",
    /// Two `+k8s:unionDiscriminator` for one union.
    TwoDiscriminators = "two-discriminators",
    /// `+k8s:unionMember` on a struct that is no pointer: whether it is set cannot be told.
    MemberNeverUnset = "member-never-unset",
}
