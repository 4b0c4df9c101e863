//! The two parties of a scenario: client and server.

use std::sync::Arc;

use crate::admission::Admission;
use crate::patch::PatchContext;
use crate::union::policy::Policy;

/// The in-memory form into which a client decodes documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decoding {
    /// Typed structs, which drop unknown fields.
    Structured,
    /// Untyped maps, which keep unknown fields.
    Unstructured,
}

/// The party that reads the object, edits it, and sends the request.
#[derive(Clone, Debug)]
pub struct Client {
    /// The types and directives that the client knows.
    pub context: PatchContext,
    /// The in-memory form into which the client decodes documents.
    pub decoding: Decoding,
}

/// The party that merges the request and stores the object.
#[derive(Clone, Debug)]
pub struct Server {
    /// The types and directives that the server knows.
    pub context: PatchContext,
    /// Whether the server validates fields strictly (`fieldValidation=Strict`): it refuses unknown fields instead of
    /// dropping them.
    pub strict: bool,
    /// The union policy that the server applies to each written object.
    pub policy: &'static dyn Policy,
    /// The defaulting and the validation of custom resources. Without it, the server checks only which fields are required,
    /// and closed enums.
    pub admission: Option<Arc<Admission>>,
}
