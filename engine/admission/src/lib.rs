//! Admission of custom resources: what an API server does with a custom resource before it stores the object, and when
//! it reads the object from storage.
//!
//! The steps and their order are those of `k8s.io/apiextensions-apiserver`: pruning, defaulting, the preparation of an
//! update, and validation. Mutating and validating webhooks are not simulated.

mod answer;
pub mod cel;
pub mod conversion;
pub mod default;
pub mod definition;
mod fields;
mod go_regex;
mod go_types;
mod metadata;
pub mod not_simulated;
mod options;
pub mod prune;
mod reason;
mod storage;
mod strategy;
pub mod structural;
mod url;
mod validate;
mod view;

pub use answer::{AdmitRequest, answer};
pub use definition::DefinitionRequest;
pub use go_regex::rust_syntax;
pub use metadata::is_object_name;
pub use options::AdmissionOptions;
pub use strategy::{Admission, Reviewed};
pub use validate::format_expression;
