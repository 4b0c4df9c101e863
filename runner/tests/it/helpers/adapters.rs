//! Adapters written as shell scripts, and runs of corpora on them.
//!
//! Each request is one line that begins with `{"kind":"run","seq":N,`. A script recognizes a cell by a word in the
//! documents.

use std::fmt::Write;
use std::path::Path;

use tempfile::TempDir;

use super::{all_output, folder_with, report_argument, skewer};

/// A suite with four cells. The adapters treat the cell with the word `bad` specially.
const SUITE: &str = r"suite: four
about: Cells to test a target.
schema:
  go: |
    type Holder struct {
      Name string `json:'name'`
    }
  root: Holder
cases:
  - {id: a, live: {name: x}, patch: {name: good}, expect: [{result: {name: good}}]}
  - {id: b, live: {name: x}, patch: {name: bad}, expect: [{result: {name: good}}]}
  - {id: c, live: {name: x}, patch: {name: good}, expect: [{result: {name: good}}]}
  - {id: d, live: {name: x}, patch: {name: good}, expect: [{result: {name: good}}]}
";

/// Returns a script that answers correctly, except that it runs the commands `on_bad` for a request with the word
/// `bad`.
pub(crate) fn adapter(on_bad: &str) -> String {
    adapter_with("", r#""apply""#, on_bad)
}

/// Returns an adapter that first runs the commands `beginning` and then supports these operations.
pub(crate) fn adapter_with(beginning: &str, operations: &str, on_bad: &str) -> String {
    format!(
        r#"#!/bin/sh
{beginning}
started='{{"kind":"started","protocol":1,"name":"test","supports":{{"operations":[{operations}]}}}}'
good() {{ echo "{{\"kind\":\"result\",\"seq\":$seq,\"result\":{{\"name\":\"good\"}}}}"; }}
while read -r line; do
  seq=${{line#*\"seq\":}}
  seq=${{seq%%,*}}
  case $line in
    *'"kind":"start"'*) echo "$started" ;;
    *'"kind":"stop"'*) exit 0 ;;
    *bad*) {on_bad} ;;
    *) good ;;
  esac
done
"#
    )
}

/// Creates a folder with the suite of four cells.
pub(crate) fn corpus() -> TempDir {
    folder_with(&[("four.yaml", &SUITE.replace('\'', "\""))])
}

/// The result of a run on a target.
pub(crate) struct TargetRun {
    pub(crate) code: Option<i32>,
    /// Standard output and standard error.
    pub(crate) text: String,
    pub(crate) statuses: Vec<String>,
}

impl TargetRun {
    /// Returns the number of cells with a status.
    pub(crate) fn count(&self, status: &str) -> usize {
        self.statuses.iter().filter(|found| *found == status).count()
    }
}

/// Writes a script to a folder, and returns the `--target` argument that runs the script.
pub(crate) fn write_script(dir: &Path, script: &str) -> String {
    let path = dir.join("adapter.sh");
    std::fs::write(&path, script).unwrap();
    format!("exec:sh {}", path.display())
}

/// Creates a folder with a suite of similar cells, one for each name. The patch of a cell contains its name.
pub(crate) fn corpus_of<'a>(names: impl IntoIterator<Item = &'a str>) -> TempDir {
    let (start, _) = SUITE.split_once("  - {").unwrap();
    let mut suite = start.replace('\'', "\"").replace("suite: four", "suite: many");
    for (number, name) in names.into_iter().enumerate() {
        let case = "live: {name: x}, patch: {name: NAME}, expect: [{result: {name: good}}]";
        let case = case.replace("NAME", name);
        let _ = writeln!(suite, "  - {{id: cell-{number:04}, {case}}}");
    }
    folder_with(&[("many.yaml", &suite)])
}

/// Runs the suite of four cells on a script.
pub(crate) fn run(script: &str, arguments: &[&str]) -> TargetRun {
    run_corpus_on(&corpus(), script, arguments)
}

/// Runs the corpus in a folder on a script.
pub(crate) fn run_corpus_on(corpus: &TempDir, script: &str, arguments: &[&str]) -> TargetRun {
    let dir = tempfile::tempdir().unwrap();
    let target = write_script(dir.path(), script);
    let report = dir.path().join("results.json");
    let json = report_argument("json", &report);
    let mut all =
        vec!["run", "--corpus", corpus.path().to_str().unwrap(), "--target", &target, "--report", &json];
    if !arguments.contains(&"--timeout") {
        all.extend(["--timeout", "2"]);
    }
    all.extend(arguments);
    let output = skewer(&all);
    // Reports indent the lines of a message.
    let text = all_output(&output).lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let statuses = std::fs::read(&report).map_or_else(
        |_| Vec::new(),
        |results| {
            let results: serde_json::Value = serde_json::from_slice(&results).unwrap();
            let cells = results["cells"].as_array().unwrap();
            cells.iter().map(|cell| cell["status"].as_str().unwrap().to_owned()).collect()
        },
    );
    TargetRun { code: output.status.code(), text, statuses }
}
