//! The integration tests of the crate.

mod report;
mod secrets;
mod suite;
mod threads;
