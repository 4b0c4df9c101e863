//! `skewer kep` and `skewer list --kep`: their output and exit codes.

use crate::helpers::{report_argument, split_output};

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
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.json");
    let report = report_argument("json", &path);
    let (code, _, errors) = skewer(&["run", "unions/kep", "--report", &report]);
    assert_eq!(code, Some(0), "{errors}");
    for format in ["markdown", "json"] {
        let (code, run, errors) = skewer(&["kep", "--format", format]);
        assert_eq!(code, Some(0), "{errors}");
        let (code, read, errors) = skewer(&["kep", path.to_str().unwrap(), "--format", format]);
        assert_eq!(code, Some(0), "{errors}");
        assert_eq!(run, read, "{format}");
    }
}

#[test]
fn results_without_the_matrix_exit_with_4() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.json");
    let report = report_argument("json", &path);
    skewer(&["run", "retain-keys/package", "--report", &report]);
    let (code, text, errors) = skewer(&["kep", path.to_str().unwrap()]);
    assert_eq!((code, text.as_str()), (Some(4), ""), "{errors}");
    assert!(errors.contains("no cell of unions/kep-matrix/"), "{errors}");
}

/// Conclusions are not stored, but derived from the outcomes of the cells.
#[test]
fn a_conclusion_does_not_follow_if_the_outcomes_are_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.json");
    let report = report_argument("json", &path);
    skewer(&["run", "unions/kep", "--report", &report]);
    let mut results: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    for cell in results["cells"].as_array_mut().unwrap() {
        if cell["axes"]["policy"] == "kep-1027" && cell["axes"]["do"] == "set-new" {
            cell["outcome"] = "lost".into();
        }
    }
    std::fs::write(&path, results.to_string()).unwrap();
    let (code, text, errors) = skewer(&["kep", path.to_str().unwrap(), "--format", "markdown"]);
    assert_eq!(code, Some(1), "{errors}");
    assert!(text.contains("| to set a member that the server does not know | does not follow |"), "{text}");
}
