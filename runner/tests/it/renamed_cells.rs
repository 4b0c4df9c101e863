//! `skewer compare` with results of a version in which cells had other ids.

use crate::helpers::{embedded_results_file, small_corpus, split_output};

/// A sample of the results of the version before `unions/kep-matrix` became one suite and the request `apply` was named
/// `client-side-apply`: 85 cells of `skewer run --report json=PATH`, without texts and locations.
const OLD_RESULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/results-before-renaming.json");

fn skewer(arguments: &[&str]) -> (Option<i32>, String, String) {
    split_output(&crate::helpers::skewer(arguments))
}

#[test]
fn results_of_an_older_version_have_no_cell_that_is_gone() {
    let old: serde_json::Value = serde_json::from_slice(&std::fs::read(OLD_RESULTS).unwrap()).unwrap();
    let cells = old["cells"].as_array().unwrap();
    let of_matrix =
        cells.iter().filter(|cell| cell["suite"].as_str().unwrap().starts_with("unions/kep-matrix/"));
    assert!(of_matrix.count() > 50);
    assert!(cells.iter().any(|cell| cell["axes"]["request"] == "apply" && cell["axes"]["do"].is_null()));

    let (code, text, errors) = skewer(&["compare", OLD_RESULTS, embedded_results_file().to_str().unwrap()]);
    assert_eq!(code, Some(0), "{text}{errors}");
    assert!(text.contains("0 worse, 0 better"), "{text}");
    assert!(text.contains("0 gone, 0 renamed"), "{text}");
}

#[test]
fn the_old_name_of_a_request_is_suggested() {
    let (code, _, errors) = skewer(&["list", "--corpus", small_corpus(), "--axis", "request=apply"]);
    assert_eq!(code, Some(4), "{errors}");
    assert!(errors.contains("did you mean `request=client-side-apply`?"), "{errors}");
    let (code, _, errors) = skewer(&["list", "--corpus", small_corpus(), "--axis", "operatoin=clear"]);
    assert_eq!(code, Some(4), "{errors}");
    assert!(errors.contains("did you mean `operation=clear`?"), "{errors}");
}

#[test]
fn the_old_name_of_a_request_in_a_suite_file_gives_a_hint_on_standard_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.yaml");
    let suite = "suite: old\nabout: A suite of an older version.\nschema: {builtin: newest, root: Service}\ncases:\n  \
                 - id: change\n    live: {spec: {type: ClusterIP}}\n    last-applied: {spec: {type: ClusterIP}}\n    \
                 intent: {set: {spec: {type: NodePort}}}\n    request: apply\n    expect: [{outcome: intended}]\n";
    std::fs::write(&path, suite).unwrap();
    let (code, _, errors) = skewer(&["run", "--corpus", path.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        errors.contains("old.yaml:9:14: the request `apply` is now named `client-side-apply`"),
        "{errors}"
    );
}
