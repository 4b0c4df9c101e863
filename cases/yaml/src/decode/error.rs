use std::fmt::{self, Display};

use serde::de::{Error, Expected, Unexpected};

/// The reason why decoding stopped. `Message` and `MissingField` have no span yet; any other error is already reported.
#[derive(Debug)]
pub(super) enum DecodeError {
    /// An error message of serde or of the decoded type.
    Message(String),
    /// A required field is missing.
    MissingField(&'static str),
    /// The error was reported. The enclosing list or map can leave the node out.
    Reported,
    /// The error was reported, and another pass is needed, in which the node is left out.
    Retry,
}

impl Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Message(message) => f.write_str(message),
            DecodeError::MissingField(field) => write!(f, "missing field `{field}`"),
            DecodeError::Reported | DecodeError::Retry => f.write_str("already reported"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Error for DecodeError {
    fn custom<T: Display>(message: T) -> Self {
        DecodeError::Message(message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        DecodeError::MissingField(field)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        DecodeError::Message(format!("expected {expected}, found {}", describe(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        DecodeError::Message(format!("expected {expected}, found {}", describe(found)))
    }
}

/// Describes an unexpected value in YAML terms.
fn describe(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("a boolean, `{value}`"),
        Unexpected::Unsigned(value) => format!("an integer, `{value}`"),
        Unexpected::Signed(value) => format!("an integer, `{value}`"),
        Unexpected::Float(value) => format!("a float, `{value}`"),
        Unexpected::Str(text) => format!("a string, `{}`", crate::suggest::shorten(text)),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a map".to_owned(),
        other => other.to_string(),
    }
}
