//! Targets: implementations under test, one file or folder each.

mod builtin;
mod check;
pub(crate) mod exec;
mod failure;
mod kubectl;
mod lossy_floats;
mod process_group;
mod spec;
mod unanswered;
mod visible_text;

use skewer_engine::skew::{Operation, Operations};

pub use builtin::BuiltInTarget;
pub use check::{Sample, SampleResult, check_target};
pub use exec::{ExecOptions, ExecTarget, describe_reply};
pub use failure::{OperationError, TargetFailure, TargetFailureKind};
pub use kubectl::KubectlTarget;
pub use lossy_floats::is_equal_up_to_lossy_floats;
pub(crate) use process_group::kill_all as kill_all_processes;
pub use spec::TargetSpec;

/// An implementation under test.
pub trait Target: Sync {
    /// Returns the name and version that the implementation gives itself.
    fn info(&self) -> TargetInfo;

    /// Returns the operations, which can be called from any thread.
    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync);

    /// Returns true if a result of this operation can have `1` in place of `1.0`.
    fn has_lossy_floats(&self, _operation: &Operation<'_>) -> bool {
        false
    }

    /// Returns true if the target gives the same answer again, at no cost. The steps of a cell are then recorded only if they are
    /// needed, by running the cell a second time.
    fn is_cheap_to_rerun(&self) -> bool {
        false
    }

    /// Returns true if the target also performs the steps of the server: conversion, unions and validation. The built-in
    /// engine performs those steps for other targets, so that a cell without an operation says nothing about the target.
    fn performs_server_steps(&self) -> bool {
        false
    }

    /// Returns true if the target reads type declarations itself. Other targets receive compiled types.
    fn can_read_types(&self) -> bool {
        false
    }

    /// Returns the reason, after "the target", if the target was given up and is not asked any more.
    fn permanent_failure(&self) -> Option<String> {
        None
    }

    /// Returns the capabilities that the target declares: pairs of a category and the names in it.
    fn capabilities(&self) -> Vec<(&'static str, Vec<String>)> {
        Vec::new()
    }

    /// Returns defects of the target that changed no result: violations of the protocol, and unknown names among its
    /// capabilities.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Name and version of a target, as it gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetInfo {
    /// Its name.
    pub name: String,
    /// Its version, if it is known.
    pub version: Option<String>,
    /// The language that it is written in, if it is known.
    pub language: Option<String>,
}

/// The error of a target that cannot be started.
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
