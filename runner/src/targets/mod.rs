//! Targets: implementations under test, one file or folder each.

mod builtin;
mod check;
pub(crate) mod exec;
mod kubectl;
mod numbers;
mod spec;

use skewer_engine::skew::{Operation, Operations};

pub use builtin::BuiltInTarget;
pub use check::{Found, Sample, check};
pub use exec::{ExecOptions, ExecTarget, describe_reply};
pub use kubectl::KubectlTarget;
pub use numbers::same_but_for_floats;
pub use spec::TargetSpec;

/// An implementation under test.
pub trait Target: Sync {
    /// What it calls itself.
    fn info(&self) -> TargetInfo;

    /// The operations, from any thread.
    fn operations(&self) -> &(dyn Operations + Sync);

    /// May a result of this operation hold `1` where `1.0` is meant?
    fn loses_floats(&self, _operation: &Operation<'_>) -> bool {
        false
    }

    /// Does it give the same answer again, at no cost? Then the steps of a cell are recorded only when they are wanted,
    /// by running it once more.
    fn repeats(&self) -> bool {
        false
    }

    /// Does it read types? Others are sent types that were read.
    fn reads_types(&self) -> bool {
        false
    }

    /// Why it was given up for good, if it was.
    fn broken(&self) -> Option<String> {
        None
    }

    /// What it says that it supports: what sort of thing, and which.
    fn supports(&self) -> Vec<(&'static str, Vec<String>)> {
        Vec::new()
    }

    /// What it did wrong without harm to a cell.
    fn complaints(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What a target calls itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetInfo {
    /// Its name.
    pub name: String,
    /// Its version, where it tells one.
    pub version: Option<String>,
    /// The language it is written in, where it tells one.
    pub language: Option<String>,
}

/// Why a target cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the target cannot be started: {why}")]
pub struct TargetError {
    why: String,
}

impl TargetError {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        TargetError { why: why.into() }
    }
}
