//! The integration tests of the crate.

mod threads;
