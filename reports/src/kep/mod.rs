//! What the matrix of KEP-1027 says, by policy: the argument of the KEP in numbers.
//!
//! [`Report::of`] computes it from the results of a run, cell by cell; [`Format`] is how it is written. The words of
//! the KEP stand here, and which cells each of its conclusions speaks of; no count does.

mod boxes;
mod claims;
pub(crate) mod layout;
mod matrix;
mod policies;
mod render;
#[cfg(test)]
mod tests;

use serde::Serialize;

pub use claims::{Conclusion, Finding, Verdict};
pub use matrix::Union;
pub use policies::{Against, Condition, Difference, Tally};

use crate::model::Results;
use crate::terminal::Style;
use crate::words::{Outcome, words};
use matrix::Matrix;

/// The suites of the matrix.
pub const SUITES: &str = "unions/kep-matrix/";

/// What the matrix says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The implementation that was run.
    pub target: String,
    /// How many cells the matrix has, over all policies.
    pub cells: usize,
    /// How many points: what is done, by whom and to what, whatever the policy.
    pub points: usize,
    /// How many cells did something else than the corpus expects.
    pub failed: usize,
    /// How many cells were not run to their end, and are counted nowhere.
    pub not_run: usize,
    /// The policies, in the order of the design.
    pub policies: Vec<String>,
    /// What became of the cells, for all unions together and for each kind of union.
    pub tables: Vec<Table>,
    /// The rows of the KEP's own table that it cites.
    pub rows: Vec<Row>,
    /// What the KEP concludes, and whether it follows.
    pub conclusions: Vec<Conclusion>,
    /// `kep-1027`, point by point, against each of the other policies.
    pub against: Vec<Against>,
    /// Where the policies differ.
    pub differences: Vec<Difference>,
}

/// What became of the cells of some unions, by policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Table {
    /// Which unions, in words.
    pub unions: String,
    /// A tally for each policy.
    pub policies: Vec<Tally>,
}

/// A row of the KEP's table, where the corpus cites it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its number.
    pub row: u32,
    /// The case, and the point of its matrix where it has one besides the policy: `row-34[live=known]`.
    pub case: String,
    /// What the case is about.
    pub about: String,
    /// What became of it under each policy; `None` where it was not run.
    pub outcomes: Vec<Option<Outcome>>,
}

impl Report {
    /// What the results say; `None` when no cell of the matrix is among them.
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
            rows: matrix::rows(results, &matrix.policies),
            conclusions: claims::conclusions(&matrix),
            against: policies::against(&matrix),
            differences: policies::differences(&matrix),
            policies: matrix.policies,
        })
    }

    /// Does every conclusion of the KEP follow, for optional or for required unions at least?
    #[must_use]
    pub fn follows(&self) -> bool {
        self.conclusions.iter().all(Conclusion::follows)
    }
}

words! {
    /// How the report is written.
    #[derive(Default)]
    "format of the KEP report" Format {
        /// For a terminal.
        Text = "text" as default,
        /// To be checked in, or for a pull request.
        Markdown = "markdown",
        /// One page that needs nothing besides.
        Html = "html",
        /// [`Report`] as JSON.
        Json = "json",
    }
}

impl Format {
    /// The report, written. `style` is for [`Format::Text`].
    #[must_use]
    pub fn write(self, report: &Report, style: Style) -> String {
        let blocks = || layout::blocks(report);
        match self {
            Format::Text => render::text(&blocks(), style),
            Format::Markdown => render::markdown(&blocks()),
            Format::Html => render::html(&blocks()),
            // Nothing in the report can fail to be JSON: no map, no number but counts.
            Format::Json => serde_json::to_string_pretty(report).unwrap_or_default() + "\n",
        }
    }
}
