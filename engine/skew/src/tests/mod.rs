//! Tests of the single steps of a scenario. The corpus has the cases for whole scenarios.

mod convert;
mod histories;
mod intent;
mod judge;
mod kep_rows;
mod operations;
mod real_objects;
mod requests;
mod run;
mod union_intents;
mod unions;

use skewer_engine::document::from_json;
use skewer_engine::patch::PatchContext;

use crate::test_support::{context_of, json, schema_of};
