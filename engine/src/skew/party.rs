//! The parties: client and server.

use crate::patch::PatchContext;
use crate::union::policy::Policy;

/// The form in which a client decodes documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decoding {
    /// Typed structs, which drop unknown fields.
    Structured,
    /// Raw maps, which keep unknown fields.
    Unstructured,
}

/// The party that reads, edits and sends.
#[derive(Clone, Debug)]
pub struct Client {
    /// The types and directives that it knows.
    pub context: PatchContext,
    /// The form in which it decodes documents.
    pub decoding: Decoding,
}

/// The party that stores.
#[derive(Clone, Debug)]
pub struct Server {
    /// The types and directives that it knows.
    pub context: PatchContext,
    /// `fieldValidation=Strict`: a field that it does not know is refused instead of dropped.
    pub strict: bool,
    /// The union policy.
    pub policy: &'static dyn Policy,
}
