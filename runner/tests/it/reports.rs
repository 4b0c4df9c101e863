//! Reports of the command line: all formats, shards, comparisons, interrupted runs, and reports that cannot be written.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use rstest::rstest;
use rustix::process::Signal;
use skewer_results::json;

use crate::helpers::{folder_with, report_argument, send_signal, skewer_command, stderr, stdout};

const HEAD: &str = r#"suite: small
about: A matrix.
schema:
  go: |
    type Holder struct {
      Name string `json:"name"`
      Size int    `json:"size,omitempty"`
    }
  root: Holder
cases:
  - id: grow
    live: {name: a}
    intent: {set: {name: b}}
    request: update
    axes:
      client: {old: {}, new: {}}
      server: {old: {}, new: {}}
      size:
"#;

/// Creates a folder with a suite that has four cells for each of `sizes` sizes.
fn corpus(sizes: usize) -> tempfile::TempDir {
    let mut text = HEAD.to_owned();
    for size in 0..sizes {
        writeln!(text, "        \"{size}\": {{intent: {{set: {{size: {}}}}}}}", size + 1).unwrap();
    }
    text.push_str("    expect: [{outcome: intended}]\n");
    folder_with(&[("small.yaml", &text)])
}

fn run(corpus: &Path, reports: &[String]) -> Output {
    let mut command = skewer_command();
    command.args(["run", "--corpus"]).arg(corpus);
    for report in reports {
        command.args(["--report", report]);
    }
    command.output().unwrap()
}

/// Waits until a run has written results to its temporary file.
fn wait_for_results(directory: &Path, child: &mut Child) {
    let started = Instant::now();
    loop {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it could be interrupted");
        assert!(started.elapsed() < Duration::from_secs(60), "no results after a minute");
        let mut files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
        if files.any(|file| file.metadata().is_ok_and(|known| known.len() > 0)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[rstest]
#[case::ctrl_c(Signal::INT)]
#[case::cancelled_by_a_ci_system(Signal::TERM)]
fn an_interrupted_run_writes_partial_reports(#[case] signal: Signal) {
    let corpus = corpus(25_000);
    let out = tempfile::tempdir().unwrap();
    let at = |name: &str| out.path().join(name);
    let mut child = skewer_command()
        .args(["run", "--jobs", "2", "--corpus"])
        .arg(corpus.path())
        .args(["--report", &format!("json={}", at("results.json").display())])
        .args(["--report", &format!("markdown={}", at("results.md").display())])
        .args(["--report", &format!("junit={}", at("results.xml").display())])
        .args(["--report", &format!("badge={}", at("badge.json").display())])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_results(out.path(), &mut child);
    send_signal(child.id(), signal);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));

    let results = json::read(&at("results.json")).unwrap();
    let all = 100_000;
    assert_eq!((results.partial, results.run.selected), (true, Some(all)));
    let kept = results.cells.len();
    assert!(kept > 0 && (kept as u64) < all, "{kept}");
    let message = format!(
        "interrupted after {kept} of {all} cells; the reports contain these cells and are marked as partial\n"
    );
    assert_eq!(stderr(&output), message);
    let summary = std::fs::read_to_string(at("results.md")).unwrap();
    assert!(summary.contains(&format!("**Partial:** the run ended early, after {kept} of {all} cells.")));
    assert!(!summary.contains('✅') || summary.contains("⚠️ incomplete"), "{summary:.2000}");
    let junit = std::fs::read_to_string(at("results.xml")).unwrap();
    assert!(junit.contains("<failure message=\"the run ended early, after"), "JUnit reports a failure");
    assert!(std::fs::read_to_string(at("badge.json")).unwrap().contains(r#""color":"yellow""#));
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 4, "there are no temporary files");
}

#[test]
fn a_full_disk_is_reported_and_other_reports_are_written() {
    let corpus = corpus(2_000);
    let out = tempfile::tempdir().unwrap();
    let good = out.path().join("good.json");
    let reports = ["json=/dev/full".to_owned(), "html=/dev/full".to_owned(), report_argument("json", &good)];
    let output = run(corpus.path(), &reports);
    assert_eq!(output.status.code(), Some(2));
    let message = "cannot write /dev/full: No space left on device (os error 28)\n";
    assert_eq!(stderr(&output), message.repeat(2));
    assert!(String::from_utf8(output.stdout).unwrap().contains("8000"), "the table is printed");
    assert_eq!(json::read(&good).unwrap().cells.len(), 8_000);
}

#[rstest]
#[case::no_such_folder("nowhere/report", "No such file or directory")]
#[case::a_folder(".", "")]
#[case::below_a_file("file/report", "Not a directory")]
fn an_unwritable_report_is_refused_before_the_run(
    #[case] report_path: &str,
    #[case] why: &str,
    #[values("json", "html", "markdown", "junit", "badge")] format: &str,
) {
    let corpus = corpus(1);
    let out = tempfile::tempdir().unwrap();
    std::fs::write(out.path().join("file"), "kept").unwrap();
    let path = out.path().join(report_path);
    let output = run(corpus.path(), &[format!("{format}={}", path.display())]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.starts_with("cannot write ") && message.contains(why), "{message}");
    assert!(output.stdout.is_empty(), "no cell was run");
    assert_eq!(std::fs::read_to_string(out.path().join("file")).unwrap(), "kept");
}

#[rstest]
#[case::missing(None, "cannot read DIR/results.json: No such file or directory")]
#[case::empty(Some(""), "the file is empty")]
#[case::cut_off(Some(r#"{"version":1,"run":"#), "ends too early")]
#[case::something_else(
    Some("suite: small\n"),
    "results.json:1:1: not a results file: expected value (expected a file that `skewer run --report json=FILE` wrote)"
)]
#[case::other_json(Some("{}"), "results.json:1:2: not a results file: missing field `version`")]
fn an_unreadable_results_file_is_refused(
    #[case] content: Option<&str>,
    #[case] why: &str,
    #[values("report", "compare", "merge")] command: &str,
) {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("results.json");
    if let Some(content) = content {
        std::fs::write(&path, content).unwrap();
    }
    let merged = out.path().join("merged.json");
    let mut command_line = skewer_command();
    command_line.arg(command).arg(&path);
    match command {
        "compare" => command_line.arg(&path),
        "merge" => command_line.arg("--output").arg(&merged),
        _ => &mut command_line,
    };
    let output = command_line.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output).replace(out.path().to_str().unwrap(), "DIR");
    assert!(message.contains("results.json") && message.contains(why), "{message}");
    assert!(!merged.exists());
}

#[test]
fn one_run_writes_reports_in_all_formats() {
    let corpus = corpus(3);
    let out = tempfile::tempdir().unwrap();
    let formats = ["html", "markdown", "junit", "json", "badge", "github", "compatibility", "text"];
    let at = |format: &str| out.path().join(format);
    let reports: Vec<String> =
        formats.iter().map(|format| format!("{format}={}", at(format).display())).collect();
    assert_eq!(run(corpus.path(), &reports).status.code(), Some(0));
    let read = |format: &str| std::fs::read_to_string(at(format)).unwrap();
    for (format, sign) in [
        ("html", "<!doctype html>"),
        ("markdown", "## Skewer: 12 cells ok"),
        ("junit", "<testsuites name=\"skewer\" tests=\"12\""),
        ("badge", r#""message":"12 passed""#),
        ("compatibility", "# Compatibility of `builtin`"),
        ("text", "12"),
    ] {
        assert!(read(format).contains(sign), "{format}: {:.300}", read(format));
    }
    assert_eq!(json::read(&at("json")).unwrap().cells.len(), 12);
    let schema = include_str!("../../../reports/results.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let document = serde_json::from_str(&read("json")).unwrap();
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(read("github"), "", "there are no failures to annotate");
}

/// Writes two results files of one corpus. In the second, the expectations for the new client were changed.
fn two_runs(out: &Path) -> [PathBuf; 2] {
    let corpus = corpus(2);
    let paths = ["old.json", "new.json"].map(|name| out.join(name));
    let write = |path: &PathBuf| run(corpus.path(), &[report_argument("json", path)]).status.code();
    assert_eq!(write(&paths[0]), Some(0));
    let file = corpus.path().join("small.yaml");
    let changed = std::fs::read_to_string(&file)
        .unwrap()
        .replace("[{outcome: intended}]", "[{when: {client: old}, outcome: intended}, {outcome: refused}]");
    std::fs::write(&file, changed).unwrap();
    assert_eq!(write(&paths[1]), Some(1));
    paths
}

#[test]
fn a_comparison_with_worse_cells_exits_with_1_and_groups_them_by_suite_and_axis() {
    let out = tempfile::tempdir().unwrap();
    let [old, new] = two_runs(out.path());
    let compare = |arguments: &[&str]| {
        skewer_command().arg("compare").args([&old, &new]).args(arguments).output().unwrap()
    };
    let output = compare(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output)
            .starts_with("cells got worse: 4 worse, 0 better, 0 changed, 0 new, 0 gone, 0 renamed, 4 same\n")
    );
    assert!(stdout(&output).contains("small: 4 of 8 cells do worse"));
    assert!(stdout(&output).contains("      client  new 4 of 4\n"), "{}", stdout(&output));
    let markdown = stdout(&compare(&["--format", "markdown"]));
    assert!(
        markdown.contains("| `small` | 4 | 8 | 4 intended → intended (fail) | `client`: `new` 4 of 4<br>"),
        "{markdown}"
    );
    let json: serde_json::Value = serde_json::from_slice(&compare(&["--format", "json"]).stdout).unwrap();
    assert_eq!(json["worse_by_suite"][0]["axes"][0]["values"][0]["value"], "new");
    assert!(stdout(&compare(&["--format", "html"])).starts_with("<!doctype html>"));

    let same = skewer_command().arg("compare").args([&old, &old]).output().unwrap();
    assert_eq!(same.status.code(), Some(0));
    let page = out.path().join("page.html");
    let written = compare(&["--report", &format!("html={}", page.display())]);
    assert_eq!(written.status.code(), Some(1));
    assert!(stdout(&written).contains("4 worse") && page.exists());
}

/// The corpus was changed between the runs. Cases are matched by their content, even if they were renamed.
#[test]
fn a_comparison_matches_renamed_cases_by_their_content() {
    let out = tempfile::tempdir().unwrap();
    let paths = ["old.json", "new.json"].map(|name| out.path().join(name));
    let case = |id: &str, about: &str, expect: &str| {
        format!(
            "  - id: {id}\n    about: {about}\n    live: {{name: a}}\n    patch: {{name: b}}\n    expect: [{expect}]\n"
        )
    };
    let head = HEAD.split("  - id: grow").next().unwrap();
    let [good, bad] = ["{result: {name: b}}", "{result: {name: c}}"];
    let old = [
        case("stays", "One.", good),
        case("breaks", "Two.", good),
        case("heals", "Three.", bad),
        case("moves", "Four.", good),
        case("goes", "Five.", good),
        case("moves-and-breaks", "Six.", good),
    ];
    let new = [
        case("stays", "One.", good),
        case("breaks", "Two.", bad),
        case("heals", "Three.", good),
        case("has-moved", "Four.", good),
        case("comes", "Seven.", good),
    ];
    for (path, cases) in paths.iter().zip([old.concat(), new.concat()]) {
        let corpus = folder_with(&[("small.yaml", &format!("{head}{cases}"))]);
        assert_eq!(run(corpus.path(), &[report_argument("json", path)]).status.code(), Some(1));
    }
    let reports: Vec<String> = ["text", "markdown", "html", "json"]
        .iter()
        .flat_map(|format| ["--report".to_owned(), format!("{format}={}", out.path().join(format).display())])
        .collect();
    let output = skewer_command().arg("compare").args(&paths).args(&reports).output().unwrap();
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.starts_with(
            "cells got worse, cells are gone: 1 worse, 1 better, 0 changed, 1 new, 2 gone, 1 renamed, 1 same\n"
        ),
        "{text}"
    );
    assert!(text.contains("problem: 2 cells of the old run are gone; if"), "{text}");
    assert!(text.contains("note: the case files differ between the runs"), "{text}");
    for line in [
        "  small/breaks  match -> mismatch (fail)\n",
        "  small/heals  mismatch (fail) -> match\n",
        "  small/comes  match\n",
        "  small/goes  match\n",
        "  small/moves\n    now small/has-moved\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    let read = |format: &str| std::fs::read_to_string(out.path().join(format)).unwrap();
    assert_eq!(read("text"), text);
    assert!(read("markdown").contains("| 1 | 1 | 0 | 1 | 2 | 1 | 1 |"), "{}", read("markdown"));
    assert!(read("html").contains(r#""headline":"cells got worse, cells are gone""#));
    let json: serde_json::Value = serde_json::from_str(&read("json")).unwrap();
    assert_eq!(
        (&json["renamed"][0]["old_id"], &json["renamed"][0]["id"]),
        (&"small/moves".into(), &"small/has-moved".into())
    );
}

#[test]
fn commands_have_man_pages_and_shell_completions() {
    let out = tempfile::tempdir().unwrap();
    let written = skewer_command().args(["man", "--dir"]).arg(out.path()).status().unwrap();
    assert!(written.success());
    for (page, sign) in
        [("skewer.1", "skewer\\-run(1)"), ("skewer-run.1", "report"), ("skewer-patch-apply.1", "original")]
    {
        let page = std::fs::read_to_string(out.path().join(page)).unwrap();
        assert!(page.contains(".TH ") && page.contains(sign), "{page:.2000}");
    }
    let printed = skewer_command().args(["man", "patch", "apply"]).output().unwrap().stdout;
    assert_eq!(printed, std::fs::read(out.path().join("skewer-patch-apply.1")).unwrap());
    let unknown = skewer_command().args(["man", "patch", "aply"]).output().unwrap();
    assert_eq!((unknown.status.code(), stderr(&unknown).contains("`skewer patch --help`")), (Some(2), true));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script =
            String::from_utf8(skewer_command().args(["completions", shell]).output().unwrap().stdout)
                .unwrap();
        for word in ["compare", "merge", "shard", "laws"] {
            assert!(script.contains(word), "the script for {shell} lacks {word}");
        }
    }
}

#[test]
fn overlapping_and_missing_shards_are_refused() {
    let corpus = corpus(8);
    let out = tempfile::tempdir().unwrap();
    let shard = |part: &str, name: &str| {
        let path = out.path().join(name);
        let report = report_argument("json", &path);
        let output = skewer_command()
            .args(["run", "--shard", part, "--report", &report, "--corpus"])
            .arg(corpus.path())
            .output();
        assert_eq!(output.unwrap().status.code(), Some(0));
        path
    };
    let merge = |parts: &[&PathBuf]| {
        let output = skewer_command()
            .args(["merge", "--output"])
            .arg(out.path().join("merged.json"))
            .args(parts)
            .output()
            .unwrap();
        (output.status.code(), stderr(&output))
    };
    let [one, two, again] =
        [("1/2", "1.json"), ("2/2", "2.json"), ("1/2", "again.json")].map(|(part, name)| shard(part, name));
    let (code, message) = merge(&[&one, &two, &again]);
    assert_eq!(code, Some(2));
    assert!(message.contains("1.json") && message.contains("again.json"), "{message}");
    assert_eq!(merge(&[&one]).0, Some(2), "a shard is missing");
    assert_eq!(merge(&[&one, &two]).0, Some(0));
}

#[test]
fn a_comparison_links_case_files_like_a_report() {
    let folder = corpus(1);
    let results = report_argument("json", &folder.path().join("a.json"));
    let corpus = folder.path().to_str().unwrap();
    assert!(
        skewer_command().args(["run", "--corpus", corpus, "--report", &results]).status().unwrap().success()
    );
    let file = folder.path().join("a.json");
    let compare = |arguments: &[&str]| skewer_command().arg("compare").args(arguments).output().unwrap();
    let file = file.to_str().unwrap();
    let link = "https://example.com/{file}?line={line}";
    let page = stdout(&compare(&[file, file, "--format", "html", "--source-link", link]));
    assert!(page.contains(link), "no link");
    let refused = compare(&[file, file, file]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(
        stderr(&refused),
        "expected two results files, found 3: `skewer report FILES --report html=PATH` and `skewer scoreboard FILES` \
         show more of them side by side\n"
    );
}

#[rstest]
#[case::like_a_file("page.html", "expected FORMAT=PATH: did you mean `html=page.html`?")]
#[case::a_word("page", "expected FORMAT=PATH, such as html=report.html")]
fn a_report_without_a_format_is_refused(#[case] report: &str, #[case] message: &str) {
    let refused = skewer_command().args(["run", "--report", report]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains(message), "{}", stderr(&refused));
}

#[test]
fn a_misspelt_results_file_is_answered_with_the_similar_one() {
    let folder = folder_with(&[("results.json", "{}")]);
    let refused =
        skewer_command().args(["report", "result.json"]).current_dir(folder.path()).output().unwrap();
    assert!(stderr(&refused).trim_end().ends_with(": did you mean results.json?"), "{}", stderr(&refused));
}
