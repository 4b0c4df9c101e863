//! The report as data.

use serde::Serialize;

use super::conclusions::{self, Conclusion};
use super::matrix::{self, CitedRow, Matrix};
use super::policies::{self, PolicyComparison, PolicyDifference, PolicyTable};
use crate::model::Results;

/// The outcomes of the matrix of the KEP, by policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The implementation that was run.
    pub target: String,
    /// The number of cells of the matrix, over all policies.
    pub cells: usize,
    /// The number of points: what is done, by whom and to what, whatever the policy.
    pub points: usize,
    /// The number of cells that did something else than the corpus expects.
    pub failed: usize,
    /// The number of cells that were not run to their end, and are counted nowhere.
    pub not_run: usize,
    /// The policies, in the order of the design.
    pub policies: Vec<String>,
    /// The counts, for all unions together and for each kind of union.
    pub tables: Vec<PolicyTable>,
    /// The rows of the KEP's own table that it cites.
    pub rows: Vec<CitedRow>,
    /// The conclusions of the KEP, and whether they follow.
    pub conclusions: Vec<Conclusion>,
    /// `kep-1027`, point by point, against each of the other policies.
    #[serde(rename = "against")]
    pub comparisons: Vec<PolicyComparison>,
    /// The points at which the policies differ.
    pub differences: Vec<PolicyDifference>,
}

impl Report {
    /// Computes the report; `None` when no cell of the matrix is among them.
    #[must_use]
    pub fn of(results: &Results) -> Option<Self> {
        let matrix = Matrix::of(results);
        if matrix.points.is_empty() {
            return None;
        }
        Some(Report {
            target: results.run.target.name.clone(),
            cells: matrix.cells,
            points: matrix.points.len(),
            failed: matrix.failed,
            not_run: matrix.not_run,
            tables: policies::tables(&matrix),
            rows: matrix::cited_rows(results, &matrix.policies),
            conclusions: conclusions::conclusions(&matrix),
            comparisons: policies::compare_kep_policy(&matrix),
            differences: policies::differences(&matrix),
            policies: matrix.policies,
        })
    }

    /// Whether every conclusion of the KEP follows, for optional or for required unions at least.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.conclusions.iter().all(Conclusion::follows)
    }
}
