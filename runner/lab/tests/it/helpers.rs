//! Test helpers: running the program, temporary folders, and the built-in corpus.

use std::process::{Command, Output};

use skewer_cases::Corpus;
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
pub(crate) fn embedded_corpus() -> Corpus {
    Corpus::embedded().unwrap_or_else(|error| panic!("{error}"))
}
