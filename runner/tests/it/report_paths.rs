//! The paths of reports and results files: two reports cannot have the same path, `-` is standard output or input, and
//! temporary files of killed runs are removed.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use rstest::rstest;
use skewer_results::json;

use crate::helpers::{folder_with, skewer_command, skewer_with_input, split_output, stderr, stdout};

const SUITE: &str = "suite: good\nabout: x\nschema: {go: \"type T struct {}\", root: T}\n\
    cases:\n- {id: c, about: x, live: {}, patch: {}, expect: [{result: {}}]}\n";

/// Creates a folder with a corpus of one cell, its results, and files and links to write to.
fn folder() -> tempfile::TempDir {
    let folder = folder_with(&[("there", "kept")]);
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("corpus")).unwrap();
    std::fs::write(at("corpus/good.yaml"), SUITE).unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    std::os::unix::fs::symlink("there", at("linked")).unwrap();
    std::fs::hard_link(at("there"), at("hard")).unwrap();
    assert_eq!(run(folder.path(), "run --corpus corpus --report json=results.json").status.code(), Some(0));
    folder
}

/// Runs a command in a folder, with the results file on standard input.
fn run(folder: &Path, arguments: &str) -> Output {
    let input = std::fs::read_to_string(folder.join("results.json")).unwrap_or_default();
    skewer_with_input(folder, arguments, &input)
}

#[rstest]
#[case::same_path("json=a", "json=a", "the same file")]
#[case::a_detour("json=a", "html=./a", "the same file")]
#[case::another_detour("json=a", "html=folder/../a", "the same file")]
#[case::a_link("json=there", "html=linked", "the same file")]
#[case::a_hard_link("json=there", "html=hard", "the same file")]
#[case::standard_output("json=-", "html=-", "standard output")]
#[case::standard_output_by_its_path("json=-", "html=/dev/stdout", "standard output")]
fn two_reports_to_the_same_file_are_refused_before_the_run(
    #[case] first: &str,
    #[case] second: &str,
    #[case] destination: &str,
    #[values("run --corpus corpus", "report results.json", "compare results.json results.json")]
    command: &str,
) {
    let folder = folder();
    let between = "--report text=other";
    let output = run(folder.path(), &format!("{command} --report {first} {between} --report {second}"));
    let message = format!(
        "--report {first} and --report {second} both go to {destination}: use a different path for each report\n"
    );
    assert_eq!(split_output(&output), (Some(2), String::new(), message));
    assert_eq!(std::fs::read_to_string(folder.path().join("there")).unwrap(), "kept");
    assert!(!folder.path().join("other").exists() && !folder.path().join("a").exists());
}

#[test]
fn several_reports_are_written() {
    let folder = folder();
    let output =
        run(folder.path(), "run --corpus corpus --report json=a --report html=folder/a --report json=A");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let read = |name: &str| json::read(&folder.path().join(name)).unwrap();
    assert_eq!(read("a"), read("A"));
    let devices = "report results.json --report json=/dev/null --report html=/dev/null";
    assert_eq!(run(folder.path(), devices).status.code(), Some(0));
}

#[rstest]
#[case::a_run("run --corpus corpus --report json=-", true)]
#[case::results("report results.json --report json=-", false)]
#[case::results_from_standard_input("report - --report json=-", false)]
fn results_go_to_standard_output_and_the_table_to_standard_error(
    #[case] command: &str,
    #[case] has_table: bool,
) {
    let folder = folder();
    let output = run(folder.path(), command);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let expected = std::fs::read(folder.path().join("results.json")).unwrap();
    assert_eq!(stdout(&output).into_bytes(), expected);
    assert_eq!(stderr(&output).contains("total"), has_table, "{}", stderr(&output));
}

/// The report and the table both go to the file, which must therefore not be replaced by the report.
#[test]
fn a_report_to_dev_stdout_is_written_to_the_redirected_file() {
    let folder = folder();
    let log = std::fs::File::create(folder.path().join("log")).unwrap();
    let mut command = skewer_command();
    command.current_dir(folder.path()).args("run --corpus corpus --report badge=/dev/stdout".split(' '));
    assert!(command.stdout(log).status().unwrap().success());
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(log.contains("schemaVersion") && log.contains("total"), "{log}");
}

#[test]
fn every_report_can_go_to_standard_output() {
    let folder = folder();
    for format in skewer_reports::Format::ALL {
        let command = |path: &str| format!("report results.json --report {format}={path}");
        let output = run(folder.path(), &command("-"));
        assert_eq!(run(folder.path(), &command("file")).status.code(), Some(0));
        let expected = std::fs::read(folder.path().join("file")).unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(0), expected), "{format}");
    }
    let compared = run(folder.path(), "compare results.json results.json --report json=-");
    serde_json::from_slice::<serde_json::Value>(&compared.stdout).unwrap();
    assert!(stderr(&compared).starts_with("nothing got worse"), "{}", stderr(&compared));
}

#[test]
fn merge_reads_standard_input_and_writes_standard_output() {
    let folder = folder();
    let shard = |part: &str| format!("run --corpus corpus --shard {part} --report json=");
    let codes = ["1/2", "2/2"].map(|part| {
        let name = part.replace('/', "of");
        run(folder.path(), &format!("{}{name}", shard(part))).status.code()
    });
    // One of the shards has the cell. A run without cells writes no results.
    assert!(codes.contains(&Some(0)), "{codes:?}");
    let whole = run(folder.path(), "run --corpus corpus --shard 1/1 --report json=whole");
    assert_eq!(whole.status.code(), Some(0));
    let input = std::fs::read_to_string(folder.path().join("whole")).unwrap();
    let merged = skewer_with_input(folder.path(), "merge - --output -", &input);
    assert_eq!(merged.status.code(), Some(0), "{}", stderr(&merged));
    assert_eq!(json::parse(&merged.stdout).unwrap().cells.len(), 1);
    assert!(stderr(&merged).contains("total"), "{}", stderr(&merged));
}

#[rstest]
#[case::compare("compare - -")]
#[case::merge("merge - - --output x")]
fn only_one_results_file_can_come_from_standard_input(#[case] command: &str) {
    let folder = folder();
    let message = "only one results file can come from standard input (-)\n".to_owned();
    assert_eq!(split_output(&run(folder.path(), command)), (Some(2), String::new(), message));
}

#[rstest]
#[case::compare("compare results.json -", "nothing got worse")]
#[case::report("report -", "good")]
fn results_are_read_from_standard_input(#[case] command: &str, #[case] expected: &str) {
    let folder = folder();
    let output = run(folder.path(), command);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains(expected), "{}", stdout(&output));
    let broken = skewer_with_input(folder.path(), command, "nonsense");
    let message =
        "standard input:1:2: not a results file: expected ident (expected a file that `skewer run --report \
                   json=FILE` wrote)\n"
            .to_owned();
    assert_eq!(split_output(&broken), (Some(2), String::new(), message));
}

#[test]
fn deviations_are_read_from_standard_input() {
    let folder = folder();
    let input = "target: builtin\ndeviations: [{cells: good/x, found: {outcome: lost}, because: y}]\n";
    let output = skewer_with_input(folder.path(), "run --corpus corpus --deviations -", input);
    assert_eq!(output.status.code(), Some(1), "the entry excuses no cell: {}", stderr(&output));
    assert!(stderr(&output).contains("standard input:2:22: "), "{}", stderr(&output));
    let fixed = skewer_with_input(folder.path(), "deviations --corpus corpus --fix --deviations -", input);
    assert_eq!(stdout(&fixed), "target: builtin\ndeviations: []\n", "{}", stderr(&fixed));
    assert_eq!(stderr(&fixed), "-: 0 cells have the same deviation as before\nremoved: {outcome: lost}\n");
}

/// Returns a suite with enough cells to kill its run before it ends.
fn long_suite() -> String {
    let values = (0..10).map(|n| format!("v{n}: {{}}")).collect::<Vec<_>>().join(", ");
    let axes = ["a", "b", "c", "d", "e"].map(|axis| format!("    {axis}: {{{values}}}\n")).concat();
    let head = "suite: good\nabout: x\nschema: {go: \"type T struct { N int `json:\\\"n\\\"` }\", root: T}\n";
    let case = "cases:\n- id: c\n  live: {}\n  patch: {}\n  expect: [{result: {}}]\n  axes:\n";
    [head, case, &axes].concat()
}

#[test]
fn the_next_run_removes_the_temporary_files_of_a_killed_run() {
    let folder = folder();
    let out = folder.path().join("folder");
    std::fs::write(folder.path().join("corpus/good.yaml"), long_suite()).unwrap();
    let start = || {
        let mut command = skewer_command();
        command.current_dir(folder.path()).args("run --corpus corpus --report json=folder/r.json".split(' '));
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let temporary = || {
        let mut files: Vec<_> = std::fs::read_dir(&out).unwrap().map(|file| file.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "tmp"));
        files
    };
    let wait_for_files = |count| {
        let started = Instant::now();
        while temporary().len() != count {
            assert!(started.elapsed() < Duration::from_secs(60), "{:?}", temporary());
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    let mut killed = start();
    wait_for_files(1);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let left = temporary();
    assert_eq!(left.len(), 1, "the run was killed while it wrote");

    // The second run removes the file of the killed run. While the second run is in progress, a third run does not remove
    // the file of the second.
    let mut running = start();
    let started = Instant::now();
    while temporary() == left || temporary().is_empty() {
        assert!(started.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(2));
    }
    let of_running = temporary();
    assert!(!of_running.contains(&left[0]), "{of_running:?}");
    let other = run(folder.path(), "report results.json --report html=folder/other.html");
    assert_eq!(other.status.code(), Some(0));
    assert_eq!(temporary(), of_running, "the file of the run in progress remains");
    running.kill().unwrap();
    running.wait().unwrap();

    let output = run(folder.path(), "report results.json --report json=folder/r.json");
    assert_eq!(split_output(&output), (Some(0), String::new(), String::new()));
    assert_eq!(temporary(), Vec::<std::path::PathBuf>::new());
}
