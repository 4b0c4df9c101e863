//! `skewer-lab coverage`: the built-in corpus is complete, and gaps are reported.

use rstest::rstest;
use skewer_cases::Corpus;
use skewer_lab::coverage::{Coverage, CoverageStatus};
use tempfile::TempDir;

use crate::helpers::{embedded_coverage, folder_with, lab, stdout};

/// A suite whose case quotes two sentences: one for a single cell, and one in its description.
const SUITE: &str = r#"suite: one
about: a
source: {document: kep-1027, section: Normalization}
cases:
  - id: c
    about: '"Objects must be validated AFTER the normalization process."'
    request: json-patch
    axes: {live: {a: {live: {a: 1}}, b: {live: {b: 1}}}}
    live: {}
    patch: [{op: remove, path: /a}]
    expect:
      - when: {live: b}
        error: json-patch-failed
        because: '"The server should always respect the discriminator." is quoted.'
      - result: {}
        because: The words “should ignore stricter validation rules” are another source's.
"#;

/// Copies the suites about one document to a folder.
fn corpus_of_one_document() -> TempDir {
    let suites = Corpus::embedded_files().filter(|file| file.path.starts_with("retain-keys/"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("retain-keys")).unwrap();
    suites.for_each(|file| std::fs::write(folder.path().join(file.path), file.content).unwrap());
    folder
}

fn coverage_of(suite: &str) -> Coverage {
    let folder = folder_with(&[("one.yaml", suite)]);
    Coverage::of(&Corpus::from_dir(folder.path()).unwrap())
}

#[test]
fn the_built_in_corpus_shows_every_item_and_every_error_kind() {
    let coverage = embedded_coverage();
    assert!(!coverage.has_faults(), "{}", coverage.text(None));
}

#[test]
fn gaps_are_reported_and_exit_with_1() {
    let folder = folder_with(&[("one.yaml", SUITE)]);
    let path = folder.path().to_str().unwrap();

    let out = lab(&["coverage", "--corpus", path]);
    let text = stdout(&out);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(out.status.code(), Some(1), "{text}");
    for message in [
        "kep-1027/goals/2 (criterion, line 65, \"validation ensuring only one member field …\"): no case shows it: quote \
         it in a case, or add cases or a reason to cases/documents/kep-1027.yaml",
        "cases/documents/kep-1027.yaml names unions/kep-rows: no such case",
        "error kind too-deep is not expected by any case",
    ] {
        assert!(words.contains(message), "{message}\n{text}");
    }
    assert!(!text.contains("error kind json-patch-failed is"), "{text}");

    let out = lab(&["coverage", "--corpus", path, "--format", "json"]);
    assert_eq!(out.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let missing = |row: &serde_json::Value| row["id"] == "kep-1027/goals/2" && row["status"] == "missing";
    assert!(json["items"].as_array().unwrap().iter().any(missing));

    let out = lab(&["coverage", "--corpus", path, "--format", "markdown"]);
    let text = stdout(&out);
    assert!(text.contains("## Coverage\n\n| document "), "{text}");
}

#[rstest]
#[case::a_reason_belongs_to_its_cells("kep-1027/normalization/2", &["one/c[live=b]"])]
#[case::a_description_belongs_to_all_cells("kep-1027/validation/1", &["one/c[live=a]", "one/c[live=b]"])]
#[case::typographic_marks_quote_something_else("kep-1027/ratcheting-validation/4", &[])]
fn an_item_is_shown_by_the_cells_that_quote_it(#[case] id: &str, #[case] cells: &[&str]) {
    let coverage = coverage_of(SUITE);
    let item = coverage.items.iter().find(|item| item.id == id).unwrap();
    assert_eq!(item.cells().collect::<Vec<_>>(), cells);
    assert_eq!(item.status == CoverageStatus::Covered, !cells.is_empty());
}

/// "It is NOT inlined" is said of five types.
#[rstest]
#[case::of_several_places("It is NOT inlined.", 0)]
#[case::of_one_place("Maybe we will add more in the future? It is NOT inlined.", 1)]
fn words_of_several_places_show_no_item(#[case] quotation: &str, #[case] count: usize) {
    let suite = SUITE.replace("Objects must be validated AFTER the normalization process.", quotation);
    let coverage = coverage_of(&suite);
    let shown = coverage.items.iter().filter(|item| item.document == "retain-keys" && !item.cases.is_empty());
    assert_eq!(shown.count(), count);
}

#[test]
fn a_reason_is_a_fault_if_a_case_shows_the_item() {
    let suite = SUITE.replace(
        "Objects must be validated AFTER the normalization process.",
        "We will have benchmarking to validate this assumption.",
    );
    let coverage = coverage_of(&suite);
    let item = coverage.items.iter().find(|item| item.id == "kep-1027/scalability/3").unwrap();
    assert_eq!(item.status, CoverageStatus::StaleReason);
}

#[test]
fn a_sample_depends_only_on_its_seed() {
    let coverage = coverage_of(SUITE);
    let ids = |count, seed| coverage.sample(count, seed).items.iter().map(|item| item.id).collect::<Vec<_>>();
    assert_eq!(ids(10, 3), ids(10, 3));
    assert_ne!(ids(10, 3), ids(10, 4));
    let mut all = ids(usize::MAX, 3);
    all.dedup();
    assert_eq!(all.len(), coverage.items.len());

    let corpus = corpus_of_one_document();
    let path = corpus.path().to_str().unwrap();
    let arguments = ["--sample", "2", "--seed", "3", "--document", "kep-1027", "--corpus", path];
    let out = lab(&[&["coverage"], arguments.as_slice()].concat());
    let text = stdout(&out);
    assert_eq!(text.lines().filter(|line| line.starts_with("kep-1027/")).count(), 2, "{text}");
    assert!(text.contains(" items, drawn with the seed 3\n"), "{text}");
}

#[test]
fn the_command_says_whether_each_item_holds() {
    let corpus = corpus_of_one_document();
    let path = corpus.path().to_str().unwrap();
    let verdicts = |format| {
        let arguments = ["--verdicts", "--document", "retain-keys", "--corpus", path, "--format", format];
        let out = lab(&[&["coverage"], arguments.as_slice()].concat());
        // A part of the corpus has gaps.
        assert_eq!(out.status.code(), Some(1));
        stdout(&out)
    };
    let json: serde_json::Value = serde_json::from_str(&verdicts("json")).unwrap();
    let [document] = &json["documents"].as_array().unwrap()[..] else { panic!("{json}") };
    let item = |row: &&serde_json::Value| row["id"] == "retain-keys/version-skew/1";
    let row = document["sentences"].as_array().unwrap().iter().find(item).unwrap();
    assert_eq!(
        (&row["verdict"], &row["text"]),
        (&"in-part".into(), &"The changes are all backward compatible".into())
    );
    assert!(verdicts("text").contains("does not hold: 2 cells"));
}

#[test]
fn the_output_fits_80_columns() {
    let coverage = embedded_coverage();
    // The id of an item or a case is not broken.
    let is_id =
        |line: &&str| line.contains('/') && line.split("  ").last().is_some_and(|id| !id.contains(' '));
    let names_case = |line: &&str| line.starts_with("  ") && line.ends_with(" cells)");
    for text in [coverage.text(Some(80)), coverage.item_list(Some(80)), coverage_of(SUITE).text(Some(80))] {
        for line in
            text.lines().filter(|line| !is_id(line) && !names_case(line) && !line.ends_with("(1 cell)"))
        {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

/// The cell expects an error, but succeeds.
#[test]
fn an_expected_error_that_does_not_occur_is_not_covered() {
    let suite = "suite: one\nabout: a\ncases:\n  - {id: c, request: json-merge-patch, live: {}, patch: {}, expect: \
                 [{error: invalid-document}]}\n";
    let coverage = coverage_of(suite);
    let row = coverage.errors.iter().find(|row| row.name == "invalid-document").unwrap();
    assert_eq!(row.cells, 0);
}
