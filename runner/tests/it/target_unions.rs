//! Targets that are asked about unions: their answers decide on the cell, and count as asked.

use rstest::rstest;

use crate::helpers::adapters::{TargetRun, adapter_with, run_corpus_on, write_script};
use crate::helpers::{all_output, folder_with, skewer};

/// A suite with one cell, in which only the union is asked.
const SUITE: &str = r#"suite: one
about: A cell to test a target.
schema:
  go: |
    // +enum
    type Letter string
    const (
      A Letter = "A"
      B Letter = "B"
    )
    type Holder struct {
      // +unionDiscriminator
      // +required
      Type Letter `json:"type"`
      // +unionMember
      // +optional
      A *int `json:"a,omitempty"`
      // +unionMember
      // +optional
      B *int `json:"b,omitempty"`
    }
  root: Holder
cases:
  - id: cell
    server: {policy: POLICY}
    request: update
    live: {type: A, a: 1}
    intent: {set: {type: B}}
    expect: [EXPECTED]
"#;

/// A policy, its operation, the expectation of the cell, and the commands that answer as expected.
const NORMALIZATION: [&str; 4] = [
    "structured-merge-diff",
    r#""normalize-union""#,
    "{outcome: intended, result: {type: B}}",
    r#"echo "{\"kind\":\"result\",\"seq\":$seq,\"result\":{\"type\":\"B\"}}""#,
];
const VALIDATION: [&str; 4] = [
    "declarative",
    r#""validate-union""#,
    "{outcome: rejected, error: union-unselected-member-set, at: a}",
    r#"echo "{\"kind\":\"result\",\"seq\":$seq,\"result\":[{\"field\":\"a\",\"type\":\"FieldValueInvalid\",\"message\":\"m\"}]}""#,
];

fn run([policy, _, expected, _]: [&str; 4], operations: &str, answer: &str) -> TargetRun {
    let suite = SUITE.replace("POLICY", policy).replace("EXPECTED", expected);
    // The script treats requests with the word `bad` specially. All requests about unions are such requests here.
    let script = adapter_with("", operations, answer).replace("*bad*)", "*-union*)");
    run_corpus_on(&folder_with(&[("one.yaml", &suite)]), &script, &[])
}

#[rstest]
fn the_answer_decides_on_the_cell(#[values(NORMALIZATION, VALIDATION)] question: [&str; 4]) {
    let [_, operation, _, right_answer] = question;
    let wrong = r#"echo "{\"kind\":\"result\",\"seq\":$seq,\"result\":WRONG}""#;
    let wrong =
        wrong.replace("WRONG", if question == VALIDATION { "[]" } else { r#"{\"type\":\"B\",\"a\":1}"# });
    for (answer, status) in [
        (right_answer, "pass"),
        (&*wrong, "fail"),
        (
            r#"echo "{\"kind\":\"refused\",\"seq\":$seq,\"error\":{\"kind\":\"conflict\",\"message\":\"m\"}}""#,
            "fail",
        ),
        (r#"echo "{\"kind\":\"unsupported\",\"seq\":$seq,\"reason\":\"no such union\"}""#, "unsupported"),
        ("exit 7", "crash"),
        ("sleep 30", "timeout"),
    ] {
        let ran = run(question, operation, answer);
        assert_eq!(ran.statuses, [status], "{answer}\n{}", ran.text);
    }
}

#[rstest]
fn without_the_operation_the_union_is_simulated(
    #[values(NORMALIZATION, VALIDATION)] question: [&str; 4],
    #[values(r#""apply""#, "")] operations: &str,
) {
    let ran = run(question, operations, "exit 7");
    assert_eq!(ran.statuses, ["not-asked"], "{}", ran.text);
}

#[test]
fn a_kind_of_union_that_is_not_listed_is_not_sent() {
    let unlisted = r#""validate-union"],"unions":["modal""#;
    let ran = run(VALIDATION, unlisted, "exit 7");
    assert_eq!(ran.statuses, ["unsupported"], "{}", ran.text);
    let listed = r#""validate-union"],"unions":["modal","discriminated""#;
    assert_eq!(run(VALIDATION, listed, VALIDATION[3]).statuses, ["pass"]);
}

/// Of two targets, the server is asked.
#[rstest]
#[case::of_the_server("--server-target", "cells passed")]
#[case::not_of_the_client("--client-target", "not asked")]
fn the_server_of_a_pair_is_asked(#[case] option: &str, #[case] expected: &str) {
    let [policy, operation, expectation, answer] = NORMALIZATION;
    let suite = SUITE.replace("POLICY", policy).replace("EXPECTED", expectation);
    let corpus = folder_with(&[("one.yaml", &suite)]);
    let script = adapter_with("", operation, answer).replace("*bad*)", "*-union*)");
    let target = write_script(corpus.path(), &script);
    let output = skewer(&["run", "--corpus", corpus.path().to_str().unwrap(), option, &target]);
    let text = all_output(&output);
    assert_eq!(text.contains("not asked"), expected == "not asked", "{text}");
    assert_eq!(output.status.success(), expected != "not asked", "{text}");
}
