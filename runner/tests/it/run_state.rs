//! The state of a run: all reports and the exit code agree, and a run is green only if all cells were verified.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use rstest::rstest;
use skewer_reports::summary::{OverallState, Summary};
use skewer_results::{Results, Status, json};
use tempfile::TempDir;

use crate::helpers::adapters::{adapter_with, write_script};
use crate::helpers::{all_output, report_argument, skewer_command, stderr, stdout};

const TYPES: &str = r#"schema:
  go: |
    type Holder struct {
      Name string `json:"name"`
    }
  root: Holder
cases:
"#;

/// The cases. Those of the suite `asked` need answers from the target; those of the suite `whole` do not.
const CASES: [(&str, &str); 5] = [
    ("asked/a", "live: {name: x}, patch: {name: good}, expect: [{result: {name: good}}]"),
    ("asked/b", "live: {name: x}, patch: {name: bad}, expect: [{result: {name: good}}]"),
    ("asked/c", "live: {name: x}, patch: {name: good}, expect: [{result: {name: good}}]"),
    (
        "whole/a",
        "live: {name: x}, intent: {set: {name: good}}, request: update, expect: [{outcome: intended}]",
    ),
    (
        "whole/wrong",
        "live: {name: x}, intent: {set: {name: good}}, request: update, expect: [{outcome: refused}]",
    ),
];

/// A folder with a corpus of some of the cases, and an adapter that runs the commands `on_bad` for the word `bad`.
struct Run {
    folder: TempDir,
    target: String,
}

impl Run {
    fn new(cases: &[&str], on_bad: &str, operations: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let corpus = folder.path().join("corpus");
        fs::create_dir(&corpus).unwrap();
        for (id, content) in CASES.iter().filter(|(id, _)| cases.contains(id)) {
            let (suite, case) = id.split_once('/').unwrap();
            let path = corpus.join(format!("{suite}.yaml"));
            let head = format!("suite: {suite}\nabout: A suite.\n{TYPES}");
            let text = fs::read_to_string(&path).unwrap_or(head);
            fs::write(&path, format!("{text}  - {{id: {case}, {content}}}\n")).unwrap();
        }
        let flag = folder.path().join("dead");
        let beginning = format!(
            r#"[ -e {flag} ] && exit 4
refuse() {{ echo "{{\"kind\":\"refused\",\"seq\":$seq,\"error\":{{\"kind\":\"conflict\",\"message\":\"m\"}}}}"; }}
give_up() {{ touch {flag}; exit 1; }}"#,
            flag = flag.display()
        );
        let script = adapter_with(&beginning, operations, on_bad);
        let target = write_script(folder.path(), &script);
        Run { folder, target }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the corpus with a report of each format, and returns the output and the results.
    fn run(&self, arguments: &[&str]) -> (Output, Results) {
        let mut command = skewer_command();
        command.args(["run", "--jobs", "1", "--timeout", "5", "--corpus"]).arg(self.path("corpus"));
        command.args(["--target", &self.target]);
        for format in ["json", "text", "markdown", "compatibility", "html", "junit", "badge", "github"] {
            command.args(["--report", &report_argument(format, &self.path(format))]);
        }
        let output = command.args(arguments).output().unwrap();
        let results =
            json::read(&self.path("json")).unwrap_or_else(|error| panic!("{error} {}", all_output(&output)));
        (output, results)
    }

    fn read(&self, format: &str) -> String {
        fs::read_to_string(self.path(format)).unwrap()
    }

    fn deviations(&self, entries: &str) -> String {
        let path = self.path("known.yaml");
        fs::write(&path, format!("target: test\ndeviations:\n{entries}")).unwrap();
        path.display().to_string()
    }
}

const APPLY: &str = r#""apply""#;
const KNOWN: &str = "  - {cells: asked/b, found: {error: conflict}, because: ";

#[rstest]
#[case::good(&["asked/a", "asked/b"], "good", APPLY, None, (OverallState::Green, 0))]
#[case::known_deviation(&["asked/a", "asked/b"], "refuse", APPLY, Some("it is so}"), (OverallState::Green, 0))]
#[case::a_cell_fails(&["asked/a", "asked/b"], "refuse", APPLY, None, (OverallState::Red, 1))]
#[case::an_unexplained_entry(&["asked/a", "asked/b"], "refuse", APPLY, Some("unexplained}"), (OverallState::Red, 1))]
#[case::a_stale_entry(
    &["asked/a"],
    "good",
    APPLY,
    Some("it was so}"),
    (OverallState::Red, 1)
)]
#[case::the_target_is_given_up(&["asked/a", "asked/b", "asked/c"], "give_up", APPLY, None, (OverallState::Red, 3))]
#[case::nothing_is_supported(&["asked/a", "whole/a"], "good", "", None, (OverallState::NotRun, 1))]
#[case::nothing_was_asked(&["whole/a"], "good", APPLY, None, (OverallState::NotRun, 1))]
#[case::a_suite_was_not_asked(&["asked/a", "whole/a"], "good", APPLY, None, (OverallState::Incomplete, 1))]
#[case::a_wrong_case_that_needs_no_answer(&["asked/a", "whole/wrong"], "good", APPLY, None, (OverallState::Red, 1))]
fn the_reports_and_the_exit_code_agree_on_the_state(
    #[case] cases: &[&str],
    #[case] on_bad: &str,
    #[case] operations: &str,
    #[case] deviation: Option<&str>,
    #[case] (state, exit): (OverallState, i32),
) {
    let run = Run::new(cases, on_bad, operations);
    let deviations = deviation.map(|because| run.deviations(&format!("{KNOWN}{because}\n")));
    let (output, results) = run.run(&["--deviations", deviations.as_deref().unwrap_or("none")]);
    assert_eq!(output.status.code(), Some(exit), "{}", all_output(&output));
    assert_eq!(Summary::of(&results).state(), state, "{}", all_output(&output));
    assert_state(&run, &stdout(&output), state);
}

/// Asserts that the table and each report show the state.
fn assert_state(run: &Run, table: &str, state: OverallState) {
    let is_green = state == OverallState::Green;
    for text in [table, &run.read("text")] {
        let total = text.lines().find_map(|line| line.strip_prefix("total ")).unwrap();
        assert!(total.trim_start().starts_with(state.as_str()), "{text}");
    }
    let markdown = run.read("markdown");
    let total = markdown.lines().find(|line| line.starts_with("| **total** |")).unwrap();
    assert_eq!(total.contains('✅'), is_green, "{markdown}");
    let first = markdown.lines().next().unwrap();
    // Known deviations are counted behind the cells that are ok, and so is what is wrong with the run.
    let is_good_heading =
        !first.contains("incomplete") && (first.ends_with("cells ok") || first.ends_with(" known deviation"));
    assert_eq!(is_good_heading, is_green, "{markdown}");
    let junit = run.read("junit");
    assert_eq!(!junit.contains("<failure") && !junit.contains("<error"), is_green, "{junit}");
    assert_eq!(run.read("badge").contains("brightgreen"), is_green, "{}", run.read("badge"));
    assert_eq!(run.read("github").is_empty(), is_green, "{}", run.read("github"));
    assert!(run.read("html").contains(&format!(r#""state":"{}","problems":["#, state.as_str())));
    let compatibility = run.read("compatibility");
    let introduction = compatibility.split("This page").next().unwrap();
    let is_good = !["**No cell", "**The", " of them fail"].iter().any(|sign| introduction.contains(sign));
    assert_eq!(is_good, is_green, "{introduction}");
}

#[test]
fn reports_show_a_problem_of_the_deviation_file() {
    let run = Run::new(&["asked/a"], "good", APPLY);
    let known = run.deviations(&format!("{KNOWN}it was so}}\n"));
    let (output, results) = run.run(&["--deviations", &known]);
    let problem = "no cell matches `asked/b`";
    assert!(stderr(&output).contains(problem), "{}", stderr(&output));
    assert!(results.problems[0].message.contains(problem));
    let table = stdout(&output);
    assert!(table.contains("\nPROBLEM: ") && table.contains(problem), "{table}");
    for format in ["markdown", "junit", "github", "html", "text", "compatibility"] {
        let text = run.read(format);
        assert!(text.contains("no cell matches"), "{format}: {text:.2000}");
    }
    assert_eq!(
        run.read("badge"),
        "{\"schemaVersion\":1,\"label\":\"skewer: test\",\"message\":\"2 problems, 1 passed\",\"color\":\"red\"}\n"
    );
}

/// Returns the ids and statuses of the cells, in the order of ids.
fn statuses(results: &Results) -> Vec<(&str, Status)> {
    results.cells.iter().map(|cell| (cell.id.as_str(), cell.status)).collect()
}

#[test]
fn a_cell_that_needs_no_answer_is_not_asked_or_an_error_of_the_case() {
    let run = Run::new(&["asked/a", "whole/a", "whole/wrong"], "good", APPLY);
    let known = run.deviations("  - {cells: 'whole/*', found: {outcome: intended}, because: it is so}\n");
    let (output, results) = run.run(&["--deviations", &known]);
    assert_eq!(
        statuses(&results),
        [("asked/a", Status::Pass), ("whole/a", Status::NotAsked), ("whole/wrong", Status::Error)],
        "{}",
        all_output(&output)
    );
    let [_, not_asked, wrong] = &results.cells[..] else { panic!("{results:?}") };
    assert_eq!((not_asked.outcome, &not_asked.actual), (None, &None), "the target did not answer");
    assert_eq!(
        not_asked.message_text().as_deref(),
        Some(
            "the outcome needed no answer from the target: the client sends the whole object (update), no patch"
        )
    );
    assert_eq!(
        wrong.message_text().unwrap_or_default().lines().next(),
        Some("the outcome needed no answer from the target: the case or Skewer is wrong, not the target")
    );
    assert!(run.read("junit").contains("<skipped message=\"the outcome needed no answer from the target"));
    assert!(stderr(&output).contains("the entry excuses no cell") || stdout(&output).contains("ERROR"));

    // The built-in engine performs all steps, so that it is responsible for these cells.
    let output = skewer_command().args(["run", "--corpus"]).arg(run.path("corpus")).output().unwrap();
    assert!(stdout(&output).contains("FAIL whole/wrong") && !stdout(&output).contains("not asked"));
}

#[rstest]
#[case(&["--skip", "whole"])]
#[case(&["--issue", "1"])]
#[case(&["--kep"])]
fn deviations_cannot_be_rewritten_from_a_part_of_the_corpus(#[case] selection: &[&str]) {
    let run = Run::new(&["asked/a", "whole/a"], "good", APPLY);
    let known = run.deviations("  - {cells: whole/a, found: {outcome: lost}, because: it is so}\n");
    let target = format!("exec:sh {}", run.path("adapter.sh").display());
    let output = skewer_command()
        .args(["deviations", "--fix", "--deviations", &known, "--target", &target, "--corpus"])
        .arg(run.path("corpus"))
        .args(selection)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", all_output(&output));
    assert!(stderr(&output).contains("--fix runs the whole corpus"), "{}", stderr(&output));
}

/// Runs the corpus on the built-in engine, and returns the results file.
fn run_on_built_in(run: &Run, name: &str, arguments: &[&str]) -> PathBuf {
    let path = run.path(name);
    let output = skewer_command()
        .args(["run", "--report", &report_argument("json", &path), "--corpus"])
        .arg(run.path("corpus"))
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", all_output(&output));
    path
}

fn compare(old: &Path, new: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = skewer_command().arg("compare").args([old, new]).args(arguments).output().unwrap();
    (output.status.code(), all_output(&output))
}

#[test]
fn a_comparison_fails_if_the_new_run_lacks_cells() {
    let run = Run::new(&["asked/a", "whole/a"], "good", APPLY);
    let whole = run_on_built_in(&run, "whole.json", &[]);
    let narrower = run_on_built_in(&run, "narrower.json", &["--skip", "whole/"]);
    let text = fs::read_to_string(&narrower).unwrap();
    let (partial, smaller) = (run.path("partial.json"), run.path("smaller.json"));
    let unselected = text.replace(r#","selection":{"skip":["whole/"]},"selected":1"#, "");
    assert_ne!(unselected, text);
    fs::write(&smaller, &unselected).unwrap();
    fs::write(&partial, unselected.replace("\n]}", "\n],\"partial\":true}")).unwrap();

    for (new, message) in [
        (
            &partial,
            "problem: the new run ended early, after 1 cells, so that 1 of the old run cannot be compared",
        ),
        (
            &narrower,
            "problem: the old run selected everything and the new one --skip 'whole/', which leaves 1 cells",
        ),
        (
            &smaller,
            "problem: 1 cell of the old run is gone, with all of whole; if it was taken out on purpose",
        ),
    ] {
        let (code, text) = compare(&whole, new, &[]);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains(message), "{text}");
        let (code, text) = compare(&whole, new, &["--format", "json"]);
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((code, &document["state"]), (Some(1), &"worse".into()));
        for allowed in ["--allow-gone", "--allow-gone=whole/", "--allow-gone=whole/*"] {
            let is_accepted = *new == smaller;
            assert_eq!(compare(&whole, new, &[allowed]).0, Some(i32::from(!is_accepted)), "{message}");
        }
        assert_eq!(compare(&whole, new, &["--allow-gone=asked/"]).0, Some(1));
        let (code, text) = compare(new, &whole, &[]);
        assert_eq!(code, Some(0), "additional cells are not a regression: {text}");
    }
}
