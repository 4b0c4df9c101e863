//! What directives do beside their own example: to other kinds, to what is data, where patches become one.
//!
//! Every expectation was seen on `k8s.io/apimachinery` v0.37.2 through the Go adapter.

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
  Set     []string `json:"set,omitempty" patchStrategy:"merge"`
  Keyed   []Item   `json:"keyed,omitempty" patchMergeKey:"name"`
  Union   *Item    `json:"union,omitempty" patchStrategy:"retainKeys"`
  One     *Item    `json:"one,omitempty"`
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

#[rstest]
#[case::no_list_is_no_list_to_delete_from(
    r#"{"set":"a"}"#,
    r#"{"$deleteFromPrimitiveList/set":"b"}"#,
    Ok(r#"{"set":"b"}"#)
)]
#[case::a_list_is_not_deleted_from_a_scalar(
    r#"{"set":"a"}"#,
    r#"{"$deleteFromPrimitiveList/set":["b"]}"#,
    Ok(r#"{"set":"a"}"#)
)]
#[case::a_scalar_is_not_deleted_from_a_list(
    r#"{"set":["a"]}"#,
    r#"{"$deleteFromPrimitiveList/set":"b"}"#,
    Ok(r#"{"set":["a"]}"#)
)]
#[case::a_map_is_merged_all_the_same(
    r#"{"one":{"a":1}}"#,
    r#"{"$deleteFromPrimitiveList/one":{"b":1}}"#,
    Ok(r#"{"one":{"a":1,"b":1}}"#)
)]
#[case::nothing_to_delete_from(
    r#"{"set":[]}"#,
    r#"{"$deleteFromPrimitiveList/set":["a"]}"#,
    Ok(r#"{"set":[]}"#)
)]
#[case::nothing_to_delete(
    r#"{"set":["a"]}"#,
    r#"{"$deleteFromPrimitiveList/set":[]}"#,
    Ok(r#"{"set":["a"]}"#)
)]
#[case::lists_to_delete(
    r#"{"set":["a"]}"#,
    r#"{"$deleteFromPrimitiveList/set":[[1]]}"#,
    Err(ErrorKind::MixedList)
)]
#[case::lists_to_delete_from_nothing(
    r#"{"set":[]}"#,
    r#"{"$deleteFromPrimitiveList/set":[[1]]}"#,
    Err(ErrorKind::ListOfLists)
)]
#[case::an_order_beside_the_keys_that_stay(
    r#"{"union":{"a":1,"items":[{"name":"x"},{"name":"y"}]}}"#,
    r#"{"union":{"$retainKeys":["items"],"$setElementOrder/items":[{"name":"y"},{"name":"x"}]}}"#,
    Ok(r#"{"union":{"items":[{"name":"y"},{"name":"x"}]}}"#)
)]
#[case::a_list_with_a_key_that_is_replaced_and_ordered(
    r#"{"keyed":[{"name":"x","a":1},{"name":"y"}]}"#,
    r#"{"keyed":[{"name":"x","b":1}],"$setElementOrder/keyed":[{"name":"x"}]}"#,
    Ok(r#"{"keyed":[{"b":1,"name":"x"}]}"#)
)]
#[case::an_item_that_may_not_be_stored(
    "{}",
    r#"{"items":[{"name":"x","$patch":"merge"}],"$setElementOrder/items":[{"name":"x"}]}"#,
    Ok(r#"{"items":[]}"#)
)]
#[case::a_null_in_an_ordered_item_that_is_stored(
    "{}",
    r#"{"items":[{"name":"x","a":null}],"$setElementOrder/items":[{"name":"x"}]}"#,
    Ok(r#"{"items":[{"a":null,"name":"x"}]}"#)
)]
#[case::one_deleted_and_one_added_in_order(
    r#"{"items":[{"name":"s"},{"name":"x"}]}"#,
    r#"{"items":[{"name":"x","$patch":"delete"},{"name":"n"}],"$setElementOrder/items":[{"name":"n"}]}"#,
    Ok(r#"{"items":[{"name":"s"},{"name":"n"}]}"#)
)]
fn patches_apply(#[case] live: &str, #[case] patch: &str, #[case] expected: Result<&str, ErrorKind>) {
    let result = patch::apply(&context(), &json(live), &json(patch));
    assert_eq!(result.map_err(|e| e.kind()), expected.map(json));
}

#[rstest]
#[case::what_says_nothing_of_itself_is_a_field(
    r#"{"one":{"$retainKeys":["a"],"a":1}}"#,
    r#"{"one":{"$retainKeys":["b"],"a":1}}"#,
    Err(ErrorKind::UnknownField)
)]
#[case::a_patch_directive_that_changes(
    r#"{"one":{"$patch":"a"}}"#,
    r#"{"one":{"$patch":"b"}}"#,
    Ok(r#"{"one":{"$patch":"b"}}"#)
)]
#[case::a_patch_directive_that_stays(r#"{"one":{"$patch":"a"}}"#, r#"{"one":{"$patch":"a"}}"#, Ok("{}"))]
#[case::a_patch_directive_that_is_no_string(
    r#"{"one":{"$patch":"a"}}"#,
    r#"{"one":{"$patch":1}}"#,
    Err(ErrorKind::UnknownPatchDirective)
)]
#[case::keys_that_stay(r#"{"union":{"name":"x","a":1}}"#, r#"{"union":{"name":"x","a":1}}"#, Ok("{}"))]
#[case::a_key_that_goes(
    r#"{"union":{"name":"x","a":1}}"#,
    r#"{"union":{"name":"x"}}"#,
    Ok(r#"{"union":{"$retainKeys":["name"],"a":null}}"#)
)]
#[case::a_null_that_goes(
    r#"{"union":{"name":"x","a":null}}"#,
    r#"{"union":{"name":"x"}}"#,
    Ok(r#"{"union":{"$retainKeys":["name"],"a":null}}"#)
)]
#[case::a_key_that_becomes_null(
    r#"{"union":{"name":"x","a":1}}"#,
    r#"{"union":{"name":"x","a":null}}"#,
    Ok(r#"{"union":{"$retainKeys":["name"],"a":null}}"#)
)]
#[case::all_keys_that_go(
    r#"{"union":{"name":"x","a":1}}"#,
    r#"{"union":{}}"#,
    Ok(r#"{"union":{"a":null,"name":null}}"#)
)]
#[case::a_value_that_changes(
    r#"{"union":{"name":"x"}}"#,
    r#"{"union":{"name":"y"}}"#,
    Ok(r#"{"union":{"$retainKeys":["name"],"name":"y"}}"#)
)]
fn documents_are_compared(
    #[case] original: &str,
    #[case] modified: &str,
    #[case] expected: Result<&str, ErrorKind>,
) {
    let result = patch::two_way(&context(), &json(original), &json(modified));
    assert_eq!(result.map_err(|e| e.kind()), expected.map(json));
}

/// Nothing is wanted that was not applied last time.
#[rstest]
#[case::a_key_that_only_live_has(r#"{"union":{"name":"x","a":1}}"#, r#"{"union":{"$retainKeys":["name"]}}"#)]
#[case::a_null_that_only_live_has(r#"{"union":{"name":"x","a":null}}"#, "{}")]
fn live_is_cleared(#[case] live: &str, #[case] expected: &str) {
    let (live, wanted) = (json(live), json(r#"{"union":{"name":"x"}}"#));
    let documents = ThreeWay { last_applied: &wanted, modified: &wanted, live: &live };
    assert_eq!(patch::three_way(&context(), documents, Overwrite::Yes, &[]).unwrap(), json(expected));
}

#[rstest]
#[case::other_keys_that_stay(
    r#"{"union":{"$retainKeys":["a"],"a":1}}"#,
    r#"{"union":{"$retainKeys":["b"],"b":1}}"#,
    Err(ErrorKind::RetainKeysDisagree)
)]
#[case::the_same_keys_that_stay(
    r#"{"union":{"$retainKeys":["a"],"a":1}}"#,
    r#"{"union":{"$retainKeys":["a"],"a":2}}"#,
    Ok(r#"{"union":{"$retainKeys":["a"],"a":2}}"#)
)]
#[case::keys_that_stay_in_one(
    r#"{"union":{"a":1}}"#,
    r#"{"union":{"$retainKeys":["a"],"a":2}}"#,
    Ok(r#"{"union":{"$retainKeys":["a"],"a":2}}"#)
)]
#[case::another_order(
    r#"{"$setElementOrder/set":["a"]}"#,
    r#"{"$setElementOrder/set":["b"]}"#,
    Err(ErrorKind::BadSetElementOrder)
)]
#[case::the_same_order(
    r#"{"$setElementOrder/set":["a"]}"#,
    r#"{"$setElementOrder/set":["a"]}"#,
    Ok(r#"{"$setElementOrder/set":["a"]}"#)
)]
fn patches_become_one(#[case] one: &str, #[case] two: &str, #[case] expected: Result<&str, ErrorKind>) {
    let result = patch::combine(&context(), &[json(one), json(two)]);
    assert_eq!(result.map_err(|e| e.kind()), expected.map(json));
}
