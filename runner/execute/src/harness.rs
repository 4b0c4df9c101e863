//! A test harness that runs each cell of a corpus as a test, for `cargo test` and `cargo nextest`.
//!
//! A crate that has types of its own tests them with a folder of case files and this test binary:
//!
//! ```no_run
//! # use skewer_execute as skewer;
//! // tests/skew.rs, with `harness = false` in Cargo.toml
//! fn main() -> std::process::ExitCode {
//!     skewer::harness::main_of("tests/skew")
//! }
//! ```
//!
//! Each cell is a test, named by its id. The usual arguments of test binaries work: a filter, `--exact`, `--list`,
//! `--test-threads` and so on. If a case file has errors, no test runs, and the errors are printed with file, line and
//! column.

use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Conclusion, Failed, Trial};
use skewer_cases::{Corpus, LoadError};
use skewer_reports::terminal::{self, Style};
use skewer_results::control_characters::escape_text;
use skewer_results::{Cell, Status};
use skewer_targets::{BuiltInTarget, Target};

use crate::execute::{ExecutionOptions, run_cell};
use crate::exit::Exit;

/// Runs the embedded corpus on the built-in engine. This is the `main` function of a test binary.
///
/// If the arguments select no cell, the exit code is that of [`Exit::NothingSelected`].
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let corpus = match embedded_corpus(&arguments) {
        Ok(corpus) => Arc::new(corpus),
        Err(error) => return could_not_run(&error.to_string()),
    };
    let rerun = "cargo test -p skewer --test conformance -- --exact";
    let (conclusion, all) = run(&arguments, &corpus, &Arc::new(BuiltInTarget), rerun);
    if !arguments.list && selected_nothing(&conclusion, all) {
        let suites = corpus.suites.len();
        let filter = arguments.filter.as_deref().unwrap_or_default();
        say(&format!(
            "no cell of the embedded corpus (cases/corpus, {suites} suites, {all} cells) matches {filter:?}"
        ));
        return Exit::NothingSelected.into();
    }
    conclusion.exit_code()
}

/// Runs the cases of a folder, or of one file, on the built-in engine. This is the `main` function of a test binary.
///
/// A relative path is relative to the folder of the package, in which cargo runs tests.
///
/// A filter that matches no cell is no failure, because `cargo test FILTER` passes the filter to all test binaries. A
/// folder without case files is one.
#[must_use]
pub fn main_of(path: impl AsRef<Path>) -> ExitCode {
    main_on(path, BuiltInTarget)
}

/// Runs the cases of a folder, or of one file, on a target: a program behind the adapter protocol, or an implementation
/// of [`Target`] in the crate under test. Otherwise like [`main_of`].
///
/// A cell that the target does not support is an ignored test. If no selected cell was run, the test binary fails.
///
/// ```no_run
/// # mod skewer { pub use skewer_execute::harness; pub use skewer_targets as targets; }
/// use std::process::ExitCode;
/// use std::time::Duration;
///
/// use skewer::harness;
/// use skewer::targets::{ExecOptions, ExecTarget};
///
/// fn main() -> ExitCode {
///     let options = ExecOptions::new(Duration::from_secs(10), 2);
///     match ExecTarget::open("python3 tests/adapter.py", &options) {
///         Ok(target) => harness::main_on("tests/skew", target),
///         Err(error) => {
///             eprintln!("{error}");
///             ExitCode::from(3)
///         }
///     }
/// }
/// ```
#[must_use]
pub fn main_on<T: Target + Send + 'static>(path: impl AsRef<Path>, target: T) -> ExitCode {
    let arguments = Arguments::from_args();
    let corpus = match corpus_at(path.as_ref(), &arguments) {
        Ok(corpus) => Arc::new(corpus),
        Err(error) => return could_not_run(&load_error_text(&error)),
    };
    let target = Arc::new(target);
    let (conclusion, _) = run(&arguments, &corpus, &target, &rerun_command());
    target.stop();
    target.warnings().iter().for_each(|warning| say(&format!("warning: {warning}")));
    // A process of `cargo nextest` runs one cell, which can be one that the target does not support.
    if !arguments.list && !arguments.exact && ran_nothing(&conclusion) {
        say(&format!("no selected cell was run: {} supports none of them", target.info().name));
        return Exit::CellFailed.into();
    }
    conclusion.exit_code()
}

/// Prints a message to standard error.
#[allow(clippy::print_stderr)] // the output of a test binary
fn say(message: &str) {
    eprintln!("{}", escape_text(message.trim_end()));
}

fn could_not_run(message: &str) -> ExitCode {
    say(message);
    Exit::CouldNotRun.into()
}

/// Runs the tests, and returns the number of all cells, too.
fn run<T: Target + Send + 'static>(
    arguments: &Arguments,
    corpus: &Arc<Corpus>,
    target: &Arc<T>,
    rerun_command: &str,
) -> (Conclusion, u64) {
    let trials = trials(corpus, target, rerun_command);
    let all = trials.len() as u64;
    // A line for each of many tests hides the failures.
    let quiet = arguments.quiet || (trials.len() > MAX_LINES && arguments.format.is_none());
    let arguments = Arguments { quiet, ..arguments.clone() };
    (libtest_mimic::run(&arguments, trials), all)
}

/// Maximum number of tests that are printed with a line each, unless `--format` says how they are printed.
const MAX_LINES: usize = 1000;

/// Returns whether a suite can contain the tests that the arguments select. If they select one test by its full name, as
/// `cargo nextest` does, only its suite is loaded: loading a large corpus takes a thousand times as long as running a cell.
fn can_be_selected(arguments: &Arguments, suite: &str) -> bool {
    let name = arguments.filter.as_deref().filter(|_| arguments.exact).unwrap_or_default();
    name.strip_prefix(suite).is_some_and(|rest| rest.starts_with('/'))
}

/// Loads the suites of the embedded corpus that the arguments can select.
fn embedded_corpus(arguments: &Arguments) -> Result<Corpus, LoadError> {
    let suites = Corpus::embedded_suites(|suite| can_be_selected(arguments, suite))?;
    // If the name matches no suite, the message about that describes the whole corpus.
    if suites.suites.is_empty() { Corpus::embedded() } else { Ok(suites) }
}

/// Loads the suites of a folder that the arguments can select, or the suite of a file.
fn corpus_at(path: &Path, arguments: &Arguments) -> Result<Corpus, LoadError> {
    if path.is_dir() && arguments.exact {
        return Corpus::suites_from_dir(path, |suite| can_be_selected(arguments, suite));
    }
    Corpus::from_path(path)
}

/// Describes an error. If the folder does not exist, the text names the folder to which its path is relative.
fn load_error_text(error: &LoadError) -> String {
    let LoadError::Unreadable { path, .. } = error else { return error.to_string() };
    let is_missing = path.metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
    match std::env::current_dir() {
        Ok(folder) if is_missing && path.is_relative() => {
            format!("{error}\nhelp: the path is relative to {}, in which the test runs", folder.display())
        }
        _ => error.to_string(),
    }
}

/// Returns the command that runs one test of the current test binary again. Cargo sets the variable, and appends a hash to
/// the name of the test in that of the program.
fn rerun_command() -> String {
    let package =
        std::env::var("CARGO_PKG_NAME").map_or_else(|_| String::new(), |name| format!(" -p {name}"));
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let test = program.rsplit_once('-').map_or(&*program, |(test, _hash)| test);
    format!("cargo test{package} --test {test} -- --exact")
}

fn selected_nothing(conclusion: &Conclusion, all: u64) -> bool {
    conclusion.num_filtered_out == all || all == 0
}

/// Returns true if tests were selected, and all of them ended as ignored.
fn ran_nothing(conclusion: &Conclusion) -> bool {
    conclusion.num_ignored > 0 && conclusion.num_passed + conclusion.num_failed == 0
}

/// Creates a test for each cell. A test is reported as ignored, with a reason, if the target did not run the cell.
fn trials<T: Target + Send + 'static>(
    corpus: &Arc<Corpus>,
    target: &Arc<T>,
    rerun_command: &str,
) -> Vec<Trial> {
    let options =
        Arc::new(ExecutionOptions { rerun_command: rerun_command.to_owned(), ..ExecutionOptions::default() });
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

/// Returns the result of a test. A cell that was left because the target was given up is a failure.
fn completion(result: &Cell) -> Result<Completion, Failed> {
    match result.status {
        Status::Pass => Ok(Completion::Completed),
        status if !status.was_run() && status != Status::NotRun => {
            let message = result.message_text().unwrap_or_default();
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
    use skewer_skew::{Operation, Operations};
    use skewer_targets::{OperationError, TargetFailure, TargetInfo};

    use super::*;

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
        let trials = trials(&Arc::new(corpus), &Arc::new(PanickingTarget), "cargo test --");
        let log = folder.path().join("log").display().to_string();
        let arguments = Arguments { quiet: true, logfile: Some(log), ..Arguments::default() };
        let conclusion = libtest_mimic::run(&arguments, trials);
        assert_eq!((conclusion.num_passed, conclusion.num_failed, conclusion.num_ignored), expected);
    }
}
