//! The messages for a selection that matches no cell: which filter is responsible, and what was probably meant.

use rstest::rstest;

use crate::helpers::{skewer, small_corpus, split_output};

/// Runs a command that must select nothing, and returns the lines of the message after the first.
fn explanation(arguments: &[&str]) -> Vec<String> {
    let arguments = [arguments, &["--corpus", small_corpus()]].concat();
    let (code, out, message) = split_output(&skewer(&arguments));
    assert_eq!((code, out.as_str()), (Some(4), ""), "{message}");
    assert!(message.starts_with("no cell matches `"), "{message}");
    message.lines().skip(1).map(|line| line.trim_start().to_owned()).collect()
}

#[rstest]
#[case::suite(&["run", "retain-keys/erata"], "`retain-keys/erata` leaves no cell: did you mean `retain-keys/errata`?")]
#[case::axis(&["run", "--axis", "clinet=old"], "`--axis clinet=old` leaves no cell: did you mean `client=old`?")]
#[case::value(&["list", "--axis", "request=strategic-merge-path"], "did you mean `request=strategic-merge-patch`?")]
#[case::renamed_value(&["run", "--axis", "request=apply"], "did you mean `request=client-side-apply`?")]
#[case::issue(&["list", "--issue", "39187"], "`--issue 39187` leaves no cell: did you mean `39188`?")]
#[case::row(&["run", "--row", "45"], "`--row 45` leaves no cell: `skewer list` prints all ids")]
#[case::suite_with_exact(&["run", "--exact", "retain-keys/errata"], "leaves no cell: did you mean `retain-keys/errata/")]
#[case::everything_is_skipped(&["list", "--skip", "*"], "`--skip *` leaves no cell")]
fn the_filter_that_matches_nothing_is_explained(#[case] arguments: &[&str], #[case] expected: &str) {
    let lines = explanation(arguments);
    assert!(lines.len() == 1 && lines[0].contains(expected), "{lines:#?}");
}

#[test]
fn the_first_of_the_filters_that_exclude_each_other_is_named() {
    let lines = explanation(&[
        "run",
        "retain-keys/errata",
        "--axis",
        "client=new",
        "--level",
        "proposed",
        "--row",
        "1",
    ]);
    assert_eq!(lines.len(), 1);
    assert!(
        lines[0]
            .starts_with("`--level proposed` leaves none of the cells that the conditions before it select"),
        "{lines:?}"
    );
}

#[test]
fn show_explains_an_unknown_cell() {
    let lines = explanation(&["show", "retain-keys/erata"]);
    assert_eq!(lines, ["`retain-keys/erata` leaves no cell: did you mean `retain-keys/errata`?"]);
}

#[test]
fn an_empty_shard_is_noted() {
    let (code, out, message) = split_output(&skewer(&["list", "retain-keys/errata", "--shard", "1/100000"]));
    assert_eq!((code, out.as_str()), (Some(0), ""));
    assert_eq!(message, "shard 1/100000 has none of the 29 selected cells\n");
}

#[rstest]
#[case::level(&["run", "--level", "erata"], "a similar value exists: 'erratum'")]
#[case::status(&["run", "--status", "passed"], "a similar value exists: 'pass'")]
#[case::outcome(&["list", "--outcome", "intendet"], "a similar value exists: 'intended'")]
#[case::rows(&["run", "retain-keys/errata", "--rows", "clinet"], "--rows: no selected cell has an axis `clinet`: did you mean `client`?")]
#[case::columns(&["run", "retain-keys/errata", "--columns", "statsu"], "--columns: no selected cell has an axis `statsu`: did you mean `status`?")]
#[case::failures(&["run", "--failures", "many"], "expected a number of failures, or `all`")]
#[case::watch_without_corpus(&["run", "--watch"], "--corpus <PATH>")]
fn a_misspelt_word_is_bad_usage_with_a_suggestion(#[case] arguments: &[&str], #[case] expected: &str) {
    let (code, out, message) = split_output(&skewer(arguments));
    assert_eq!((code, out.as_str()), (Some(2), ""), "{message}");
    assert!(message.contains(expected), "{message}");
}

#[test]
fn negotiation_needs_cells_in_which_a_client_sends_a_patch() {
    let (code, out, message) = split_output(&skewer(&["run", "json-patch", "--negotiate"]));
    assert_eq!((code, out.as_str()), (Some(4), ""), "{message}");
    let expected = "selected cells a client sends a patch: expected cells with the request json-merge-patch";
    assert!(message.contains(expected), "{message}");
}
