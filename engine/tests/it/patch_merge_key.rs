//! `$patchMergeKey`: the rules of the merge-key document, each with the objects that the document prints.

use rstest::rstest;
use skewer_engine::patch::{self, PatchContext};
use skewer_engine::profile::Profile;
use skewer_engine::{ErrorKind, OwnedDoc};

use crate::helpers::{context_of, json, kind};

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

fn context() -> PatchContext {
    context_of(TYPES, "Root")
}

fn in_list(items: &str) -> OwnedDoc {
    json(&format!(r#"{{"list":{items}}}"#))
}

#[rstest]
#[case::a_listed_key_that_the_patch_item_lacks_must_be_missing_in_live(
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
    let result = patch::apply(&context(), &in_list(live), &in_list(patch)).unwrap();
    // The order of a merged list is the subject of other tests.
    let sorted = |value: &OwnedDoc| {
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
    ErrorKind::InvalidDirective
)]
#[case::no_list(r#"[{"$patchMergeKey":"foo","foo":"a"}]"#, ErrorKind::InvalidDirective)]
#[case::empty(r#"[{"$patchMergeKey":[],"foo":"a"}]"#, ErrorKind::InvalidDirective)]
#[case::default_not_listed(
    r#"[{"$patchMergeKey":["bar"],"foo":"a","bar":"x"}]"#,
    ErrorKind::DefaultMergeKeyMissing
)]
#[case::default_not_in_item(
    r#"[{"$patchMergeKey":["foo","bar"],"bar":"x"}]"#,
    ErrorKind::DefaultMergeKeyMissing
)]
#[case::key_is_a_map(r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":{}}]"#, ErrorKind::NotAScalar)]
fn an_invalid_or_ambiguous_key_list_is_refused(#[case] patch: &str, #[case] expected: ErrorKind) {
    let live = in_list(r#"[{"foo":"a"},{"foo":"b","other":1},{"foo":"b","other":2}]"#);
    assert_eq!(kind(patch::apply(&context(), &live, &in_list(patch))), expected);
}

#[test]
fn a_replaced_list_merges_if_its_items_carry_the_directive() {
    let live = json(r#"{"moved":[{"foo":"a","other":1},{"bar":"x"}]}"#);
    let patch = json(r#"{"moved":[{"$patchMergeKey":["foo"],"foo":"a","bar":"y"}]}"#);
    let merged = patch::apply(&context(), &live, &patch).unwrap();
    assert_eq!(merged, json(r#"{"moved":[{"foo":"a","other":1,"bar":"y"},{"bar":"x"}]}"#));
    let without = json(r#"{"moved":[{"foo":"a","bar":"y"}]}"#);
    assert_eq!(patch::apply(&context(), &live, &without).unwrap(), without);
}

#[test]
fn the_directive_is_not_stored() {
    let patch = in_list(r#"[{"$patchMergeKey":["foo"],"foo":"a"}]"#);
    let stored = in_list(r#"[{"foo":"a"}]"#);
    assert_eq!(patch::apply(&context(), &json("{}"), &patch).unwrap(), stored);
    assert_eq!(patch::apply(&context(), &in_list("[]"), &patch).unwrap(), stored);
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
    let context = context();
    let (original, modified) = (in_list(original), in_list(modified));
    let patch = patch::two_way(&context, &original, &modified).unwrap();
    assert_eq!(patch::apply(&context, &original, &patch).unwrap(), modified, "by {patch}");
    let overwrite = patch::Overwrite::Yes;
    let documents = patch::ThreeWay { last_applied: &original, modified: &modified, live: &original };
    let patch = patch::three_way(&context, documents, overwrite, &[]).unwrap();
    assert_eq!(patch::apply(&context, &original, &patch).unwrap(), modified, "by {patch}");
}

const KEYS: &str = r#"
type Root struct {
  Several []Item `json:"several,omitempty" patchStrategy:"merge" patchMergeKey:"foo,bar"`
  Plain   []Item `json:"plain,omitempty"`
}
type Item struct {
  Foo   string `json:"foo,omitempty"`
  Bar   string `json:"bar,omitempty"`
  Other int    `json:"other,omitempty"`
}
"#;

fn of_keys(profile: Profile) -> PatchContext {
    PatchContext { directives: profile.directives(), ..context_of(KEYS, "Root") }
}

#[rstest]
fn released_profiles_read_a_multi_field_merge_key_as_one_name(
    #[values(Profile::Today, Profile::Release(7))] profile: Profile,
) {
    let context = of_keys(profile);
    let live = json(r#"{"several":[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]}"#);
    let patch = json(r#"{"several":[{"foo":"a","bar":"y","other":1}]}"#);
    for refused in [
        patch::apply(&context, &live, &patch).map(|_| ()),
        patch::two_way(&context, &live, &patch).map(|_| ()),
        patch::have_conflicts(&context, &live, &patch).map(|_| ()),
    ] {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingMergeKey);
        assert!(error.to_string().contains("foo,bar"), "{error}");
    }
    let merged = patch::apply(&of_keys(Profile::Proposed), &live, &patch).unwrap();
    assert_eq!(merged, json(r#"{"several":[{"foo":"a","bar":"x"},{"foo":"a","bar":"y","other":1}]}"#));
}

#[rstest]
#[case::matched_by_the_listed_key(
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]"#,
    r#"{"plain":[{"$patchMergeKey":["bar"],"bar":"y","other":1}]}"#,
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y","other":1}]"#
)]
#[case::ordered_by_the_listed_keys(
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]"#,
    r#"{"$setElementOrder/plain":[{"foo":"a","bar":"y"},{"foo":"a","bar":"x"}],
        "plain":[{"$patchMergeKey":["bar","foo"],"foo":"a","bar":"x","other":1}]}"#,
    r#"[{"foo":"a","bar":"y"},{"foo":"a","bar":"x","other":1}]"#
)]
#[case::each_item_by_its_own_listed_keys(
    r#"[{"foo":"a","bar":"x"},{"foo":"b","bar":"x"}]"#,
    r#"{"$setElementOrder/plain":[{"foo":"b","bar":"x"},{"foo":"a","bar":"x"}],
        "plain":[{"$patchMergeKey":["foo"],"foo":"b","other":1},{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":2}]}"#,
    r#"[{"foo":"b","bar":"x","other":1},{"foo":"a","bar":"x","other":2}]"#
)]
#[case::a_null_for_a_new_item_means_a_missing_key(
    "[]",
    r#"{"$setElementOrder/plain":[{"foo":"a"}],"plain":[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null}]}"#,
    r#"[{"foo":"a"}]"#
)]
#[case::an_item_keeps_its_place_when_its_key_changes(
    r#"[{"foo":"a"},{"foo":"b","bar":"x"},{"foo":"c"}]"#,
    r#"{"plain":[{"$patchMergeKey":["foo"],"foo":"b","bar":"y"}]}"#,
    r#"[{"foo":"a"},{"foo":"b","bar":"y"},{"foo":"c"}]"#
)]
#[case::null_keys_one_after_the_other(
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"},{"foo":"b","bar":"y"}]"#,
    r#"{"plain":[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null},{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null,"other":1}]}"#,
    r#"[{"foo":"a"},{"foo":"a","other":1},{"foo":"b","bar":"y"}]"#
)]
#[case::a_deletion_has_no_key_to_remove(
    r#"[{"foo":"a","bar":"x"},{"foo":"a"}]"#,
    r#"{"plain":[{"$patchMergeKey":["foo","bar"],"$patch":"delete","foo":"a","bar":null}]}"#,
    r#"[{"foo":"a","bar":"x"}]"#
)]
fn a_list_without_a_merge_key_is_merged_by_the_listed_keys(
    #[case] live: &str,
    #[case] patch: &str,
    #[case] expected: &str,
) {
    let plain = |items: &str| json(&format!(r#"{{"plain":{items}}}"#));
    let result = patch::apply(&of_keys(Profile::Proposed), &plain(live), &json(patch)).unwrap();
    assert_eq!(result, plain(expected));
}

#[test]
fn number_of_listed_keys_is_limited() {
    let live = in_list(r#"[{"foo":"a"}]"#);
    let item = |names: &str, foo: usize| format!(r#"{{"$patchMergeKey":["foo",{names}],"foo":"{foo}"}}"#);
    let names = |n: usize| (0..n).map(|i| format!(r#""k{i}""#)).collect::<Vec<_>>().join(",");
    let sets = |n: usize| (0..n).map(|i| item(&format!(r#""k{i}""#), i)).collect::<Vec<_>>().join(",");
    let patch = |items: &str| in_list(&format!("[{items}]"));
    for allowed in [item(&names(63), 0), sets(64)] {
        patch::apply(&context(), &live, &patch(&allowed)).unwrap();
    }
    for refused in [item(&names(64), 0), sets(65)] {
        let error = patch::apply(&context(), &live, &patch(&refused)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidDirective, "{error}");
    }
}

#[rstest]
#[case::in_the_modified_document(
    r#"[{"foo":"a","bar":"x"}]"#,
    r#"[{"foo":"a","bar":null,"other":1},{"foo":"a","bar":"x"}]"#
)]
#[case::in_the_original(r#"[{"foo":"a","bar":null},{"foo":"a","bar":"x"}]"#, r#"[{"foo":"a","bar":"x"}]"#)]
fn a_null_key_in_a_document_is_not_sent_as_a_removal(#[case] original: &str, #[case] modified: &str) {
    let patch = patch::two_way(&context(), &in_list(original), &in_list(modified)).unwrap();
    let items = patch.as_map().unwrap().get("list").unwrap().as_list().unwrap();
    assert!(
        items.iter().all(|item| item.as_map().unwrap().get("bar").is_none_or(|bar| !bar.is_null())),
        "{patch}"
    );
    let live = in_list(r#"[{"foo":"a","bar":"x"},{"foo":"a","baz":"z"}]"#);
    let result = patch::apply(&context(), &live, &patch).unwrap();
    assert!(
        result.to_string().contains(r#"{"bar":"x","foo":"a"}"#),
        "what was not meant is as it was: {result}"
    );
}

#[rstest]
#[case::a_change_and_a_deletion(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["bar","foo"],"$patch":"delete","foo":"a","bar":"x"}]"#,
    r#"[{"$patchMergeKey":["bar","foo"],"$patch":"delete","foo":"a","bar":"x"}]"#
)]
#[case::other_keys_are_another_item(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","other":2}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1},{"$patchMergeKey":["foo"],"foo":"a","other":2}]"#
)]
#[case::a_removal_is_not_a_missing_key(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","other":2}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null},{"$patchMergeKey":["foo","bar"],"foo":"a","other":2}]"#
)]
#[case::two_changes(
    r#"[{"$patchMergeKey":["foo"],"foo":"a","other":1}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","bar":"y"}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","bar":"y","other":1}]"#
)]
fn patches_are_combined_by_the_listed_keys(#[case] one: &str, #[case] two: &str, #[case] expected: &str) {
    let both = patch::combine(&context(), &[in_list(one), in_list(two)]).unwrap();
    assert_eq!(both, in_list(expected));
}

#[test]
fn an_item_that_two_patches_delete_is_deleted_once() {
    let item = r#"{"$patchMergeKey":["foo"],"foo":"b"}"#;
    let deletion = r#"{"$patchMergeKey":["foo"],"$patch":"delete","foo":"a"}"#;
    let patches = [item, deletion, deletion].map(|item| in_list(&format!("[{item}]")));
    let expected = in_list(&format!("[{item},{deletion}]"));
    assert_eq!(patch::combine(&context(), &patches).unwrap(), expected);
}

#[test]
fn patches_of_which_only_one_lists_keys_are_refused() {
    let with = in_list(r#"[{"$patchMergeKey":["foo"],"foo":"a"}]"#);
    let without = in_list(r#"[{"foo":"a"}]"#);
    for patches in [[with.clone(), without.clone()], [without, with]] {
        assert_eq!(kind(patch::combine(&context(), &patches)), ErrorKind::InvalidDirective);
    }
}

#[rstest]
#[case::the_same(
    r#"[{"$patchMergeKey":["foo"],"foo":"a","other":1}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","other":1}]"#,
    false
)]
#[case::other_items(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","other":2}]"#,
    false
)]
#[case::possibly_the_same_item(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","other":2}]"#,
    true
)]
#[case::possibly_one_of_several_items(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1},{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"y","other":1}]"#,
    r#"[{"foo":"a","other":1}]"#,
    true
)]
#[case::different_fields_of_the_same_item(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","more":2}]"#,
    false
)]
#[case::the_same_item_twice_in_one_of_them(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1},{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","more":2}]"#,
    true
)]
#[case::another_default_key(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"foo":"b","other":2}]"#,
    false
)]
#[case::deleted_and_changed(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","$patch":"delete"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":2}]"#,
    true
)]
#[case::a_key_that_is_removed_from_some_item(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":2}]"#,
    true
)]
fn patches_conflict_by_the_listed_keys(#[case] left: &str, #[case] right: &str, #[case] expected: bool) {
    let (left, right) = (in_list(left), in_list(right));
    for (left, right) in [(&left, &right), (&right, &left)] {
        assert_eq!(patch::have_conflicts(&context(), left, right).unwrap(), expected);
    }
}

#[test]
fn a_list_that_is_replaced_conflicts_with_one_that_is_merged() {
    let with = json(r#"{"moved":[{"$patchMergeKey":["foo"],"foo":"a","other":1}]}"#);
    for replaced in [r#"{"moved":[]}"#, r#"{"moved":[{"foo":"b"}]}"#] {
        assert!(patch::have_conflicts(&context(), &with, &json(replaced)).unwrap());
        assert!(patch::have_conflicts(&context(), &json(replaced), &with).unwrap());
    }
}

/// So many items that a quadratic algorithm would take an hour.
#[test]
fn many_removals_of_one_key_take_linear_time() {
    let many = 20_000;
    let items = |bar: &dyn Fn(usize) -> String| {
        in_list(&format!("[{}]", (0..many).map(bar).collect::<Vec<_>>().join(",")))
    };
    let live = items(&|i| format!(r#"{{"foo":"a","bar":"{i}"}}"#));
    let patch = items(&|i| format!(r#"{{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null,"other":{i}}}"#));
    let result = patch::apply(&context(), &live, &patch).unwrap();
    assert_eq!(result, items(&|i| format!(r#"{{"foo":"a","other":{i}}}"#)));
}

const NESTED: &str = r#"
type Root struct {
  List   []Item  `json:"list,omitempty" patchStrategy:"merge" patchMergeKey:"foo" recommendedPatchMergeKey:"foo,bar"`
  Plain  []Item  `json:"plain,omitempty" patchStrategy:"merge" patchMergeKey:"foo"`
  Moved  []Item  `json:"moved,omitempty" recommendedPatchMergeKey:"foo"`
  One    *Holder `json:"one,omitempty"`
  Whole  *Holder `json:"whole,omitempty" patchStrategy:"replace"`
}
type Holder struct {
  Inner []Item `json:"inner,omitempty" patchStrategy:"merge" patchMergeKey:"foo" recommendedPatchMergeKey:"foo"`
}
type Item struct {
  Foo   string `json:"foo,omitempty"`
  Bar   string `json:"bar,omitempty"`
  Other int    `json:"other,omitempty"`
  Inner []Item `json:"inner,omitempty" patchStrategy:"merge" patchMergeKey:"foo" recommendedPatchMergeKey:"foo"`
}
"#;

fn nested() -> PatchContext {
    context_of(NESTED, "Root")
}

/// `$patchMergeKey` never shipped, and a server would refuse an object that contains it. It is removed from an added item
/// at any depth, together with the items that it deletes. Upstream stores an added item as it is, and so a deletion that
/// lists no keys.
#[rstest]
#[case::in_a_list(
    r#"{"foo":"b","inner":[{"$patchMergeKey":["foo"],"foo":"x"},{"$patchMergeKey":["foo"],"$patch":"delete","foo":"y"}]}"#,
    r#"{"foo":"b","inner":[{"foo":"x"}]}"#
)]
#[case::in_a_map_in_a_list(
    r#"{"foo":"b","inner":[{"foo":"z","inner":[{"$patchMergeKey":["foo"],"foo":"x"}]}]}"#,
    r#"{"foo":"b","inner":[{"foo":"z","inner":[{"foo":"x"}]}]}"#
)]
#[case::a_deletion_that_lists_nothing(
    r#"{"foo":"b","inner":[{"$patch":"delete","foo":"y"}]}"#,
    r#"{"foo":"b","inner":[{"$patch":"delete","foo":"y"}]}"#
)]
fn an_added_item_is_stored_without_the_unreleased_directive(#[case] added: &str, #[case] stored: &str) {
    let live = in_list(r#"[{"foo":"a"}]"#);
    let result = patch::apply(&nested(), &live, &in_list(&format!("[{added}]"))).unwrap();
    assert_eq!(result, in_list(&format!(r#"[{stored},{{"foo":"a"}}]"#)));
    let ordered = format!(r#"{{"list":[{added}],"$setElementOrder/list":[{{"foo":"a"}},{{"foo":"b"}}]}}"#);
    let result = patch::apply(&nested(), &live, &json(&ordered)).unwrap();
    assert_eq!(result, in_list(&format!(r#"[{{"foo":"a"}},{stored}]"#)));
}

/// A combined patch is applied later, so that its items need the directive.
#[test]
fn a_combined_patch_keeps_the_listed_keys() {
    let inner = r#"{"foo":"b","inner":[{"$patchMergeKey":["foo"],"foo":"x"},{"$patchMergeKey":["foo"],"$patch":"delete","foo":"y"}]}"#;
    let patches = [in_list(r#"[{"foo":"a"}]"#), in_list(&format!("[{inner}]"))];
    let both = patch::combine(&nested(), &patches).unwrap();
    assert_eq!(both, in_list(&format!(r#"[{inner},{{"foo":"a"}}]"#)));
}

/// Live may have the list by the time the patch arrives, so that an added list carries the directive, too, unless it
/// is replaced.
#[rstest]
#[case::a_list(r#"{"list":[{"foo":"a"}]}"#, r#"{"list":[{"$patchMergeKey":["foo","bar"],"foo":"a"}]}"#)]
#[case::a_list_in_an_item(
    r#"{"list":[{"foo":"a","inner":[{"foo":"x"}]}]}"#,
    r#"{"list":[{"$patchMergeKey":["foo","bar"],"foo":"a","inner":[{"$patchMergeKey":["foo"],"foo":"x"}]}]}"#
)]
#[case::a_list_in_a_map(
    r#"{"one":{"inner":[{"foo":"x"}]}}"#,
    r#"{"one":{"inner":[{"$patchMergeKey":["foo"],"foo":"x"}]}}"#
)]
#[case::a_list_in_a_map_that_is_replaced(
    r#"{"whole":{"inner":[{"foo":"x"}]}}"#,
    r#"{"whole":{"inner":[{"foo":"x"}]}}"#
)]
#[case::an_empty_list(r#"{"list":[]}"#, r#"{"list":[]}"#)]
#[case::a_list_where_the_schema_has_a_struct(r#"{"one":[1]}"#, r#"{"one":[1]}"#)]
#[case::a_moved_list(r#"{"moved":[{"foo":"a"}]}"#, r#"{"moved":[{"$patchMergeKey":["foo"],"foo":"a"}]}"#)]
#[case::a_moved_list_of_scalars(r#"{"moved":["a"]}"#, r#"{"moved":["a"]}"#)]
fn added_items_list_their_merge_keys(#[case] modified: &str, #[case] expected: &str) {
    let (empty, modified) = (json("{}"), json(modified));
    let patch = patch::two_way(&nested(), &empty, &modified).unwrap();
    assert_eq!(patch, json(expected));
    assert_eq!(patch::apply(&nested(), &empty, &patch).unwrap(), modified);
}

/// Only a map can carry the directive. A list of scalars is replaced, as its strategy says.
#[test]
fn a_moved_list_of_scalars_is_replaced() {
    let (original, modified) = (json(r#"{"moved":["a"]}"#), json(r#"{"moved":["a","b"]}"#));
    assert_eq!(patch::two_way(&nested(), &original, &modified).unwrap(), modified);
}

#[rstest]
#[case::a_field_that_is_no_key_does_not_count_in_an_order(
    r#"[{"foo":"a","bar":"x"},{"foo":"b","bar":"x"}]"#,
    r#"{"$setElementOrder/list":[{"foo":"b","other":1},{"foo":"a"}]}"#,
    r#"[{"foo":"b","bar":"x"},{"foo":"a","bar":"x"}]"#
)]
#[case::an_item_that_neither_the_order_nor_live_has_is_last(
    r#"[{"foo":"a","bar":"x"},{"foo":"b","bar":"x"}]"#,
    r#"{"list":[{"$patchMergeKey":["foo"],"foo":"a","bar":"y"}],"$setElementOrder/list":[{"foo":"a","bar":"z"},{"foo":"b","bar":"x"}]}"#,
    r#"[{"foo":"b","bar":"x"},{"foo":"a","bar":"y"}]"#
)]
#[case::a_null_for_a_listed_key_of_a_new_list_means_a_missing_key(
    "",
    r#"{"list":[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null}],"$setElementOrder/list":[{"foo":"a"}]}"#,
    r#"[{"foo":"a"}]"#
)]
#[case::an_item_twice_and_in_the_order_of_the_patch(
    r#"[{"foo":"a"},{"foo":"b"},{"foo":"s"}]"#,
    r#"{"list":[{"$patchMergeKey":["foo"],"foo":"b","other":1},{"$patchMergeKey":["foo"],"foo":"a"},{"$patchMergeKey":["foo"],"foo":"b","other":2}]}"#,
    r#"[{"foo":"b","other":2},{"foo":"a"},{"foo":"s"}]"#
)]
fn lists_are_ordered_by_the_listed_keys(#[case] live: &str, #[case] patch: &str, #[case] expected: &str) {
    let live = if live.is_empty() { json("{}") } else { in_list(live) };
    assert_eq!(patch::apply(&nested(), &live, &json(patch)).unwrap(), in_list(expected));
}

/// A list whose items need the default merge key has no item for an entry of the order without any key.
#[test]
fn an_order_item_without_keys_is_refused_if_the_default_key_is_required() {
    let patch = r#"{"plain":[{"$patchMergeKey":["foo","bar"],"foo":"a","other":1}],"$setElementOrder/plain":[{},{"foo":"a"}]}"#;
    let result = patch::apply(&nested(), &json(r#"{"plain":[{"foo":"a"}]}"#), &json(patch));
    assert_eq!(kind(result), ErrorKind::MissingMergeKey);
}

#[rstest]
#[case::most_allowed(63, true)]
#[case::one_too_many(64, false)]
#[case::two_too_many(65, false)]
fn number_of_key_lists_in_an_ordered_list_is_limited(#[case] items: usize, #[case] allowed: bool) {
    let all = |item: &dyn Fn(usize) -> String| (0..items).map(item).collect::<Vec<_>>().join(",");
    let patched = all(&|i| format!(r#"{{"$patchMergeKey":["foo","k{i}"],"foo":"{i}"}}"#));
    let order = all(&|i| format!(r#"{{"foo":"{i}"}}"#));
    let patch = json(&format!(r#"{{"list":[{patched}],"$setElementOrder/list":[{order}]}}"#));
    let result = patch::apply(&nested(), &in_list(r#"[{"foo":"0"}]"#), &patch);
    assert_eq!(
        result.map(|_| true).map_err(|e| e.kind()),
        if allowed { Ok(true) } else { Err(ErrorKind::InvalidDirective) }
    );
}
