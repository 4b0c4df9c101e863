//! The reasons for which servers refuse a part of a document.

use std::fmt;

use skewer_engine::error::ErrorKind;

/// The reason of an error, which servers put in front of its message. Upstream: `field.ErrorType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerReason {
    Required,
    Invalid,
    Forbidden,
    Unsupported,
    Duplicate,
    TooLong,
    TooMany,
    Internal,
}

impl ServerReason {
    /// Returns the reason of an error of a kind. A value of a wrong type is invalid.
    pub(crate) fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::RequiredFieldMissing => ServerReason::Required,
            ErrorKind::UnknownEnumValue => ServerReason::Unsupported,
            ErrorKind::ForbiddenValue => ServerReason::Forbidden,
            ErrorKind::DuplicateValue => ServerReason::Duplicate,
            _ => ServerReason::Invalid,
        }
    }
}

/// Upstream: `ErrorType.String`.
impl fmt::Display for ServerReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ServerReason::Required => "Required value",
            ServerReason::Invalid => "Invalid value",
            ServerReason::Forbidden => "Forbidden",
            ServerReason::Unsupported => "Unsupported value",
            ServerReason::Duplicate => "Duplicate value",
            ServerReason::TooLong => "Too long",
            ServerReason::TooMany => "Too many",
            ServerReason::Internal => "Internal error",
        })
    }
}
