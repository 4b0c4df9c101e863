//! The report on the API servers of Kubernetes releases (`skewer-lab releases`).

mod layout;
mod model;
#[cfg(test)]
mod tests;
mod text;

pub use self::layout::markdown;
pub use model::{
    CaseStates, DeviationReason, PointStates, RandomRequests, ReleaseRun, ReleasesReport, UnlikeCell,
};
pub use text::text;
