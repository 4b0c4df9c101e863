//! `skewer scoreboard`: several implementations side by side.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rstest::rstest;
use skewer_reports::scoreboard::Scoreboard;
use tempfile::TempDir;

use crate::helpers::{report_argument, skewer, split_output};

/// Results of the built-in engine, and of an adapter that stores `$retainKeys` and supports nothing but patches.
struct Files {
    folder: TempDir,
}

impl Files {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, name: &str, selection: &str, target: &[&str]) -> PathBuf {
        let path = self.path(name);
        let report = report_argument("json", &path);
        let fixed = ["run", selection, "--steps", "--deviations", "none", "--report", report.as_str()];
        skewer(&[fixed.as_slice(), target].concat());
        path
    }

    fn scoreboard(&self, names: &[&str], arguments: &[&str]) -> (Option<i32>, String, String) {
        let paths: Vec<String> = names.iter().map(|name| self.path(name).display().to_string()).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let (code, out, err) =
            split_output(&skewer(&[&["scoreboard"], paths.as_slice(), arguments].concat()));
        let folder = self.folder.path().display().to_string();
        (code, out.replace(&folder, "DIR"), err.replace(&folder, "DIR"))
    }
}

/// An adapter that answers each patch with the patch itself.
fn adapter(folder: &Path) -> String {
    let script = r#"
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["kind"] == "start":
        answer = {"kind": "started", "protocol": 1, "name": "echo", "version": "2", "supports": {"operations": ["apply"]}}
    else:
        answer = {"kind": "result", "seq": request["seq"], "result": request["documents"]["patch"]}
    print(json.dumps(answer), flush=True)
"#;
    let path = folder.join("echo.py");
    fs::write(&path, script).unwrap();
    format!("exec:python3 '{}'", path.display())
}

static FILES: LazyLock<Files> = LazyLock::new(|| {
    let files = Files { folder: tempfile::tempdir().unwrap() };
    files.run("builtin.json", "implementations/", &[]);
    files.run("echo.json", "implementations/", &["--target", &adapter(files.folder.path())]);
    files.run("other.json", "retain-keys/capabilities", &[]);
    files
});

#[test]
fn columns_are_in_the_order_of_the_files() {
    let (code, out, err) = FILES.scoreboard(&["echo.json", "builtin.json"], &["--format", "json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let board: Scoreboard = serde_json::from_str(&out).unwrap();
    let labels: Vec<&str> =
        board.implementations.iter().map(|implementation| implementation.label.as_str()).collect();
    assert_eq!(labels, ["echo 2", concat!("skewer ", env!("CARGO_PKG_VERSION"))]);
    assert_eq!(board.implementations[1].counts.wrong, 0);
    // The echo stores the directive of the patch that it echoes.
    assert!(board.implementations[0].counts.leaked > 0);
    assert_eq!(board.implementations[1].supported, board.capabilities.len());
}

#[test]
fn the_text_fits_on_a_terminal_and_answers_the_questions() {
    let (_, out, _) = FILES.scoreboard(&["builtin.json", "echo.json"], &[]);
    // The id of a cell has a line of its own, and is not broken.
    let is_long = |line: &&str| line.chars().count() > 80 && line.trim().contains(' ');
    let long: Vec<&str> = out.lines().filter(is_long).collect();
    assert!(long.is_empty(), "{long:?}");
    assert!(out.contains("\nJSON patch\n  supported: skewer"), "{out}");
    assert!(out.contains("strategic merge patch, port: skewer"), "{out}");
    assert!(out.contains("strategic merge patch, no key (the list is replaced): echo 2"), "{out}");
}

#[test]
fn the_page_has_the_command_that_makes_it_and_those_of_the_runs() {
    let (_, out, _) = FILES.scoreboard(&["builtin.json", "echo.json"], &["--format", "markdown"]);
    assert!(
        out.contains("\n$ skewer scoreboard DIR/builtin.json DIR/echo.json --format markdown\n"),
        "{out}"
    );
    assert!(out.contains("`skewer run --target 'exec:python3"), "{out}");
    assert!(out.contains("Otherwise, a result with \\$retainKeys as data: echo 2."), "{out}");
}

#[test]
fn each_implementation_has_a_badge() {
    let badges = FILES.path("badges");
    let (code, ..) =
        FILES.scoreboard(&["builtin.json", "echo.json"], &["--badges", &badges.display().to_string()]);
    assert_eq!(code, Some(0));
    let mut names: Vec<String> = fs::read_dir(badges)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["echo-2.json", concat!("skewer-", env!("CARGO_PKG_VERSION"), ".json")]);
}

#[rstest]
#[case::no_file(&["missing.json"], 2, "DIR/missing.json: ")]
#[case::no_cell_of_the_ladder(&["builtin.json", "other.json"], 4, "DIR/other.json has no cell of the suites `implementations/`, which a scoreboard counts: run `skewer run")]
#[case::one_implementation_twice(
    &["echo.json", "builtin.json", "echo.json"], 2, "DIR/echo.json and DIR/echo.json are both of echo 2: expected one file of each"
)]
fn files_that_cannot_be_compared(#[case] names: &[&str], #[case] exit: i32, #[case] message: &str) {
    let (code, out, err) = FILES.scoreboard(names, &[]);
    assert_eq!((code, out.as_str()), (Some(exit), ""), "{err}");
    assert!(err.contains(message), "{err}");
}
