//! The loading of corpora, by the public API.

#![allow(clippy::unwrap_used)] // Helpers outside of test functions unwrap too.

mod broken;
mod corpus;
mod documents;
mod operations;
mod schemas;
mod support;
