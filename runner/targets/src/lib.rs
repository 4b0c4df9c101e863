//! Targets: the implementations under test. Each has its own file or folder. [`serve()`](serve::serve) is the other side of the
//! protocol of adapters: it answers with the built-in engine.
//!
//! The targets of Kubernetes (`kubectl` and API servers) need the feature `servers`; those to which Skewer speaks HTTP
//! (`kubectl`, `kube:R` and `kube`) also need `network`.
//!
//! # Scope and limits
//!
//! A target performs operations, and sees no cell, no case file and no expectation. The crate judges nothing.

#[cfg(feature = "servers")]
pub mod apiserver;
mod builtin;
mod check;
mod check_unions;
pub mod exec;
mod failure;
#[cfg(feature = "servers")]
pub mod installed;
#[cfg(feature = "network")]
mod kubectl;
mod library;
#[cfg(feature = "servers")]
pub mod live;
#[cfg(feature = "servers")]
mod live_target;
mod lossy_floats;
mod pair;
mod process_group;
pub mod serve;
mod spec;
mod target;
mod unanswered;
mod visible_text;

pub use builtin::BuiltInTarget;
pub use check::{Sample, SampleResult, check_target};
pub use check_unions::check_unions;
pub use exec::{ExecOptions, ExecTarget, UnionRules, describe_reply};
pub use failure::{OperationError, TargetFailure, TargetFailureKind, unsupported};
#[cfg(feature = "network")]
pub use kubectl::KubectlTarget;
#[cfg(feature = "servers")]
pub use live_target::{ClusterOptions, LiveTarget};
pub use lossy_floats::is_equal_up_to_lossy_floats;
pub use pair::PairTarget;
pub use process_group::kill_all as kill_all_processes;
pub use spec::TargetSpec;
pub use target::{Target, TargetError, TargetInfo};
