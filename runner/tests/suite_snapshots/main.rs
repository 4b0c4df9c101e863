//! Snapshots of the final states of all cells, one test for each suite. A document that changes shows as a diff, even if
//! the outcome of the cell stays the same.
//!
//! Accept an intended change with `cargo insta review`. The expectations in the corpus must agree with it.

#[path = "../it/helpers/outcomes.rs"]
mod outcomes;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use skewer_cases::Corpus;
use skewer_targets::BuiltInTarget;

#[allow(clippy::print_stderr, reason = "the error of a test program")]
fn main() -> ExitCode {
    let corpus = match Corpus::embedded() {
        Ok(corpus) => Arc::new(corpus),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let trials = (0..corpus.suites.len()).map(|index| {
        let of_trial = Arc::clone(&corpus);
        Trial::test(corpus.suites[index].name.clone(), move || {
            check_suite(&of_trial, index);
            Ok(())
        })
    });
    let names: Vec<String> = corpus.suites.iter().map(|suite| snapshot_name(&suite.name)).collect();
    let unused = Trial::test("every_snapshot_belongs_to_a_suite", move || check_files(&names));
    libtest_mimic::run(&Arguments::from_args(), trials.chain([unused]).collect()).exit_code()
}

/// Returns the name of the snapshot of a suite.
fn snapshot_name(suite: &str) -> String {
    suite.replace('/', "__")
}

/// Finds snapshots of suites that do not exist any more.
fn check_files(names: &[String]) -> Result<(), Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots");
    for entry in std::fs::read_dir(folder)? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        let name = file.strip_suffix(".snap");
        if name.is_some_and(|name| !names.iter().any(|known| known == name)) {
            return Err(format!("no suite has the snapshot {file}: delete the file").into());
        }
    }
    Ok(())
}

/// Compares the final states of a suite with its snapshot. A difference panics, as in every test with `insta`.
fn check_suite(corpus: &Corpus, index: usize) {
    let suite = &corpus.suites[index];
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let cases = suite.cases.iter().map(|case| outcomes::outcome_text(case, &BuiltInTarget));
        let text: Vec<String> = cases.collect();
        insta::assert_snapshot!(snapshot_name(&suite.name), text.join("\n"));
    });
}
