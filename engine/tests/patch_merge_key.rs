//! `$patchMergeKey`: the rules of the merge-key document, each with the objects that the document prints.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::patch::{self, Knowledge};
use skewer_engine::schema::{Schema, go};
use skewer_engine::value::from_json;
use skewer_engine::{ErrorKind, Value};

const TYPES: &str = r#"
type Root struct {
  List   []Item   `json:"list,omitempty" patchStrategy:"merge" patchMergeKey:"foo" recommendedPatchMergeKey:"foo,bar,baz"`
  Moved  []Item   `json:"moved,omitempty" recommendedPatchMergeKey:"foo"`
}
type Item struct {
  Foo   string `json:"foo,omitempty"`
  Bar   string `json:"bar,omitempty"`
  Baz   string `json:"baz,omitempty"`
  Other int    `json:"other,omitempty"`
}
"#;

fn json(text: &str) -> Value {
    from_json(text.as_bytes()).unwrap()
}

fn knowledge() -> Knowledge {
    let declarations = go::read(TYPES).unwrap();
    Knowledge::of(Arc::new(Schema::compile(&declarations).unwrap()), "Root").unwrap()
}

fn in_list(items: &str) -> Value {
    json(&format!(r#"{{"list":{items}}}"#))
}

#[rstest]
#[case::a_listed_key_that_the_item_lacks_must_be_lacking(
    r#"[{"foo":"a"},{"foo":"a","bar":"x"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","other":1}]"#,
    r#"[{"foo":"a","other":1},{"foo":"a","bar":"x"}]"#
)]
#[case::all_listed_keys_must_be_equal(
    r#"[{"foo":"a"},{"foo":"a","bar":"x"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"foo":"a"},{"foo":"a","bar":"x","other":1}]"#
)]
#[case::without_the_directive_the_default_key_alone_counts(
    r#"[{"foo":"a","bar":"y"}]"#,
    r#"[{"foo":"a","bar":"x","other":1}]"#,
    r#"[{"foo":"a","bar":"x","other":1}]"#
)]
#[case::part_of_the_keys_that_matches_one(
    r#"[{"foo":"a","other":0},{"foo":"b","bar":"x","other":1},{"foo":"b","bar":"x","other":2}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","other":3}]"#,
    r#"[{"foo":"a","other":3},{"foo":"b","bar":"x","other":1},{"foo":"b","bar":"x","other":2}]"#
)]
#[case::no_match_appends(
    r#"[{"foo":"a","bar":"x"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"y"}]"#,
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]"#
)]
#[case::an_unlisted_key_is_added_as_a_field(
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","baz":"m"}]"#,
    r#"[{"foo":"a","bar":"x","baz":"m"},{"foo":"a","bar":"y"}]"#
)]
#[case::a_listed_null_key_is_removed_from_the_first_that_has_it(
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null}]"#,
    r#"[{"foo":"a"},{"foo":"a","bar":"y"}]"#
)]
#[case::a_listed_key_changes_by_deletion_and_creation(
    r#"[{"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"$patch":"delete","foo":"a","bar":"x"},{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"y"}]"#,
    r#"[{"foo":"a","bar":"y"}]"#
)]
#[case::an_unlisted_key_changes_as_a_field(
    r#"[{"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","bar":"y"}]"#,
    r#"[{"foo":"a","bar":"y","other":1}]"#
)]
fn items_are_found_by_the_listed_keys(#[case] live: &str, #[case] patch: &str, #[case] expected: &str) {
    let result = patch::apply(&knowledge(), &in_list(live), &in_list(patch)).unwrap();
    // The order of a merged list is the subject of other tests.
    let sorted = |value: &Value| {
        let mut items = value.as_map().unwrap().get("list").unwrap().as_list().unwrap().to_vec();
        items.sort_by_key(ToString::to_string);
        items
    };
    assert_eq!(sorted(&result), sorted(&in_list(expected)), "{result}");
}

#[rstest]
#[case::matches_more_than_one(
    r#"[{"$patchMergeKey":["foo"],"foo":"b","other":3}]"#,
    ErrorKind::AmbiguousMergeKey
)]
#[case::in_one_item_only(
    r#"[{"$patchMergeKey":["foo"],"foo":"a"},{"foo":"b"}]"#,
    ErrorKind::BadPatchMergeKey
)]
#[case::no_list(r#"[{"$patchMergeKey":"foo","foo":"a"}]"#, ErrorKind::BadPatchMergeKey)]
#[case::empty(r#"[{"$patchMergeKey":[],"foo":"a"}]"#, ErrorKind::BadPatchMergeKey)]
#[case::default_not_listed(
    r#"[{"$patchMergeKey":["bar"],"foo":"a","bar":"x"}]"#,
    ErrorKind::DefaultMergeKeyMissing
)]
#[case::default_not_in_item(
    r#"[{"$patchMergeKey":["foo","bar"],"bar":"x"}]"#,
    ErrorKind::DefaultMergeKeyMissing
)]
#[case::key_is_a_map(r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":{}}]"#, ErrorKind::NotAScalar)]
fn what_cannot_be_found_is_refused(#[case] patch: &str, #[case] kind: ErrorKind) {
    let live = in_list(r#"[{"foo":"a"},{"foo":"b","other":1},{"foo":"b","other":2}]"#);
    assert_eq!(patch::apply(&knowledge(), &live, &in_list(patch)).unwrap_err().kind(), kind);
}

#[test]
fn a_replaced_list_merges_when_the_directive_is_there() {
    let live = json(r#"{"moved":[{"foo":"a","other":1},{"bar":"x"}]}"#);
    let patch = json(r#"{"moved":[{"$patchMergeKey":["foo"],"foo":"a","bar":"y"}]}"#);
    let merged = patch::apply(&knowledge(), &live, &patch).unwrap();
    assert_eq!(merged, json(r#"{"moved":[{"foo":"a","other":1,"bar":"y"},{"bar":"x"}]}"#));
    let without = json(r#"{"moved":[{"foo":"a","bar":"y"}]}"#);
    assert_eq!(patch::apply(&knowledge(), &live, &without).unwrap(), without);
}

#[test]
fn the_directive_is_not_stored() {
    let patch = in_list(r#"[{"$patchMergeKey":["foo"],"foo":"a"}]"#);
    let stored = in_list(r#"[{"foo":"a"}]"#);
    assert_eq!(patch::apply(&knowledge(), &json("{}"), &patch).unwrap(), stored);
    assert_eq!(patch::apply(&knowledge(), &in_list("[]"), &patch).unwrap(), stored);
}

#[rstest]
#[case(r#"[{"foo":"a","bar":"x"}]"#, r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]"#)]
#[case(r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]"#, r#"[{"foo":"a","bar":"y"}]"#)]
#[case(
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]"#,
    r#"[{"foo":"a","bar":"y","other":1},{"foo":"a","bar":"x"}]"#
)]
#[case(r#"[{"foo":"a","bar":"x","other":1}]"#, r#"[{"foo":"a","bar":"z","other":1}]"#)]
#[case(
    r#"[{"foo":"a"},{"foo":"a","bar":"x"}]"#,
    r#"[{"foo":"a","baz":"q"},{"foo":"a","bar":"x","other":3}]"#
)]
#[case(r"[]", r#"[{"foo":"a"},{"foo":"a","bar":"x"}]"#)]
fn a_created_patch_leads_to_the_modified_list(#[case] original: &str, #[case] modified: &str) {
    let knowledge = knowledge();
    let (original, modified) = (in_list(original), in_list(modified));
    let patch = patch::two_way(&knowledge, &original, &modified).unwrap();
    assert_eq!(patch::apply(&knowledge, &original, &patch).unwrap(), modified, "by {patch}");
    let overwrite = patch::Overwrite::Yes;
    let documents = patch::ThreeWay { last_applied: &original, modified: &modified, live: &original };
    let patch = patch::three_way(&knowledge, documents, overwrite, &[]).unwrap();
    assert_eq!(patch::apply(&knowledge, &original, &patch).unwrap(), modified, "by {patch}");
}
