//! The analysis of the matrix of KEP-1027: counts by policy, and the conclusions of the KEP checked against them.
//!
//! [`analyze`] makes a [`KepReport`] from the results of a run. [`skewer_reports::kep`] renders it. The claims of the KEP,
//! and the cells to which each of them applies, are in `conclusions`; all counts come from the results.

pub mod axis_values;
mod conclusions;
mod matrix;
mod policies;
mod sheet;
#[cfg(test)]
mod tests;
mod types;

use skewer_reports::kep::{Conclusion, ConclusionStatus, KepReport};
use skewer_results::Results;

use self::matrix::Matrix;
pub use self::matrix::{SUITE, TYPES_SUITE};

/// Analyzes the cells of the matrix. Returns `None` if the results contain no such cell.
#[must_use]
pub fn analyze(results: &Results) -> Option<KepReport> {
    let matrix = Matrix::of(results);
    if matrix.points.is_empty() {
        return None;
    }
    let rows = matrix::cited_rows(results, &matrix.policies);
    Some(KepReport {
        target: results.run.target.name.clone(),
        cells: matrix.cells,
        points: matrix.points.len(),
        behaviours: matrix.behaviours(),
        failed: matrix.failed,
        not_run: matrix.not_run,
        tables: policies::tables(&matrix),
        sheet: sheet::rows(results, &matrix, &rows),
        conclusions: conclusions::conclusions(&matrix, &rows),
        rows,
        types: types::compare(results),
        comparisons: policies::compare_kep_policy(&matrix),
        differences: policies::differences(&matrix),
        policies: matrix.policies,
    })
}

/// Returns true if a conclusion follows for optional or for required unions, and is refuted for neither.
#[must_use]
pub fn follows(conclusion: &Conclusion) -> bool {
    let has = |status| conclusion.findings.iter().any(|finding| finding.status == status);
    has(ConclusionStatus::Follows) && !has(ConclusionStatus::DoesNotFollow)
}

/// Returns true if every conclusion follows, and every cell of the matrix does what the corpus expects.
#[must_use]
pub fn is_confirmed(report: &KepReport) -> bool {
    report.failed == 0 && report.conclusions.iter().all(follows)
}
