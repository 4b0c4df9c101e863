//! `skewer-lab releases` without installed releases. CI runs it with two of them.

use rstest::rstest;

use crate::helpers::{lab_command, stderr};

#[rstest]
#[case::nothing_is_installed(&[], 3, "no release is installed: run `skewer target install all`")]
#[case::a_release_that_is_not_installed(
    &["1.28"],
    3,
    "apiserver:1.28 is not installed: run `skewer target install apiserver:1.28`"
)]
#[case::an_unknown_release(&["1.29"], 2, "1.29")]
#[case::a_report_without_a_date(&["--format", "markdown"], 2, "--date")]
fn without_a_release_to_run_the_command_says_what_to_do(
    #[case] arguments: &[&str],
    #[case] exit: i32,
    #[case] expected: &str,
) {
    let cache = tempfile::tempdir().unwrap();
    let mut command = lab_command();
    let output =
        command.arg("releases").args(arguments).env("SKEWER_CACHE_DIR", cache.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(exit), "{}", stderr(&output));
    assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 0);
}
