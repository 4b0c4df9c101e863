//! The messages for a selection that matches no cell: which filter is responsible, and what was probably meant.

use rstest::rstest;

use crate::helpers::{skewer, split_output};

/// Runs a command that must select nothing, and returns the lines of the message after the first.
fn explanation(arguments: &[&str]) -> Vec<String> {
    let (code, out, message) = split_output(&skewer(arguments));
    assert_eq!((code, out.as_str()), (Some(4), ""), "{message}");
    assert!(message.starts_with("no cell matches `"), "{message}");
    message.lines().skip(1).map(|line| line.trim_start().to_owned()).collect()
}

#[rstest]
#[case::suite(&["retain-keys/erata"], "no id matches `retain-keys/erata`: did you mean `retain-keys/errata`?")]
#[case::word(&["retian"], "no id matches `retian`: did you mean `retain`?")]
#[case::axis(&["--axis", "clinet=old"], "no cell has an axis `clinet`: did you mean `client`?")]
#[case::value(&["--axis", "request=strategic-merge-path"], "did you mean `strategic-merge-patch`?")]
#[case::renamed_value(&["--axis", "request=apply"], "did you mean `client-side-apply`?")]
#[case::issue(&["--issue", "39187"], "no cell cites an issue `39187`: did you mean `39188`?")]
#[case::row(&["--row", "45"], "`--row 45` matches no cell: the cells cover rows from 1 to 39")]
#[case::suite_with_exact(&["--exact", "retain-keys/errata"], "is a suite with 29 cells: leave `--exact` out to select them")]
#[case::everything_is_skipped(&["--skip", "*"], "`--skip *` leaves no cell: it matches all ids")]
fn the_filter_that_matches_nothing_is_explained(
    #[case] arguments: &[&str],
    #[case] expected: &str,
    #[values("run", "list")] command: &str,
) {
    let lines = explanation(&[&[command], arguments].concat());
    assert!(lines.len() == 1 && lines[0].contains(expected), "{lines:#?}");
}

#[test]
fn filters_that_exclude_each_other_are_listed_with_their_numbers_of_cells() {
    assert_eq!(
        explanation(&["run", "retain-keys/errata", "--axis", "client=new", "--level", "proposed"]),
        [
            "`retain-keys/errata` matches 29 cells",
            "`--axis client=new` leaves 3 of them",
            "`--level proposed` leaves none of them: they have the level `erratum`",
        ]
    );
}

#[test]
fn show_explains_an_unknown_cell() {
    let lines = explanation(&["show", "retain-keys/erata"]);
    assert_eq!(lines, ["no id matches `retain-keys/erata`: did you mean `retain-keys/errata`?"]);
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
