//! A test harness that runs each cell of the corpus as a test, for `cargo test` and `cargo nextest`.

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Conclusion, Failed, Trial};
use skewer_cases::{Corpus, LoadError};
use skewer_reports::control_characters::escape_text;
use skewer_reports::terminal::{self, Style};
use skewer_reports::{Cell, Status};

use crate::execute::{Options, run_cell};
use crate::targets::{BuiltInTarget, Target};

/// Runs the embedded corpus on the built-in engine. This is the `main` function of a test binary.
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
    let trials = trials(&corpus, &Arc::new(BuiltInTarget));
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

/// Loads the corpus. If the arguments select one test by its full name, only its suite is loaded.
///
/// `cargo nextest` starts a process with such arguments for each test. Loading the whole corpus takes a thousand times
/// as long as running a cell.
fn corpus(arguments: &Arguments) -> Result<Corpus, LoadError> {
    let name = arguments.filter.as_deref().filter(|_| arguments.exact).unwrap_or_default();
    let contains_test = |suite: &str| name.strip_prefix(suite).is_some_and(|rest| rest.starts_with('/'));
    let suites = Corpus::embedded_suites(contains_test)?;
    // If the name matches no suite, the message about that describes the whole corpus.
    if suites.suites.is_empty() { Corpus::embedded() } else { Ok(suites) }
}

fn selected_nothing(conclusion: &Conclusion, all: u64) -> bool {
    conclusion.num_filtered_out == all || all == 0
}

/// Creates a test for each cell. A test is reported as ignored, with a reason, if the target did not run the cell.
fn trials<T: Target + Send + 'static>(corpus: &Arc<Corpus>, target: &Arc<T>) -> Vec<Trial> {
    let options = Arc::new(Options {
        rerun_command: "cargo test -p skewer --test conformance -- --exact".to_owned(),
        ..Options::default()
    });
    let mut trials = Vec::new();
    for (suite_at, suite) in corpus.suites.iter().enumerate() {
        for (case_at, case) in suite.cases.iter().enumerate() {
            for cell in case.cells() {
                let number = cell.number();
                let (corpus, target, options) =
                    (Arc::clone(corpus), Arc::clone(target), Arc::clone(&options));
                trials.push(Trial::ignorable_test(cell.id(), move || {
                    let case = &corpus.suites[suite_at].cases[case_at];
                    let Some(cell) = case.cell(number) else {
                        return Err(Failed::from("the case no longer has this cell"));
                    };
                    completion(&run_cell(&cell, &*target, &options))
                }));
            }
        }
    }
    trials
}

fn completion(result: &Cell) -> Result<Completion, Failed> {
    match result.status {
        Status::Pass => Ok(Completion::Completed),
        status if !status.was_run() => {
            let message = result.message.as_deref().unwrap_or_default();
            Ok(Completion::ignored_with(format!("{status}: {message}")))
        }
        _ => Err(Failed::from(escape_text(&terminal::failure(result, Style::default())).into_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use rstest::rstest;
    use skewer_engine::OwnedDoc;
    use skewer_engine::skew::{Operation, Operations};

    use super::*;
    use crate::targets::{OperationError, TargetFailure, TargetInfo};

    /// A target that panics on every operation.
    struct PanickingTarget;

    impl Target for PanickingTarget {
        fn info(&self) -> TargetInfo {
            TargetInfo { name: "panicking".to_owned(), version: None, language: None }
        }

        fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
            self
        }
    }

    impl Operations<TargetFailure> for PanickingTarget {
        fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
            panic!("no {operation:?}")
        }
    }

    #[rstest]
    #[case::needs_no_answer("update", (0, 0, 1))]
    #[case::panics("json-merge-patch", (0, 1, 0))]
    fn a_cell_that_was_not_asked_is_ignored_and_one_that_panics_fails(
        #[case] request: &str,
        #[case] expected: (u64, u64, u64),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut text =
            String::from("suite: s\nabout: One cell.\nschema:\n  go: |\n    type Holder struct {\n");
        writeln!(text, "      Name string `json:\"name\"`\n    }}\n  root: Holder\ncases:").unwrap();
        writeln!(text, "  - {{id: c, live: {{name: a}}, intent: {{set: {{name: b}}}}, request: {request}, expect: [{{outcome: intended}}]}}").unwrap();
        std::fs::write(folder.path().join("s.yaml"), text).unwrap();
        let corpus = Corpus::from_path(folder.path()).unwrap_or_else(|errors| panic!("{errors}"));
        let trials = trials(&Arc::new(corpus), &Arc::new(PanickingTarget));
        let arguments = Arguments { quiet: true, ..Arguments::default() };
        let conclusion = libtest_mimic::run(&arguments, trials);
        assert_eq!((conclusion.num_passed, conclusion.num_failed, conclusion.num_ignored), expected);
    }
}
