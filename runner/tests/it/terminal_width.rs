//! The width and the colours of the output.

use rstest::rstest;
use tempfile::TempDir;

use crate::helpers::{all_output, folder_with, report_argument, skewer, skewer_command, stdout};

const SUITE: &str = r"suite: small
about: A suite whose description is longer than a line of eighty columns, so that a narrow terminal cannot show it in one.
schema:
  go: |
    type Holder struct {
      Name string `json:'name'`
    }
  root: Holder
cases:
  - id: a-case-with-a-rather-long-name-and-with-one-axis-of-two-values
    axes: {client: {a-client-with-a-long-name: {}, another-client-with-a-long-name: {}}}
    live: {name: a}
    patch: {name: b}
    expect: [{result: {name: b}, because: The patch has another name than the live object and therefore the result has that name.}]
";

/// Creates a folder with a suite.
fn corpus() -> TempDir {
    folder_with(&[("small.yaml", &SUITE.replace('\'', "\""))])
}

/// Asserts that lines fit, unless they are one word, such as the id of a cell, or have a command to copy.
fn assert_fits(text: &str, columns: usize) {
    for line in text.lines() {
        let is_copied = line.split_whitespace().count() < 2 || line.contains(" skewer ");
        assert!(line.chars().count() <= columns || is_copied, "more than {columns} columns: {line}\n{text}");
    }
}

#[rstest]
#[case::schema_list(&["schema", "list"])]
#[case::target_check(&["target", "check", "builtin"])]
#[case::laws(&["laws", "retainKeys", "--table", "--count", "5", "--corpus", "../cases/corpus/retain-keys/errata.yaml"])]
#[case::topology_laws(&["laws", "--topology", "--table", "--count", "5"])]
#[case::explain(&["explain", "unsupported-patch-format", "--corpus", "CORPUS"])]
#[case::explained_words(&["explain"])]
#[case::help(&["--help"])]
#[case::help_of_a_command(&["patch", "diff3", "--help"])]
#[case::show(&["show", "another-client", "--corpus", "CORPUS"])]
#[case::run(&["run", "--corpus", "CORPUS"])]
#[case::audit_table(&["audit", "examples/audit/old.yaml", "examples/audit/new.yaml", "--table"])]
fn output_fits_into_80_columns(#[case] arguments: &[&str]) {
    let corpus = corpus();
    let path = corpus.path().to_str().unwrap();
    let arguments: Vec<String> = arguments.iter().map(|argument| argument.replace("CORPUS", path)).collect();
    let mut command = skewer_command();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("COLUMNS", "80").args(&arguments);
    let text = stdout(&command.output().unwrap()).replace(path, "CORPUS");
    assert!(text.lines().count() > 3, "{text}");
    assert_fits(&text, 80);
}

/// A cell that is worse, and one that is new, are shown below their ids if a line is too narrow for both.
#[test]
fn a_comparison_fits_into_80_columns() {
    let (corpus, out) = (corpus(), tempfile::tempdir().unwrap());
    let results = |name: &str, pattern: &str| {
        let path = out.path().join(name);
        let report = report_argument("json", &path);
        let corpus = corpus.path().to_str().unwrap();
        let run = skewer(&["run", "--corpus", corpus, "--report", &report, pattern]);
        assert_eq!(run.status.code(), Some(0), "{}", all_output(&run));
        path
    };
    let (old, new) = (results("old.json", "another-client"), results("new.json", "small"));
    let compared = skewer_command().env("COLUMNS", "80").arg("compare").args([old, new]).output().unwrap();
    let text = stdout(&compared);
    assert!(text.contains("=a-client-with-a-long-name]\n      match\n"), "{text}");
    assert_fits(&text, 80);
}

/// Without `COLUMNS` and without a terminal, lines have no limit. Programs read them.
#[test]
fn lines_without_a_terminal_are_not_broken() {
    let corpus = corpus();
    let shown = skewer(&["show", "another-client", "--corpus", corpus.path().to_str().unwrap()]);
    let about = SUITE.lines().nth(1).unwrap().trim_start_matches("about: ");
    assert!(stdout(&shown).contains(about), "{}", stdout(&shown));
}

#[rstest]
#[case::no_terminal(&[], &[], false)]
#[case::option(&["--color", "always"], &[], true)]
#[case::option_after_the_command(&["run", "--color=always"], &[], true)]
#[case::option_against_the_environment(&["--color", "always"], &[("NO_COLOR", "1")], true)]
#[case::never(&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false)]
#[case::forced(&[], &[("CLICOLOR_FORCE", "1")], true)]
#[case::not_forced(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false)]
#[case::like_cargo(&[], &[("CARGO_TERM_COLOR", "always")], true)]
fn colours_are_as_the_option_and_the_environment_say(
    #[case] options: &[&str],
    #[case] variables: &[(&str, &str)],
    #[case] is_coloured: bool,
) {
    let corpus = corpus();
    let mut command = skewer_command();
    command.args(options);
    if !options.contains(&"run") {
        command.arg("run");
    }
    command.arg("--corpus").arg(corpus.path()).envs(variables.iter().copied());
    let text = stdout(&command.output().unwrap());
    assert_eq!(text.contains("\u{1b}["), is_coloured, "{text}");
}

/// Help and usage errors are printed before the option is parsed with the others.
#[rstest]
#[case::help(&["--color", "always", "--help"], true)]
#[case::usage(&["frobnicate", "--color=always"], true)]
#[case::wrong_word(&["--color", "sometimes"], false)]
fn help_and_usage_errors_are_coloured(#[case] arguments: &[&str], #[case] is_coloured: bool) {
    let text = all_output(&skewer(arguments));
    assert_eq!(text.contains("\u{1b}["), is_coloured, "{text}");
}
