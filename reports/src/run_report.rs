//! The input of the page of a run: the results, and additions that are not in the results.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use skewer_results::model::{Results, RunInfo};

use crate::kep::model::KepReport;
use crate::pivot::ResultLabel;
use crate::summary::Summary;
use crate::summary::counts::Counts;
use crate::summary::overall_state::OverallState;

/// The input of the reports on one run.
#[derive(Clone, Debug)]
pub struct RunReport<'a> {
    /// The results.
    pub results: &'a Results,
    /// The report on KEP-1027, if the run contains the matrix of the KEP. The HTML report shows it.
    pub kep: Option<KepReport>,
    /// Additions to the HTML report that are not in the results.
    pub page: PageOptions,
}

/// Additions to the page of a run that are not in its results. The default is a page without additions.
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// Documents that cases cite by a name.
    pub documents: Vec<CitedDocument>,
    /// Address of the lines of case files.
    pub source_link: Option<SourceLink>,
    /// Other runs whose results are shown beside those of this run, in the order of the columns.
    pub earlier_runs: Vec<EarlierRun>,
    /// Name of this run beside the others, such as the name of its results file.
    pub run_name: Option<String>,
}

/// A document that cases cite by a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CitedDocument {
    /// The name, as in [`Source::document`](skewer_results::model::Source::document).
    pub name: String,
    /// The title.
    pub title: String,
    /// The public address of the document, if one is known. The headings of its sections are anchors, as on GitHub.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// The address of a line of a case file, with `{file}` and `{line}` in the places of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct SourceLink(String);

/// The error for a text that is no [`SourceLink`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a web address with {{file}}, and with {{line}} if lines have addresses, such as \
     https://github.com/OWNER/REPOSITORY/blob/main/{{file}}#L{{line}}"
)]
pub struct InvalidSourceLink;

impl FromStr for SourceLink {
    type Err = InvalidSourceLink;

    fn from_str(text: &str) -> Result<Self, InvalidSourceLink> {
        let is_web_address = text.starts_with("https://") || text.starts_with("http://");
        if is_web_address && text.contains("{file}") {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSourceLink)
        }
    }
}

impl fmt::Display for SourceLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The results of another run, as far as the page shows them.
#[derive(Clone, Debug)]
pub struct EarlierRun {
    /// Name of the run on the page, such as the name of its results file.
    pub(crate) name: String,
    pub(crate) info: RunInfo,
    pub(crate) counts: Counts,
    pub(crate) state: OverallState,
    labels: HashMap<String, ResultLabel>,
}

impl EarlierRun {
    /// Makes the part of the results that the page shows. `name` is the name of the run on the page.
    #[must_use]
    pub fn new(name: String, results: &Results) -> Self {
        let summary = Summary::of(results);
        EarlierRun {
            name,
            info: results.run.clone(),
            counts: summary.total().clone(),
            state: summary.state(),
            labels: results.cells.iter().map(|cell| (cell.id.clone(), ResultLabel::of(cell))).collect(),
        }
    }

    /// Returns the results that occur, each with its number of cells.
    pub(crate) fn count_by_label(&self) -> BTreeMap<ResultLabel, usize> {
        let mut counts = BTreeMap::new();
        for label in self.labels.values() {
            *counts.entry(*label).or_default() += 1;
        }
        counts
    }

    /// Returns the result of a cell in this run.
    pub(crate) fn label(&self, id: &str) -> Option<&ResultLabel> {
        self.labels.get(id)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("https://example.com/{file}#L{line}", true)]
    #[case("http://example.com/{file}", true)]
    #[case("https://example.com/", false)]
    #[case("javascript:alert('{file}')", false)]
    #[case("", false)]
    fn a_source_link_is_a_web_address_of_a_file(#[case] text: &str, #[case] valid: bool) {
        assert_eq!(text.parse::<SourceLink>().is_ok(), valid);
    }
}
