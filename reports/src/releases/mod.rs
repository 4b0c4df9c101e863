//! The report on the API servers of Kubernetes releases (`skewer-lab releases`).

mod layout;
mod model;
#[cfg(test)]
mod tests;
mod text;

pub use model::{
    CaseStates, DeviationReason, PointStates, RandomRequests, ReleaseRun, ReleasesReport, UnlikeCell,
};
pub use text::text;

use crate::blocks;

/// Renders the report in Markdown, which is checked in as `RELEASES.md`. `date` is the day of the runs, and `command`
/// makes the report again.
#[must_use]
pub fn markdown(report: &ReleasesReport, date: &str, command: &str) -> String {
    blocks::markdown::document(&layout::report_blocks(report, date, command), 1)
}
