//! The cells that `run` prints and `list` lists: failures grouped by kind, cells chosen by their results, and tables of
//! one property.

use std::path::Path;

use rstest::rstest;
use tempfile::TempDir;

use crate::helpers::adapters::{adapter, corpus_of, write_script};
use crate::helpers::{report_argument, skewer, skewer_command, split_output, stdout};

/// A corpus of 30 cells, of which the first 25 fail on the adapter: 24 with a refusal, and one with a wrong result.
struct Foreign {
    corpus: TempDir,
    folder: TempDir,
    target: String,
}

impl Foreign {
    fn new() -> Self {
        let names: Vec<&str> =
            std::iter::repeat_n("bad", 24).chain(["worse"]).chain(std::iter::repeat_n("good", 5)).collect();
        let refuse = r#"echo "{\"kind\":\"refused\",\"seq\":$seq,\"error\":{\"kind\":\"conflict\",\"message\":\"m\"}}""#;
        let wrong =
            r#"*worse*) echo "{\"kind\":\"result\",\"seq\":$seq,\"result\":{\"name\":\"wrong\"}}" ;;"#;
        let script = adapter(refuse).replace("    *) good ;;", &format!("    {wrong}\n    *) good ;;"));
        let folder = tempfile::tempdir().unwrap();
        let target = write_script(folder.path(), &script);
        Foreign { corpus: corpus_of(names), folder, target }
    }

    /// Runs the corpus, and returns the exit code, standard output and standard error.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = skewer_command();
        command.args(["run", "--deviations", "none", "--target", &self.target, "--corpus"]);
        split_output(&command.arg(self.corpus.path()).args(arguments).output().unwrap())
    }

    fn results(&self) -> std::path::PathBuf {
        let path = self.folder.path().join("results.json");
        self.run(&["--report", &report_argument("json", &path)]);
        path
    }
}

#[test]
fn failures_are_grouped_by_kind_with_one_example_each() {
    let foreign = Foreign::new();
    let (code, text, _) = foreign.run(&["--jobs", "1"]);
    assert_eq!(code, Some(1));
    assert_eq!(text.matches("\nFAIL ").count(), 2, "{text}");
    for part in [
        "\n── 24 failures: refused: conflict, expected this result\n",
        "\n    24  refused: conflict, expected this result\n        many/* 24 of 30\n",
        "\n     1  mismatch: another result (other lines)\n        many/cell-0024 1\n",
        "\n25 failures of 2 kinds\n2 of them are shown in full: --failures all shows all",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert_eq!(foreign.run(&["--jobs", "4"]).1, text, "the number of threads changes nothing");
}

#[rstest]
#[case("0", 0)]
#[case("1", 1)]
#[case("7", 7)]
#[case("all", 25)]
fn the_number_of_failures_in_full_can_be_chosen(#[case] failures: &str, #[case] shown: usize) {
    let (code, text, _) = Foreign::new().run(&["--failures", failures]);
    assert_eq!(code, Some(1));
    assert_eq!(text.matches("\nFAIL ").count(), shown, "{text}");
    assert_eq!(text.contains("--failures all"), shown < 25, "{text}");
}

#[rstest]
#[case::status(&["--status", "pass"], 5, "5 selected cells of 1 kind")]
#[case::outcome(&["--outcome", "refused"], 24, "24 selected cells of 1 kind")]
#[case::both(&["--outcome", "refused", "--status", "pass"], 0, "no cell has the results of `--status pass --outcome refused`")]
fn chosen_results_are_printed_and_neither_hide_the_exit_code_nor_other_results(
    #[case] filter: &[&str],
    #[case] chosen: usize,
    #[case] expected: &str,
) {
    let foreign = Foreign::new();
    let path = foreign.folder.path().join("filtered.json");
    let report = report_argument("json", &path);
    let (code, text, _) = foreign.run(&[filter, &["--failures", "all", "--report", &report]].concat());
    assert_eq!(code, Some(1));
    assert_eq!(text.matches("\n          at  ").count(), chosen, "{text}");
    assert!(text.contains(expected), "{text}");
    assert!(text.lines().any(|line| line.starts_with("total") && line.contains("30")), "{text}");
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(foreign.results()).unwrap());
}

fn list(arguments: &[&str]) -> (Option<i32>, String, String) {
    split_output(&skewer(&[&["list"], arguments].concat()))
}

#[test]
fn list_reads_the_ids_of_a_results_file() {
    let foreign = Foreign::new();
    let path = foreign.results();
    let path = path.to_str().unwrap();
    let (code, text, _) = list(&["--results", path, "--status", "fail", "--outcome", "mismatch"]);
    assert_eq!((code, text.as_str()), (Some(0), "many/cell-0024\n"));
    let (code, text, _) = list(&["--results", path, "--status", "pass", "cell-0025", "--outcomes"]);
    assert_eq!((code, text.as_str()), (Some(0), "many/cell-0025\tmatch\n"));
    assert_eq!(list(&["--results", path]).1.lines().count(), 30);
    let (code, text, message) = list(&["--results", path, "--status", "crash"]);
    assert_eq!((code, text.as_str()), (Some(4), ""));
    assert_eq!(
        message,
        "`--status crash` matches none of 30 cells: 24 refused (fail), 5 match, 1 mismatch (fail)\n"
    );
    let (code, _, message) = list(&["--results", path, "--axis", "client=old"]);
    assert_eq!(code, Some(4));
    assert!(message.contains("results.json (30 cells)\n  `--axis client=old` leaves no cell"), "{message}");
    assert_eq!(list(&["--results", path, "--target", "kubectl"]).0, Some(2));
}

#[test]
fn list_runs_the_cells_if_there_is_no_results_file() {
    let errata = ["retain-keys/errata", "--outcome"];
    let (code, lost, _) = list(&[&errata[..], &["lost"]].concat());
    let silent = list(&[&errata[..], &["silent"]].concat()).1;
    assert_eq!(code, Some(0));
    assert!(!lost.is_empty() && lost.lines().all(|line| silent.contains(line)), "{lost}\n{silent}");
    let counted = stdout(&skewer(&["run", "retain-keys/errata", "--rows", "outcome"]));
    let row = counted.lines().find(|line| line.starts_with("│ lost ")).unwrap();
    let cells: usize = row.split('│').nth(2).unwrap().trim().parse().unwrap();
    assert_eq!(cells, lost.lines().count(), "{counted}");
    let (code, _, message) = list(&["retain-keys/errata", "--status", "fail"]);
    assert_eq!(code, Some(4));
    assert!(message.starts_with("`--status fail` matches none of 29 cells: "), "{message}");
}

#[test]
fn one_property_is_enough_for_a_table() {
    let table = |arguments: &[&str]| {
        let text = stdout(&skewer(&[&["run", "retain-keys/version-skew"], arguments].concat()));
        text.lines().take_while(|line| !line.starts_with("suite")).map(str::to_owned).collect::<Vec<_>>()
    };
    let rows = table(&["--rows", "client"]);
    assert!(rows[1].starts_with("│ client  │ cells │"), "{rows:#?}");
    assert_eq!(rows.iter().filter(|line| line.starts_with("│ old ")).count(), 1, "{rows:#?}");
    let columns = table(&["--columns", "client"]);
    assert!(columns[1].starts_with("│ client "), "{columns:#?}");
    assert!(columns[3].starts_with("│ cells "), "{columns:#?}");
    // Each of the two tables has the numbers of the other.
    let numbers = |lines: &[String]| {
        let mut numbers: Vec<usize> = lines
            .iter()
            .flat_map(|line| line.split_whitespace())
            .filter_map(|word| word.parse().ok())
            .collect();
        numbers.sort_unstable();
        numbers
    };
    assert_eq!(numbers(&rows), numbers(&columns));
    // A filter also applies to the table.
    let lost = table(&["--rows", "client", "--outcome", "lost"]);
    assert!(lost.join("\n").contains("lost") && !lost.join("\n").contains("intended"), "{lost:#?}");
}

#[test]
fn completions_know_the_words_of_the_filters() {
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&skewer(&["completions", shell]));
        for word in ["unexpected-pass", "wrongly-accepted", "silent"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[rstest]
#[case("1")]
#[case("4")]
fn fail_fast_stops_at_the_first_failure_in_the_order_of_ids(#[case] jobs: &str) {
    let foreign = Foreign::new();
    let path = foreign.folder.path().join("partial.json");
    let report = report_argument("json", &path);
    let arguments = ["--fail-fast", "--skip", "cell-0000", "--jobs", jobs, "--report", &report];
    let (code, text, message) = foreign.run(&arguments);
    assert_eq!(code, Some(1), "{text}");
    assert_eq!(text.matches("\nFAIL ").count(), 1, "{text}");
    assert!(text.contains("PARTIAL: the run ended early, after 1 of 29 cells"), "{text}");
    assert_eq!(
        message,
        "stopped at the first failure, after 1 of 29 cells; the reports contain these cells and are marked as partial\n"
    );
    let results = read_results(&path);
    assert_eq!((results["partial"].as_bool(), results["cells"].as_array().unwrap().len()), (Some(true), 1));
    assert_eq!(results["cells"][0]["id"], "many/cell-0001");
}

#[test]
fn fail_fast_does_not_end_a_run_whose_last_cell_fails_or_that_passes() {
    let foreign = Foreign::new();
    let (code, text, message) = foreign.run(&["--fail-fast", "--exact", "many/cell-0024"]);
    assert_eq!((code, message.as_str()), (Some(1), ""), "{text}");
    assert!(!text.contains("PARTIAL"), "{text}");
    let (code, text, message) = foreign.run(&["--fail-fast", "--exact", "many/cell-0025"]);
    assert_eq!((code, message.as_str()), (Some(0), ""), "{text}");
}

fn read_results(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}
