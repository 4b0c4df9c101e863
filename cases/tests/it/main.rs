//! Tests of the public API for loading corpora.

#![allow(clippy::unwrap_used)] // Helpers outside of test functions unwrap too.

mod broken;
mod corpus;
mod custom_resources;
mod documents;
mod format_page;
mod histories;
mod operations;
mod overlays;
mod printing;
mod quotations;
mod schemas;
mod support;
