//! The built-in engine against another implementation, on random documents.
//!
//! Both are given the same trials: types with every sort of patch metadata, documents of these types, and
//! patches with every directive, right and wrong. Results must be equal, refusals of the same kind. A difference
//! is explained by one of the [`rules`](Rule), or made as small as it can be and shown.

mod case;
mod compare;
mod generate;
mod report;
mod rules;
mod run;
mod shrink;
mod trial;
mod upstream;

pub use compare::{Answer, Comparison, Verdict, compare};
pub use generate::{Source, Types};
pub use report::{Counts, Difference, Report};
pub use rules::{MAP_ORDER, RULES, Rule};
pub use run::{Plan, run};
pub use trial::{Kind, Trial};
pub use upstream::UpstreamCounts;
