//! `$patchMergeKey`: the rules of the patch-merge-key document, with the examples of the document.

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
#[case::live_item_must_lack_a_listed_key_that_the_patch_item_lacks(
    r#"[{"foo":"a"},{"foo":"a","bar":"x"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","other":1}]"#,
    r#"[{"foo":"a","other":1},{"foo":"a","bar":"x"}]"#
)]
#[case::all_listed_keys_must_be_equal(
    r#"[{"foo":"a"},{"foo":"a","bar":"x"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"foo":"a"},{"foo":"a","bar":"x","other":1}]"#
)]
#[case::only_the_default_key_counts_without_the_directive(
    r#"[{"foo":"a","bar":"y"}]"#,
    r#"[{"foo":"a","bar":"x","other":1}]"#,
    r#"[{"foo":"a","bar":"x","other":1}]"#
)]
#[case::subset_of_the_recommended_keys_with_one_match(
    r#"[{"foo":"a","other":0},{"foo":"b","bar":"x","other":1},{"foo":"b","bar":"x","other":2}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","other":3}]"#,
    r#"[{"foo":"a","other":3},{"foo":"b","bar":"x","other":1},{"foo":"b","bar":"x","other":2}]"#
)]
#[case::item_without_a_match_is_added(
    r#"[{"foo":"a","bar":"x"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"y"}]"#,
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]"#
)]
#[case::unlisted_key_is_added_as_a_field(
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","baz":"m"}]"#,
    r#"[{"foo":"a","bar":"x","baz":"m"},{"foo":"a","bar":"y"}]"#
)]
#[case::listed_null_key_is_removed_from_the_first_item_that_has_it(
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null}]"#,
    r#"[{"foo":"a"},{"foo":"a","bar":"y"}]"#
)]
#[case::listed_key_is_changed_by_deleting_and_adding_the_item(
    r#"[{"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"$patch":"delete","foo":"a","bar":"x"},{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"y"}]"#,
    r#"[{"foo":"a","bar":"y"}]"#
)]
#[case::unlisted_key_is_changed_as_a_field(
    r#"[{"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","bar":"y"}]"#,
    r#"[{"foo":"a","bar":"y","other":1}]"#
)]
fn items_are_matched_by_the_listed_keys(#[case] live: &str, #[case] patch: &str, #[case] expected: &str) {
    let result = patch::apply(&context(), &in_list(live), &in_list(patch)).unwrap();
    // Other tests check the order of a merged list.
    let sorted = |value: &OwnedDoc| {
        let mut items = value.as_map().unwrap().get("list").unwrap().as_list().unwrap().to_vec();
        items.sort_by_key(ToString::to_string);
        items
    };
    assert_eq!(sorted(&result), sorted(&in_list(expected)), "{result}");
}

#[rstest]
#[case::item_with_several_matches(
    r#"[{"$patchMergeKey":["foo"],"foo":"b","other":3}]"#,
    ErrorKind::AmbiguousMergeKey
)]
#[case::directive_in_only_one_item(
    r#"[{"$patchMergeKey":["foo"],"foo":"a"},{"foo":"b"}]"#,
    ErrorKind::InvalidDirective
)]
#[case::directive_is_a_string(r#"[{"$patchMergeKey":"foo","foo":"a"}]"#, ErrorKind::InvalidDirective)]
#[case::empty_key_list(r#"[{"$patchMergeKey":[],"foo":"a"}]"#, ErrorKind::InvalidDirective)]
#[case::default_key_is_not_listed(
    r#"[{"$patchMergeKey":["bar"],"foo":"a","bar":"x"}]"#,
    ErrorKind::DefaultMergeKeyMissing
)]
#[case::item_lacks_the_default_key(
    r#"[{"$patchMergeKey":["foo","bar"],"bar":"x"}]"#,
    ErrorKind::DefaultMergeKeyMissing
)]
#[case::key_value_is_a_map(r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":{}}]"#, ErrorKind::NotAScalar)]
fn an_invalid_or_ambiguous_key_list_is_refused(#[case] patch: &str, #[case] expected: ErrorKind) {
    let live = in_list(r#"[{"foo":"a"},{"foo":"b","other":1},{"foo":"b","other":2}]"#);
    assert_eq!(kind(patch::apply(&context(), &live, &in_list(patch))), expected);
}

#[test]
fn a_list_with_the_strategy_replace_is_merged_if_its_items_carry_the_directive() {
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
fn applying_a_created_patch_yields_the_modified_list(#[case] original: &str, #[case] modified: &str) {
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

fn context_of_profile(profile: Profile) -> PatchContext {
    PatchContext { directives: profile.directives(), ..context_of(KEYS, "Root") }
}

#[rstest]
fn released_profiles_read_a_multi_field_merge_key_as_one_name(
    #[values(Profile::Today, Profile::Release(7))] profile: Profile,
) {
    let context = context_of_profile(profile);
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
    let merged = patch::apply(&context_of_profile(Profile::Proposed), &live, &patch).unwrap();
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
#[case::different_keys_listed_by_each_item(
    r#"[{"foo":"a","bar":"x"},{"foo":"b","bar":"x"}]"#,
    r#"{"$setElementOrder/plain":[{"foo":"b","bar":"x"},{"foo":"a","bar":"x"}],
        "plain":[{"$patchMergeKey":["foo"],"foo":"b","other":1},{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":2}]}"#,
    r#"[{"foo":"b","bar":"x","other":1},{"foo":"a","bar":"x","other":2}]"#
)]
#[case::null_key_of_a_new_item_is_omitted(
    "[]",
    r#"{"$setElementOrder/plain":[{"foo":"a"}],"plain":[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null}]}"#,
    r#"[{"foo":"a"}]"#
)]
#[case::item_keeps_its_index_when_its_key_changes(
    r#"[{"foo":"a"},{"foo":"b","bar":"x"},{"foo":"c"}]"#,
    r#"{"plain":[{"$patchMergeKey":["foo"],"foo":"b","bar":"y"}]}"#,
    r#"[{"foo":"a"},{"foo":"b","bar":"y"},{"foo":"c"}]"#
)]
#[case::two_items_with_the_same_null_key(
    r#"[{"foo":"a","bar":"x"},{"foo":"a","bar":"y"},{"foo":"b","bar":"y"}]"#,
    r#"{"plain":[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null},{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null,"other":1}]}"#,
    r#"[{"foo":"a"},{"foo":"a","other":1},{"foo":"b","bar":"y"}]"#
)]
#[case::deletion_with_a_null_key_matches_the_item_without_the_key(
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
    let result = patch::apply(&context_of_profile(Profile::Proposed), &plain(live), &json(patch)).unwrap();
    assert_eq!(result, plain(expected));
}

#[test]
fn the_number_of_listed_keys_is_limited() {
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
#[case::in_the_original_document(
    r#"[{"foo":"a","bar":null},{"foo":"a","bar":"x"}]"#,
    r#"[{"foo":"a","bar":"x"}]"#
)]
fn a_null_key_in_a_document_does_not_become_a_removal_in_the_patch(
    #[case] original: &str,
    #[case] modified: &str,
) {
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
        "an item that the patch does not match was changed: {result}"
    );
}

#[rstest]
#[case::change_and_deletion_of_an_item(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["bar","foo"],"$patch":"delete","foo":"a","bar":"x"}]"#,
    r#"[{"$patchMergeKey":["bar","foo"],"$patch":"delete","foo":"a","bar":"x"}]"#
)]
#[case::changes_with_different_listed_keys(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","other":2}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1},{"$patchMergeKey":["foo"],"foo":"a","other":2}]"#
)]
#[case::removed_key_and_missing_key(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","other":2}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null},{"$patchMergeKey":["foo","bar"],"foo":"a","other":2}]"#
)]
#[case::two_changes_of_an_item(
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
fn combining_a_patch_that_lists_keys_with_one_that_does_not_is_refused() {
    let with = in_list(r#"[{"$patchMergeKey":["foo"],"foo":"a"}]"#);
    let without = in_list(r#"[{"foo":"a"}]"#);
    for patches in [[with.clone(), without.clone()], [without, with]] {
        assert_eq!(kind(patch::combine(&context(), &patches)), ErrorKind::InvalidDirective);
    }
}

#[rstest]
#[case::equal_patches(
    r#"[{"$patchMergeKey":["foo"],"foo":"a","other":1}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","other":1}]"#,
    false
)]
#[case::different_items(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","other":2}]"#,
    false
)]
#[case::items_that_can_be_the_same(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo"],"foo":"a","other":2}]"#,
    true
)]
#[case::item_that_can_be_one_of_several(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1},{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"y","other":1}]"#,
    r#"[{"foo":"a","other":1}]"#,
    true
)]
#[case::different_fields_of_the_same_item(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","more":2}]"#,
    false
)]
#[case::item_twice_in_one_patch(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1},{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","more":2}]"#,
    true
)]
#[case::different_default_keys(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":1}]"#,
    r#"[{"foo":"b","other":2}]"#,
    false
)]
#[case::deletion_and_change_of_an_item(
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","$patch":"delete"}]"#,
    r#"[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":"x","other":2}]"#,
    true
)]
#[case::removed_key_of_an_unknown_item(
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
fn replacing_a_list_conflicts_with_merging_it() {
    let with = json(r#"{"moved":[{"$patchMergeKey":["foo"],"foo":"a","other":1}]}"#);
    for replaced in [r#"{"moved":[]}"#, r#"{"moved":[{"foo":"b"}]}"#] {
        assert!(patch::have_conflicts(&context(), &with, &json(replaced)).unwrap());
        assert!(patch::have_conflicts(&context(), &json(replaced), &with).unwrap());
    }
}

/// The lists are so long that a quadratic algorithm would take an hour.
#[test]
fn many_removals_of_one_key_take_linear_time() {
    let length = 20_000;
    let items = |item: &dyn Fn(usize) -> String| {
        in_list(&format!("[{}]", (0..length).map(item).collect::<Vec<_>>().join(",")))
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

/// When an item is added, `$patchMergeKey` is removed from it at any depth, together with the deletions that have the
/// directive.
///
/// The directive never shipped; a server would refuse a stored object that contains it. Deletions without the directive
/// are stored, because upstream stores an added item unchanged.
#[rstest]
#[case::in_a_list(
    r#"{"foo":"b","inner":[{"$patchMergeKey":["foo"],"foo":"x"},{"$patchMergeKey":["foo"],"$patch":"delete","foo":"y"}]}"#,
    r#"{"foo":"b","inner":[{"foo":"x"}]}"#
)]
#[case::in_a_map_in_a_list(
    r#"{"foo":"b","inner":[{"foo":"z","inner":[{"$patchMergeKey":["foo"],"foo":"x"}]}]}"#,
    r#"{"foo":"b","inner":[{"foo":"z","inner":[{"foo":"x"}]}]}"#
)]
#[case::deletion_without_the_directive(
    r#"{"foo":"b","inner":[{"$patch":"delete","foo":"y"}]}"#,
    r#"{"foo":"b","inner":[{"$patch":"delete","foo":"y"}]}"#
)]
fn an_added_item_is_stored_without_the_directive(#[case] added: &str, #[case] stored: &str) {
    let live = in_list(r#"[{"foo":"a"}]"#);
    let result = patch::apply(&nested(), &live, &in_list(&format!("[{added}]"))).unwrap();
    assert_eq!(result, in_list(&format!(r#"[{stored},{{"foo":"a"}}]"#)));
    let ordered = format!(r#"{{"list":[{added}],"$setElementOrder/list":[{{"foo":"a"}},{{"foo":"b"}}]}}"#);
    let result = patch::apply(&nested(), &live, &json(&ordered)).unwrap();
    assert_eq!(result, in_list(&format!(r#"[{{"foo":"a"}},{stored}]"#)));
}

/// The items of a combined patch still need the directive, because the patch is applied later.
#[test]
fn a_combined_patch_keeps_the_listed_keys() {
    let inner = r#"{"foo":"b","inner":[{"$patchMergeKey":["foo"],"foo":"x"},{"$patchMergeKey":["foo"],"$patch":"delete","foo":"y"}]}"#;
    let patches = [in_list(r#"[{"foo":"a"}]"#), in_list(&format!("[{inner}]"))];
    let both = patch::combine(&nested(), &patches).unwrap();
    assert_eq!(both, in_list(&format!(r#"[{inner},{{"foo":"a"}}]"#)));
}

/// The items of an added list have the directive, because the live object may already have the list when the patch is
/// applied. If the list is replaced as a whole, its items do not have the directive.
#[rstest]
#[case::list(r#"{"list":[{"foo":"a"}]}"#, r#"{"list":[{"$patchMergeKey":["foo","bar"],"foo":"a"}]}"#)]
#[case::list_in_an_item(
    r#"{"list":[{"foo":"a","inner":[{"foo":"x"}]}]}"#,
    r#"{"list":[{"$patchMergeKey":["foo","bar"],"foo":"a","inner":[{"$patchMergeKey":["foo"],"foo":"x"}]}]}"#
)]
#[case::list_in_a_map(
    r#"{"one":{"inner":[{"foo":"x"}]}}"#,
    r#"{"one":{"inner":[{"$patchMergeKey":["foo"],"foo":"x"}]}}"#
)]
#[case::list_in_a_replaced_map(
    r#"{"whole":{"inner":[{"foo":"x"}]}}"#,
    r#"{"whole":{"inner":[{"foo":"x"}]}}"#
)]
#[case::empty_list(r#"{"list":[]}"#, r#"{"list":[]}"#)]
#[case::list_in_a_struct_field(r#"{"one":[1]}"#, r#"{"one":[1]}"#)]
#[case::list_with_only_recommended_keys(
    r#"{"moved":[{"foo":"a"}]}"#,
    r#"{"moved":[{"$patchMergeKey":["foo"],"foo":"a"}]}"#
)]
#[case::scalars_in_a_list_with_only_recommended_keys(r#"{"moved":["a"]}"#, r#"{"moved":["a"]}"#)]
fn added_items_list_their_merge_keys(#[case] modified: &str, #[case] expected: &str) {
    let (empty, modified) = (json("{}"), json(modified));
    let patch = patch::two_way(&nested(), &empty, &modified).unwrap();
    assert_eq!(patch, json(expected));
    assert_eq!(patch::apply(&nested(), &empty, &patch).unwrap(), modified);
}

/// Only a map can contain the directive. A list of scalars is replaced according to its strategy.
#[test]
fn a_list_of_scalars_with_only_recommended_keys_is_replaced() {
    let (original, modified) = (json(r#"{"moved":["a"]}"#), json(r#"{"moved":["a","b"]}"#));
    assert_eq!(patch::two_way(&nested(), &original, &modified).unwrap(), modified);
}

#[rstest]
#[case::other_fields_in_the_element_order_are_ignored(
    r#"[{"foo":"a","bar":"x"},{"foo":"b","bar":"x"}]"#,
    r#"{"$setElementOrder/list":[{"foo":"b","other":1},{"foo":"a"}]}"#,
    r#"[{"foo":"b","bar":"x"},{"foo":"a","bar":"x"}]"#
)]
#[case::item_with_a_key_that_the_element_order_lacks_is_last(
    r#"[{"foo":"a","bar":"x"},{"foo":"b","bar":"x"}]"#,
    r#"{"list":[{"$patchMergeKey":["foo"],"foo":"a","bar":"y"}],"$setElementOrder/list":[{"foo":"a","bar":"z"},{"foo":"b","bar":"x"}]}"#,
    r#"[{"foo":"b","bar":"x"},{"foo":"a","bar":"y"}]"#
)]
#[case::null_key_of_an_item_of_a_new_list_is_omitted(
    "",
    r#"{"list":[{"$patchMergeKey":["foo","bar"],"foo":"a","bar":null}],"$setElementOrder/list":[{"foo":"a"}]}"#,
    r#"[{"foo":"a"}]"#
)]
#[case::item_that_occurs_twice_in_the_patch(
    r#"[{"foo":"a"},{"foo":"b"},{"foo":"s"}]"#,
    r#"{"list":[{"$patchMergeKey":["foo"],"foo":"b","other":1},{"$patchMergeKey":["foo"],"foo":"a"},{"$patchMergeKey":["foo"],"foo":"b","other":2}]}"#,
    r#"[{"foo":"b","other":2},{"foo":"a"},{"foo":"s"}]"#
)]
fn lists_are_ordered_by_the_listed_keys(#[case] live: &str, #[case] patch: &str, #[case] expected: &str) {
    let live = if live.is_empty() { json("{}") } else { in_list(live) };
    assert_eq!(patch::apply(&nested(), &live, &json(patch)).unwrap(), in_list(expected));
}

#[test]
fn an_element_order_entry_without_the_default_merge_key_is_refused() {
    let patch = r#"{"plain":[{"$patchMergeKey":["foo","bar"],"foo":"a","other":1}],"$setElementOrder/plain":[{},{"foo":"a"}]}"#;
    let result = patch::apply(&nested(), &json(r#"{"plain":[{"foo":"a"}]}"#), &json(patch));
    assert_eq!(kind(result), ErrorKind::MissingMergeKey);
}

#[rstest]
#[case::maximum(63, true)]
#[case::one_too_many(64, false)]
#[case::two_too_many(65, false)]
fn the_number_of_different_key_lists_in_an_ordered_list_is_limited(
    #[case] count: usize,
    #[case] is_allowed: bool,
) {
    let items = |item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(",");
    let patched = items(&|i| format!(r#"{{"$patchMergeKey":["foo","k{i}"],"foo":"{i}"}}"#));
    let order = items(&|i| format!(r#"{{"foo":"{i}"}}"#));
    let patch = json(&format!(r#"{{"list":[{patched}],"$setElementOrder/list":[{order}]}}"#));
    let result = patch::apply(&nested(), &in_list(r#"[{"foo":"0"}]"#), &patch);
    assert_eq!(
        result.map(|_| true).map_err(|e| e.kind()),
        if is_allowed { Ok(true) } else { Err(ErrorKind::InvalidDirective) }
    );
}
