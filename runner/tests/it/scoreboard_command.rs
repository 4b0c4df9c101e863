//! `skewer scoreboard`: several implementations side by side.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rstest::rstest;
use serde_json::{Value, json};
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
    // The patch ends where its brackets and quotes are closed.
    let script = r#"
while read -r line; do
  seq=${line#*\"seq\":}
  case $line in
    *'"kind":"start"'*)
      echo '{"kind":"started","protocol":1,"name":"echo","version":"2","supports":{"operations":["apply"]}}' ;;
    *'"kind":"stop"'*) exit 0 ;;
    *) printf '%s\n' "${line#*\"documents\":}" | awk -v seq="${seq%%,*}" '{
      patch = substr($0, index($0, "\"patch\":") + 8)
      for (end = 1; end <= length(patch); end++) {
        c = substr(patch, end, 1)
        if (c == "\\") end++
        else if (c == "\"") quoted = !quoted
        else if (!quoted && (c == "{" || c == "[")) depth++
        else if (!quoted && (c == "}" || c == "]")) depth--
        if (depth < 0 || (!quoted && depth == 0 && c == ",")) break
      }
      print "{\"kind\":\"result\",\"seq\":" seq ",\"result\":" substr(patch, 1, end - 1) "}"
    }' ;;
  esac
done
"#;
    let path = folder.join("echo.sh");
    fs::write(&path, script).unwrap();
    format!("exec:sh '{}'", path.display())
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
    assert!(out.contains("`skewer run --target 'exec:sh "), "{out}");
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

/// Results of all cells of a tool, with a client as the target.
static SUBMISSION: LazyLock<Value> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("helm.json");
    skewer(&["run", "clients/", "--axis", "tool=helm3", "--report", &report_argument("json", &path)]);
    let mut results: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    results["run"]["target"] = json!({
        "name": "Helm to kube-apiserver",
        "version": "3.22.0 to 1.36.3",
        "options": " --client-target 'helm:3' --server-target 'kube:1.36'",
    });
    results
});

/// Edits of the results of a client, as a file of its own each.
type Edit = fn(&mut Value);

/// Submits one file for each edit, with one command. In the output, the files have the names of the edits.
fn submit(edits: &[(&str, Edit)]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<String> = edits
        .iter()
        .map(|(name, edit)| {
            let mut results = SUBMISSION.clone();
            edit(&mut results);
            let path = folder.path().join(name);
            fs::write(&path, results.to_string()).unwrap();
            path.display().to_string()
        })
        .collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let (code, out, err) = split_output(&skewer(&[&["scoreboard", "--submit"], paths.as_slice()].concat()));
    (code, out, err.replace(&format!("{}/", folder.path().display()), ""))
}

fn cell<'r>(results: &'r mut Value, id: &str) -> &'r mut Value {
    results["cells"].as_array_mut().unwrap().iter_mut().find(|cell| cell["id"] == id).unwrap()
}

#[test]
fn complete_results_of_a_client_are_laid_out() {
    let (code, out, err) = submit(&[("helm", |_| {})]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("| **helm3** | helm | 3.22.0 to 1.36.3 | 60 | 47 | 60 | "), "{out}");
}

/// A cell in which the client differs from its model can be published. Its expectation is then the end of the model.
#[test]
fn a_client_may_differ_from_its_model() {
    let differs: Edit = |results| {
        let cell = cell(results, "clients/config-map/settles[tool=helm3]");
        cell["status"] = json!("fail");
        cell["outcome"] = json!("lost");
        cell["actual"] = json!({"outcome": "lost"});
        cell["reference"] = json!({"simulation": {"release": "kubernetes-1.36"}});
    };
    let (code, out, err) = submit(&[("helm", differs)]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("| **helm3** | helm | 3.22.0 to 1.36.3 | 60 | 46 | 59 | "), "{out}");
}

/// Edits for which results cannot be published, each with the name of its file and the message.
const FAULTS: [(&str, Edit, &str); 11] = [
    (
        "another_version",
        |results: &mut Value| results["run"]["tool_version"] = json!("0.0.1"),
        concat!(
            "the run is of Skewer 0.0.1 (expected ",
            env!("CARGO_PKG_VERSION"),
            "): run the client with Skewer ",
            env!("CARGO_PKG_VERSION")
        ),
    ),
    (
        "not_complete",
        |results: &mut Value| results["partial"] = json!(true),
        "the run is not complete: run the client again",
    ),
    (
        "models",
        |results: &mut Value| results["run"]["target"] = json!({"name": "builtin"}),
        "the built-in engine answered (expected a client): run with `--client-target` and `--server-target`",
    ),
    (
        "no_answer",
        |results: &mut Value| results["cells"] = json!([]),
        "no cell of the suites `clients/` has an answer: run `skewer run --client-target CLIENT clients/`",
    ),
    (
        "missing_cells",
        |results: &mut Value| {
            results["cells"].as_array_mut().unwrap().drain(..2);
        },
        "the tool `helm3` has no answer to 2 of 60 cells, such as clients/config-map/adopts-an-object[tool=helm3,force=without]: run all of `clients/`",
    ),
    (
        "unanswered_cell",
        |results: &mut Value| {
            let cell = cell(results, "clients/config-map/settles[tool=helm3]").as_object_mut().unwrap();
            cell.insert("status".to_owned(), json!("timeout"));
            cell.remove("outcome");
        },
        "the tool `helm3` has no answer to 1 of 60 cells, such as clients/config-map/settles[tool=helm3]: run all of `clients/`",
    ),
    (
        "unknown_cell",
        |results: &mut Value| {
            let mut other = cell(results, "clients/config-map/settles[tool=helm3]").clone();
            other["id"] = json!("clients/config-map/wins[tool=helm3]");
            results["cells"].as_array_mut().unwrap().push(other);
        },
        "clients/config-map/wins[tool=helm3] is not a cell of the corpus",
    ),
    (
        "unknown_tool",
        |results: &mut Value| {
            let mut other = cell(results, "clients/config-map/settles[tool=helm3]").clone();
            (other["id"], other["axes"]["tool"]) =
                (json!("clients/config-map/settles[tool=helm5]"), json!("helm5"));
            results["cells"].as_array_mut().unwrap().push(other);
        },
        "clients/config-map/settles[tool=helm5] has the unknown tool `helm5` (expected argocd, argocd-3.0-ssa, argocd-ssa, controller-apply, controller-patch, controller-replace, controller-update, flux, helm3, helm4, helm4-csa, kubectl, kubectl-csa)",
    ),
    (
        "edited_expectation",
        |results: &mut Value| {
            let cell = cell(results, "clients/service/removes-one-of-two-protocols[tool=helm3]");
            for key in ["outcome", "actual", "expected"] {
                cell[key] = match key {
                    "outcome" => json!("intended"),
                    "actual" => json!({"outcome": "intended"}),
                    _ => json!([{"outcome": "intended"}]),
                };
            }
        },
        "clients/service/removes-one-of-two-protocols[tool=helm3] is not as in the corpus: its description or its expectation was edited",
    ),
    (
        "edited_outcome",
        |results: &mut Value| {
            cell(results, "clients/service/removes-one-of-two-protocols[tool=helm3]")["outcome"] =
                json!("intended");
        },
        "clients/service/removes-one-of-two-protocols[tool=helm3] has the status pass and the outcome intended, which do not follow from its answer",
    ),
    (
        "edited_answer",
        |results: &mut Value| {
            let cell = cell(results, "clients/service/removes-one-of-two-protocols[tool=helm3]");
            (cell["outcome"], cell["actual"]["outcome"]) = (json!("intended"), json!("intended"));
        },
        "clients/service/removes-one-of-two-protocols[tool=helm3] has the status pass and the outcome intended, which do not follow from its answer",
    ),
];

#[test]
fn results_that_cannot_be_published() {
    let (code, out, err) = submit(&FAULTS.map(|(name, edit, _)| (name, edit)));
    let expected = FAULTS.map(|(name, _, message)| format!("{name}: {message}"));
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert_eq!(err.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn results_of_other_case_files_cannot_be_published() {
    let other: Edit = |results| results["run"]["corpus_hash"] = json!("5f2a");
    let (code, _, err) = submit(&[("helm", other)]);
    assert_eq!(code, Some(1));
    assert!(err.starts_with("helm: the corpus_hash is 5f2a (expected "), "{err}");
    assert!(err.ends_with("): run the client without `--corpus`\n"), "{err}");
}
