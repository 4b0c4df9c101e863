//! The paths of conflicts between two patches, and of errors in patches that cannot be compared. The suite
//! `upstream/conflicts` has the cases that determine which patches conflict.

use rstest::rstest;
use skewer_engine::ErrorKind;
use skewer_engine::patch::{self, PatchContext};

use crate::helpers::{context_of, json};

const TYPES: &str = r#"
type Object struct {
  Items []Item   `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Plain []Item   `json:"plain,omitempty"`
  List  []string `json:"list,omitempty"`
  One   *Item    `json:"one,omitempty"`
}
type Item struct {
  Name string   `json:"name"`
  A    int      `json:"a,omitempty"`
  B    int      `json:"b,omitempty"`
  List []string `json:"list,omitempty"`
  One  *Item    `json:"one,omitempty"`
}
"#;

fn context() -> PatchContext {
    context_of(TYPES, "Object")
}

#[rstest]
#[case::no_conflict(r#"{"one":{"a":1}}"#, r#"{"one":{"b":2}}"#, None)]
#[case::different_values(r#"{"one":{"a":1}}"#, r#"{"one":{"a":2}}"#, Some("one.a"))]
#[case::deletion_and_change(r#"{"one":{"a":null}}"#, r#"{"one":{"a":2}}"#, Some("one.a"))]
#[case::value_of_another_kind(r#"{"one":{"a":1}}"#, r#"{"one":[]}"#, Some("one"))]
#[case::field_of_a_nested_map(r#"{"one":{"one":{"a":1}}}"#, r#"{"one":{"one":{"a":2}}}"#, Some("one.one.a"))]
#[case::directive_in_one_map(r#"{"one":{"$patch":"replace"}}"#, r#"{"one":{"a":1}}"#, Some("one"))]
#[case::items_with_the_same_key(
    r#"{"items":[{"name":"x","a":1}]}"#,
    r#"{"items":[{"name":"x","a":2}]}"#,
    Some("items")
)]
#[case::duplicate_keys(
    r#"{"items":[{"name":"x","a":2},{"name":"x","a":1}]}"#,
    r#"{"items":[{"name":"x","a":1},{"name":"x","a":2}]}"#,
    Some("items")
)]
#[case::list_in_an_item(
    r#"{"items":[{"name":"x","list":["a"]}]}"#,
    r#"{"items":[{"name":"x","list":["b"]}]}"#,
    Some("items")
)]
#[case::lists_of_different_lengths(r#"{"list":["a"]}"#, r#"{"list":["a","b"]}"#, Some("list"))]
#[case::lists_with_a_repeated_scalar(r#"{"list":["a"]}"#, r#"{"list":["a","a"]}"#, Some("list"))]
#[case::lists_of_different_scalars(r#"{"list":["a","c"]}"#, r#"{"list":["a","b"]}"#, Some("list"))]
#[case::lists_with_different_first_scalars(r#"{"list":["b","b"]}"#, r#"{"list":["a","b"]}"#, Some("list"))]
#[case::different_maps_without_a_merge_key(
    r#"{"plain":[{"a":1},{"a":1}]}"#,
    r#"{"plain":[{"a":1},{"a":2}]}"#,
    Some("plain")
)]
#[case::lists_of_maps_of_different_lengths(
    r#"{"plain":[{"a":1}]}"#,
    r#"{"plain":[{"a":1},{"a":2}]}"#,
    Some("plain")
)]
fn find_conflict_returns_the_path_of_the_conflict(
    #[case] left: &str,
    #[case] right: &str,
    #[case] expected: Option<&str>,
) {
    let path = patch::find_conflict(&context(), &json(left), &json(right)).unwrap();
    assert_eq!(path.map(|path| path.to_string()).as_deref(), expected);
    assert_eq!(patch::have_conflicts(&context(), &json(left), &json(right)).unwrap(), expected.is_some());
}

#[rstest]
#[case::unknown_field_with_a_map(r#"{"x":{"a":1}}"#, r#"{"x":{"a":1}}"#, ErrorKind::UnknownField, "x")]
#[case::unknown_field_with_a_list(r#"{"x":[1]}"#, r#"{"x":[1]}"#, ErrorKind::UnknownField, "x")]
#[case::items_without_merge_key_on_both_sides(
    r#"{"items":[{"a":1}]}"#,
    r#"{"items":[{"a":1}]}"#,
    ErrorKind::MissingMergeKey,
    "items"
)]
#[case::item_without_merge_key_on_the_right(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"items":[{"a":1}]}"#,
    ErrorKind::MissingMergeKey,
    "items"
)]
#[case::empty_lists(r#"{"list":[]}"#, r#"{"list":[]}"#, ErrorKind::EmptyList, "list")]
#[case::list_of_a_scalar_and_a_map(r#"{"list":["a",{}]}"#, r#"{"list":["a"]}"#, ErrorKind::MixedList, "list")]
#[case::list_of_lists(r#"{"list":[["a"]]}"#, r#"{"list":[["a"]]}"#, ErrorKind::ListOfLists, "list")]
fn patches_that_cannot_be_compared_are_refused_with_the_path(
    #[case] left: &str,
    #[case] right: &str,
    #[case] kind: ErrorKind,
    #[case] path: &str,
) {
    let error = patch::have_conflicts(&context(), &json(left), &json(right)).unwrap_err();
    assert_eq!((error.kind(), error.path().to_string().as_str()), (kind, path), "{error}");
}
