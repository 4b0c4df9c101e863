//! Helpers that unit tests of several modules share.

use std::sync::Arc;

use skewer_engine::document::{OwnedDoc, from_json};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Schema, go};

/// Reads a JSON document. Panics if the text is invalid.
#[track_caller]
pub(crate) fn json(text: &str) -> OwnedDoc {
    from_json(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Compiles Go type declarations. Panics if they are invalid.
#[track_caller]
pub(crate) fn schema_of(types: &str) -> Schema {
    let declarations = go::read(types).unwrap_or_else(|errors| panic!("{errors:#?}"));
    Schema::compile(&declarations).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Returns the context of a party that knows all of the given Go types and all directives.
#[track_caller]
pub(crate) fn context_of(types: &str, root: &str) -> PatchContext {
    PatchContext::of(Arc::new(schema_of(types)), root).unwrap_or_else(|error| panic!("{error}"))
}
