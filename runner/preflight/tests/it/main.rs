//! The integration tests of the crate.

mod secrets;
mod threads;
