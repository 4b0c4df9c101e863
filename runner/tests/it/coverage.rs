//! `skewer coverage`: nothing of the documents, and no error, without a case; and what it says when there is.

use skewer::coverage::Coverage;
use skewer_cases::Corpus;

use crate::helpers::{embedded_corpus, folder_with, skewer, stdout};

#[test]
fn the_built_in_corpus_covers_every_section_and_every_error() {
    let corpus = embedded_corpus();
    let coverage = Coverage::of(&corpus);
    let faults: Vec<_> = coverage.faults().collect();
    assert!(faults.is_empty(), "{}", coverage.text(None));
}

#[test]
fn a_corpus_that_leaves_sections_out_fails_and_says_which() {
    let suite = "suite: one\nabout: a\nsource: {document: strategic-merge-patch, section: Alternatives}\ncases:\n  \
                 - {id: c, request: json-patch, live: {}, patch: [{op: remove, path: /a}], expect: [{error: json-patch-failed}]}\n";
    let folder = folder_with(&[("one.yaml", suite)]);
    let path = folder.path().to_str().unwrap();

    let out = skewer(&["coverage", "--corpus", path]);
    let text = stdout(&out);
    assert_eq!(out.status.code(), Some(1), "{text}");
    for said in [
        "the section \"delete Directive\" of strategic-merge-patch is cited by no case",
        "the section \"Alternatives\" of strategic-merge-patch is covered by 1 cases: take its exemption out",
        "the error too-deep is caused by no case",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    assert!(!text.contains("the error json-patch-failed is"), "{text}");

    let out = skewer(&["coverage", "--corpus", path, "--format", "json"]);
    assert_eq!(out.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let uncovered =
        |line: &serde_json::Value| line["name"] == "delete Directive" && line["verdict"] == "uncovered";
    assert!(json["sections"].as_array().unwrap().iter().any(uncovered));

    let out = skewer(&["coverage", "--corpus", path, "--format", "markdown"]);
    let text = stdout(&out);
    assert!(text.contains("## Errors of the engine\n\n| name "), "{text}");
}

/// An expectation with another error than the one that comes covers nothing.
#[test]
fn an_error_that_does_not_come_is_not_covered() {
    let suite = "suite: one\nabout: a\ncases:\n  - {id: c, request: json-merge-patch, live: {}, patch: {}, expect: \
                 [{error: invalid-document}]}\n";
    let folder = folder_with(&[("one.yaml", suite)]);
    let corpus = Corpus::from_dir(folder.path()).unwrap();
    let coverage = Coverage::of(&corpus);
    let line = coverage.errors.iter().find(|line| line.name == "invalid-document").unwrap();
    assert_eq!(line.counts.cells, 0);
}
