use crate::patch::PatchContext;
use crate::union::policy::Policy;

/// How a client holds documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decoding {
    /// It decodes into types, and drops what it does not know.
    Structured,
    /// It keeps raw maps, and with them what it does not know.
    Unstructured,
}

/// The party that reads, edits and sends.
#[derive(Clone, Debug)]
pub struct Client {
    /// The types and directives that it knows.
    pub context: PatchContext,
    /// How it holds documents.
    pub decoding: Decoding,
}

/// The party that stores.
#[derive(Clone, Debug)]
pub struct Server {
    /// The types and directives that it knows.
    pub context: PatchContext,
    /// `fieldValidation=Strict`: a field that it does not know is refused instead of dropped.
    pub strict: bool,
    /// What it does with unions.
    pub policy: &'static dyn Policy,
}
