//! The results of Skewer runs, and everything that is rendered from them.
//!
//! - [`model`]: the results of a run, [versioned](model::VERSION); [`axes`] and [`vocabulary`] are parts of it;
//! - [`json`]: the results file, written cell by cell and read back;
//! - [`summary`], [`group`], [`pivot`]: aggregates, plain data, and the state of a run;
//! - [`compare`]: what two runs differ in; [`shards`]: one run out of several;
//! - [`compatibility`]: the outcomes of a run in short, to be checked in;
//! - [`terminal`], [`markdown`], [`html`]: reports for people; [`diff`] is what it and others show of two documents;
//! - [`kep`]: what the matrix of KEP-1027 says, by policy;
//! - [`junit`], [`github`], [`badge`]: reports for machines;
//! - [`mod@format`]: all of them by name;
//! - [`mod@file`]: files that appear whole or not at all.
//!
//! # Scope and limits
//!
//! The crate knows nothing of engines, cases or targets. Cells come with their statuses; nothing here judges them,
//! and no renderer computes more than how something looks. The same results give the same bytes.

pub mod axes;
pub mod badge;
mod blocks;
pub mod compare;
pub mod compatibility;
pub mod control_characters;
pub mod diff;
pub mod file;
pub mod format;
pub mod github;
pub mod group;
pub mod html;
pub mod json;
pub mod junit;
pub mod kep;
pub mod laws;
pub mod markdown;
pub mod model;
mod natural_order;
pub mod pivot;
pub mod shards;
pub mod summary;
pub mod terminal;
#[cfg(test)]
mod test_support;
pub mod vocabulary;

pub use axes::Axes;
pub use format::{ComparisonFormat, Format, RunReport};
pub use model::{
    Cell, Deviation, Location, Problem, Results, RunInfo, Selection, Shard, Source, Step, Target,
};
pub use summary::OverallState;
pub use vocabulary::{Level, Outcome, ProblemKind, Status};
