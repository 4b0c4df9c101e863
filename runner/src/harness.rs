//! The corpus as tests: every cell of it, by its id, under `cargo test` and `cargo nextest`.

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Conclusion, Failed, Trial};
use skewer_cases::{Corpus, LoadError};
use skewer_reports::Status;
use skewer_reports::control_characters::escape_text;
use skewer_reports::terminal::{self, Style};

use crate::execute::{Options, StepRecording, run_cell};
use crate::targets::BuiltInTarget;

/// The `main` of a test binary: runs the embedded corpus on the built-in engine.
#[must_use]
#[allow(clippy::print_stderr)] // the output of a test binary
pub fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let corpus = match corpus(&arguments) {
        Ok(corpus) => Arc::new(corpus),
        Err(error) => {
            eprintln!("{}", escape_text(&error.to_string()));
            return ExitCode::from(2);
        }
    };
    let trials = trials(&corpus);
    let all = trials.len() as u64;
    let listing = arguments.list;
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !listing && selected_nothing(&conclusion, all) {
        eprintln!(
            "no cell of the embedded corpus (cases/corpus, {} suites, {all} cells) matches {:?}",
            corpus.suites.len(),
            arguments.filter.as_deref().unwrap_or_default()
        );
        return ExitCode::from(crate::cli::Exit::NothingSelected as u8);
    }
    conclusion.exit_code()
}

/// The corpus; of a test that is asked for by its whole name, only the suite. `cargo nextest` starts a process for each
/// test in this way, and reading everything takes a thousand times as long as running one cell.
fn corpus(arguments: &Arguments) -> Result<Corpus, LoadError> {
    let name = arguments.filter.as_deref().filter(|_| arguments.exact).unwrap_or_default();
    let of_test = |suite: &str| name.strip_prefix(suite).is_some_and(|rest| rest.starts_with('/'));
    let suites = Corpus::embedded_suites(of_test)?;
    // A name without a suite selects nothing, which is said of the whole corpus.
    if suites.suites.is_empty() { Corpus::embedded() } else { Ok(suites) }
}

fn selected_nothing(conclusion: &Conclusion, all: u64) -> bool {
    conclusion.num_filtered_out == all || all == 0
}

fn trials(corpus: &Arc<Corpus>) -> Vec<Trial> {
    let options = Arc::new(Options {
        steps: StepRecording::OnFailure,
        durations: false,
        rerun_command: "cargo test -p skewer --test conformance -- --exact".to_owned(),
        stop: None,
    });
    let mut trials = Vec::new();
    for (suite_at, suite) in corpus.suites.iter().enumerate() {
        for (case_at, case) in suite.cases.iter().enumerate() {
            for cell in case.cells() {
                let number = cell.number();
                let (corpus, options) = (Arc::clone(corpus), Arc::clone(&options));
                trials.push(Trial::test(cell.id(), move || {
                    let case = &corpus.suites[suite_at].cases[case_at];
                    let Some(cell) = case.cell(number) else {
                        return Err(Failed::from("the cell is gone"));
                    };
                    let result = run_cell(&cell, &BuiltInTarget, &options);
                    if result.status == Status::Pass {
                        return Ok(());
                    }
                    Err(Failed::from(escape_text(&terminal::failure(&result, Style::default())).into_owned()))
                }));
            }
        }
    }
    trials
}
