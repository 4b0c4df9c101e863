//! Test helpers: running the program, temporary folders, and the built-in corpus.

use std::process::{Command, Output};
use std::sync::LazyLock;

use skewer_cases::Corpus;
use skewer_lab::coverage::Coverage;
use tempfile::TempDir;

/// Returns a command that runs the program, without environment variables that affect its output.
pub(crate) fn lab_command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skewer-lab"));
    for variable in ["CARGO_MANIFEST_DIR", "CARGO_TERM_COLOR", "CLICOLOR_FORCE", "NO_COLOR"] {
        command.env_remove(variable);
    }
    // Not the width of the terminal in which the tests run.
    command.env("COLUMNS", "0");
    command
}

/// Runs the program.
pub(crate) fn lab(arguments: &[&str]) -> Output {
    lab_command().args(arguments).output().unwrap()
}

/// Returns the standard output of the program.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns the standard error of the program.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Creates a temporary folder with files.
pub(crate) fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// Loads the built-in corpus.
pub(crate) fn embedded_corpus() -> &'static Corpus {
    static CORPUS: LazyLock<Corpus> =
        LazyLock::new(|| Corpus::embedded().unwrap_or_else(|error| panic!("{error}")));
    &CORPUS
}

/// Returns what the built-in corpus covers.
pub(crate) fn embedded_coverage() -> &'static Coverage {
    static COVERAGE: LazyLock<Coverage> = LazyLock::new(|| Coverage::of(embedded_corpus()));
    &COVERAGE
}

/// Asserts that a checked-in report is current. With `SKEWER_UPDATE`, writes it.
#[track_caller]
pub(crate) fn assert_report_is_current(name: &str, report: &str) {
    let path = format!("{}/../../reports/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        std::fs::write(&path, report).expect("the report can be written");
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    let changed = report.lines().zip(checked_in.lines()).find(|(now, before)| now != before);
    assert!(
        checked_in == report,
        "{path} is stale: run SKEWER_UPDATE=1 cargo test -p skewer-lab --test it\nfirst change, now and before: {changed:#?}"
    );
}
