//! The matrix of KEP-1027 by policy: the argument of the KEP in numbers.
//!
//! [`Report::of`] computes it from the results of a run, cell by cell; [`Format`] is how it is written. The words of
//! the KEP stand here, and which cells each of its conclusions speaks of; no count does.

mod axis_values;
mod conclusions;
pub(crate) mod layout;
mod matrix;
mod policies;
mod render;
mod report;
#[cfg(test)]
mod tests;

pub use conclusions::{Conclusion, ConclusionStatus, Finding};
pub use matrix::{CitedRow, SUITES, UnionKind};
pub use policies::{AxisCondition, PolicyComparison, PolicyCounts, PolicyDifference, PolicyTable};
pub use report::Report;

use crate::control_characters::escape_json;
use crate::terminal::Style;
use crate::vocabulary::word_enum;

word_enum! {
    /// A format of the report.
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
        let blocks = || layout::report_blocks(report);
        match self {
            Format::Text => render::text(&blocks(), style),
            Format::Markdown => render::markdown(&blocks()),
            Format::Html => render::html(&blocks()),
            // Nothing in the report can fail to be JSON: no map, no number but counts.
            Format::Json => {
                escape_json(&serde_json::to_string_pretty(report).unwrap_or_default()).into_owned() + "\n"
            }
        }
    }
}
