//! `no-worse-than`: the cells of a case are compared with those of a reference case.

use rstest::rstest;

use crate::helpers::{all_output, folder_with, skewer};

/// Two cases with the same updates, under a policy that does not check unions and under one that counts members.
const SUITE: &str = r#"suite: small
about: Two policies.
schema:
  go: |
    type Holder struct {
      // +k8s:zeroOrOneOfMember
      A *int `json:"a,omitempty"`
      // +k8s:zeroOrOneOfMember
      B *int `json:"b,omitempty"`
    }
  root: Holder
axes:
  do:
    change: {intent: {set: {a: 2}}}
    add: {intent: {set: {b: 2}}}
  request: [update]
cases:
  - id: before
    live: {a: 1}
    server: {policy: none}
    expect:
      - outcome: intended
  - id: after
    no-worse-than: before
    live: {a: 1}
    server: {policy: legacy}
    expect:
      - when: {do: add}
        outcome: rejected
        error: union-several-members
        worse: true
      - outcome: intended
"#;

fn run(suite: &str) -> (Option<i32>, String) {
    let dir = folder_with(&[("small.yaml", suite)]);
    let output = skewer(&["run", "--corpus", dir.path().to_str().unwrap()]);
    (output.status.code(), all_output(&output))
}

#[test]
fn a_worse_outcome_that_is_marked_as_worse_passes() {
    let (code, text) = run(SUITE);
    assert_eq!(code, Some(0), "{text}");
}

#[rstest]
#[case::worse_but_not_marked(
    &SUITE.replace("        worse: true\n", ""),
    ["FAIL small/after[do=add,request=update]", "expected  no worse than small/before[do=add,request=update], intended"]
)]
#[case::marked_but_not_worse(
    &SUITE.replace("      - outcome: intended\n\"", "").replacen("policy: none", "policy: legacy", 1).replacen(
        "      - outcome: intended\n",
        "      - when: {do: add}\n        outcome: rejected\n        error: union-several-members\n      - outcome: intended\n",
        1
    ),
    ["FAIL small/after[do=add,request=update]", "expected  worse than small/before[do=add,request=update], rejected"]
)]
fn a_cell_fails_if_its_mark_does_not_agree_with_the_comparison(
    #[case] suite: &str,
    #[case] expected: [&str; 2],
) {
    let (code, text) = run(suite);
    assert_eq!(code, Some(1), "{text}");
    for expected in expected {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
}

#[rstest]
#[case::no_such_case(
    "no-worse-than: before",
    "no-worse-than: befor",
    ":24:20: no case above this one is named `befor`: did you mean `before`?"
)]
#[case::other_axes(
    "    no-worse-than: before\n",
    "    no-worse-than: before\n    axes: {more: {x: {}}}\n",
    "does not have the same axes and values as this case"
)]
#[case::without_the_cell(
    "    server: {policy: none}\n",
    "    server: {policy: none}\n    exclude:\n      - when: {do: add}\n        because: It is left out.\n",
    "the case `before` has no cell to compare with `small/after[do=add,request=update]`"
)]
#[case::worse_than_nothing(
    "    no-worse-than: before\n",
    "",
    "`worse` has no effect: the case has no reference case"
)]
fn an_impossible_comparison_is_an_error_of_the_file(
    #[case] from: &str,
    #[case] to: &str,
    #[case] expected: &str,
) {
    let (code, text) = run(&SUITE.replacen(from, to, 1));
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains(expected), "no {expected:?} in\n{text}");
}
