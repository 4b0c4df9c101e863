//! Tests of the single steps of a scenario. The corpus has the cases for whole scenarios.

mod convert;
mod histories;
mod intent;
mod judge;
mod operations;
#[cfg(feature = "builtin")]
mod requests;
mod run;
mod unions;

use crate::document::from_json;
use crate::patch::PatchContext;
use crate::test_support::{context_of, json};
