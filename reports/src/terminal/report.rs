//! The report on one run.

use super::failure::failures;
use super::style::Style;
use super::summary;
use crate::model::Results;
use crate::summary::Summary;

/// Renders the report on a run: the properties of the run, the summary by suite, and the failures.
#[must_use]
pub fn report(results: &Results, style: Style) -> String {
    let mut text = summary::heading(results);
    text.push_str(&summary(&Summary::of(results), style));
    text.push_str(&failures(results.failures(), None, style));
    text
}
