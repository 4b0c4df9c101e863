//! `skewer explain`: the words of results, cases and messages.

use rstest::rstest;
use skewer_engine::directive;
use skewer_engine::error::ErrorKind;
use skewer_engine::union::policy;
use skewer_results::vocabulary::{Outcome, Status};

use crate::helpers::{folder_with, skewer, split_output, stdout};

const SUITE: &str = r"suite: small
about: Cells with a directive and with an error.
schema:
  go: |
    type Holder struct {
      Items []Item `json:'items' patchStrategy:'merge' patchMergeKey:'name'`
    }
    type Item struct {
      Name string `json:'name'`
    }
  root: Holder
cases:
  - id: deletion
    live: {items: [{name: a}]}
    patch: {items: [{$patch: delete, name: a}]}
    expect: [{result: {items: []}}]
  - id: no-key
    live: {items: [{name: a}]}
    patch: {items: [{}]}
    expect: [{error: missing-merge-key, at: 'items[0]'}]
";

/// Explains a word with the cells of the suite as examples.
fn explain(word: &str) -> (Option<i32>, String, String) {
    let folder = folder_with(&[("small.yaml", &SUITE.replace('\'', "\""))]);
    let path = folder.path().to_str().unwrap();
    let (code, out, err) = split_output(&skewer(&["explain", word, "--corpus", path]));
    (code, out.replace(path, "DIR"), err)
}

#[rstest]
#[case::an_outcome("lost", &["lost (outcome)", Outcome::Lost.meaning(), "silent         yes", "example        none: no cell"])]
#[case::a_status("not-asked", &["not-asked (status)", "cell was run   no"])]
#[case::an_error_kind("missing-merge-key", &["missing-merge-key (error kind)", "example        skewer show 'small/no-key' --corpus 'DIR'"])]
#[case::a_directive("$patch", &["$patch (directive)", "introduced in  Kubernetes 1.0", "law            backward kept", "skewer show 'small/deletion'"])]
#[case::without_its_dollar_sign("patchMergeKey", &["$patchMergeKey (directive)", "introduced in  never: a proposal", "recommendedPatchMergeKey"])]
#[case::a_union_policy("kep-1027", &["kep-1027 (union policy)", "a modified discriminator clears all members"])]
#[case::a_request("update", &["update (request)", "The whole object."])]
#[case::a_law("forward", &["forward (law)", "broken by      $patch, "])]
#[case::a_term("silent", &["silent (term)", "a word for the outcomes ignored, leftover, lost"])]
#[case::a_key("configuration", &["configuration (key of case files)", "The apply configuration.", "(case)"])]
#[case::a_key_of_several_parts("of", &["of (key of case files)", "(final-state)"])]
#[case::an_exit_code("4", &["4 (exit code)", "The selection matches no cell."])]
fn a_word_is_explained_with_an_example(#[case] word: &str, #[case] parts: &[&str]) {
    let (code, out, err) = explain(word);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    for part in parts {
        assert!(out.contains(part), "{part} is not in\n{out}");
    }
}

#[rstest]
#[case::misspelt(
    "mising-merge-key",
    "there is no explanation of `mising-merge-key`: did you mean `missing-merge-key`?\n"
)]
#[case::a_directive("retainKey", "there is no explanation of `retainKey`: did you mean `retainKeys`?\n")]
#[case::unknown("zzzzzzzz", "there is no explanation of `zzzzzzzz`: `skewer explain` lists the words\n")]
#[case::an_unquoted_directive(
    "",
    "the word is empty: put a directive into single quotes, for example '$retainKeys'\n"
)]
fn an_unknown_word_is_an_error(#[case] word: &str, #[case] message: &str) {
    assert_eq!(explain(word), (Some(2), String::new(), message.to_owned()));
}

#[test]
fn all_words_are_listed() {
    let list = stdout(&skewer(&["explain"]));
    let words: Vec<&str> = list.split([',', '\n']).map(str::trim).collect();
    let outcomes = Outcome::ALL.iter().map(|outcome| outcome.as_str());
    let statuses = Status::ALL.iter().map(|status| status.as_str());
    let kinds = ErrorKind::ALL.iter().map(|kind| kind.id());
    let directives = directive::REGISTRY.iter().map(|directive| directive.name());
    let policies = policy::REGISTRY.iter().map(|policy| policy.name());
    for word in outcomes.chain(statuses).chain(kinds).chain(directives).chain(policies) {
        assert!(words.contains(&word), "{word} is not in\n{list}");
    }
}
