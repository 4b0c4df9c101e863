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

/// The question about an object, for rules of the target.
const ADMISSION: [&str; 4] = [
    "kep-1027",
    r#""admit-union""#,
    "{outcome: rejected, error: union-selected-member-empty, at: b}",
    r#"echo "{\"kind\":\"refused\",\"seq\":$seq,\"error\":{\"kind\":\"union-selected-member-empty\",\"path\":\"b\",\"message\":\"m\"}}""#,
];

fn run_own(operations: &str, answer: &str) -> TargetRun {
    let suite = SUITE.replace("POLICY", ADMISSION[0]).replace("EXPECTED", ADMISSION[2]);
    let script = adapter_with("", operations, answer).replace("*bad*)", "*-union*)");
    run_corpus_on(&folder_with(&[("one.yaml", &suite)]), &script, &["--policy", "own"])
}

#[rstest]
#[case::as_expected(ADMISSION[3], "pass")]
#[case::another_path(&*ADMISSION[3].replace(r#"\"b\""#, r#"\"a\""#), "fail")]
#[case::another_kind(&*ADMISSION[3].replace("selected-member-empty", "no-member"), "fail")]
#[case::accepted(r#"echo "{\"kind\":\"result\",\"seq\":$seq,\"result\":{\"type\":\"B\"}}""#, "fail")]
#[case::unsupported(r#"echo "{\"kind\":\"unsupported\",\"seq\":$seq,\"reason\":\"no\"}""#, "unsupported")]
#[case::crashed("exit 7", "crash")]
fn the_own_rules_of_the_target_decide_on_the_cell(#[case] answer: &str, #[case] status: &str) {
    let ran = run_own(ADMISSION[1], answer);
    assert_eq!(ran.statuses, [status], "{answer}\n{}", ran.text);
}

#[test]
fn by_name_a_target_is_asked_only_about_the_policies_that_it_lists() {
    let listed = r#""admit-union"],"policies":["kep-1027""#;
    assert_eq!(run(ADMISSION, listed, ADMISSION[3]).statuses, ["pass"]);
    let other = r#""admit-union"],"policies":["legacy""#;
    assert_eq!(run(ADMISSION, other, "exit 7").statuses, ["not-asked"]);
}

/// A target that merges the patch says nothing about a union on which the simulated server decides. `skewer serve` does not have
/// the rules of `declarative`.
#[rstest]
#[case::with_rules(
    "declarative",
    "{outcome: rejected, error: union-unselected-member-set, at: a}",
    "not-asked"
)]
#[case::without_rules("none", "intended", "pass")]
fn a_merged_patch_is_no_decision_on_a_union(
    #[case] policy: &str,
    #[case] expected: &str,
    #[case] status: &str,
) {
    let expected = if expected == "intended" { "{outcome: intended}" } else { expected };
    let suite = SUITE.replace("POLICY", policy).replace("EXPECTED", expected);
    let suite = suite.replace("request: update", "request: json-merge-patch");
    let serve = format!("#!/bin/sh\nexec '{}' serve\n", env!("CARGO_BIN_EXE_skewer"));
    let ran = run_corpus_on(&folder_with(&[("one.yaml", &suite)]), &serve, &[]);
    assert_eq!(ran.statuses, [status], "{}", ran.text);
}

#[rstest]
#[case::the_engine(
    "kep-1027",
    "builtin",
    "the target builtin has no rules of its own for unions: expected an adapter"
)]
#[case::an_adapter_without_rules("kep-1027", r#""apply""#, "does not support admit-union")]
#[case::other_policies("deduce", ADMISSION[1], "each of the 1 selected cells has a policy of other rules than the KEP's")]
fn own_rules_need_a_target_and_a_policy_of_the_kep(
    #[case] policy: &str,
    #[case] operations: &str,
    #[case] expected: &str,
) {
    let suite = SUITE.replace("POLICY", policy).replace("EXPECTED", "{outcome: intended}");
    let corpus = folder_with(&[("one.yaml", &suite)]);
    let target = match operations {
        "builtin" => operations.to_owned(),
        operations => write_script(corpus.path(), &adapter_with("", operations, "exit 7")),
    };
    let folder = corpus.path().to_str().unwrap();
    let output = skewer(&["run", "--corpus", folder, "--policy", "own", "--target", &target]);
    assert!(!output.status.success());
    assert!(all_output(&output).contains(expected), "{}", all_output(&output));
}
