//! `skewer fmt`: suite files in the layout of the corpus, with their comments.

use std::fs;

use tempfile::TempDir;

use crate::helpers::{skewer_with_input, split_output};

const UNFORMATTED: &str = "# My suite.\nsuite:   s\nabout: x\ncases:\n- id: a   # the first\n  live: {a: 1,\n    b: 2}\n  patch: {}\n  expect:\n  - {result: {a: 1, b: 2}}\n";
const FORMATTED: &str = "# My suite.\nsuite: s\nabout: x\ncases:\n  - id: a # the first\n    live: {a: 1, b: 2}\n    patch: {}\n    expect:\n      - {result: {a: 1, b: 2}}\n";

fn run_in(folder: &TempDir, arguments: &str, input: &str) -> (Option<i32>, String, String) {
    split_output(&skewer_with_input(folder.path(), arguments, input))
}

#[test]
fn files_are_rewritten_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.yaml");
    fs::write(&path, UNFORMATTED).unwrap();
    let (code, out, _) = run_in(&folder, "fmt --check s.yaml", "");
    assert_eq!((code, out.as_str()), (Some(1), "s.yaml is not formatted\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), UNFORMATTED, "--check changes no file");
    assert_eq!(run_in(&folder, "fmt s.yaml", ""), (Some(0), String::new(), String::new()));
    assert_eq!(fs::read_to_string(&path).unwrap(), FORMATTED);
    assert_eq!(run_in(&folder, "fmt --check s.yaml", "").0, Some(0));
}

#[test]
fn standard_input_is_written_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run_in(&folder, "fmt -", UNFORMATTED), (Some(0), FORMATTED.to_owned(), String::new()));
    assert_eq!(run_in(&folder, "fmt -", FORMATTED).1, FORMATTED);
}

#[test]
fn a_file_with_errors_is_unchanged_and_others_are_formatted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("broken.yaml"), "a: 1\na: 2\n").unwrap();
    fs::write(folder.path().join("s.yaml"), UNFORMATTED).unwrap();
    let (code, _, err) = run_in(&folder, "fmt broken.yaml s.yaml", "");
    assert_eq!(code, Some(2));
    assert!(err.contains("broken.yaml:2:1"), "{err}");
    assert_eq!(fs::read_to_string(folder.path().join("broken.yaml")).unwrap(), "a: 1\na: 2\n");
    assert_eq!(fs::read_to_string(folder.path().join("s.yaml")).unwrap(), FORMATTED);
}

#[test]
fn new_suites_are_formatted() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run_in(&folder, "new suite widgets", "").0, Some(0));
    let (code, out, err) = run_in(&folder, "fmt --check widgets.yaml", "");
    assert_eq!(code, Some(0), "{out}{err}");
}
