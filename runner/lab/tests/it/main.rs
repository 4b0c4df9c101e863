//! The integration tests of the lab: its commands, and what it says about the built-in corpus.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a failure in a helper must fail the test

mod changed_engine;
mod clients;
mod compatibility_report;
mod coverage;
mod documents_report;
mod helpers;
mod mutants;
mod preflight;
mod recall;
#[cfg(unix)]
mod releases;
