//! Differential runs: comparison of the built-in engine with another implementation on random documents.
//!
//! Both implementations answer the same trials. The types have all kinds of patch metadata, and the patches have all
//! directives, used correctly and incorrectly. Two results must be equal, and two refusals must have the same error
//! kind. A rule can explain a difference if it predicts the target's answer. Each rule may explain
//! only a small share of the trials. Any other difference is shrunk and reported.

mod admission;
mod answer;
pub(crate) mod case;
pub(crate) mod compare;
mod definitions;
mod deviation_rules;
mod generate;
mod plan;
mod report;
mod rules;
mod run;
pub(crate) mod sequences;
mod shrink;
pub(crate) mod simpler_types;
mod smallest;
mod trial;
pub(crate) mod types;
mod upstream_errors;

pub use admission::{AdmissionPlan, compare_admission};
pub(crate) use answer::TrialAnswer;
pub use compare::AnswerCategories;
pub use definitions::compare_definitions;
pub use deviation_rules::{DEVIATION_RULES, MAP_ORDER};
pub use generate::{TrialTypeSource, request_types, trial_operations};
pub use plan::DifferentialPlan;
pub use rules::{RuleReport, compare_rules};
pub use run::run;
