use std::fmt::{self, Display};

use serde::de::{Error, Expected, Unexpected};

/// Why reading stopped. The diagnostic is in the collector, except for the first two, which have no place yet.
#[derive(Debug)]
pub(super) enum Failure {
    /// In words.
    Message(String),
    /// A required field isn't there.
    Missing(&'static str),
    /// It was reported; whoever holds the node can leave it out.
    Reported,
    /// It was reported, and another pass will know what to leave out.
    Again,
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Message(message) => f.write_str(message),
            Failure::Missing(field) => write!(f, "missing field `{field}`"),
            Failure::Reported | Failure::Again => f.write_str("already reported"),
        }
    }
}

impl std::error::Error for Failure {}

impl Error for Failure {
    fn custom<T: Display>(message: T) -> Self {
        Failure::Message(message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        Failure::Missing(field)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Failure::Message(format!("expected {expected}, found {}", described(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Failure::Message(format!("expected {expected}, found {}", described(found)))
    }
}

/// What serde found, in the words of YAML.
fn described(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("a boolean, `{value}`"),
        Unexpected::Unsigned(value) => format!("an integer, `{value}`"),
        Unexpected::Signed(value) => format!("an integer, `{value}`"),
        Unexpected::Float(value) => format!("a float, `{value}`"),
        Unexpected::Str(text) => format!("a string, `{}`", crate::yaml::suggest::shortened(text)),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a map".to_owned(),
        other => other.to_string(),
    }
}
