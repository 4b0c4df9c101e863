//! A comparison with Go: see `testdata.json`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{NotCompiled, Pattern, rust_syntax};

#[derive(Deserialize)]
struct Data {
    /// The errors of expressions.
    refused: BTreeMap<String, String>,
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    texts: Vec<String>,
    /// The parts that an expression finds in each of the texts.
    found: BTreeMap<String, Vec<Vec<String>>>,
}

fn data() -> Data {
    serde_json::from_str(include_str!("testdata.json")).unwrap()
}

#[test]
fn what_go_refuses_is_refused_with_its_words() {
    for (pattern, expected) in data().refused {
        let expected = format!("error parsing regexp: {expected}");
        assert_eq!(Pattern::compile(&pattern).unwrap_err().to_string(), expected, "{pattern:?}");
        assert_eq!(rust_syntax(&pattern), None);
    }
}

#[test]
fn patterns_find_what_they_find_in_go() {
    for Group { texts, found } in data().groups {
        for (pattern, expected) in found {
            let compiled = Pattern::compile(&pattern).unwrap_or_else(|error| panic!("{pattern:?}: {error}"));
            let found: Vec<Vec<&str>> = texts.iter().map(|text| compiled.find_all(text).collect()).collect();
            assert_eq!(found, expected, "{pattern:?} in {texts:?}");
            for (text, expected) in texts.iter().zip(expected) {
                assert_eq!(compiled.is_match(text), !expected.is_empty(), "{pattern:?} in {text:?}");
            }
        }
    }
}

/// The expectations are the answers of Go 1.26. The test runs on a thread with 2 MiB of stack; an overflow ends the process.
#[rstest::rstest]
#[case::groups(1000, "(", "", ")", 999)]
#[case::repetitions(1000, "(?:", "a", ")*", 999)]
#[case::groups_and_repetitions(1000, "(", "ab", ")*", 499)]
#[case::concatenations(1000, "(a[bc]", "d", ")", 499)]
#[case::groups_that_are_forgotten(20_000, "(?:", "a", ")", 20_000)]
fn what_nests_deeper_than_in_go_is_refused(
    #[case] most: usize,
    #[case] open: &str,
    #[case] inner: &str,
    #[case] close: &str,
    #[case] deepest: usize,
) {
    let nested = |depth: usize| format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
    let reason = "it nests too deeply";
    assert_eq!(Pattern::compile(&nested(deepest)).unwrap_err(), NotCompiled::NotSimulated(reason));
    for depth in (deepest + 1..=most).take(2) {
        let error = Pattern::compile(&nested(depth)).unwrap_err().to_string();
        assert!(
            error.starts_with("error parsing regexp: expression nests too deeply: `"),
            "{depth} {error:.100}"
        );
    }
}

#[test]
fn an_expression_is_as_large_as_in_go() {
    let large = |count: usize| Pattern::compile(&"[ab]{1000}".repeat(count)).unwrap_err();
    assert_eq!(large(3355), NotCompiled::NotSimulated("it is too large"));
    assert!(large(3356).to_string().starts_with("error parsing regexp: expression too large: `"));
}

/// Upstream, it matches nothing or U+FFFD, which depends on what is around it.
#[test]
fn half_of_a_surrogate_pair_is_not_simulated() {
    for pattern in [r"\x{d800}", r"[\x{dfff}a]", r"[\x{d800}-\x{dfff}]"] {
        assert!(matches!(Pattern::compile(pattern), Err(NotCompiled::NotSimulated(_))));
    }
    assert!(matches!(Pattern::compile(r"\x{d800})"), Err(NotCompiled::Invalid { .. })));
}
