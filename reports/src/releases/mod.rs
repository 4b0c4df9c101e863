//! The report on the API servers of Kubernetes releases (`skewer-lab releases`).

mod markdown;
mod model;
#[cfg(test)]
mod tests;
mod text;

pub use markdown::markdown;
pub use model::{CaseStates, DeviationReason, PointStates, RandomRequests, ReleaseRun, Report, UnlikeCell};
pub use text::text;
