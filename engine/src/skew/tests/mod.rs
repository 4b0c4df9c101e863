//! The steps of a scenario one by one. What they come to together is in the corpus.

mod convert;
mod intent;
mod judge;
mod run;

use crate::document::from_json;
use crate::patch::PatchContext;
use crate::test_support::{context_of, json};
