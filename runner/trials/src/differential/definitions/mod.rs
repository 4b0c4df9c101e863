//! Comparison of the check of definitions with `k8s.io/apiextensions-apiserver`: random definitions with mistakes, and updates.
//!
//! Both sides answer the operation `validate-definition`. Two answers are the same if their errors have the same set of
//! reasons and paths. Sets are compared, because servers can report several errors with the same reason at one place, one for
//! each sentence of the explanation.

mod compare;
mod edits;
mod places;
mod run;

pub use run::compare_definitions;
