//! The checked-in report on compatibility is current.

use std::convert::Infallible;

use skewer_cases::Cell;
use skewer_execute::execute::{self, ExecutionOptions, StepRecording};
use skewer_lab::mutants::equivalences::Equivalences;
use skewer_lab::mutants::{self, Baseline, RunOptions};
use skewer_reports::markdown;
use skewer_reports::mutants::Ideals;
use skewer_results::{Results, RunInfo, RunTarget};
use skewer_targets::BuiltInTarget;

use crate::helpers::{assert_report_is_current, embedded_corpus};

/// The report ends with the mutants of the engine, which tell how much the cells of the report can notice.
#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn the_compatibility_report_is_current() {
    let corpus = embedded_corpus();
    let mut cells: Vec<Cell<'_>> = corpus.cells().collect();
    let baseline = Baseline::of(cells.clone()).unwrap_or_else(|error| panic!("{error}"));
    let equivalences = Equivalences::built_in().unwrap_or_else(|errors| panic!("{errors}"));
    let all = mutants::all(&baseline);
    let options = RunOptions { equivalences: &equivalences, is_complete: true, ideals: Ideals::Unchanged };
    let mutants = mutants::run(&baseline, all, options, |_| {});

    cells.sort_by_cached_key(Cell::id);
    let mut results = Vec::new();
    let options = ExecutionOptions { steps: StepRecording::Never, ..ExecutionOptions::default() };
    let ended: Result<(), Infallible> = execute::run(cells.into_iter(), &BuiltInTarget, &options, |cell| {
        results.push(cell);
        Ok(())
    });
    assert!(ended.is_ok());
    // The target has no version, so that a release does not change the report.
    let target = RunTarget { name: "builtin".to_owned(), ..RunTarget::default() };
    let results = Results::new(RunInfo { target, ..RunInfo::default() }, results);
    let report = format!(
        "{}\n{}",
        markdown::compatibility(&results, "../"),
        skewer_reports::mutants::summary_table(&mutants)
    );

    assert_report_is_current("COMPATIBILITY.md", &report);
}
