//! The command line: its output and exit codes.

use std::path::Path;

use rstest::rstest;

use crate::helpers::{all_output, folder_with, report_argument, skewer};

const SUITE: &str = r"suite: small
about: Two cells.
schema:
  go: |
    type Holder struct {
      Name string `json:'name'`
    }
  root: Holder
cases:
  - id: rename
    axes:
      client: {old: {}, new: {}}
      server: {only: {}}
    live: {name: a}
    intent: {set: {name: b}}
    request: update
    expect:
      - when: {client: old}
        outcome: intended
      - when: {client: new}
        outcome: intended
";

fn suite() -> String {
    SUITE.replace('\'', "\"")
}

/// Runs a changed copy of the suite, and returns the exit code and the output.
fn run(change: impl Fn(String) -> String, arguments: &[&str]) -> (Option<i32>, String) {
    let dir = folder_with(&[("small.yaml", &change(suite()))]);
    let mut all = vec!["run", "--corpus", dir.path().to_str().unwrap()];
    all.extend(arguments);
    let output = skewer(&all);
    (output.status.code(), all_output(&output).replace(dir.path().to_str().unwrap(), "DIR"))
}

#[test]
fn a_green_run_exits_with_0() {
    let (code, text) = run(|suite| suite, &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("small"), "{text}");
}

#[test]
fn a_failed_cell_exits_with_1_and_shows_its_id_position_and_rerun_command() {
    let (code, text) = run(|suite| suite.replacen("outcome: intended", "outcome: refused", 1), &[]);
    assert_eq!(code, Some(1), "{text}");
    for part in [
        "small/rename[client=old,server=only]",
        "DIR/small.yaml:18",
        "skewer run --corpus 'DIR' --exact 'small/rename[client=old,server=only]'",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn a_wrong_result_is_shown_as_a_diff() {
    let change = |suite: String| {
        suite.replacen("outcome: intended", "outcome: intended\n        result: {name: c}", 1)
    };
    let (code, text) = run(change, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("-name: c") && text.contains("+name: b"), "{text}");
}

#[rstest]
#[case::misspelt_key("live:", "lvie:", "small.yaml:14:5: unknown key `lvie`: did you mean `live`?")]
#[case::misspelt_axis(
    "when: {client: old}",
    "when: {cleint: old}",
    "has no axis `cleint`: did you mean `client`?"
)]
#[case::misspelt_value("when: {client: old}", "when: {client: odl}", "did you mean `old`?")]
#[case::misspelt_outcome(
    "outcome: intended",
    "outcome: intendd",
    "unknown value `intendd`: did you mean `intended`?"
)]
#[case::wrong_name(
    "suite: small",
    "suite: large",
    "the suite is named `large`, but its file is named `small`"
)]
#[case::bad_go("Name string", "Name strng", "small.yaml:6:12: in the Go text")]
#[case::bad_root("root: Holder", "root: Holdr", "the schema has no type `Holdr`")]
#[case::bad_yaml("cases:", "cases: [", "small.yaml:")]
fn an_error_in_a_case_file_exits_with_2_and_shows_its_position(
    #[case] good: &str,
    #[case] bad: &str,
    #[case] message: &str,
) {
    let (code, text) = run(|suite| suite.replacen(good, bad, 1), &[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains(message), "{message} is not in\n{text}");
}

#[test]
fn a_cell_without_an_expectation_is_an_error_that_names_the_cell() {
    let change =
        |suite: String| suite.replace("      - when: {client: new}\n        outcome: intended\n", "");
    let (code, text) = run(change, &[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("small/rename[client=new,server=only]"), "{text}");
}

#[test]
fn an_expectation_that_never_applies_is_an_error() {
    let (code, text) = run(|suite| suite + "      - outcome: refused\n", &[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("this expectation never applies"), "{text}");
}

#[test]
fn selecting_no_cell_exits_with_4_and_describes_the_corpus() {
    let (code, text) = run(|suite| suite, &["no-such-cell"]);
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("no cell matches `no-such-cell` in DIR (1 suite, 2 cells)"), "{text}");
}

#[test]
fn a_folder_without_case_files_exits_with_4() {
    let dir = tempfile::tempdir().unwrap();
    let output = skewer(&["run", "--corpus", dir.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8(output.stderr).unwrap().contains("no case file (*.yaml)"));
}

#[test]
fn the_number_of_threads_does_not_change_the_output() {
    let run = |jobs: &str| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results.json");
        let output =
            skewer(&["run", "retain-keys", "--jobs", jobs, "--report", &report_argument("json", &path)]);
        (output.stdout, read(&path))
    };
    assert_eq!(run("1"), run("8"));
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[rstest]
#[case(&["run", "--report", "xml=x"])]
#[case(&["run", "--axis", "client"])]
#[case(&["run", "--shard", "4/3"])]
#[case(&["frobnicate"])]
fn bad_usage_exits_with_2(#[case] arguments: &[&str]) {
    assert_eq!(skewer(arguments).status.code(), Some(2));
}

#[rstest]
#[case(&["union", "apply"], "union normalize")]
#[case(&["schema", "validate", "types.go"], "schema check")]
#[case(&["schema", "diff", "old.yaml", "new.yaml"], "audit")]
#[case(&["diff", "old.yaml", "new.yaml"], "patch diff")]
#[case(&["--color", "never", "test"], "run")]
fn another_name_of_a_command_leads_to_the_command(#[case] arguments: &[&str], #[case] command: &str) {
    let output = skewer(arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains(&format!("tip: a similar subcommand exists: '{command}'\n")), "{message}");
}

#[test]
fn merged_shards_equal_the_whole_run() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let whole = at("whole.json");
    assert_eq!(skewer(&["run", "retain-keys", "--report", &format!("json={whole}")]).status.code(), Some(0));
    let shards: Vec<String> = (1..=3).map(|i| at(&format!("{i}.json"))).collect();
    for (i, shard) in shards.iter().enumerate() {
        let part = format!("{}/3", i + 1);
        skewer(&["run", "retain-keys", "--shard", &part, "--report", &format!("json={shard}")]);
    }
    let merged = at("merged.json");
    let merge = |parts: &[String]| {
        let mut arguments = vec!["merge", "--output", &merged];
        arguments.extend(parts.iter().map(String::as_str));
        skewer(&arguments)
    };
    assert_eq!(merge(&shards[..2]).status.code(), Some(2), "a missing shard is refused");
    assert_eq!(merge(&shards).status.code(), Some(0));
    assert_eq!(read(Path::new(&merged)), read(Path::new(&whole)));
}
