//! The parts of admission that the simulation leaves out.

use std::fmt;

use skewer_engine::field_path::FieldPath;

/// A part of a definition that is not simulated. An object that it affects can be treated differently by an API server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotSimulated {
    /// The path of the part in the schema, such as `properties.spec.x-kubernetes-validations[0]`.
    pub path: FieldPath,
    /// The construct, such as the name of a function.
    pub construct: String,
    /// Why it is not simulated.
    pub reason: String,
}

impl NotSimulated {
    /// Creates the description of a part that is not simulated.
    #[must_use]
    pub fn new(path: FieldPath, construct: impl Into<String>, reason: impl Into<String>) -> Self {
        NotSimulated { path, construct: construct.into(), reason: reason.into() }
    }
}

impl fmt::Display for NotSimulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} is not simulated: {}", self.path, self.construct, self.reason)
    }
}
