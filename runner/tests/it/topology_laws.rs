//! The laws for changes of a topology. The verdicts agree with the record and with the cells of the corpus, and the
//! printed counter-examples are valid suites.

use std::sync::LazyLock;

use skewer::cli::topology;
use skewer_cases::{Corpus, CorpusFile};
use skewer_execute::execute::{ExecutionOptions, StepRecording, run_cell};
use skewer_reports::laws::{LawsReport, VerdictSummary};
use skewer_reports::terminal::Style;
use skewer_reports::topology::{Effect, SUITE};
use skewer_results::Status;
use skewer_targets::BuiltInTarget;
use skewer_trials::laws::report::ExampleSelection;
use skewer_trials::laws::topology::{CHANGES, TopologyChange, report};
use skewer_trials::laws::{Law, RecordComparison, SituationPlan, VerdictKind, VerdictRecord};

use crate::helpers::{embedded_suites, run_corpus};

/// Seed of the generated situations: the default of `skewer laws`.
const SEED: u64 = 1;
/// Number of generated situations for each change: the default of `skewer laws`.
const COUNT: u64 = 1000;
/// Number of generated situations for each change that gets examples, which take longer.
const COUNT_WITH_EXAMPLES: u64 = 20;

/// The report without examples, which is computed on first use.
static REPORT: LazyLock<LawsReport> = LazyLock::new(|| report_on(COUNT, ExampleSelection::None));

fn report_on(count: u64, examples: ExampleSelection) -> LawsReport {
    let record = VerdictRecord::of_topologies().unwrap_or_else(|errors| panic!("{errors}"));
    let changes: Vec<&TopologyChange> = CHANGES.iter().collect();
    let plan = SituationPlan { seed: SEED, count };
    report::report(&changes, plan, &record, examples != ExampleSelection::None)
}

fn verdict(change: &str, law: Law) -> &'static VerdictSummary {
    let row = REPORT.rows.iter().find(|row| row.directive == change).unwrap_or_else(|| panic!("{change}"));
    row.verdicts.iter().find(|summary| summary.law == law.name()).unwrap()
}

#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn the_verdicts_agree_with_the_record() {
    let text = skewer_reports::laws::text(&REPORT, Style::default());
    for comparison in [RecordComparison::Worse, RecordComparison::Better] {
        let lines = REPORT.summary_lines(comparison);
        let comparison = comparison.name();
        assert!(
            lines.is_empty(),
            "{comparison} than runner/trials/data/topology-laws.yaml:\n  {}\n{text}",
            lines.join("\n  ")
        );
    }
}

#[test]
fn every_change_is_recorded() {
    let record = VerdictRecord::of_topologies().unwrap_or_else(|errors| panic!("{errors}"));
    let names: Vec<&str> = record.names().collect();
    assert_eq!(names, CHANGES.map(|change| change.name));
}

#[test]
fn a_broken_law_has_examples_that_pass_as_suites() {
    let report = report_on(COUNT_WITH_EXAMPLES, ExampleSelection::Broken);
    assert!(report.rows.iter().flat_map(|row| &row.verdicts).any(|it| it.verdict == VerdictKind::Broken));
    for summary in report.rows.iter().flat_map(|row| &row.verdicts) {
        assert_eq!(summary.verdict == VerdictKind::Broken, !summary.examples.is_empty(), "{summary:?}");
        for example in &summary.examples {
            assert_suite_passes(&example.case);
        }
    }
}

fn assert_suite_passes(suite: &str) {
    let name = suite.strip_prefix("suite: ").and_then(|rest| rest.lines().next()).unwrap();
    let path = format!("{name}.yaml");
    let file = CorpusFile { display_name: path.clone(), path, content: suite.into(), folder: None };
    let corpus = Corpus::load(vec![file]).unwrap_or_else(|error| panic!("{error}\n{suite}"));
    assert!(corpus.cells().count() >= 2, "{suite}");
    for cell in corpus.cells() {
        let result = run_cell(&cell, &BuiltInTarget, &ExecutionOptions::default());
        assert_eq!(result.status, Status::Pass, "{suite}\n{result:?}");
    }
}

/// `reports/TOPOLOGY.md` is made from the same cells. A change of which a cell shows lost values or a missed conflict
/// breaks *backward*. The laws are about apply requests; a cell of another request counts only if an apply shows it,
/// too.
#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn backward_is_broken_where_the_cells_of_the_corpus_show_it() {
    let corpus = embedded_suites(|suite| suite == SUITE);
    let results = run_corpus(&corpus, &BuiltInTarget, StepRecording::Always);
    let effects = topology::analyze(&results).unwrap_or_else(|error| panic!("{error}"));
    let mut compared = 0;
    for (change, answers) in &effects {
        let name = format!("{}-to-{}", change.old, change.new);
        if !CHANGES.iter().any(|known| known.name == name) {
            continue;
        }
        let mut applies = answers.iter().filter(|answer| answer.next != "updater");
        let is_unsafe = applies.any(|answer| answer.effect > Effect::OtherOwners);
        // In the cells, one manager has written the object.
        let backward = verdict(&name, Law::Backward);
        let is_broken = backward.broken_profiles.iter().any(|history| history == "one manager");
        assert_eq!(is_broken, is_unsafe, "{name}: {backward:?}");
        compared += 1;
    }
    assert_eq!(compared, 9, "{effects:?}");
}
