//! The steps of a scenario one by one. What they come to together is in the corpus.

mod convert;
mod intent;
mod judge;
mod run;

use std::sync::Arc;

use crate::patch::Knowledge;
use crate::schema::{Schema, go};
use crate::value::{Value, from_json};

fn json(text: &str) -> Value {
    from_json(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What a party knows whose types these are.
#[track_caller]
fn knows(types: &str, root: &str) -> Knowledge {
    let types = go::read(types).unwrap_or_else(|errors| panic!("{errors:#?}"));
    Knowledge::of(Arc::new(Schema::compile(&types).unwrap()), root).unwrap()
}
