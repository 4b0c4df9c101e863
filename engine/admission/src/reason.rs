//! The reasons for which servers refuse a part of a document.

use std::fmt;

use skewer_engine::error::ErrorKind;

/// The reason of an error, which servers put in front of its message. Upstream: `field.ErrorType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Required,
    Invalid,
    Forbidden,
    Unsupported,
    Duplicate,
    TooLong,
    TooMany,
    Internal,
}

impl Reason {
    /// Returns the reason of an error of a kind. A value of a wrong type is invalid.
    pub(crate) fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::RequiredFieldMissing => Reason::Required,
            ErrorKind::UnknownEnumValue => Reason::Unsupported,
            ErrorKind::ForbiddenValue => Reason::Forbidden,
            ErrorKind::DuplicateValue => Reason::Duplicate,
            _ => Reason::Invalid,
        }
    }
}

/// Upstream: `ErrorType.String`.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Required => "Required value",
            Reason::Invalid => "Invalid value",
            Reason::Forbidden => "Forbidden",
            Reason::Unsupported => "Unsupported value",
            Reason::Duplicate => "Duplicate value",
            Reason::TooLong => "Too long",
            Reason::TooMany => "Too many",
            Reason::Internal => "Internal error",
        })
    }
}
