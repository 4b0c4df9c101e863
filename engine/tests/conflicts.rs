//! When two patches conflict, and where. Every expectation was seen on `k8s.io/apimachinery` v0.37.2
//! (`MergingMapsHaveConflicts`) through the Go adapter, with the types below; what names a place is ours.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::document::from_json;
use skewer_engine::patch::{self, PatchContext};
use skewer_engine::schema::{Schema, openapi};
use skewer_engine::{ErrorKind, OwnedDoc};

const TYPES: &str = r##"{"components":{"schemas":{
  "Root": {"type": "object", "properties": {
    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Item"},
      "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"},
    "plain": {"type": "array", "items": {"$ref": "#/components/schemas/Item"}},
    "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"},
    "list": {"type": "array", "items": {"type": "string"}},
    "one": {"$ref": "#/components/schemas/Item"},
    "whole": {"allOf": [{"$ref": "#/components/schemas/Item"}], "x-kubernetes-patch-strategy": "replace"}}},
  "Item": {"type": "object", "properties": {
    "name": {"type": "string"}, "a": {"type": "integer"}, "b": {"type": "integer"},
    "list": {"type": "array", "items": {"type": "string"}},
    "one": {"$ref": "#/components/schemas/Item"}}}}}}"##;

fn json(text: &str) -> OwnedDoc {
    from_json(text.as_bytes()).unwrap()
}

fn context() -> PatchContext {
    let types = openapi::read(&json(TYPES)).unwrap();
    PatchContext::of(Arc::new(Schema::compile(&types).unwrap()), "Root").unwrap()
}

#[rstest]
#[case::the_same_value(r#"{"one":{"a":1}}"#, r#"{"one":{"a":1}}"#, None)]
#[case::another_value(r#"{"one":{"a":1}}"#, r#"{"one":{"a":2}}"#, Some("one.a"))]
#[case::another_field(r#"{"one":{"a":1}}"#, r#"{"one":{"b":2}}"#, None)]
#[case::a_deletion_and_a_change(r#"{"one":{"a":null}}"#, r#"{"one":{"a":2}}"#, Some("one.a"))]
#[case::two_deletions(r#"{"one":{"a":null}}"#, r#"{"one":{"a":null}}"#, None)]
#[case::another_kind(r#"{"one":{"a":1}}"#, r#"{"one":[]}"#, Some("one"))]
#[case::a_map_that_is_replaced(r#"{"whole":{"a":1}}"#, r#"{"whole":{"a":2}}"#, None)]
#[case::maps_in_maps(r#"{"one":{"one":{"a":1}}}"#, r#"{"one":{"one":{"a":2}}}"#, Some("one.one.a"))]
#[case::one_directive(r#"{"one":{"$patch":"replace"}}"#, r#"{"one":{"a":1}}"#, Some("one"))]
#[case::the_same_directive(
    r#"{"one":{"$patch":"replace","a":1}}"#,
    r#"{"one":{"$patch":"replace","a":1}}"#,
    None
)]
#[case::items_of_one_key(
    r#"{"items":[{"name":"x","a":1}]}"#,
    r#"{"items":[{"name":"x","a":2}]}"#,
    Some("items")
)]
#[case::items_of_other_keys(r#"{"items":[{"name":"x","a":1}]}"#, r#"{"items":[{"name":"y","a":2}]}"#, None)]
#[case::items_that_say_different_things(
    r#"{"items":[{"name":"x","a":1}]}"#,
    r#"{"items":[{"name":"x","b":2}]}"#,
    None
)]
#[case::of_equal_keys_the_last_counts(
    r#"{"items":[{"name":"x","a":1},{"name":"x","a":2}]}"#,
    r#"{"items":[{"name":"x","a":3},{"name":"x","a":2}]}"#,
    None
)]
#[case::of_equal_keys_the_last_conflicts(
    r#"{"items":[{"name":"x","a":2},{"name":"x","a":1}]}"#,
    r#"{"items":[{"name":"x","a":1},{"name":"x","a":2}]}"#,
    Some("items")
)]
#[case::lists_in_items(
    r#"{"items":[{"name":"x","list":["a"]}]}"#,
    r#"{"items":[{"name":"x","list":["b"]}]}"#,
    Some("items")
)]
#[case::sets_never(r#"{"set":["a"]}"#, r#"{"set":["b","c"]}"#, None)]
#[case::lists_of_other_lengths(r#"{"list":["a"]}"#, r#"{"list":["a","b"]}"#, Some("list"))]
#[case::lists_of_other_lengths_that_are_equal_sets(
    r#"{"list":["a"]}"#,
    r#"{"list":["a","a"]}"#,
    Some("list")
)]
#[case::lists_in_another_order(r#"{"list":["b","a"]}"#, r#"{"list":["a","b"]}"#, None)]
#[case::lists_of_other_items(r#"{"list":["a","c"]}"#, r#"{"list":["a","b"]}"#, Some("list"))]
#[case::lists_of_equal_sets(r#"{"list":["a","b","a"]}"#, r#"{"list":["b","a","b"]}"#, None)]
#[case::only_the_front_of_the_left_one_is_compared(r#"{"list":["a","a"]}"#, r#"{"list":["a","b"]}"#, None)]
#[case::the_front_differs(r#"{"list":["b","b"]}"#, r#"{"list":["a","b"]}"#, Some("list"))]
#[case::maps_that_are_not_keyed_by_place(
    r#"{"plain":[{"a":1},{"b":1}]}"#,
    r#"{"plain":[{"a":1},{"a":2}]}"#,
    None
)]
#[case::maps_that_are_not_keyed_differ(
    r#"{"plain":[{"a":1},{"a":1}]}"#,
    r#"{"plain":[{"a":1},{"a":2}]}"#,
    Some("plain")
)]
#[case::maps_that_are_not_keyed_fewer(
    r#"{"plain":[{"a":1}]}"#,
    r#"{"plain":[{"a":1},{"a":2}]}"#,
    Some("plain")
)]
fn patches_conflict_where_upstream_says_so(
    #[case] left: &str,
    #[case] right: &str,
    #[case] expected: Option<&str>,
) {
    let found = patch::find_conflict(&context(), &json(left), &json(right)).unwrap();
    assert_eq!(found.map(|place| place.to_string()).as_deref(), expected);
    assert_eq!(patch::have_conflicts(&context(), &json(left), &json(right)).unwrap(), expected.is_some());
}

#[rstest]
#[case::a_map_nobody_knows(r#"{"x":{"a":1}}"#, r#"{"x":{"a":1}}"#, ErrorKind::UnknownField, "x")]
#[case::a_list_nobody_knows(r#"{"x":[1]}"#, r#"{"x":[1]}"#, ErrorKind::UnknownField, "x")]
#[case::no_merge_key(r#"{"items":[{"a":1}]}"#, r#"{"items":[{"a":1}]}"#, ErrorKind::MissingMergeKey, "items")]
#[case::no_merge_key_on_the_right(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"items":[{"a":1}]}"#,
    ErrorKind::MissingMergeKey,
    "items"
)]
#[case::nothing_to_compare(r#"{"list":[]}"#, r#"{"list":[]}"#, ErrorKind::EmptyList, "list")]
#[case::items_of_two_kinds(r#"{"list":["a",{}]}"#, r#"{"list":["a"]}"#, ErrorKind::MixedList, "list")]
#[case::a_list_of_lists(r#"{"list":[["a"]]}"#, r#"{"list":[["a"]]}"#, ErrorKind::ListOfLists, "list")]
fn what_cannot_be_compared_is_refused(
    #[case] left: &str,
    #[case] right: &str,
    #[case] kind: ErrorKind,
    #[case] place: &str,
) {
    let error = patch::have_conflicts(&context(), &json(left), &json(right)).unwrap_err();
    assert_eq!((error.kind(), error.path().to_string().as_str()), (kind, place), "{error}");
}
