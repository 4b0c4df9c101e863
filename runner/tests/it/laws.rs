//! The laws of patch evolution for every directive and proposal. The verdicts agree with the record and with the design
//! documents, and the printed counter-examples are valid suites.

use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

use rstest::rstest;
use skewer_cases::{Corpus, CorpusFile};
use skewer_engine::directive::DirectiveSet;
use skewer_execute::execute::{ExecutionOptions, run_cell};
use skewer_reports::laws::{LawsReport, RenderedExample};
use skewer_reports::terminal::Style;
use skewer_results::Status;
use skewer_targets::BuiltInTarget;
use skewer_trials::laws::report::{self, ExampleSelection};
use skewer_trials::laws::{
    CompiledSituations, FormatChange, Law, RecordComparison, SituationPlan, VerdictKind, VerdictRecord,
    proposals,
};

use crate::helpers::embedded_corpus;

/// Seed of the generated situations: the default of `skewer laws`.
const SEED: u64 = 1;
/// Number of generated situations: less than the default of `skewer laws`, to save time.
const COUNT: u64 = 75;

static SITUATIONS: LazyLock<CompiledSituations> = LazyLock::new(|| {
    CompiledSituations::of_corpus(embedded_corpus(), SituationPlan { seed: SEED, count: COUNT })
});

static RECORD: LazyLock<VerdictRecord> =
    LazyLock::new(|| VerdictRecord::of_directives().unwrap_or_else(|errors| panic!("{errors}")));

/// All changes, each with its report, which is computed on first use.
static CHANGES: LazyLock<Vec<(FormatChange, OnceLock<LawsReport>)>> =
    LazyLock::new(|| proposals::all().into_iter().map(|change| (change, OnceLock::new())).collect());

/// Returns a change and its report.
fn report_on(name: &str) -> (&'static FormatChange, &'static LawsReport) {
    let found = CHANGES.iter().find(|(change, _)| change.name == name);
    let (change, report) = found.unwrap_or_else(|| panic!("unknown directive or proposal {name}"));
    let create =
        || report::report(std::slice::from_ref(change), &SITUATIONS, &RECORD, ExampleSelection::Broken);
    (change, report.get_or_init(create))
}

#[test]
fn the_verdicts_agree_with_the_record_and_the_examples_pass() {
    CHANGES.iter().for_each(|(change, _)| assert_agrees_with_the_record(change));
}

fn assert_agrees_with_the_record(change: &FormatChange) {
    let (_, report) = report_on(change.name);
    let text = skewer_reports::laws::text(report, Style::default());
    for (comparison, message) in [
        (RecordComparison::Worse, "worse than recorded in runner/trials/data/laws.yaml"),
        (RecordComparison::Better, "better than recorded: update runner/trials/data/laws.yaml"),
    ] {
        let lines = report.summary_lines(comparison);
        assert!(lines.is_empty(), "{message} (see `skewer laws`):\n  {}\n{text}", lines.join("\n  "));
    }
    for entry in &report.rows[0].verdicts {
        assert_eq!(entry.verdict == VerdictKind::Broken, !entry.examples.is_empty(), "{text}");
        entry.examples.iter().for_each(|example| assert_example_passes(change, example));
    }
}

/// Asserts that a printed example is a valid suite, given a registry with its directive, and that its cells pass.
fn assert_example_passes(change: &FormatChange, example: &RenderedExample) {
    let name = example.case.strip_prefix("suite: ").and_then(|rest| rest.lines().next());
    let path = format!("{}.yaml", name.unwrap_or_else(|| panic!("the suite has no name\n{}", example.case)));
    let file =
        CorpusFile { display_name: path.clone(), path, content: example.case.clone().into(), folder: None };
    let directives = if change.has_distinct_name() { change.all_directives() } else { DirectiveSet::all() };
    let corpus = Corpus::load_with_directives(vec![file], &directives)
        .unwrap_or_else(|error| panic!("{error}\n{}", example.case));
    let mut cells = 0;
    for cell in corpus.cells() {
        let result = run_cell(&cell, &BuiltInTarget, &ExecutionOptions::default());
        assert_eq!(result.status, Status::Pass, "{}\n{result:?}", example.case);
        cells += 1;
    }
    assert!(cells > 0, "{}", example.case);
}

#[test]
fn every_change_is_recorded() {
    let changes: BTreeSet<&str> = CHANGES.iter().map(|(change, _)| change.name).collect();
    let recorded: BTreeSet<&str> = RECORD.names().collect();
    assert_eq!(recorded, changes, "the changes in runner/trials/data/laws.yaml, and all changes");
}

/// The quotes are the judgement of the design documents on their own examples.
#[rstest]
#[case::accepted("$retainKeys", &Law::ALL, &[])]
// "Using `$patch` as directive key will break … the old server will reject the new patch."
#[case::alternative_1("$patch: retainKeys", &[Law::Backward], &[Law::Forward])]
// "Old patch formats will contain data that is now considered required."
#[case::bad_meaning("absent fields cleared", &[], &[Law::Backward, Law::NoNewRequirement])]
// "The behavior was changed when the directive was missing, breaking compatibility."
#[case::bad_directive("$keepAbsent", &[], &[Law::Backward, Law::NoNewRequirement])]
// "Must not require new data or elements to be present that was not required before."
#[case::new_data("$itemOrder, required", &[], &[Law::Backward, Law::NoNewRequirement])]
// "Ordering of elements in patch has meaning, and the final ordering is deterministic."
#[case::good_meaning("order of items", &Law::ALL, &[])]
// "The behavior was unchanged when the directive was missing, retaining the old behavior for old patch requests."
#[case::good_directive("$clearAbsent", &[Law::Backward, Law::NoNewRequirement, Law::Benefit], &[])]
#[case::good_directive_by_names("$clearAllBut", &Law::ALL, &[])]
fn the_verdicts_agree_with_the_design_documents(
    #[case] name: &str,
    #[case] kept: &[Law],
    #[case] broken: &[Law],
) {
    let (_, report) = report_on(name);
    for entry in &report.rows[0].verdicts {
        if kept.iter().any(|law| law.name() == entry.law) {
            assert_eq!(entry.verdict, VerdictKind::Kept, "{name}, {}", entry.law);
        }
        if broken.iter().any(|law| law.name() == entry.law) {
            assert_eq!(entry.verdict, VerdictKind::Broken, "{name}, {}", entry.law);
        }
    }
}
