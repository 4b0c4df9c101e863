//! Pinned ideals and final states, and `skewer run --accept`, which writes final states into suite files.

use rstest::rstest;

use crate::helpers::{all_output, embedded_corpus, folder_with, skewer};

/// A new member is lost on an old server. Under the policy `kep-1027` the request is refused.
const SUITE: &str = r#"suite: small
about: A union.
schema:
  go: |
    type Object struct {
      // +unionDiscriminator
      // +required
      Type Kind `json:"type"`
      // +unionMember
      // +optional
      A *int `json:"a,omitempty"`
      // +unionMember
      // +optional
      B *int `json:"b,omitempty"`
    }
    // +enum
    type Kind string
    const (
      A Kind = "A"
      B Kind = "B"
    )
  root: Object
axes:
  policy: {none: {server: {policy: none}}, kep-1027: {server: {policy: kep-1027}}}
  server: {old: {without: [Object.b, Kind=B]}, new: {}}
cases:
  - id: select
    live: {type: A, a: 1}
    intent: {select: [{at: ., member: b, value: 2}]}
    request: update
    expect:
      # This comment stays.
      - when: {server: old, policy: none}
        outcome: lost
        because: The old server drops the member.
      - when: {server: old}
        outcome: refused
        error: union-unknown-discriminator
        because: The old server does not know the value.
      - outcome: intended
"#;

/// Runs the command on a folder with the suite. Returns the exit code, the output, and the text of the suite file.
fn run(suite: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let dir = folder_with(&[("small.yaml", suite)]);
    let mut all = vec!["run", "--corpus", dir.path().to_str().unwrap()];
    all.extend(arguments);
    let output = skewer(&all);
    let text = std::fs::read_to_string(dir.path().join("small.yaml")).unwrap();
    (output.status.code(), all_output(&output), text)
}

#[test]
fn final_states_are_written_into_the_expectations_that_lack_them() {
    let (code, text, accepted) = run(SUITE, &["--accept"]);
    assert_eq!(code, Some(0), "{text}");
    let expected = SUITE
        .replace(
            "outcome: lost\n",
            "outcome: lost\n        final-states:\n          - {of: ideal, remove: [b]}\n",
        )
        .replace(
            "error: union-unknown-discriminator\n",
            "error: union-unknown-discriminator\n        at: type\n",
        );
    assert_eq!(accepted, expected);

    // The second time, there is nothing left to do, and the run passes.
    let (code, text, again) = run(&accepted, &["--accept"]);
    assert_eq!((code, again), (Some(0), accepted.clone()), "{text}");
    assert!(text.contains("nothing to accept"), "{text}");
    assert_eq!(run(&accepted, &[]).0, Some(0));
}

#[test]
fn cells_that_fail_get_an_expectation_that_has_to_be_reviewed() {
    let suite = SUITE.replace("outcome: lost", "outcome: intended");
    assert_eq!(run(&suite, &[]).0, Some(1));
    let (code, text, accepted) = run(&suite, &["--accept", "policy=none"]);
    assert_eq!(code, Some(1), "{text}");
    let added = "      - when: {policy: none, server: old}\n        outcome: lost\n        final-states:\n          \
                 - {of: ideal, remove: [b]}\n      - when: {server: old, policy: none}\n        \
                 outcome: intended\n";
    assert!(accepted.contains(added), "{accepted}");

    // The present expectation no longer applies to a cell. Without it, the run fails until there is a reason.
    let present = "      - when: {server: old, policy: none}\n        outcome: intended\n        because: The old server \
                   drops the member.\n";
    let accepted = accepted.replace(present, "");
    let (code, text, _) = run(&accepted, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("small.yaml:33: the final states are not reviewed"), "{text}");
    let reviewed = accepted.replace("remove: [b]}\n", "remove: [b]}\n        because: A reason.\n");
    assert_eq!(run(&reviewed, &[]).0, Some(0));
}

#[rstest]
#[case::another_document(
    "final-states: [{of: live, remove: [a]}]",
    "the final state is not the pinned document"
)]
#[case::a_literal_document(
    "final-states: [{result: {type: A}}]",
    "the final state is not the pinned document"
)]
#[case::no_such_field(
    "final-states: [{of: live, remove: [b]}]",
    "the final state cannot be made: `remove` names b, which the document does not have"
)]
fn a_cell_fails_if_its_final_state_is_another_one(#[case] pin: &str, #[case] message: &str) {
    let suite = SUITE.replace("outcome: lost\n", &format!("outcome: lost\n        {pin}\n"));
    let (code, text, _) = run(&suite, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains(message), "{text}");
}

#[test]
fn a_cell_fails_if_the_error_is_at_another_path() {
    let suite =
        SUITE.replace("discriminator\n        because", "discriminator\n        at: a\n        because");
    let (code, text, _) = run(&suite, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("union-unknown-discriminator at a"), "{text}");
}

#[rstest]
#[case::the_ideal("result: {type: B, b: 2}", None)]
#[case::edits("of: live, set: {type: B, b: 2}, remove: [a]", None)]
#[case::another_document("result: {type: A, a: 1}", Some("the ideal is not the pinned document"))]
#[case::an_error("error: conflict", Some("the ideal is not the pinned error conflict"))]
fn a_cell_fails_if_its_ideal_is_another_one(#[case] ideal: &str, #[case] message: Option<&str>) {
    let suite = SUITE.replace("\ncases:\n", &format!("\nideals: [{{{ideal}}}]\ncases:\n"));
    let (code, text, _) = run(&suite, &[]);
    assert_eq!(code, Some(i32::from(message.is_some())), "{text}");
    assert!(text.contains(message.unwrap_or_default()), "{text}");
    // The line is that of the ideal, and a difference from a document is shown.
    let line = suite.lines().position(|line| line.starts_with("ideals:")).unwrap() + 1;
    assert_eq!(text.contains(&format!("small.yaml:{line}\n")), message.is_some(), "{text}");
    assert_eq!(text.contains("-a: 1\n") && text.contains("+b: 2\n"), ideal.contains("a: 1"), "{text}");
}

#[rstest]
#[case::nothing(
    "final-states: [{}]",
    ":35:24: a final state needs exactly one of `result`, `of` and `error`"
)]
#[case::two("final-states: [{of: live, error: conflict}]", "a final state needs exactly one of")]
#[case::edits_of_nothing("final-states: [{result: {}, remove: [a]}]", "`set` and `remove` need `of`")]
#[case::no_path(
    "final-states: [{of: live, remove: ['a[']}]",
    ":35:44: `a[` is not a field path: expected a path such as"
)]
#[case::no_axis("final-states: [{when: {sever: old}, of: live}]", "`sever`: did you mean `server`?")]
#[case::no_error("at: type", "`at` is the field path of an `error`")]
#[case::any_of(
    "final-states: [{of: live}]\n        any-of: [{outcome: lost}]",
    "`final-states` and `any-of` cannot be combined"
)]
fn wrong_final_states_are_reported_with_their_place(#[case] pin: &str, #[case] message: &str) {
    let suite = SUITE.replace("outcome: lost\n", &format!("outcome: lost\n        {pin}\n"));
    let (code, text, _) = run(&suite, &[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains(message), "{text}");
}

/// An outcome such as `lost` or `refused` does not say which document was stored, or which field the error names.
#[test]
fn every_final_state_of_the_built_in_corpus_is_pinned_and_reviewed() {
    let corpus = embedded_corpus();
    let unpinned: Vec<String> = corpus
        .cells()
        .filter(|cell| !skewer_execute::accept::is_pinned(cell))
        .map(|cell| cell.id())
        .collect();
    assert!(unpinned.is_empty(), "{} cells without a pinned final state: {unpinned:#?}", unpinned.len());
    let unreviewed = corpus.cells().filter(|cell| cell.expectation.is_unreviewed());
    let unreviewed: Vec<String> = unreviewed.map(|cell| cell.id()).collect();
    assert!(unreviewed.is_empty(), "{unreviewed:#?}");
}
