//! `skewer coverage`: the built-in corpus is complete, and gaps are reported.

use skewer::coverage::Coverage;
use skewer_cases::Corpus;

use crate::helpers::{embedded_corpus, folder_with, skewer, stdout};

#[test]
fn the_built_in_corpus_covers_every_section_and_every_error_kind() {
    let corpus = embedded_corpus();
    let coverage = Coverage::of(&corpus);
    let faults: Vec<_> = coverage.faults().collect();
    assert!(faults.is_empty(), "{}", coverage.text(None));
}

#[test]
fn gaps_are_reported_and_exit_with_1() {
    let suite = "suite: one\nabout: a\nsource: {document: strategic-merge-patch, section: Alternatives}\ncases:\n  \
                 - {id: c, request: json-patch, live: {}, patch: [{op: remove, path: /a}], expect: [{error: json-patch-failed}]}\n";
    let folder = folder_with(&[("one.yaml", suite)]);
    let path = folder.path().to_str().unwrap();

    let out = skewer(&["coverage", "--corpus", path]);
    let text = stdout(&out);
    assert_eq!(out.status.code(), Some(1), "{text}");
    for message in [
        "section \"delete Directive\" of strategic-merge-patch is not cited by any case",
        "section \"Alternatives\" of strategic-merge-patch is covered by 1 cases: remove its exemption",
        "error kind too-deep is not expected by any case",
    ] {
        assert!(text.contains(message), "{message}\n{text}");
    }
    assert!(!text.contains("error kind json-patch-failed is"), "{text}");

    let out = skewer(&["coverage", "--corpus", path, "--format", "json"]);
    assert_eq!(out.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let uncovered =
        |row: &serde_json::Value| row["name"] == "delete Directive" && row["verdict"] == "uncovered";
    assert!(json["sections"].as_array().unwrap().iter().any(uncovered));

    let out = skewer(&["coverage", "--corpus", path, "--format", "markdown"]);
    let text = stdout(&out);
    assert!(text.contains("## Error kinds of the engine\n\n| name "), "{text}");
}

/// The cell expects an error, but succeeds.
#[test]
fn an_expected_error_that_does_not_occur_is_not_covered() {
    let suite = "suite: one\nabout: a\ncases:\n  - {id: c, request: json-merge-patch, live: {}, patch: {}, expect: \
                 [{error: invalid-document}]}\n";
    let folder = folder_with(&[("one.yaml", suite)]);
    let corpus = Corpus::from_dir(folder.path()).unwrap();
    let coverage = Coverage::of(&corpus);
    let row = coverage.errors.iter().find(|row| row.name == "invalid-document").unwrap();
    assert_eq!(row.counts.cells, 0);
}
