//! Comparison of the admission of custom resources with `k8s.io/apiextensions-apiserver`: random definitions, random
//! objects, and updates of them.
//!
//! Both sides answer the operation `admit`. Two stored objects must be equal, and two refusals must have the same errors,
//! each with its kind and path.

pub(super) mod compare;
mod objects;
pub(super) mod report;
pub(super) mod run;
pub(super) mod schemas;
pub(super) mod values;

pub(in crate::differential) use run::document;
pub use run::{AdmissionPlan, compare_admission};
