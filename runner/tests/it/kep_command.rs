//! `skewer kep` and `skewer list --kep`: their output and exit codes.

use std::fs::File;
use std::path::PathBuf;
use std::sync::LazyLock;

use skewer_results::Results;

use crate::helpers::{embedded_results, report_argument, small_corpus, split_output};

/// The path of a results file with the suites of the KEP.
static RESULTS: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kep-results.json");
    let all = embedded_results();
    let cells = all.cells.iter().filter(|cell| cell.suite.starts_with("unions/kep")).cloned().collect();
    let results = Results::new(all.run.clone(), cells);
    skewer_results::json::write(&results, &mut File::create(&path).unwrap()).unwrap();
    path
});

fn skewer(arguments: &[&str]) -> (Option<i32>, String, String) {
    split_output(&crate::helpers::skewer(arguments))
}

#[test]
fn the_eight_rows_are_listed_with_ids_and_outcomes() {
    let (code, text, _) = skewer(&["list", "--kep"]);
    assert_eq!(code, Some(0), "{text}");
    for (row, outcome) in [
        ("row-12[policy=kep-1027]", "lost"),
        ("row-16[policy=kep-1027]", "refused"),
        ("row-22[policy=kep-1027]", "ignored"),
        ("row-23[policy=deduce]", "intended"),
        ("row-27[policy=kep-1027]", "intended"),
        ("row-28[policy=kep-1027]", "intended"),
        ("row-34[policy=kep-1027,live=known]", "lost"),
        ("row-39[policy=kep-1027,live=known]", "refused"),
    ] {
        let line = format!("unions/kep-rows/{row}\t{outcome}");
        assert!(text.lines().any(|found| found == line), "no {line:?} in\n{text}");
    }
}

#[test]
fn the_report_is_the_same_from_a_run_and_from_its_results() {
    let (code, run, errors) = skewer(&["kep", "--format", "json"]);
    assert_eq!(code, Some(0), "{errors}");
    let (code, read, errors) = skewer(&["kep", RESULTS.to_str().unwrap(), "--format", "json"]);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(run, read);
}

#[test]
fn results_without_the_matrix_exit_with_4() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.json");
    let report = report_argument("json", &path);
    skewer(&["run", "retain-keys/package", "--report", &report]);
    let (code, text, errors) = skewer(&["kep", path.to_str().unwrap()]);
    assert_eq!((code, text.as_str()), (Some(4), ""), "{errors}");
    assert!(errors.contains("no cell of unions/kep-matrix has a union policy"), "{errors}");
}

/// Conclusions are not stored, but derived from the outcomes of the cells.
#[test]
fn a_conclusion_does_not_follow_if_the_outcomes_are_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.json");
    let current = std::fs::read(&*RESULTS).unwrap();
    let mut results: serde_json::Value = serde_json::from_slice(&current).unwrap();
    for cell in results["cells"].as_array_mut().unwrap() {
        if cell["axes"]["policy"] == "kep-1027" && cell["axes"]["operation"] == "set-new" {
            cell["outcome"] = "lost".into();
        }
    }
    std::fs::write(&path, results.to_string()).unwrap();
    let (code, text, errors) = skewer(&["kep", path.to_str().unwrap(), "--format", "markdown"]);
    assert_eq!(code, Some(1), "{errors}");
    assert!(text.contains("| to set a member that the server does not know | does not follow |"), "{text}");
}

#[test]
fn a_row_of_the_sheet_can_be_selected() {
    let (code, text, errors) = skewer(&["list", "--row", "24"]);
    assert_eq!(code, Some(0), "{errors}");
    let expected = "unions/kep-matrix/point[union=plain,optionality=optional,members=required,client=unaware,\
                    decoding=unstructured,server=aware,live=known,operation=set-new,request=update,policy=kep-1027]";
    assert!(text.lines().any(|line| line == expected), "{text}");
    assert!(text.lines().all(|line| line.contains("operation=set-new")), "{text}");
    // Rows that the KEP cites have cells of the matrix, and a case of their own.
    let (_, both, _) = skewer(&["list", "--row", "24", "--row", "16"]);
    assert!(both.lines().any(|line| line.starts_with("unions/kep-rows/row-16[")), "{both}");
    assert!(both.lines().any(|line| line == expected), "{both}");
    let (code, _, errors) = skewer(&["list", "--row", "40", "--corpus", small_corpus()]);
    assert_eq!(code, Some(4), "{errors}");
    assert!(errors.contains("no cell matches `--row 40`"), "{errors}");
}

#[test]
fn each_cell_of_the_matrix_has_its_rows_in_the_results() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.json");
    let (code, _, errors) = skewer(&["run", "--row", "29", "--report", &report_argument("json", &path)]);
    assert_eq!(code, Some(0), "{errors}");
    let results: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(results["run"]["selection"]["kep_rows"], serde_json::json!([29]));
    for cell in results["cells"].as_array().unwrap() {
        assert_eq!(cell["kep"], serde_json::json!([29]), "{cell}");
        assert_eq!(cell["outcome"], "intended", "{cell}");
    }
}

#[test]
fn the_axes_of_the_matrix_can_be_selected_and_pivoted() {
    let arguments = [
        "run",
        "--axis",
        "union=discriminated",
        "--axis",
        "policy=kep-1027",
        "--rows",
        "live",
        "--columns",
        "operation",
    ];
    let (code, text, errors) = skewer(&arguments);
    assert_eq!(code, Some(0), "{errors}");
    for operation in ["echo", "modify-known", "modify-new", "clear", "set-known", "set-new"] {
        assert!(text.contains(operation), "no {operation} in\n{text}");
    }
    assert!(text.contains("unions/kep-matrix  ok      1660"), "{text}");
}
