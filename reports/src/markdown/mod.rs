//! Results as Markdown (the GitHub flavour), for a pull request or a job summary.
//!
//! Text from a case or a target is escaped or in code. It can therefore neither break the tables nor add HTML, links or
//! mentions.

pub(crate) mod comparison;
pub(crate) mod compatibility;
pub(crate) mod report;
mod target_comparison;

pub use comparison::comparison;
pub use compatibility::compatibility;
pub use report::report;
pub use target_comparison::target_comparison;

pub use crate::blocks::markdown::size_limit::SizeLimit;
