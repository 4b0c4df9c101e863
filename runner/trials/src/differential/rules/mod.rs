//! Comparison of rules in CEL with `k8s.io/apiextensions-apiserver`: random rules, and random objects that they judge.
//!
//! The target answers the operation `admit`. It must refuse a definition because of the same rules, and of the accepted rules the
//! same must not hold, and the same must fail.

mod documents;
mod expressions;
mod kind;
mod run;
mod templates;

pub use run::{RuleReport, compare_rules};
