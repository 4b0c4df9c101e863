//! Differential runs: the built-in engine against another implementation, on random documents.
//!
//! Both answer the same trials: types with every sort of patch metadata, documents of these types, and patches with every
//! directive, correct and incorrect. Results must be equal, and refusals of one kind. A difference is explained by one of
//! the [rules](DeviationRule), each of which predicts the target's answer and may explain a small share of the trials, or
//! it is shrunk and shown.

mod answer;
mod case;
mod compare;
mod deviation_rules;
mod generate;
mod report;
mod run;
mod shrink;
mod trial;
mod types;
mod upstream_errors;

pub use answer::Answer;
pub use compare::{Comparison, ComparisonResult, run_trial};
pub use deviation_rules::{Cap, DEVIATION_RULES, DeviationRule, MAP_ORDER};
pub use generate::TypeSource;
pub use report::{Difference, ExceededCap, OperationCounts, Report};
pub use run::{DifferentialPlan, run};
pub use trial::Trial;
pub use types::TrialTypes;
pub use upstream_errors::UpstreamErrorCounts;
