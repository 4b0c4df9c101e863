//! The rules of strategic merge patch, one table each. Every expectation was seen on
//! `k8s.io/apimachinery` v0.37.2 through the Go adapter, which runs the same documents in the corpus.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::document::from_json;
use skewer_engine::patch::{self, Overwrite, PatchContext, ThreeWay};
use skewer_engine::schema::{Declarations, Schema};
use skewer_engine::{ErrorKind, OwnedDoc};

fn json(text: &str) -> OwnedDoc {
    from_json(text.as_bytes()).unwrap()
}

/// A type with a field of every sort that the rules speak of.
fn context() -> PatchContext {
    let field =
        |name: &str, ty: &str, patch: &str| format!(r#"{{"name":"{name}","type":{ty},"patch":{patch}}}"#);
    let list_of = |name: &str| format!(r#"{{"list":{{"named":"{name}"}}}}"#);
    let strings = r#"{"list":{"scalar":"string"}}"#;
    let merge = r#"{"strategies":["merge"],"mergeKey":["name"]}"#;
    let fields = [
        field("items", &list_of("Item"), merge),
        field("kept", &list_of("Item"), r#"{"strategies":["merge","retainKeys"],"mergeKey":["name"]}"#),
        field("plain", &list_of("Item"), "{}"),
        field("set", strings, r#"{"strategies":["merge"]}"#),
        field("list", strings, "{}"),
        field("one", r#"{"named":"Item"}"#, "{}"),
        field("union", r#"{"named":"Item"}"#, r#"{"strategies":["retainKeys"]}"#),
        field("whole", r#"{"named":"Item"}"#, r#"{"strategies":["replace"]}"#),
    ];
    let item = ["name", "a", "b"].map(|n| field(n, r#"{"scalar":"intOrString"}"#, "{}"));
    let text = format!(
        r#"{{"types":[{{"name":"Root","shape":{{"struct":[{}]}}}},{{"name":"Item","shape":{{"struct":[{},{}]}}}}]}}"#,
        fields.join(","),
        item.join(","),
        field("set", strings, r#"{"strategies":["merge"]}"#),
    );
    let declarations: Declarations = serde_json::from_str(&text).unwrap();
    PatchContext::of(Arc::new(Schema::compile(&declarations).unwrap()), "Root").unwrap()
}

#[rstest]
#[case::null_deletes(r#"{"one":{"a":1,"b":2}}"#, r#"{"one":{"a":null}}"#, r#"{"one":{"b":2}}"#)]
#[case::null_adds_nothing(r"{}", r#"{"one":{"a":null},"x":null}"#, r#"{"one":{}}"#)]
#[case::unknown_fields_are_stored(r"{}", r#"{"x":{"y":[1]}}"#, r#"{"x":{"y":[1]}}"#)]
#[case::kinds_differ_patch_wins(r#"{"one":"s"}"#, r#"{"one":{"a":1,"b":null}}"#, r#"{"one":{"a":1}}"#)]
#[case::replaced_lists_are_literal(
    r#"{"plain":[{"name":"x"}]}"#,
    r#"{"plain":[{"a":null}]}"#,
    r#"{"plain":[{"a":null}]}"#
)]
#[case::replaced_maps_are_literal(
    r#"{"whole":{"a":1}}"#,
    r#"{"whole":{"b":null}}"#,
    r#"{"whole":{"b":null}}"#
)]
#[case::items_merge_by_key(
    r#"{"items":[{"name":"x","a":1},{"name":"y"}]}"#,
    r#"{"items":[{"name":"z"},{"name":"x","b":2}]}"#,
    r#"{"items":[{"name":"z"},{"name":"x","a":1,"b":2},{"name":"y"}]}"#
)]
#[case::delete_removes_every_match(
    r#"{"items":[{"name":"x"},{"name":"y"},{"name":"x"}]}"#,
    r#"{"items":[{"name":"x","$patch":"delete"}]}"#,
    r#"{"items":[{"name":"y"}]}"#
)]
#[case::replace_replaces_the_list(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"items":[{"name":"y"},{"$patch":"replace"}]}"#,
    r#"{"items":[{"name":"y"}]}"#
)]
#[case::a_replace_item_is_itself_dropped(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"items":[{"name":"x","$patch":"replace","a":1}]}"#,
    r#"{"items":[]}"#
)]
#[case::delete_of_a_map_leaves_an_empty_one(
    r#"{"one":{"a":1}}"#,
    r#"{"one":{"$patch":"delete"}}"#,
    r#"{"one":{}}"#
)]
#[case::a_directive_map_is_not_added(r"{}", r#"{"one":{"$patch":"replace","a":1}}"#, r"{}")]
#[case::retain_keys_clears(
    r#"{"union":{"a":1}}"#,
    r#"{"union":{"$retainKeys":["b"],"b":2}}"#,
    r#"{"union":{"b":2}}"#
)]
#[case::retain_keys_acts_without_the_strategy(
    r#"{"one":{"a":1}}"#,
    r#"{"one":{"$retainKeys":[]}}"#,
    r#"{"one":{}}"#
)]
#[case::retain_keys_leaks_where_live_has_nothing(
    r"{}",
    r#"{"union":{"$retainKeys":["a"],"a":1}}"#,
    r#"{"union":{"$retainKeys":["a"],"a":1}}"#
)]
#[case::sets_unite_ordered_by_the_patch(
    r#"{"set":["a","b","c"]}"#,
    r#"{"set":["c","a","d"]}"#,
    r#"{"set":["b","c","a","d"]}"#
)]
#[case::delete_from_set(
    r#"{"set":["a","b","b"]}"#,
    r#"{"$deleteFromPrimitiveList/set":["b"]}"#,
    r#"{"set":["a"]}"#
)]
#[case::delete_from_a_replaced_list(
    r#"{"list":["a","b"]}"#,
    r#"{"$deleteFromPrimitiveList/list":["b"]}"#,
    r#"{"list":["a"]}"#
)]
#[case::pure_reorder(
    r#"{"items":[{"name":"x"},{"name":"y"},{"name":"z"}]}"#,
    r#"{"$setElementOrder/items":[{"name":"z"},{"name":"x"}]}"#,
    r#"{"items":[{"name":"y"},{"name":"z"},{"name":"x"}]}"#
)]
fn patches_apply(#[case] live: &str, #[case] patch: &str, #[case] expected: &str) {
    let (live, patch) = (json(live), json(patch));
    let before = (live.clone(), patch.clone());
    assert_eq!(patch::apply(&context(), &live, &patch).unwrap().to_string(), json(expected).to_string());
    assert_eq!((live, patch), before, "the inputs are unchanged");
}

#[rstest]
#[case(r#"{"x":{"a":1}}"#, r#"{"x":{"a":2}}"#, ErrorKind::UnknownField)]
#[case(r#"{"one":{}}"#, r#"{"one":{"$patch":"merge"}}"#, ErrorKind::UnknownPatchDirective)]
#[case(
    r#"{"items":[{"name":"x"}]}"#,
    r#"{"items":[{"name":"x","$patch":"merge"}]}"#,
    ErrorKind::MergeDirectiveInList
)]
#[case(r#"{"items":[{"name":"x"}]}"#, r#"{"items":[{"a":1}]}"#, ErrorKind::MissingMergeKey)]
#[case(r#"{"items":[{"name":"x"}]}"#, r#"{"items":[[]]}"#, ErrorKind::MixedList)]
#[case(r#"{"items":[["x"]]}"#, r#"{"items":[["y"]]}"#, ErrorKind::ListOfLists)]
#[case(r#"{"union":{"a":1}}"#, r#"{"union":{"$retainKeys":["a"],"b":1}}"#, ErrorKind::BadRetainKeys)]
#[case(r#"{"set":["a"]}"#, r#"{"$setElementOrder/set":["a"],"set":["b"]}"#, ErrorKind::ElementOrderMismatch)]
#[case(r#"{"set":["a"]}"#, r#"{"$setElementOrderset":["a"]}"#, ErrorKind::BadSetElementOrder)]
#[case(r#"{"set":["a"]}"#, r#"{"$deleteFromPrimitiveListx":["a"]}"#, ErrorKind::BadDeleteFromPrimitiveList)]
#[case(r#"{"set":["a"]}"#, r#"{"$setElementOrder/set":"a"}"#, ErrorKind::WrongKind)]
#[case::no_items_in_no_order(r#"{"items":[]}"#, r#"{"$setElementOrder/items":[]}"#, ErrorKind::EmptyList)]
#[case("[]", "{}", ErrorKind::InvalidDocument)]
fn malformed_patches_are_refused(#[case] live: &str, #[case] patch: &str, #[case] kind: ErrorKind) {
    assert_eq!(patch::apply(&context(), &json(live), &json(patch)).unwrap_err().kind(), kind);
}

#[rstest]
#[case::changes(r#"{"one":{"a":1,"b":2}}"#, r#"{"one":{"a":3}}"#, r#"{"one":{"a":3,"b":null}}"#)]
#[case::items(
    r#"{"items":[{"name":"x","a":1},{"name":"y"}]}"#,
    r#"{"items":[{"name":"z"},{"name":"x","a":2}]}"#,
    r#"{"$setElementOrder/items":[{"name":"z"},{"name":"x"}],"items":[{"name":"z"},{"a":2,"name":"x"},{"$patch":"delete","name":"y"}]}"#
)]
#[case::sets(
    r#"{"set":["a","b"]}"#,
    r#"{"set":["b","c"]}"#,
    r#"{"$deleteFromPrimitiveList/set":["a"],"$setElementOrder/set":["b","c"],"set":["c"]}"#
)]
#[case::what_a_set_repeats_is_deleted_once(
    r#"{"set":["a","b","a","b"]}"#,
    r#"{"set":["c"]}"#,
    r#"{"$deleteFromPrimitiveList/set":["a","b"],"$setElementOrder/set":["c"],"set":["c"]}"#
)]
#[case::retain_keys(
    r#"{"union":{"a":1,"name":"x"}}"#,
    r#"{"union":{"b":1,"name":"x"}}"#,
    r#"{"union":{"$retainKeys":["b","name"],"a":null,"b":1}}"#
)]
#[case::replaced_list(r#"{"list":["a"]}"#, r#"{"list":["a","b"]}"#, r#"{"list":["a","b"]}"#)]
#[case::nothing(r#"{"items":[{"name":"x"}]}"#, r#"{"items":[{"name":"x"}]}"#, "{}")]
fn two_way_patches(#[case] original: &str, #[case] modified: &str, #[case] expected: &str) {
    let patch = patch::two_way(&context(), &json(original), &json(modified)).unwrap();
    assert_eq!(patch.to_string(), json(expected).to_string());
}

/// The names of the items that were last applied, that are wanted, and that live has.
#[rstest]
#[case::gone_already(
    "ab",
    "a",
    "a",
    r#"{"$setElementOrder/items":[{"name":"a"}],"items":[{"$patch":"delete","name":"b"}]}"#
)]
#[case::deleted(
    "ab",
    "a",
    "abc",
    r#"{"$setElementOrder/items":[{"name":"a"}],"items":[{"$patch":"delete","name":"b"}]}"#
)]
#[case::in_another_order(
    "abc",
    "ac",
    "ca",
    r#"{"$setElementOrder/items":[{"name":"a"},{"name":"c"}],"items":[{"$patch":"delete","name":"b"}]}"#
)]
#[case::turned("ab", "ba", "ab", r#"{"$setElementOrder/items":[{"name":"b"},{"name":"a"}]}"#)]
#[case::added(
    "a",
    "ab",
    "a",
    r#"{"$setElementOrder/items":[{"name":"a"},{"name":"b"}],"items":[{"name":"b"}]}"#
)]
#[case::all_deleted(
    "ab",
    "",
    "ab",
    r#"{"items":[{"$patch":"delete","name":"a"},{"$patch":"delete","name":"b"}]}"#
)]
#[case::all_gone(
    "ab",
    "a",
    "",
    r#"{"$setElementOrder/items":[{"name":"a"}],"items":[{"name":"a"},{"$patch":"delete","name":"b"}]}"#
)]
fn three_way_patches(
    #[case] last_applied: &str,
    #[case] modified: &str,
    #[case] live: &str,
    #[case] expected: &str,
) {
    let items = |names: &str| {
        let items: Vec<_> = names.chars().map(|name| format!(r#"{{"name":"{name}"}}"#)).collect();
        json(&format!(r#"{{"items":[{}]}}"#, items.join(",")))
    };
    let (last_applied, modified, live) = (items(last_applied), items(modified), items(live));
    let documents = ThreeWay { last_applied: &last_applied, modified: &modified, live: &live };
    let patch = patch::three_way(&context(), documents, Overwrite::Yes, &[]).unwrap();
    assert_eq!(patch.to_string(), expected);
}

/// Maps are sorted, and few characters sort before the dollar sign; a key that begins with one hides no directive.
#[rstest]
#[case("!")]
#[case("")]
#[case("#a")]
#[case("a")]
fn a_directive_is_found_beside_any_key(#[case] other: &str) {
    let live = json(r#"{"one":{"a":1}}"#);
    let patch = json(&format!(r#"{{"one":{{"$patch":"replace","{other}":2}}}}"#));
    let result = patch::apply(&context(), &live, &patch).unwrap();
    assert_eq!(result, json(&format!(r#"{{"one":{{"{other}":2}}}}"#)));
}

/// A null for a merge key is a key like any other until a patch deletes it: the next item of the patch is then of
/// the next item of live. What is left without its key cannot be brought into order.
#[rstest]
#[case(
    r#"[{"name":null,"x":{}},{"name":null}]"#,
    r#"[{"name":null},{"name":null,"x":{}}]"#,
    ErrorKind::MissingMergeKey
)]
#[case(
    r#"[{"name":null},{"name":null,"x":{}}]"#,
    r#"[{"name":null},{"name":null,"x":{}}]"#,
    ErrorKind::UnknownField
)]
fn a_null_key_is_deleted_by_its_patch(#[case] live: &str, #[case] patch: &str, #[case] kind: ErrorKind) {
    let items = |items: &str| json(&format!(r#"{{"items":{items}}}"#));
    assert_eq!(patch::apply(&context(), &items(live), &items(patch)).unwrap_err().kind(), kind);
}
