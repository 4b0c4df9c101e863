//! The report on one run.

use super::result_groups::{CellNoun, result_groups};
use super::style::Style;
use super::summary;
use crate::model::Results;
use crate::result_kind::{ExampleLimit, ResultGroups};
use crate::summary::Summary;

/// Renders the report on a run: the properties of the run, the summary by suite, all failures, and their kinds.
#[must_use]
pub fn report(results: &Results, style: Style) -> String {
    let mut text = summary::heading(results);
    let counts = Summary::of(results);
    text.push_str(&summary(&counts, style));
    let groups = ResultGroups::of(results.failures(), ExampleLimit::All);
    text.push_str(&result_groups(&groups, &counts, CellNoun::Failures, style));
    text
}
