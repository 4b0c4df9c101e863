//! Tests of the public API for reading and writing YAML.

#![allow(clippy::unwrap_used)] // Helpers outside of test functions unwrap too.

mod layout;
mod never_panics;
mod reference;
mod round_trip;
mod spans;
mod support;
mod text;
mod types;
