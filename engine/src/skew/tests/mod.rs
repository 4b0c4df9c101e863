//! The steps of a scenario one by one. What they come to together is in the corpus.

mod convert;
mod intent;
mod judge;
mod run;

use std::sync::Arc;

use crate::document::{OwnedDoc, from_json};
use crate::patch::PatchContext;
use crate::schema::{Schema, go};

fn json(text: &str) -> OwnedDoc {
    from_json(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What a party knows whose types these are.
#[track_caller]
fn knows(types: &str, root: &str) -> PatchContext {
    let types = go::read(types).unwrap_or_else(|errors| panic!("{errors:#?}"));
    PatchContext::of(Arc::new(Schema::compile(&types).unwrap()), root).unwrap()
}
