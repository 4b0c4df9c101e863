//! Directives that a suite declares and only a target has: the matrix, the laws and the reports, from the files that
//! `skewer new directive` writes.

use std::path::Path;
use std::process::{Command, Output};

use rstest::rstest;
use serde_json::Value;
use tempfile::TempDir;

use crate::helpers::{all_output, report_skipped, skewer_command, skewer_with_input};

const SUITE: &str = "append-only/version-skew.yaml";

/// Writes the files of the directive `$appendOnly`. Returns `None` if there is no Python, which runs the adapter.
fn new_directive() -> Option<TempDir> {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        report_skipped("python3 is not installed");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let output = skewer_with_input(folder.path(), "new directive appendOnly", "");
    assert_eq!(output.status.code(), Some(0), "{}", all_output(&output));
    Some(folder)
}

/// The target that has the directive, with options of the adapter.
fn target(options: &str) -> String {
    format!("exec:python3 append-only/adapter.py {options} '{}' serve", env!("CARGO_BIN_EXE_skewer"))
}

fn skewer_in(folder: &Path, arguments: &[&str]) -> Output {
    skewer_command().args(arguments).current_dir(folder).output().unwrap()
}

/// Runs the suite. Returns the exit code, the output, and the cells by id.
fn run(folder: &Path, target: Option<&str>) -> (Option<i32>, String, Vec<(String, Value)>) {
    let report = format!("json={}", folder.join("results.json").display());
    let target = target.map(|target| ["--target", target]);
    let mut arguments = vec!["run", "--corpus", SUITE, "--report", &report];
    arguments.extend(target.iter().flatten());
    let output = skewer_in(folder, &arguments);
    let text = all_output(&output);
    let results: Value =
        serde_json::from_slice(&std::fs::read(folder.join("results.json")).unwrap()).unwrap();
    let cells = results["cells"].as_array().unwrap().iter();
    let cells = cells.map(|cell| (cell["id"].as_str().unwrap().to_owned(), cell.clone())).collect();
    (output.status.code(), text, cells)
}

fn ids<'c>(cells: &'c [(String, Value)], status: &str) -> Vec<&'c str> {
    cells.iter().filter(|(_, cell)| cell["status"] == status).map(|(id, _)| id.as_str()).collect()
}

#[test]
fn a_target_with_the_directive_passes_the_matrix() {
    let Some(folder) = new_directive() else { return };
    let (code, text, cells) = run(folder.path(), Some(&target("")));
    assert_eq!((code, cells.len()), (Some(0), 12), "{text}");
    assert_eq!(ids(&cells, "pass").len(), 12, "{text}");
    assert!(!text.contains("note:"), "{text}");
}

/// A server that knows the directive and does not check the promise.
#[test]
fn a_target_with_a_wrong_directive_fails_where_the_directive_matters() {
    let Some(folder) = new_directive() else { return };
    let adapter = folder.path().join("append-only/adapter.py");
    let program = std::fs::read_to_string(&adapter).unwrap();
    std::fs::write(&adapter, program.replace("        if deletes(patch, field):\n", "        if False:\n"))
        .unwrap();
    let (code, text, cells) = run(folder.path(), Some(&target("")));
    assert_eq!(code, Some(1), "{text}");
    let expected = "append-only/version-skew/patch-that-deletes-after-all[client=anybody,server=new]";
    assert_eq!(ids(&cells, "fail"), [expected], "{text}");
}

/// The engine is an old party in every cell. It stores the key as data where the suite expects an effect.
#[test]
fn the_engine_treats_the_directive_as_a_field() {
    let Some(folder) = new_directive() else { return };
    let (code, text, cells) = run(folder.path(), None);
    assert_eq!(code, Some(1), "{text}");
    let expected = ["patch-of-an-addition", "patch-that-deletes-after-all"]
        .map(|case| format!("append-only/version-skew/{case}[client=anybody,server=new]"));
    assert_eq!(ids(&cells, "fail"), expected, "{text}");
    let leaks: Vec<&Value> =
        cells.iter().map(|(_, cell)| &cell["actual"]["leaks"]).filter(|it| !it.is_null()).collect();
    assert_eq!(leaks, [&serde_json::json!(["$appendOnly"]); 2]);
    assert!(text.contains("note: builtin does not have $appendOnly, which a suite declares"), "{text}");
}

/// A target that does not list the directive is asked only about parties that are without it.
#[test]
fn a_target_without_the_directive_is_not_asked_about_parties_that_know_it() {
    let Some(folder) = new_directive() else { return };
    let without = format!("exec:'{}' serve", env!("CARGO_BIN_EXE_skewer"));
    let (code, text, cells) = run(folder.path(), Some(&without));
    assert_eq!(code, Some(0), "{text}");
    let asked = ids(&cells, "pass");
    assert!(asked.len() == 4 && asked.iter().all(|id| id.contains("server=old")), "{asked:?}");
    assert_eq!(ids(&cells, "unsupported").len(), 8, "{text}");
}

#[rstest]
#[case::right("", Some(0), "kept", "kept")]
#[case::wrong("--beside-retain-keys", Some(1), "broken", "kept")]
fn the_laws_are_asked_of_the_target(
    #[case] options: &str,
    #[case] code: Option<i32>,
    #[case] forward: &str,
    #[case] backward: &str,
) {
    let Some(folder) = new_directive() else { return };
    let target = target(options);
    let arguments = ["laws", "appendOnly", "--corpus", SUITE, "--count", "150", "--target", &target];
    let output = skewer_in(folder.path(), &[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(output.status.code(), code, "{}", all_output(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["target"], "append-only over skewer");
    let verdicts = report["rows"][0]["verdicts"].as_array().unwrap();
    let verdict = |law: &str| verdicts.iter().find(|verdict| verdict["law"] == law).unwrap();
    assert_eq!(
        (&verdict("forward")["verdict"], &verdict("backward")["verdict"]),
        (&forward.into(), &backward.into())
    );
    let example = &verdict("forward")["examples"][0]["case"];
    if forward == "broken" {
        // The counter-example declares the directive, and passes on the target that it is about.
        let example = example.as_str().unwrap();
        assert!(example.contains("$appendOnly: {applies-to: list, carries: boolean}"), "{example}");
        std::fs::write(folder.path().join(SUITE), example).unwrap();
        let (code, text, cells) = run(folder.path(), Some(&target));
        assert_eq!((code, cells.len()), (Some(0), 4), "{text}");
        assert!(cells.iter().any(|(_, cell)| cell["outcome"] == "refused"), "{text}");
    }
}

/// The laws are cells of the same report.
#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn a_run_on_a_target_tries_the_laws_of_the_declared_directive() {
    let Some(folder) = new_directive() else { return };
    let target = target("--beside-retain-keys");
    let arguments = ["run", "--corpus", SUITE, "--target", &target, "--laws", "--report", "json=-"];
    let output = skewer_in(folder.path(), &arguments);
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    let laws = results["cells"].as_array().unwrap().iter().filter(|cell| cell["suite"] == "laws");
    let broken: Vec<&Value> = laws.clone().filter(|law| law["status"] == "fail").collect();
    assert_eq!((laws.count(), broken.len()), (5, 1), "{}", all_output(&output));
    assert_eq!(broken[0]["axes"]["law"], "forward");
    let rerun = broken[0]["rerun"].as_str().unwrap();
    assert!(
        rerun.starts_with(&format!("skewer laws '$appendOnly' --corpus '{SUITE}' --target 'exec:")),
        "{rerun}"
    );
}

#[test]
fn the_laws_of_a_declared_directive_need_a_target() {
    let Some(folder) = new_directive() else { return };
    let output = skewer_in(folder.path(), &["laws", "appendOnly", "--corpus", SUITE]);
    let text = all_output(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        text.contains("name a target that lists $appendOnly in `supports.directives` (--target)"),
        "{text}"
    );
    let without = format!("exec:'{}' serve", env!("CARGO_BIN_EXE_skewer"));
    let arguments = ["laws", "appendOnly", "--corpus", SUITE, "--count", "5", "--target", &without];
    let output = skewer_in(folder.path(), &arguments);
    assert!(all_output(&output).contains("requests were not answered"), "{}", all_output(&output));
}

#[test]
fn reports_have_the_axes_of_a_declared_directive() {
    let Some(folder) = new_directive() else { return };
    let target = target("");
    let report = folder.path().join("report.md");
    let report_argument = format!("markdown={}", report.display());
    let arguments = [
        "run",
        "--corpus",
        SUITE,
        "--target",
        &target,
        "--rows",
        "client",
        "--columns",
        "server",
        "--report",
        &report_argument,
    ];
    let output = skewer_in(folder.path(), &arguments);
    let text = all_output(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("client \\ server") && text.contains("2 intended"), "{text}");
    let report = std::fs::read_to_string(report).unwrap();
    assert!(
        report.contains("append-only/version-skew") && report.contains("append-only over skewer"),
        "{report}"
    );
}
