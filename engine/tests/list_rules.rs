//! Lists that merge and are ordered, where a quick way and upstream's long way must not part: what the quick way is not
//! for, and what it does to items that hold more than their names.
//!
//! Every expectation was seen on `k8s.io/apimachinery` v0.37.2 through the Go adapter; what that answers with a panic
//! of Go is [`ErrorKind::NotAScalar`] here.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::patch::{self, Knowledge};
use skewer_engine::schema::{Schema, go};
use skewer_engine::value::from_json;
use skewer_engine::{ErrorKind, Value};

const TYPES: &str = r#"
type Root struct {
  Items []Item   `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Set   []string `json:"set,omitempty" patchStrategy:"merge"`
  One   *Item    `json:"one,omitempty"`
}
type Item struct {
  Name string `json:"name"`
  A    int    `json:"a,omitempty"`
  B    int    `json:"b,omitempty"`
}
"#;

fn json(text: &str) -> Value {
    from_json(text.as_bytes()).unwrap()
}

fn knowledge() -> Knowledge {
    let schema = Schema::compile(&go::read(TYPES).unwrap()).unwrap();
    Knowledge::of(Arc::new(schema), "Root").unwrap()
}

/// The items of live, those of the patch, the order.
#[rstest]
#[case::what_is_found_is_merged(
    r#"[{"name":"x","a":1},{"name":"y"}]"#,
    r#"[{"name":"x","b":1}]"#,
    r#"[{"name":"y"},{"name":"x"}]"#,
    Ok(r#"[{"name":"y"},{"a":1,"b":1,"name":"x"}]"#)
)]
#[case::an_item_twice_in_the_patch_and_once_in_the_order(
    r#"[{"name":"x"}]"#,
    r#"[{"name":"x","a":1},{"name":"x","b":2}]"#,
    r#"[{"name":"x"}]"#,
    Err(ErrorKind::ElementOrderMismatch)
)]
#[case::an_item_that_the_order_lacks_and_that_says_something_else_than_delete(
    r#"[{"name":"x","a":1},{"name":"y"}]"#,
    r#"[{"name":"x","$retainKeys":["name"]}]"#,
    r#"[{"name":"y"}]"#,
    Err(ErrorKind::ElementOrderMismatch)
)]
#[case::an_item_that_replaces(
    r#"[{"name":"x","a":1},{"name":"y","a":1}]"#,
    r#"[{"name":"x","$patch":"replace"},{"name":"y","b":1}]"#,
    r#"[{"name":"y"}]"#,
    Ok(r#"[{"b":1,"name":"y"}]"#)
)]
#[case::wanted_and_deleted(
    r#"[{"name":"x","a":1},{"name":"y","a":1}]"#,
    r#"[{"name":"x","$patch":"delete"},{"name":"y","b":1}]"#,
    r#"[{"name":"x"},{"name":"y"}]"#,
    Ok(r#"[{"a":1,"b":1,"name":"y"}]"#)
)]
#[case::integers_for_names(
    r#"[{"name":1},{"name":1},{"name":2}]"#,
    r#"[{"name":1,"a":2}]"#,
    r#"[{"name":1}]"#,
    Ok(r#"[{"a":2,"name":1},{"name":1},{"name":2}]"#)
)]
#[case::integers_that_the_order_lacks(
    r#"[{"name":1},{"name":1},{"name":2}]"#,
    r#"[{"name":1,"a":2}]"#,
    r#"[{"name":2}]"#,
    Err(ErrorKind::ElementOrderMismatch)
)]
#[case::an_order_that_says_nothing(
    r#"[{"name":"x"},{"name":"y"},{"name":"z"}]"#,
    r#"[{"name":"w"},{"name":"y"}]"#,
    "[]",
    Ok(r#"[{"name":"x"},{"name":"y"},{"name":"z"},{"name":"w"}]"#)
)]
#[case::what_no_order_has_a_place_for_is_turned(
    r#"[{"name":"x"},{"name":"y"},{"name":"z"}]"#,
    r#"[{"name":"w"},{"name":"v"},{"name":"u"},{"name":"x"}]"#,
    "[]",
    Ok(r#"[{"name":"x"},{"name":"y"},{"name":"z"},{"name":"u"},{"name":"v"},{"name":"w"}]"#)
)]
fn items_are_merged_in_order(
    #[case] live: &str,
    #[case] patch: &str,
    #[case] order: &str,
    #[case] expected: Result<&str, ErrorKind>,
) {
    let live = json(&format!(r#"{{"items":{live}}}"#));
    let patch = json(&format!(r#"{{"items":{patch},"$setElementOrder/items":{order}}}"#));
    let result = patch::apply(&knowledge(), &live, &patch);
    let expected = expected.map(|items| json(&format!(r#"{{"items":{items}}}"#)));
    assert_eq!(result.map_err(|e| e.kind()), expected);
}

#[rstest]
#[case::into_no_items(
    r#"{"items":[]}"#,
    r#"{"items":[{"name":"x","a":1}]}"#,
    Ok(r#"{"items":[{"a":1,"name":"x"}]}"#)
)]
#[case::no_items(r#"{"items":[{"name":"x"}]}"#, r#"{"items":[]}"#, Ok(r#"{"items":[{"name":"x"}]}"#))]
#[case::one_found_and_one_new_stay_together(
    r#"{"items":[{"name":"x"},{"name":"s"}]}"#,
    r#"{"items":[{"name":"x","a":1},{"name":"n"}]}"#,
    Ok(r#"{"items":[{"a":1,"name":"x"},{"name":"n"},{"name":"s"}]}"#)
)]
#[case::one_found_and_two_new_stay_together(
    r#"{"items":[{"name":"x"},{"name":"s"}]}"#,
    r#"{"items":[{"name":"x","a":1},{"name":"n"},{"name":"m"}]}"#,
    Ok(r#"{"items":[{"a":1,"name":"x"},{"name":"n"},{"name":"m"},{"name":"s"}]}"#)
)]
#[case::a_name_that_is_null_and_new(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"items":[{"name":null,"a":1}]}"#,
    Ok(r#"{"items":[{"a":1,"name":null},{"name":"x"}]}"#)
)]
#[case::an_order_without_names(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"$setElementOrder/items":[{"a":1}]}"#,
    Err(ErrorKind::MissingMergeKey)
)]
#[case::names_that_go_cannot_compare(
    r#"{"items":[{"name":{}}]}"#,
    r#"{"items":[{"name":{},"a":1}]}"#,
    Err(ErrorKind::NotAScalar)
)]
#[case::a_deletion_by_what_go_cannot_compare(
    r#"{"items":[{"name":{}}]}"#,
    r#"{"items":[{"name":{},"$patch":"delete"}]}"#,
    Err(ErrorKind::NotAScalar)
)]
#[case::a_deletion_that_meets_none_of_its_like(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"items":[{"name":{},"$patch":"delete"}]}"#,
    Ok(r#"{"items":[{"name":"x"}]}"#)
)]
#[case::floats(r#"{"set":[1.5]}"#, r#"{"set":[2.5]}"#, Ok(r#"{"set":[2.5,1.5]}"#))]
#[case::the_two_zeros(r#"{"set":[0.0]}"#, r#"{"set":[-0.0]}"#, Ok(r#"{"set":[0.0]}"#))]
#[case::a_list_in_a_set_and_in_its_order(
    r#"{"set":["a"]}"#,
    r#"{"set":[[1]],"$setElementOrder/set":[[1]]}"#,
    Err(ErrorKind::NotAScalar)
)]
#[case::a_list_in_a_set_and_not_in_its_order(
    r#"{"set":["a"]}"#,
    r#"{"set":[[1]],"$setElementOrder/set":["b"]}"#,
    Err(ErrorKind::ElementOrderMismatch)
)]
#[case::nulls_are_left_out_of_what_lists_hold(
    "{}",
    r#"{"x":[{"a":null},null,[null,{"b":null}]]}"#,
    Ok(r#"{"x":[{},null,[null,{}]]}"#)
)]
fn lists_are_merged(#[case] live: &str, #[case] patch: &str, #[case] expected: Result<&str, ErrorKind>) {
    let result = patch::apply(&knowledge(), &json(live), &json(patch));
    assert_eq!(result.map_err(|e| e.kind()), expected.map(json));
}

#[rstest]
#[case::names_of_two_kinds_that_go_cannot_compare(
    r#"{"items":[{"name":{}}]}"#,
    r#"{"items":[{"name":[]}]}"#,
    Ok(r#"{"$setElementOrder/items":[{"name":[]}],"items":[{"name":[]},{"$patch":"delete","name":{}}]}"#)
)]
#[case::names_that_go_cannot_compare(
    r#"{"items":[{"name":{}}]}"#,
    r#"{"items":[{"name":{},"a":1}]}"#,
    Err(ErrorKind::NotAScalar)
)]
fn lists_are_compared(
    #[case] original: &str,
    #[case] modified: &str,
    #[case] expected: Result<&str, ErrorKind>,
) {
    let result = patch::two_way(&knowledge(), &json(original), &json(modified));
    assert_eq!(result.map_err(|e| e.kind()), expected.map(json));
}
