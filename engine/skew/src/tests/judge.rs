//! Judgement: the outcome of a final state, and the paths at which it differs from the ideal.

use rstest::rstest;

use super::*;
use crate::{FinalState, Outcome, differing_paths, judge};
use skewer_engine::{Error, ErrorKind};

const TYPES: &str = r#"
type Root struct {
  A     *int              `json:"a,omitempty"`
  B     *int              `json:"b,omitempty"`
  M     map[string]string `json:"m,omitempty"`
  List  []string          `json:"list,omitempty"`
  // +listType=set
  Set   []string          `json:"set,omitempty"`
  // +listType=map
  // +listMapKey=name
  Items []Item            `json:"items,omitempty"`
  Plain []Item            `json:"plain,omitempty"`
}
type Item struct {
  Name string `json:"name"`
  // +listType=set
  Set  []string `json:"set,omitempty"`
}
"#;

/// Parses a final state: a stored document, or the id of the error kind with which the request was refused, and
/// optionally the field of the error: `conflict at a`.
fn final_state(text: &str) -> FinalState {
    let (kind, field) = text.split_once(" at ").map_or((text, None), |(kind, field)| (kind, Some(field)));
    match (ErrorKind::from_id(kind), field) {
        (Some(kind), Some(field)) => FinalState::Refused(Error::new(kind, "refused").at(field)),
        (Some(kind), None) => FinalState::Refused(Error::new(kind, "refused")),
        (None, _) => FinalState::Stored(json(text)),
    }
}

#[rstest]
#[case::stored_as_in_the_ideal(r#"{"a":2}"#, r#"{"a":2}"#, Outcome::Intended)]
#[case::unchanged_as_in_the_ideal(r#"{"a":1}"#, r#"{"a":1}"#, Outcome::Intended)]
#[case::refused_for_the_same_reason("conflict", "conflict", Outcome::Rejected)]
#[case::refused_at_another_path("conflict", "conflict at a", Outcome::Refused)]
#[case::refused_for_another_reason("conflict", "too-deep", Outcome::Refused)]
#[case::refused_but_stored_in_the_ideal("conflict", r#"{"a":2}"#, Outcome::Refused)]
#[case::unchanged_but_changed_in_the_ideal(r#"{"a":1}"#, r#"{"a":2}"#, Outcome::Ignored)]
#[case::extra_field(r#"{"a":2,"b":1}"#, r#"{"a":2}"#, Outcome::Leftover)]
#[case::missing_field(r#"{"a":2}"#, r#"{"a":2,"b":1}"#, Outcome::Lost)]
#[case::extra_and_missing_field(r#"{"m":{}}"#, r#"{"b":1}"#, Outcome::Diverged)]
#[case::different_value(r#"{"a":3}"#, r#"{"a":2}"#, Outcome::Diverged)]
#[case::changed_but_refused_in_the_ideal(r#"{"a":2}"#, "conflict", Outcome::WronglyAccepted)]
#[case::unchanged_but_refused_in_the_ideal(r#"{"a":1}"#, "conflict", Outcome::WronglyAccepted)]
#[case::extra_field_but_refused_in_the_ideal(r#"{"a":1,"b":1}"#, "conflict", Outcome::WronglyAccepted)]
#[case::reordered_list(r#"{"list":["b","a"]}"#, r#"{"list":["a","b"]}"#, Outcome::Diverged)]
#[case::reordered_set(r#"{"set":["b","a"]}"#, r#"{"set":["a","b"]}"#, Outcome::Intended)]
#[case::reordered_list_of_type_map(
    r#"{"items":[{"name":"b"},{"name":"a"}]}"#,
    r#"{"items":[{"name":"a"},{"name":"b"}]}"#,
    Outcome::Intended
)]
#[case::extra_item(r#"{"list":["a","b"]}"#, r#"{"list":["b"]}"#, Outcome::Leftover)]
#[case::missing_item(r#"{"list":["b"]}"#, r#"{"list":["a","b"]}"#, Outcome::Lost)]
#[case::missing_duplicate_item(r#"{"list":["a"]}"#, r#"{"list":["a","a"]}"#, Outcome::Lost)]
#[case::item_with_an_extra_field(
    r#"{"plain":[{"name":"a","set":["x"]},{"name":"a"}]}"#,
    r#"{"plain":[{"name":"a"},{"name":"a"}]}"#,
    Outcome::Leftover
)]
// The equal items are paired first, so that the larger item remains for the smaller one.
#[case::equal_item_before_a_larger_item(
    r#"{"plain":[{"name":"a","set":["x"]},{"name":"a","set":["x","y"]}]}"#,
    r#"{"plain":[{"name":"a"},{"name":"a","set":["x"]}]}"#,
    Outcome::Leftover
)]
fn the_outcome_is_the_first_that_applies(
    #[case] actual: &str,
    #[case] ideal: &str,
    #[case] expected: Outcome,
) {
    let (actual, ideal) = (final_state(actual), final_state(ideal));
    let judgement = judge(&context_of(TYPES, "Root"), &json(r#"{"a":1}"#), &actual, &ideal, None);
    assert_eq!((judgement.outcome, judgement.outcome_without_promise), (expected, expected));
}

#[rstest]
#[case::stored_as_before(r#"{"a":3}"#, r#"{"a":3}"#, Outcome::AsBefore, Outcome::Diverged)]
#[case::refused_as_before("conflict", "conflict", Outcome::AsBefore, Outcome::Refused)]
#[case::not_as_before(r#"{"a":3}"#, r#"{"a":4}"#, Outcome::Diverged, Outcome::Diverged)]
#[case::ideal_and_as_before(r#"{"a":2}"#, r#"{"a":2}"#, Outcome::Intended, Outcome::Intended)]
#[case::refused_but_stored_before("conflict", r#"{"a":3}"#, Outcome::Refused, Outcome::Refused)]
fn a_final_state_as_before_is_allowed_by_the_promise(
    #[case] actual: &str,
    #[case] before: &str,
    #[case] outcome: Outcome,
    #[case] outcome_without_promise: Outcome,
) {
    let (actual, ideal, before) = (final_state(actual), final_state(r#"{"a":2}"#), final_state(before));
    let judgement = judge(&context_of(TYPES, "Root"), &json(r#"{"a":1}"#), &actual, &ideal, Some(&before));
    assert_eq!((judgement.outcome, judgement.outcome_without_promise), (outcome, outcome_without_promise));
}

#[rstest]
#[case::in_the_final_state(r#"{"a":2,"s":{}}"#, "conflict", Outcome::Intended, &[])]
#[case::in_the_stored_object(r#"{"a":1,"s":{}}"#, "conflict", Outcome::Ignored, &["a"])]
#[case::in_the_state_before(r#"{"a":3,"s":{}}"#, r#"{"a":3}"#, Outcome::AsBefore, &["a"])]
#[case::with_a_field(r#"{"a":2,"s":{"x":1}}"#, "conflict", Outcome::Leftover, &["s.x"])]
fn a_struct_that_an_object_lacks_counts_as_empty(
    #[case] actual: &str,
    #[case] before: &str,
    #[case] outcome: Outcome,
    #[case] paths: &[&str],
) {
    const TYPES: &str = "type Root struct {\n A *int `json:\"a\"`\n S Inner `json:\"s\"`\n}\ntype Inner struct {\n X *int \
                         `json:\"x\"`\n}";
    let (actual, ideal, before) = (final_state(actual), final_state(r#"{"a":2}"#), final_state(before));
    let judgement = judge(&context_of(TYPES, "Root"), &json(r#"{"a":1}"#), &actual, &ideal, Some(&before));
    assert_eq!(judgement.outcome, outcome);
    assert_eq!(judgement.paths.iter().map(ToString::to_string).collect::<Vec<_>>(), paths);
}

#[rstest]
#[case::no_difference(r#"{"a":1}"#, r#"{"a":1}"#, &[])]
#[case::field(r#"{"a":1}"#, r#"{"a":2}"#, &["a"])]
#[case::whole_document("1", "{}", &["."])]
#[case::extra_fields_before_missing_fields(r#"{"b":1}"#, r#"{"a":1}"#, &["b", "a"])]
#[case::keys_of_a_map(r#"{"m":{"x":"1","y":"2"}}"#, r#"{"m":{"x":"2","y":"2","z":"3"}}"#, &["m.x", "m.z"])]
#[case::list_item(r#"{"list":["a","b"]}"#, r#"{"list":["a","c"]}"#, &["list[1]"])]
#[case::lists_of_different_lengths(r#"{"list":["a"]}"#, r#"{"list":["b","c"]}"#, &["list"])]
#[case::sets_with_different_items(r#"{"set":["a","b"]}"#, r#"{"set":["a","c"]}"#, &["set"])]
#[case::sets_with_fewer_items(r#"{"set":["a"]}"#, r#"{"set":["a","c"]}"#, &["set"])]
#[case::reordered_set_in_a_list_item(r#"{"plain":[{"set":["a","b"]}]}"#, r#"{"plain":[{"set":["b","a"]}]}"#, &[])]
#[case::reordered_list_with_sets_in_its_items(r#"{"plain":[{"name":"a"},{"name":"b"}]}"#, r#"{"plain":[{"name":"b"},{"name":"a"}]}"#, &["plain[0].name", "plain[1].name"])]
#[case::field_of_unknown_type(r#"{"x":{"y":[1]}}"#, r#"{"x":{"y":[2]}}"#, &["x.y[0]"])]
fn differences_have_field_paths(#[case] actual: &str, #[case] expected: &str, #[case] paths: &[&str]) {
    let differing = differing_paths(&context_of(TYPES, "Root"), &json(actual), &json(expected));
    assert_eq!(differing.iter().map(ToString::to_string).collect::<Vec<_>>(), paths);
}

#[test]
fn after_a_refused_request_the_unchanged_object_is_compared_with_the_ideal() {
    let (stored, refused) = (json(r#"{"a":1}"#), final_state("conflict"));
    let ideal = final_state(r#"{"a":2}"#);
    let judgement = judge(&context_of(TYPES, "Root"), &stored, &refused, &ideal, None);
    assert_eq!(judgement.paths.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn accepted_requests_without_the_intended_effect_are_silent() {
    let silent: Vec<_> = Outcome::ALL.into_iter().filter(|outcome| outcome.is_silent()).collect();
    let expected =
        [Outcome::Ignored, Outcome::Leftover, Outcome::Lost, Outcome::Diverged, Outcome::WronglyAccepted];
    assert_eq!(silent, expected);
    let ideal: Vec<_> = Outcome::ALL.into_iter().filter(|outcome| outcome.is_ideal()).collect();
    assert_eq!(ideal, [Outcome::Intended, Outcome::Rejected]);
}
