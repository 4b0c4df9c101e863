//! Results as Markdown (the GitHub flavour), for a pull request or a job summary.
//!
//! What comes from a case or a target is escaped or stands in code, so that it can neither break the tables nor
//! bring in HTML, links or mentions.

mod beside;
mod compare;
mod compatibility;
pub(crate) mod escape;
mod limit;
mod report;

pub use beside::beside;
pub use compare::comparison;
pub use compatibility::compatibility;
pub use limit::Options;
pub use report::report;
