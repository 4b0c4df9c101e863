//! A summary of the outcomes of a run: by area of the corpus, suite, directive and union policy, with the errata.
//!
//! [`CompatibilitySummary::of`] counts and groups the cells. [`crate::markdown::compatibility`] renders the summary.

pub(crate) mod silent_regions;

use std::collections::BTreeMap;

use skewer_results::model::{Cell, Results};
use skewer_results::vocabulary::Level;

use crate::directives;
use crate::group;
use crate::natural_order;
use crate::pivot::ResultLabel;
use crate::summary::Summary;
use crate::summary::counts::Counts;
use crate::summary::run_problem::RunProblem;

pub use silent_regions::{SilentRegion, SilentRegions};

/// The axis whose values are union policies.
const POLICY_AXIS: &str = "policy";

/// A summary of the outcomes of a run.
#[derive(Clone, Debug)]
pub struct CompatibilitySummary<'a> {
    /// Name of the implementation that was run.
    pub target: &'a str,
    /// Reasons other than failed cells why the run is not green. Each is a sentence without its full stop.
    pub problems: Vec<String>,
    /// Suites of which no cell was run.
    pub not_run: Vec<String>,
    /// The number of cases.
    pub cases: usize,
    /// The counts over all cells.
    pub total: Counts,
    /// The areas of the corpus, in the order of [`AREAS`], then by name.
    pub areas: Vec<AreaSummary<'a>>,
    /// Directives in the results, each with the counts over the cells that are about it. A cell can be about several
    /// directives.
    pub directives: Vec<(String, Counts)>,
    /// The union policies, by name.
    pub policies: Vec<PolicySummary<'a>>,
    /// The errata by document.
    pub errata: BTreeMap<&'a str, Vec<Erratum<'a>>>,
}

/// The suites of one folder of the corpus.
#[derive(Clone, Debug)]
pub struct AreaSummary<'a> {
    /// The folder.
    pub folder: &'a str,
    /// The counts over all cells of the area.
    pub counts: Counts,
    /// Documents that the cases cite, each with its sections, in the order in which they are first cited.
    pub citations: Vec<(&'a str, Vec<&'a str>)>,
    /// The suites.
    pub suites: Vec<SuiteSummary<'a>>,
}

/// One suite.
#[derive(Clone, Debug)]
pub struct SuiteSummary<'a> {
    /// The name.
    pub name: &'a str,
    /// The YAML file.
    pub file: Option<&'a str>,
    /// The number of cases.
    pub cases: usize,
    /// The counts over all cells of the suite.
    pub counts: Counts,
    /// The regions of the matrix that contain cells with silent outcomes.
    pub silent: SilentRegions<'a>,
}

/// The cells that were run under one union policy.
#[derive(Clone, Debug)]
pub struct PolicySummary<'a> {
    /// The policy.
    pub name: &'a str,
    /// The counts over its cells.
    pub counts: Counts,
    /// The regions of the matrix that contain cells with silent outcomes.
    pub silent: SilentRegions<'a>,
}

/// A case that shows that a document contradicts itself or the shipped behaviour.
#[derive(Clone, Debug)]
pub struct Erratum<'a> {
    /// The suite.
    pub suite: &'a str,
    /// The case.
    pub case: &'a str,
    /// The YAML file.
    pub file: Option<&'a str>,
    /// The section of the document.
    pub section: Option<&'a str>,
    /// Outcomes of the cells that show the erratum, each with the number of cells.
    pub outcomes: Vec<(ResultLabel, usize)>,
}

/// An area of the built-in corpus, with fixed texts for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// The folder inside the corpus, for example `unions`.
    pub folder: &'static str,
    /// The title.
    pub title: &'static str,
    /// The subject, in a sentence.
    pub subject: &'static str,
}

/// The areas of the built-in corpus, in the order in which reports show them.
pub const AREAS: [Area; 9] = [
    Area {
        folder: "strategic-merge-patch",
        title: "Strategic merge patch",
        subject: "The patch format of Kubernetes: its rules, its directives, and clients and servers that do not know \
                  a directive yet.",
    },
    Area {
        folder: "retain-keys",
        title: "$retainKeys",
        subject: "The directive that lists the fields of a map that stay. The server clears all others, so that a \
                  client can switch from one member of a union to another.",
    },
    Area {
        folder: "patch-merge-key",
        title: "$patchMergeKey",
        subject: "A proposed directive with which the patch itself names the fields that identify the items of a list.",
    },
    Area {
        folder: "unions",
        title: "Unions (KEP-1027)",
        subject: "Union types: fields of which at most one may be set, with or without a discriminator, under each \
                  policy that a server can have.",
    },
    Area {
        folder: "upstream",
        title: "Upstream behaviour",
        subject: "Behaviour of the Kubernetes code that the design documents do not describe, and known issues.",
    },
    Area {
        folder: "releases",
        title: "Releases",
        subject: "Clients and servers of real Kubernetes releases, with the types that each release has.",
    },
    Area {
        folder: "built-in",
        title: "Built-in types",
        subject: "The proposals applied to the built-in types that they list as affected.",
    },
    Area {
        folder: "json-patch",
        title: "JSON patch",
        subject: "JSON patches (RFC 6902), the format that needs no types.",
    },
    Area {
        folder: "laws",
        title: "Laws of patch evolution",
        subject: "Promises that a new directive must keep to clients and servers that do not know it, and cases that \
                  break them.",
    },
];

impl<'a> CompatibilitySummary<'a> {
    /// Summarises the results of a run.
    #[must_use]
    pub fn of(results: &'a Results) -> Self {
        let summary = Summary::of(results);
        let areas = summarise_areas(group::by_suite(&results.cells));
        CompatibilitySummary {
            target: &results.run.target.name,
            problems: summary.problems().iter().filter_map(problem_text).collect(),
            not_run: summary.not_run().map(str::to_owned).collect(),
            cases: areas.iter().flat_map(|area| &area.suites).map(|suite| suite.cases).sum(),
            total: results.cells.iter().collect(),
            areas,
            directives: directives::count_by_directive(&results.cells),
            policies: summarise_policies(&results.cells),
            errata: errata_by_document(&results.cells),
        }
    }
}

/// Describes a problem without numbers of cells, which change from run to run. Returns `None` for suites that were not
/// run, because the summary lists these suites separately.
fn problem_text(problem: &RunProblem<'_>) -> Option<String> {
    match problem {
        RunProblem::Partial { .. } => Some("The run ended early, so that cells are missing".to_owned()),
        RunProblem::Recorded(_) => Some(format!("The run has a problem: {}", problem.line())),
        RunProblem::GivenUp { .. } => {
            Some("The target was given up before the run ended, so that cells were not run".to_owned())
        }
        RunProblem::NoCells => Some("No cell was run".to_owned()),
        RunProblem::SuitesNotRun { .. } => None,
    }
}

impl AreaSummary<'_> {
    /// Returns the title and the description of the area. Returns `None` if the built-in corpus has no such area.
    #[must_use]
    pub fn area(&self) -> Option<&'static Area> {
        AREAS.iter().find(|area| area.folder == self.folder)
    }
}

type SuiteCells<'a> = (&'a str, Vec<&'a Cell>);

fn summarise_areas(mut suites: Vec<SuiteCells<'_>>) -> Vec<AreaSummary<'_>> {
    suites.sort_by_key(|(suite, _)| {
        let folder = folder_of(suite);
        (AREAS.iter().position(|area| area.folder == folder).unwrap_or(AREAS.len()), folder)
    });
    let areas = suites.chunk_by(|(left, _), (right, _)| folder_of(left) == folder_of(right));
    areas.map(summarise_area).collect()
}

fn folder_of(suite: &str) -> &str {
    suite.split_once('/').map_or(suite, |(folder, _)| folder)
}

fn summarise_area<'a>(suites: &[SuiteCells<'a>]) -> AreaSummary<'a> {
    let cells = || suites.iter().flat_map(|(_, cells)| cells.iter().copied());
    AreaSummary {
        folder: suites.first().map_or("", |(suite, _)| folder_of(suite)),
        counts: cells().collect(),
        citations: citations(cells()),
        suites: suites.iter().map(|(name, cells)| summarise_suite(name, cells)).collect(),
    }
}

fn citations<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut citations: Vec<(&str, Vec<&str>)> = Vec::new();
    for source in cells.filter_map(|cell| cell.source.as_ref()) {
        let document = &*source.document;
        let index = citations.iter().position(|(cited, _)| *cited == document).unwrap_or_else(|| {
            citations.push((document, Vec::new()));
            citations.len() - 1
        });
        let sections = &mut citations[index].1;
        match source.section.as_deref() {
            Some(section) if !sections.contains(&section) => sections.push(section),
            _ => {}
        }
    }
    citations
}

fn summarise_suite<'a>(name: &'a str, cells: &[&'a Cell]) -> SuiteSummary<'a> {
    // The cells of a case follow each other in the results.
    let cases = cells.chunk_by(|left, right| left.case == right.case).count();
    SuiteSummary {
        name,
        file: cells.iter().find_map(|cell| file_of(cell)),
        cases,
        counts: cells.iter().copied().collect(),
        silent: SilentRegions::by_axes_or_cases(cells),
    }
}

fn file_of(cell: &Cell) -> Option<&str> {
    cell.location.as_ref().map(|location| &*location.file)
}

fn summarise_policies(cells: &[Cell]) -> Vec<PolicySummary<'_>> {
    let mut by_policy: BTreeMap<&str, Vec<&Cell>> = BTreeMap::new();
    for cell in cells {
        if let Some(policy) = cell.axes.get(POLICY_AXIS) {
            by_policy.entry(policy).or_default().push(cell);
        }
    }
    let mut policies: Vec<PolicySummary<'_>> =
        by_policy.into_iter().map(|(name, cells)| summarise_policy(name, &cells)).collect();
    policies.sort_by(|left, right| natural_order::compare(left.name, right.name));
    policies
}

fn summarise_policy<'a>(name: &'a str, cells: &[&'a Cell]) -> PolicySummary<'a> {
    PolicySummary {
        name,
        counts: cells.iter().copied().collect(),
        silent: SilentRegions::by_axes(cells, &[POLICY_AXIS]),
    }
}

fn errata_by_document(cells: &[Cell]) -> BTreeMap<&str, Vec<Erratum<'_>>> {
    let mut errata: BTreeMap<&str, Vec<Erratum<'_>>> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| cell.level == Level::Erratum) {
        let source = cell.source.as_ref();
        let of_document = errata.entry(source.map_or("", |source| &source.document)).or_default();
        let is_same_case = |erratum: &Erratum<'_>| (erratum.suite, erratum.case) == (&cell.suite, &cell.case);
        let index = of_document.iter().position(is_same_case).unwrap_or_else(|| {
            of_document.push(Erratum {
                suite: &cell.suite,
                case: &cell.case,
                file: file_of(cell),
                section: source.and_then(|source| source.section.as_deref()),
                outcomes: Vec::new(),
            });
            of_document.len() - 1
        });
        count_outcome(&mut of_document[index].outcomes, ResultLabel::of(cell));
    }
    for of_document in errata.values_mut() {
        // The sort is stable: within a section, the errata stay in the order of the corpus.
        of_document.sort_by_key(|erratum| erratum.section);
    }
    errata
}

fn count_outcome(outcomes: &mut Vec<(ResultLabel, usize)>, outcome: ResultLabel) {
    match outcomes.iter_mut().find(|(known, _)| *known == outcome) {
        Some((_, cells)) => *cells += 1,
        None => outcomes.push((outcome, 1)),
    }
    outcomes.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support;

    #[test]
    fn every_cell_counts_in_one_area_and_one_suite() {
        let results = test_support::sample_results();
        let summary = CompatibilitySummary::of(&results);
        let folders: Vec<_> = summary.areas.iter().map(|area| (area.folder, area.counts.cells())).collect();
        assert_eq!(folders, [("retain-keys", 4), ("errata", 1), ("lists", 5), ("proposals", 2)]);
        let in_suites: usize =
            summary.areas.iter().flat_map(|area| &area.suites).map(|suite| suite.counts.cells()).sum();
        assert_eq!(in_suites, summary.total.cells());
        assert_eq!(summary.cases, 9);
        assert_eq!(summary.areas[0].citations, [("retain-keys", vec!["Version Skew"])]);
    }

    #[test]
    fn an_erratum_has_the_outcomes_of_its_cells() {
        let results = test_support::sample_results();
        let summary = CompatibilitySummary::of(&results);
        let [erratum] = &summary.errata["strategic-merge-patch"][..] else { panic!("{:?}", summary.errata) };
        assert_eq!((erratum.case, erratum.section), ("second-container", Some("Lists")));
        assert_eq!(erratum.outcomes.len(), 1);
    }
}
