//! The words for what became of an intent: the first row that applies, of the table in the module's documentation.

use rstest::rstest;

use super::*;
use crate::skew::{FinalState, Outcome, differing_paths, judge};
use crate::{Error, ErrorKind};

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

/// A document, or the id of the error with which a request was refused.
fn end(text: &str) -> FinalState {
    match ErrorKind::from_id(text) {
        Some(kind) => FinalState::Refused(Error::new(kind, "refused")),
        None => FinalState::Stored(json(text)),
    }
}

#[rstest]
#[case::as_the_ideal(r#"{"a":2}"#, r#"{"a":2}"#, Outcome::Intended)]
#[case::nothing_was_to_change(r#"{"a":1}"#, r#"{"a":1}"#, Outcome::Intended)]
#[case::refused_for_the_same_reason("conflict", "conflict", Outcome::Intended)]
#[case::refused_for_another_reason("conflict", "too-deep", Outcome::Refused)]
#[case::refused_where_the_ideal_is_not("conflict", r#"{"a":2}"#, Outcome::Refused)]
#[case::nothing_changed(r#"{"a":1}"#, r#"{"a":2}"#, Outcome::Ignored)]
#[case::something_remains(r#"{"a":2,"b":1}"#, r#"{"a":2}"#, Outcome::Leftover)]
#[case::something_is_missing(r#"{"a":2}"#, r#"{"a":2,"b":1}"#, Outcome::Lost)]
#[case::both(r#"{"m":{}}"#, r#"{"b":1}"#, Outcome::Diverged)]
#[case::another_value(r#"{"a":3}"#, r#"{"a":2}"#, Outcome::Diverged)]
#[case::stored_where_it_should_be_refused(r#"{"a":2}"#, "conflict", Outcome::Diverged)]
#[case::more_than_was_stored_where_it_should_be_refused(r#"{"a":1,"b":1}"#, "conflict", Outcome::Leftover)]
#[case::a_list_in_another_order(r#"{"list":["b","a"]}"#, r#"{"list":["a","b"]}"#, Outcome::Diverged)]
#[case::a_set_in_another_order(r#"{"set":["b","a"]}"#, r#"{"set":["a","b"]}"#, Outcome::Intended)]
#[case::items_in_another_order(
    r#"{"items":[{"name":"b"},{"name":"a"}]}"#,
    r#"{"items":[{"name":"a"},{"name":"b"}]}"#,
    Outcome::Intended
)]
#[case::an_item_remains(r#"{"list":["a","b"]}"#, r#"{"list":["b"]}"#, Outcome::Leftover)]
#[case::an_item_is_missing(r#"{"list":["b"]}"#, r#"{"list":["a","b"]}"#, Outcome::Lost)]
#[case::an_item_is_there_only_once(r#"{"list":["a"]}"#, r#"{"list":["a","a"]}"#, Outcome::Lost)]
#[case::an_item_has_more_in_it(
    r#"{"plain":[{"name":"a","set":["x"]},{"name":"a"}]}"#,
    r#"{"plain":[{"name":"a"},{"name":"a"}]}"#,
    Outcome::Leftover
)]
// What equals the item of the ideal is matched with it, so that the other is left for the one that needs it.
#[case::an_item_with_less_stands_first(
    r#"{"plain":[{"name":"a","set":["x"]},{"name":"a","set":["x","y"]}]}"#,
    r#"{"plain":[{"name":"a"},{"name":"a","set":["x"]}]}"#,
    Outcome::Leftover
)]
fn an_end_has_the_first_word_that_applies(#[case] is: &str, #[case] should: &str, #[case] expected: Outcome) {
    let judgement = judge(&context_of(TYPES, "Root"), &json(r#"{"a":1}"#), &end(is), &end(should), None);
    assert_eq!((judgement.outcome, judgement.outcome_without_promise), (expected, expected));
}

#[rstest]
#[case::what_it_was_before(r#"{"a":3}"#, r#"{"a":3}"#, Outcome::AsBefore, Outcome::Diverged)]
#[case::refused_as_before("conflict", "conflict", Outcome::AsBefore, Outcome::Refused)]
#[case::not_what_it_was_before(r#"{"a":3}"#, r#"{"a":4}"#, Outcome::Diverged, Outcome::Diverged)]
#[case::the_ideal_before_all(r#"{"a":2}"#, r#"{"a":2}"#, Outcome::Intended, Outcome::Intended)]
#[case::refused_and_not_before("conflict", r#"{"a":3}"#, Outcome::Refused, Outcome::Refused)]
fn what_the_promise_covers_is_said_as_well(
    #[case] is: &str,
    #[case] before: &str,
    #[case] outcome: Outcome,
    #[case] outcome_without_promise: Outcome,
) {
    let (is, should, before) = (end(is), end(r#"{"a":2}"#), end(before));
    let judgement = judge(&context_of(TYPES, "Root"), &json(r#"{"a":1}"#), &is, &should, Some(&before));
    assert_eq!((judgement.outcome, judgement.outcome_without_promise), (outcome, outcome_without_promise));
}

#[rstest]
#[case::nowhere(r#"{"a":1}"#, r#"{"a":1}"#, &[])]
#[case::a_value(r#"{"a":1}"#, r#"{"a":2}"#, &["a"])]
#[case::the_document("1", "{}", &["."])]
#[case::what_is_there_before_what_is_not(r#"{"b":1}"#, r#"{"a":1}"#, &["b", "a"])]
#[case::in_a_map(r#"{"m":{"x":"1","y":"2"}}"#, r#"{"m":{"x":"2","y":"2","z":"3"}}"#, &["m.x", "m.z"])]
#[case::an_item(r#"{"list":["a","b"]}"#, r#"{"list":["a","c"]}"#, &["list[1]"])]
#[case::lists_of_other_lengths(r#"{"list":["a"]}"#, r#"{"list":["b","c"]}"#, &["list"])]
#[case::sets_as_a_whole(r#"{"set":["a","b"]}"#, r#"{"set":["a","c"]}"#, &["set"])]
#[case::sets_with_fewer_items(r#"{"set":["a"]}"#, r#"{"set":["a","c"]}"#, &["set"])]
#[case::sets_in_items(r#"{"plain":[{"set":["a","b"]}]}"#, r#"{"plain":[{"set":["b","a"]}]}"#, &[])]
#[case::a_set_is_no_set_of_sets(r#"{"plain":[{"name":"a"},{"name":"b"}]}"#, r#"{"plain":[{"name":"b"},{"name":"a"}]}"#, &["plain[0].name", "plain[1].name"])]
#[case::what_nobody_knows(r#"{"x":{"y":[1]}}"#, r#"{"x":{"y":[2]}}"#, &["x.y[0]"])]
fn differences_have_field_paths(#[case] is: &str, #[case] should: &str, #[case] expected: &[&str]) {
    let paths = differing_paths(&context_of(TYPES, "Root"), &json(is), &json(should));
    assert_eq!(paths.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_refused_leaves_what_was_stored() {
    let (stored, refused, should) = (json(r#"{"a":1}"#), end("conflict"), end(r#"{"a":2}"#));
    let judgement = judge(&context_of(TYPES, "Root"), &stored, &refused, &should, None);
    assert_eq!(judgement.paths.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn outcomes_that_nobody_is_told_of_are_silent() {
    let silent: Vec<_> = Outcome::ALL.into_iter().filter(|outcome| outcome.is_silent()).collect();
    assert_eq!(silent, [Outcome::Ignored, Outcome::Leftover, Outcome::Lost, Outcome::Diverged]);
    let names: Vec<_> = Outcome::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["intended", "as-before", "refused", "ignored", "leftover", "lost", "diverged"]);
}
