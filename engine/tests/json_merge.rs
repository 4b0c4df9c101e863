//! JSON merge patch, one table for each operation. Every expectation was seen on `gopkg.in/evanphx/json-patch.v4` and
//! `jsonmergepatch` of `k8s.io/apimachinery` v0.37.2 through the Go adapter.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use rstest::rstest;
use skewer_engine::document::from_json;
use skewer_engine::patch::{Precondition, ThreeWay, json_merge};
use skewer_engine::{Error, ErrorKind, OwnedDoc};

fn json(text: &str) -> OwnedDoc {
    from_json(text.as_bytes()).unwrap()
}

/// The document, or the kind of the error.
fn outcome(result: Result<OwnedDoc, Error>) -> String {
    result.map_or_else(|error| error.kind().id().to_owned(), |value| value.to_string())
}

#[rstest]
#[case::null_deletes(r#"{"a":1,"b":2}"#, r#"{"a":null}"#, r#"{"b":2}"#)]
#[case::null_adds_nothing(r#"{"b":2}"#, r#"{"a":null}"#, r#"{"b":2}"#)]
#[case::maps_merge(r#"{"m":{"a":1,"b":2}}"#, r#"{"m":{"b":3,"c":4}}"#, r#"{"m":{"a":1,"b":3,"c":4}}"#)]
#[case::null_deletes_deep_down(r#"{"m":{"n":{"a":1}}}"#, r#"{"m":{"n":{"a":null}}}"#, r#"{"m":{"n":{}}}"#)]
#[case::lists_are_replaced(r#"{"l":[1,2]}"#, r#"{"l":[3]}"#, r#"{"l":[3]}"#)]
#[case::what_is_added_has_no_nulls(r"{}", r#"{"m":{"a":null,"n":{"b":null}}}"#, r#"{"m":{"n":{}}}"#)]
#[case::nor_has_what_replaces_a_scalar(r#"{"m":1}"#, r#"{"m":{"a":null,"b":1}}"#, r#"{"m":{"b":1}}"#)]
#[case::nor_have_maps_of_a_list_that_is_added(r"{}", r#"{"l":[{"a":null},null]}"#, r#"{"l":[{},null]}"#)]
#[case::nor_have_maps_of_a_list_for_a_list(r#"{"l":[]}"#, r#"{"l":[{"a":null}]}"#, r#"{"l":[{}]}"#)]
#[case::a_list_for_a_map_keeps_them(r#"{"l":{}}"#, r#"{"l":[{"a":null}]}"#, r#"{"l":[{"a":null}]}"#)]
#[case::a_scalar_for_a_map(r#"{"m":{"a":1}}"#, r#"{"m":2}"#, r#"{"m":2}"#)]
#[case::a_map_for_null(r#"{"m":null}"#, r#"{"m":{"a":1,"b":null}}"#, r#"{"m":{"a":1}}"#)]
#[case::a_list_as_patch(r#"{"a":1}"#, r#"[{"a":null},null]"#, r"[{},null]")]
#[case::a_patch_of_a_list(r"[1]", r#"{"a":null,"b":1}"#, r#"{"b":1}"#)]
#[case::a_patch_of_a_scalar("1", r#"{"a":null,"b":1}"#, r#"{"b":1}"#)]
#[case::of_null("null", r#"{"a":1}"#, "invalid-document")]
#[case::with_null("{}", "null", "invalid-document")]
#[case::with_a_scalar("{}", "1", "invalid-document")]
fn a_patch_is_applied_as_upstream_applies_it(
    #[case] live: &str,
    #[case] patch: &str,
    #[case] expected: &str,
) {
    assert_eq!(outcome(json_merge::apply(&json(live), &json(patch))), expected);
}

#[rstest]
#[case::nothing(r#"{"a":1}"#, r#"{"a":1}"#, r"{}")]
#[case::a_change(r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":2}"#)]
#[case::an_addition_and_a_deletion(r#"{"a":1}"#, r#"{"b":2}"#, r#"{"a":null,"b":2}"#)]
#[case::inside_of_a_map(r#"{"m":{"a":1,"b":2}}"#, r#"{"m":{"a":1}}"#, r#"{"m":{"b":null}}"#)]
#[case::nothing_inside_of_a_map(r#"{"m":{"a":1}}"#, r#"{"m":{"a":1}}"#, r"{}")]
#[case::an_empty_map_is_added(r"{}", r#"{"m":{}}"#, r#"{"m":{}}"#)]
#[case::another_kind(r#"{"m":{"a":1}}"#, r#"{"m":[1]}"#, r#"{"m":[1]}"#)]
#[case::lists_are_sent_whole(r#"{"l":[1,2]}"#, r#"{"l":[1]}"#, r#"{"l":[1]}"#)]
#[case::equal_lists_are_not(r#"{"l":[1,{"a":[]}]}"#, r#"{"l":[1,{"a":[]}]}"#, r"{}")]
#[case::lists_that_differ_at_the_end(r#"{"l":[1,2]}"#, r#"{"l":[1,3]}"#, r#"{"l":[1,3]}"#)]
#[case::numbers_are_floats(r#"{"a":1,"b":1.0}"#, r#"{"a":1.0,"b":1}"#, r"{}")]
#[case::in_lists_too(r#"{"l":[1,{"a":2.0}]}"#, r#"{"l":[1.0,{"a":2}]}"#, r"{}")]
#[case::other_numbers(r#"{"a":1,"b":1.5}"#, r#"{"a":1.5,"b":1}"#, r#"{"a":1.5,"b":1}"#)]
#[case::maps_in_lists_with_fewer_fields(
    r#"{"l":[{"a":1}]}"#,
    r#"{"l":[{"a":1,"b":2}]}"#,
    r#"{"l":[{"a":1,"b":2}]}"#
)]
#[case::maps_in_lists_with_other_fields(r#"{"l":[{"a":1}]}"#, r#"{"l":[{"b":1}]}"#, r#"{"l":[{"b":1}]}"#)]
#[case::maps_in_lists_with_other_values(r#"{"l":[{"a":1}]}"#, r#"{"l":[{"a":2}]}"#, r#"{"l":[{"a":2}]}"#)]
#[case::null_is_an_empty_object("null", r#"{"a":1}"#, r#"{"a":1}"#)]
#[case::lists_item_by_item(r#"[{"a":1},{}]"#, r#"[{"a":2},{"b":1}]"#, r#"[{"a":2},{"b":1}]"#)]
#[case::lists_of_other_lengths("[{}]", "[{},{}]", "invalid-document")]
#[case::lists_of_scalars("[1]", "[1]", "invalid-document")]
#[case::a_list_and_an_object("[{}]", "{}", "wrong-kind")]
#[case::an_object_and_a_list("{}", "[{}]", "wrong-kind")]
#[case::a_scalar("1", "{}", "invalid-document")]
fn a_patch_is_created_as_upstream_creates_it(
    #[case] original: &str,
    #[case] modified: &str,
    #[case] expected: &str,
) {
    assert_eq!(outcome(json_merge::two_way(&json(original), &json(modified))), expected);
}

#[rstest]
#[case::what_others_wrote_stays(r"{}", r#"{"a":1}"#, r#"{"b":2}"#, r#"{"a":1}"#)]
#[case::what_was_applied_goes(
    r#"{"a":1,"m":{"b":1}}"#,
    r#"{"m":{}}"#,
    r#"{"a":1,"m":{"b":1,"c":1}}"#,
    r#"{"a":null,"m":{"b":null}}"#
)]
#[case::also_where_it_is_gone_already(r#"{"a":1}"#, r"{}", r"{}", r#"{"a":null}"#)]
#[case::changes_and_deletions_in_one_map(
    r#"{"m":{"a":1}}"#,
    r#"{"m":{"b":1}}"#,
    r#"{"m":{"a":1,"b":2}}"#,
    r#"{"m":{"a":null,"b":1}}"#
)]
#[case::an_empty_map_is_a_value(r"{}", r#"{"m":{}}"#, r"{}", r#"{"m":{}}"#)]
#[case::an_empty_map_was_no_deletion(r"{}", r#"{"m":{}}"#, r#"{"m":{}}"#, r"{}")]
#[case::a_list_is_a_change(r#"{"l":[1]}"#, r#"{"l":[2]}"#, r#"{"l":[1]}"#, r#"{"l":[2]}"#)]
#[case::null_that_is_wanted_deletes_what_others_wrote(r"{}", r#"{"a":null}"#, r#"{"a":1}"#, r#"{"a":null}"#)]
#[case::null_is_wanted_of_what_was_applied(r#"{"a":1}"#, r#"{"a":null}"#, r#"{"a":1}"#, r#"{"a":null}"#)]
#[case::nothing_to_say(r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":1,"b":1}"#, r"{}")]
#[case::lists_of_documents("[]", "[]", "[]", "invalid-document")]
fn a_three_way_patch_is_created_as_upstream_creates_it(
    #[case] last_applied: &str,
    #[case] modified: &str,
    #[case] live: &str,
    #[case] expected: &str,
) {
    let (last_applied, modified, live) = (json(last_applied), json(modified), json(live));
    let documents = ThreeWay { last_applied: &last_applied, modified: &modified, live: &live };
    assert_eq!(outcome(json_merge::three_way(documents, &[])), expected);
}

#[rstest]
#[case::holds(r#"{"metadata":{"name":"a"}}"#, None)]
#[case::does_not(r#"{"metadata":{"name":"b"}}"#, Some(ErrorKind::PreconditionFailed))]
fn a_precondition_is_one_on_the_patch(#[case] modified: &str, #[case] expected: Option<ErrorKind>) {
    let (live, modified) = (json(r#"{"metadata":{"name":"a"}}"#), json(modified));
    let documents = ThreeWay { last_applied: &live, modified: &modified, live: &live };
    let precondition = Precondition::MetadataKeyUnchanged("name".into());
    let result = json_merge::three_way(documents, &[precondition]);
    assert_eq!(result.err().map(|error| error.kind()), expected);
}
