//! Integration tests of the engine: properties, limits, messages and the contracts of its public API.
//!
//! A fact about upstream is a case in the corpus (`cases/corpus/upstream/`), so that every target is checked against
//! it.

#![allow(clippy::unwrap_used, clippy::expect_used)] // in a test, a panic is a failure

mod builtin;
mod bytes;
mod conflict_paths;
mod declarative_unions;
mod go_adapter;
mod helpers;
mod json_patch;
mod large_schemas;
mod long_lists;
mod long_managed_lists;
mod modal_unions;
mod patch_merge_key;
mod patch_merge_key_properties;
mod patch_properties;
mod schema_compile;
mod schema_views;
mod structured_merge_diff;
mod type_lookup;
