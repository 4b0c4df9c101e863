//! Lists that merge and are ordered, where a quick way and upstream's long way must not part: what the quick way is not
//! for, and what it does to items that hold more than their names.
//!
//! Every expectation was seen on `k8s.io/apimachinery` v0.37.2 through the Go adapter; what that answers with a panic
//! of Go is [`ErrorKind::NotAScalar`] here.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::document::from_json;
use skewer_engine::patch::{self, Overwrite, PatchContext, ThreeWay};
use skewer_engine::schema::{Schema, go};
use skewer_engine::{ErrorKind, OwnedDoc};

const TYPES: &str = r#"
type Root struct {
  Items   []Item   `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Keyless []Item   `json:"keyless,omitempty" patchStrategy:"merge"`
  Set     []string `json:"set,omitempty" patchStrategy:"merge"`
  List    []string `json:"list,omitempty"`
  One     *Item    `json:"one,omitempty"`
  Whole   *Item    `json:"whole,omitempty" patchStrategy:"replace"`
}
type Item struct {
  Name string `json:"name"`
  A    int    `json:"a,omitempty"`
  B    int    `json:"b,omitempty"`
  Items []Item `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
}
"#;

fn json(text: &str) -> OwnedDoc {
    from_json(text.as_bytes()).unwrap()
}

fn context() -> PatchContext {
    let schema = Schema::compile(&go::read(TYPES).unwrap()).unwrap();
    PatchContext::of(Arc::new(schema), "Root").unwrap()
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
#[case::what_no_order_has_a_place_for_among_others(
    r#"[{"name":"f"},{"name":"b"},{"name":"e"},{"name":"a"}]"#,
    r#"[{"name":"w"},{"name":"e"},{"name":"f"},{"name":"e"}]"#,
    "[]",
    Ok(r#"[{"name":"f"},{"name":"b"},{"name":"e"},{"name":"a"},{"name":"w"}]"#)
)]
#[case::twins_keep_their_order_beside_what_has_no_place(
    r#"[{"name":"x","a":1},{"name":"x","a":2},{"name":"y"}]"#,
    r#"[{"name":"n"}]"#,
    "[]",
    Ok(r#"[{"name":"x","a":1},{"name":"x","a":2},{"name":"y"},{"name":"n"}]"#)
)]
fn items_are_merged_in_order(
    #[case] live: &str,
    #[case] patch: &str,
    #[case] order: &str,
    #[case] expected: Result<&str, ErrorKind>,
) {
    let live = json(&format!(r#"{{"items":{live}}}"#));
    let patch = json(&format!(r#"{{"items":{patch},"$setElementOrder/items":{order}}}"#));
    let result = patch::apply(&context(), &live, &patch);
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
#[case::an_order_of_a_map_without_a_name_and_no_map(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"$setElementOrder/items":[{"a":1},"y"]}"#,
    Err(ErrorKind::WrongKind)
)]
#[case::no_map_before_what_is_looked_for(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"$setElementOrder/items":[{"a":1},"y",{"name":"x"}]}"#,
    Err(ErrorKind::WrongKind)
)]
#[case::no_map_behind_what_is_looked_for(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"$setElementOrder/items":[{"name":"x"},{"a":1},"y"]}"#,
    Err(ErrorKind::MissingMergeKey)
)]
#[case::a_new_item_twice(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"items":[{"name":"n","a":1},{"name":"n","b":1}]}"#,
    Ok(r#"{"items":[{"a":1,"b":1,"name":"n"},{"name":"x"}]}"#)
)]
#[case::maps_that_are_not_stored_and_an_order_of_scalars(
    "{}",
    r#"{"set":[{"$patch":"delete"}],"$setElementOrder/set":["x"]}"#,
    Err(ErrorKind::WrongKind)
)]
#[case::maps_that_are_not_stored_and_no_order(
    "{}",
    r#"{"set":[{"$patch":"delete"}],"$setElementOrder/set":[]}"#,
    Ok(r#"{"set":[]}"#)
)]
#[case::nulls(r#"{"set":[null]}"#, r#"{"set":[null]}"#, Err(ErrorKind::NotAScalar))]
#[case::an_added_item_is_stored_with_all_that_it_holds(
    r#"{"items":[{"name":"s"}]}"#,
    r#"{"items":[{"name":"n","items":[{"name":"x","$patch":"delete"}],"one":{"$retainKeys":["a"],"a":1}}]}"#,
    Ok(r#"{"items":[{"name":"n","items":[{"name":"x","$patch":"delete"}],"one":{"$retainKeys":["a"],"a":1}},{"name":"s"}]}"#)
)]
#[case::nulls_are_left_out_of_what_lists_hold(
    "{}",
    r#"{"x":[{"a":null},null,[null,{"b":null}]]}"#,
    Ok(r#"{"x":[{},null,[null,{}]]}"#)
)]
fn lists_are_merged(#[case] live: &str, #[case] patch: &str, #[case] expected: Result<&str, ErrorKind>) {
    let result = patch::apply(&context(), &json(live), &json(patch));
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
#[case::names_without_a_name(
    r#"{"keyless":[{"":"x"}]}"#,
    r#"{"keyless":[{"":"x"}]}"#,
    Err(ErrorKind::NotAScalar)
)]
#[case::a_field_at_the_end(
    r#"{"items":[{"name":"x","a":1}]}"#,
    r#"{"items":[{"name":"x","a":1,"z":1}]}"#,
    Ok(r#"{"$setElementOrder/items":[{"name":"x"}],"items":[{"name":"x","z":1}]}"#)
)]
#[case::an_item_twice(
    r#"{"items":[{"name":"x","a":1},{"name":"x","b":1},{"name":"z"}]}"#,
    r#"{"items":[{"name":"x","a":2},{"name":"y"}]}"#,
    Ok(r#"{"$setElementOrder/items":[{"name":"x"},{"name":"y"}],"items":[{"a":2,"b":null,"name":"x"},{"name":"y"},{"$patch":"delete","name":"x"},{"$patch":"delete","name":"z"}]}"#)
)]
#[case::names_of_two_kinds(
    r#"{"items":[{"name":1},{"name":"b"},{"name":"d"}]}"#,
    r#"{"items":[{"name":"a"},{"name":"b","a":1},{"name":"c"},{"name":1}]}"#,
    Ok(r#"{"$setElementOrder/items":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":1}],"items":[{"name":"a"},{"a":1,"name":"b"},{"name":"c"},{"$patch":"delete","name":"d"}]}"#)
)]
#[case::items_that_are_turned(
    r#"{"items":[{"name":"x"},{"name":"y"}]}"#,
    r#"{"items":[{"name":"y"},{"name":"x"}]}"#,
    Ok(r#"{"$setElementOrder/items":[{"name":"y"},{"name":"x"}]}"#)
)]
#[case::scalars_that_are_turned(
    r#"{"set":["a","b"]}"#,
    r#"{"set":["b","a"]}"#,
    Ok(r#"{"$setElementOrder/set":["b","a"]}"#)
)]
#[case::twins_that_are_turned(
    r#"{"items":[{"name":"x"},{"name":"x"},{"name":"y"}]}"#,
    r#"{"items":[{"name":"y"},{"name":"x"},{"name":"x"}]}"#,
    Ok(r#"{"$setElementOrder/items":[{"name":"y"},{"name":"x"},{"name":"x"}]}"#)
)]
#[case::twins_that_stay(
    r#"{"items":[{"name":"x"},{"name":"x"},{"name":"y"}]}"#,
    r#"{"items":[{"name":"x"},{"name":"x"},{"name":"y"}]}"#,
    Ok("{}")
)]
#[case::a_scalar_in_front(
    r#"{"set":["b"]}"#,
    r#"{"set":["a","b"]}"#,
    Ok(r#"{"$setElementOrder/set":["a","b"],"set":["a"]}"#)
)]
#[case::an_item_behind_twins(
    r#"{"items":[{"name":"x"},{"name":"x"},{"name":"z","a":1}]}"#,
    r#"{"items":[{"name":"y"},{"name":"z","a":1}]}"#,
    Ok(r#"{"$setElementOrder/items":[{"name":"y"},{"name":"z"}],"items":[{"name":"y"},{"$patch":"delete","name":"x"},{"$patch":"delete","name":"x"}]}"#)
)]
#[case::a_list_that_is_replaced_and_the_same(r#"{"list":["a"]}"#, r#"{"list":["a"]}"#, Ok("{}"))]
#[case::an_unknown_map_that_is_the_same(r#"{"x":{"a":1}}"#, r#"{"x":{"a":1}}"#, Ok("{}"))]
#[case::an_unknown_map(r#"{"x":{"a":1}}"#, r#"{"x":{"a":2}}"#, Err(ErrorKind::UnknownField))]
#[case::an_unknown_list_that_is_the_same(r#"{"x":[1]}"#, r#"{"x":[1]}"#, Ok("{}"))]
#[case::an_unknown_list(r#"{"x":[1]}"#, r#"{"x":[2]}"#, Err(ErrorKind::UnknownField))]
#[case::a_map_that_is_replaced(r#"{"whole":{"a":1}}"#, r#"{"whole":{"a":2}}"#, Ok(r#"{"whole":{"a":2}}"#))]
#[case::the_first_error_by_name_is_the_second_by_place(
    r#"{"items":[{"name":"b","x":{"a":1}},{"name":"a","items":[[1]]}]}"#,
    r#"{"items":[{"name":"b","x":{"a":2}},{"name":"a","items":[[2]]}]}"#,
    Err(ErrorKind::ListOfLists)
)]
#[case::the_first_error_by_name_is_the_first_by_place(
    r#"{"items":[{"name":"a","x":{"a":1}},{"name":"b","items":[[1]]}]}"#,
    r#"{"items":[{"name":"a","x":{"a":2}},{"name":"b","items":[[2]]}]}"#,
    Err(ErrorKind::UnknownField)
)]
fn documents_are_compared(
    #[case] original: &str,
    #[case] modified: &str,
    #[case] expected: Result<&str, ErrorKind>,
) {
    let result = patch::two_way(&context(), &json(original), &json(modified));
    assert_eq!(result.map_err(|e| e.kind()), expected.map(json));
}

/// What was last applied, what is wanted, which live has already.
#[rstest]
#[case::a_field("{}", r#"{"x":1}"#, "{}")]
#[case::a_list_that_is_replaced(r#"{"list":["a"]}"#, r#"{"list":["b"]}"#, "{}")]
#[case::the_first_item(r#"{"items":[]}"#, r#"{"items":[{"name":"x"}]}"#, "{}")]
#[case::another_item(r#"{"items":[{"name":"x"}]}"#, r#"{"items":[{"name":"x"},{"name":"y"}]}"#, "{}")]
#[case::another_scalar(r#"{"set":["a"]}"#, r#"{"set":["a","b"]}"#, "{}")]
#[case::what_is_gone_already_is_deleted_all_the_same(
    r#"{"set":["a","b"]}"#,
    r#"{"set":["a"]}"#,
    r#"{"$deleteFromPrimitiveList/set":["b"],"$setElementOrder/set":["a"]}"#
)]
#[case::another_item_beside_twins(
    r#"{"items":[{"name":"x"},{"name":"x"},{"name":"z"}]}"#,
    r#"{"items":[{"name":"x"},{"name":"x"},{"name":"y"}]}"#,
    r#"{"$setElementOrder/items":[{"name":"x"},{"name":"x"},{"name":"y"}],"items":[{"$patch":"delete","name":"z"}]}"#
)]
#[case::upstream_does_not_look_whether_a_map_changed_that_is_replaced(
    r#"{"whole":{"a":1}}"#,
    r#"{"whole":{"a":2}}"#,
    r#"{"whole":{"a":2}}"#
)]
fn what_live_has_already_is_not_added(
    #[case] last_applied: &str,
    #[case] modified: &str,
    #[case] expected: &str,
) {
    let (last_applied, modified) = (json(last_applied), json(modified));
    let documents = ThreeWay { last_applied: &last_applied, modified: &modified, live: &modified };
    let patch = patch::three_way(&context(), documents, Overwrite::Yes, &[]).unwrap();
    assert_eq!(patch, json(expected));
}

/// A patch that is merged into another keeps its nulls: they delete when the two are applied.
#[test]
fn nulls_stay_where_patches_are_merged() {
    let patches = [json(r#"{"one":{"a":1}}"#), json(r#"{"one":{"b":null},"x":null}"#)];
    let both = patch::combine(&context(), &patches).unwrap();
    assert_eq!(both, json(r#"{"one":{"a":1,"b":null},"x":null}"#));
}

#[rstest]
#[case::what_go_cannot_compare(r#"{"$patch":{}}"#, r#"{"$patch":{}}"#, Err(ErrorKind::NotAScalar))]
#[case::of_two_kinds(r#"{"$patch":{}}"#, r#"{"$patch":[]}"#, Ok(true))]
#[case::a_word_and_a_map(r#"{"$patch":"delete"}"#, r#"{"$patch":{}}"#, Ok(true))]
#[case::a_map_and_a_word(r#"{"$patch":{}}"#, r#"{"$patch":"delete"}"#, Ok(true))]
fn directives_are_compared_as_go_compares(
    #[case] left: &str,
    #[case] right: &str,
    #[case] expected: Result<bool, ErrorKind>,
) {
    let conflicts = patch::have_conflicts(&context(), &json(left), &json(right));
    assert_eq!(conflicts.map_err(|e| e.kind()), expected);
}
