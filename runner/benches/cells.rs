//! Benchmarks of the cells of the KEP-1027 matrix on one thread: the simulation alone, with results, and with a results
//! file. Run them with `cargo bench -p skewer`; see `engine/BENCHMARKS.md`.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use skewer::execute::{ExecutionOptions, run_cell};
use skewer::targets::BuiltInTarget;
use skewer_cases::{Cell, Corpus, Plan};
use skewer_results::json::Writer;
use skewer_results::{RunInfo, RunTarget};

fn main() {
    divan::main();
}

fn cells(corpus: &Corpus) -> Vec<Cell<'_>> {
    corpus.cells().filter(|cell| &*cell.case.suite == "unions/kep-matrix").collect()
}

fn corpus() -> Corpus {
    Corpus::embedded().unwrap_or_else(|error| panic!("{error}"))
}

/// Runs only the simulation of a cell: the final state, the ideal, before, and the judgement.
fn simulate(cell: &Cell<'_>) {
    let Ok(Plan::Skew(plan)) = cell.plan() else { return };
    let Ok(final_state) = skewer_skew::run_built_in(&plan, &mut |_, _| {}) else { return };
    let Ok(ideal) = skewer_skew::run_built_in(&plan.ideal(), &mut |_, _| {}) else {
        return;
    };
    let before = match cell.plan_before() {
        Some(Ok(Plan::Skew(before))) => skewer_skew::run_built_in(&before, &mut |_, _| {}).ok(),
        _ => None,
    };
    let stored = skewer_skew::without_unset_fields(&plan.full_context, (*plan.stored).clone());
    black_box(skewer_skew::judge(&plan.full_context, &stored, &final_state, &ideal, before.as_ref()));
}

#[divan::bench]
fn bare_loop(bencher: Bencher<'_, '_>) {
    let corpus = corpus();
    let cells = cells(&corpus);
    bencher.counter(ItemsCount::new(cells.len())).bench_local(|| cells.iter().for_each(simulate));
}

/// Runs each cell and creates its result.
#[divan::bench]
fn with_results(bencher: Bencher<'_, '_>) {
    let (corpus, options) = (corpus(), ExecutionOptions::default());
    let cells = cells(&corpus);
    bencher.counter(ItemsCount::new(cells.len())).bench_local(|| {
        for cell in &cells {
            black_box(run_cell(cell, &BuiltInTarget, &options));
        }
    });
}

/// Runs each cell, creates its result, and writes a results file to a sink.
#[divan::bench]
fn with_results_written(bencher: Bencher<'_, '_>) {
    let (corpus, options) = (corpus(), ExecutionOptions::default());
    let cells = cells(&corpus);
    let run = RunInfo {
        tool_version: String::new(),
        corpus_hash: String::new(),
        target: RunTarget { name: "builtin".to_owned(), ..RunTarget::default() },
        selection: skewer_results::Selection::default(),
        info: std::collections::BTreeMap::new(),
        selected: None,
    };
    bencher.counter(ItemsCount::new(cells.len())).bench_local(|| {
        let Ok(mut writer) = Writer::new(std::io::sink(), &run) else { return };
        for cell in &cells {
            black_box(writer.write_cell(&run_cell(cell, &BuiltInTarget, &options)).ok());
        }
    });
}
