//! Targets: implementations under test, one file each.

mod builtin;

use skewer_engine::skew::Operations;

pub use builtin::BuiltInTarget;

/// An implementation under test.
pub trait Target: Sync {
    /// What it calls itself.
    fn info(&self) -> TargetInfo;

    /// The operations, from any thread.
    fn operations(&self) -> &(dyn Operations + Sync);
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
