//! Admission of whole objects: unions at any depth, the pairing with the stored object, and invalid input.

use std::sync::Arc;

use rstest::rstest;

use super::*;
use crate::ErrorKind;
use crate::document::{Doc, MAX_DEPTH, Map, OwnedMap};
use crate::patch::PatchContext;
use crate::test_support::{context_of, json};
use crate::union::policy::{self, Policy};
use crate::union::{Admitted, admit};

const TYPES: &str = r#"
// +enum
type Kind string
const (
  A Kind = "A"
  C Kind = "C"
  None Kind = ""
)
type Union struct {
  // +unionDiscriminator
  // +required
  Type Kind `json:"type"`
  // +unionMember
  // +optional
  A *Inner `json:"a,omitempty"`
  // +unionMember
  // +optional
  C *Inner `json:"c,omitempty"`
}
type Inner struct {
  Size int `json:"size,omitempty"`
  Nested *Union `json:"nested,omitempty"`
}
type Item struct {
  Name string `json:"name"`
  Zone string `json:"zone,omitempty"`
  Union `json:",inline"`
}
type Two struct {
  // +unionDiscriminator
  // +required
  One Kind `json:"one"`
  // +unionDiscriminator
  // +required
  Other Kind `json:"other"`
  // +unionMember
  // +unionDiscriminatedBy=One
  // +optional
  A *int `json:"a,omitempty"`
  // +unionMember
  // +unionDiscriminatedBy=Other
  // +optional
  C *int `json:"c,omitempty"`
}
type Root struct {
  Union *Union `json:"union,omitempty"`
  ByName map[string]Union `json:"byName,omitempty"`
  Merged []Item `json:"merged,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  // +listType=map
  // +listMapKey=name
  // +listMapKey=zone
  Mapped []Item `json:"mapped,omitempty"`
  Plain []Item `json:"plain,omitempty"`
  Replaced []Item `json:"replaced,omitempty" patchMergeKey:"name"`
  // +listType=atomic
  // +listMapKey=name
  Atomic []Item `json:"atomic,omitempty"`
  Nested [][]Union `json:"nested,omitempty"`
  Two *Two `json:"two,omitempty"`
  Any interface{} `json:"any,omitempty"`
}
"#;

fn context() -> PatchContext {
    context_of(TYPES, "Root")
}

fn kep() -> &'static dyn Policy {
    policy::by_name("kep-1027").unwrap()
}

/// Admits an object under `kep-1027`. Returns the stored object, or the errors in the form `path kind`.
fn admitted(old: Option<&str>, new: &str) -> Result<String, Vec<String>> {
    let old = old.map(json);
    let admitted = admit(&context(), kep(), old.as_ref(), json(new));
    admitted.map(|admitted| admitted.object.to_string()).map_err(|errors| {
        errors
            .iter()
            .map(|e| format!("{} {}", e.path(), e.kind().id().trim_start_matches("union-")))
            .collect()
    })
}

/// The stored union.
const OLD: &str = r#""a":{"size":1},"type":"A""#;
/// A new version of the union, with both members set.
const NEW: &str = r#""a":{"size":1},"c":{},"type":"C""#;
/// The normalized form of the new version.
const NORMALIZED: &str = r#""c":{},"type":"C""#;

#[rstest]
#[case::field(r#"{"union":{@}}"#)]
#[case::map(r#"{"byName":{"x":{@}}}"#)]
#[case::merge_list(r#"{"merged":[{@,"name":"x"}]}"#)]
#[case::map_list(r#"{"mapped":[{@,"name":"x","zone":"z"}]}"#)]
#[case::list_paired_by_index(r#"{"plain":[{@}]}"#)]
#[case::list_of_lists(r#"{"nested":[[],[{@}]]}"#)]
#[case::within_a_member(r#"{"union":{"a":{"nested":{@}},"type":"A"}}"#)]
fn unions_are_admitted_at_any_depth(#[case] template: &str) {
    let sorted = |text: &str| json(text).to_string();
    let (old, new, normalized) =
        (template.replace('@', OLD), template.replace('@', NEW), template.replace('@', NORMALIZED));
    assert_eq!(admitted(Some(&old), &new), Ok(sorted(&normalized)));
}

#[rstest]
#[case::any(r#"{"any":{@}}"#)]
#[case::unknown_field(r#"{"unknown":{@}}"#)]
fn values_that_the_schema_does_not_describe_are_unchanged(#[case] template: &str) {
    let (old, new) = (template.replace('@', OLD), template.replace('@', NEW));
    assert_eq!(admitted(Some(&old), &new), Ok(json(&new).to_string()));
}

#[test]
fn changes_and_errors_have_the_path_from_the_root() {
    let old = json(&format!(r#"{{"plain":[{{}},{{"type":"","a":{{"nested":{{{OLD}}}}}}}]}}"#));
    let new = json(&format!(r#"{{"plain":[{{}},{{"type":"A","a":{{"nested":{{{NEW}}}}},"c":{{}}}}]}}"#));
    let Admitted { changes, .. } = admit(&context(), kep(), Some(&old), new).unwrap();
    let shown: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["cleared plain[1].c", "cleared plain[1].a.nested.a"]);
    let created =
        r#"{"union":{"type":"X"},"byName":{"x":{"type":"A","c":{}},"y":{"a":{},"c":{},"type":""}}}"#;
    assert_eq!(
        admitted(None, created),
        Err(vec![
            "byName.x.c unselected-member-set".to_owned(),
            "byName.x.a selected-member-empty".to_owned(),
            "byName.y.a unselected-member-set".to_owned(),
            "byName.y.c unselected-member-set".to_owned(),
            "union.type unknown-discriminator".to_owned(),
        ])
    );
}

#[test]
fn an_error_has_a_field_path_and_names_the_remedy() {
    let old = json(r#"{"merged":[{"name":"x","type":"A","a":{}}]}"#);
    let new = json(r#"{"merged":[{"name":"x","type":"A","a":{},"c":{}}]}"#);
    let errors = admit(&context(), kep(), Some(&old), new).unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "merged[0]: several members of one union are set: a, c; the discriminator type is still \"A\": change the \
         discriminator when you change members of the union"
    );
}

#[rstest]
#[case::reordered_items(r#"{"merged":[{"name":"y","type":"C","c":{}},{"name":"x","type":"A","a":{}}]}"#)]
#[case::other_item_removed(r#"{"merged":[{"name":"x","type":"A","a":{}}]}"#)]
fn items_of_a_merging_list_are_paired_by_merge_key(#[case] new: &str) {
    // If `x` were paired with the stored item at its index, its discriminator would count as modified.
    let old = r#"{"merged":[{"name":"x","type":"A","a":{}},{"name":"y","type":"C","c":{}}]}"#;
    let several = new.replace(r#""type":"A","a":{}"#, r#""type":"A","a":{},"c":{}"#);
    let errors = admitted(Some(old), &several).unwrap_err();
    assert!(errors[0].ends_with("several-members"), "{errors:?}");
}

#[test]
fn items_of_a_list_of_type_map_are_paired_by_all_keys() {
    let old =
        r#"{"mapped":[{"name":"x","zone":"1","type":"A","a":{}},{"name":"x","zone":"2","type":"C","c":{}}]}"#;
    let new = r#"{"mapped":[{"name":"x","zone":"2","type":"A","a":{},"c":{}}]}"#;
    assert_eq!(
        admitted(Some(old), new),
        Ok(json(r#"{"mapped":[{"name":"x","zone":"2","type":"A","a":{}}]}"#).to_string())
    );
}

#[test]
fn items_with_equal_keys_are_paired_in_list_order() {
    let item = |ty: &str| format!(r#"{{"name":"x","type":"{ty}","a":{{}},"c":{{}}}}"#);
    let old = format!(r#"{{"merged":[{},{}]}}"#, item("A"), item("C"));
    let errors = admitted(Some(&old), &old).unwrap_err();
    assert_eq!(errors.len(), 4);
    let of_the_items = ["merged[0] several-members", "merged[1] several-members"];
    assert_eq!([&errors[0], &errors[2]], of_the_items);
}

#[rstest]
#[case::new_item(r#"{"merged":[{"name":"y","type":"A","a":{},"c":{}}]}"#)]
#[case::item_without_merge_key(r#"{"merged":[{"type":"A","a":{},"c":{}}]}"#)]
#[case::index_beyond_the_stored_list(r#"{"plain":[{},{"name":"x","type":"A","a":{},"c":{}}]}"#)]
fn a_new_item_is_normalized_as_if_its_discriminator_had_been_empty(#[case] new: &str) {
    let old = r#"{"merged":[{"name":"x","type":"A","a":{}}],"plain":[{}]}"#;
    let stored = admitted(Some(old), new).unwrap();
    assert!(!stored.contains("\"c\""), "{stored}");
}

#[rstest]
#[case::list_without_keys("plain")]
#[case::replaced_list_with_a_merge_key("replaced")]
#[case::atomic_list_with_map_keys("atomic")]
fn items_of_other_lists_are_paired_by_index(#[case] list: &str) {
    let old = r#"{"@":[{"name":"x","type":"A","a":{}},{"name":"y","type":"C","c":{}}]}"#.replace('@', list);
    let new = r#"{"@":[{"name":"y","type":"C","a":{},"c":{}}]}"#.replace('@', list);
    let kept = r#"{"@":[{"name":"y","type":"C","c":{}}]}"#.replace('@', list);
    assert_eq!(admitted(Some(&old), &new), Ok(json(&kept).to_string()));
}

#[test]
fn two_unions_in_one_struct_are_independent() {
    let old = r#"{"two":{"one":"A","other":"C","a":1,"c":1}}"#;
    let new = r#"{"two":{"one":"","other":"C","a":1,"c":1}}"#;
    let kept = r#"{"two":{"one":"","other":"C","c":1}}"#;
    assert_eq!(admitted(Some(old), new), Ok(json(kept).to_string()));
    let second_modified = admitted(Some(old), r#"{"two":{"one":"A","other":"","a":1,"c":1}}"#);
    assert_eq!(second_modified, Ok(json(r#"{"two":{"one":"A","other":"","a":1}}"#).to_string()));
}

#[rstest]
#[case::unknown_discriminator(r#"{"union":{"type":"X"}}"#, "union.type unknown-discriminator")]
#[case::discriminator_is_a_number(r#"{"union":{"type":1}}"#, "union.type discriminator-not-a-string")]
#[case::discriminator_is_a_map(r#"{"union":{"type":{}}}"#, "union.type discriminator-not-a-string")]
#[case::selected_member_is_null(r#"{"union":{"type":"A","a":null}}"#, "union.a selected-member-empty")]
fn invalid_input_yields_an_error_kind_and_a_field_path(#[case] new: &str, #[case] error: &str) {
    for old in [None, Some("{}"), Some(r#"{"union":{"type":"C","c":{}}}"#)] {
        assert_eq!(admitted(old, new), Err(vec![error.to_owned()]));
    }
}

#[rstest]
#[case::union_missing("{}")]
#[case::union_is_null(r#"{"union":null}"#)]
#[case::union_is_a_list(r#"{"union":[{"type":"X"}]}"#)]
#[case::map_is_a_string(r#"{"byName":"x"}"#)]
#[case::list_is_a_map(r#"{"plain":{"a":{}}}"#)]
#[case::items_are_scalars(r#"{"merged":["x",1,null]}"#)]
#[case::object_is_a_list("[]")]
#[case::object_is_a_scalar("1")]
fn values_of_the_wrong_kind_are_skipped(#[case] text: &str) {
    // Decoding refuses these values, not admission.
    for (old, new) in [(text, text), ("{}", text), (r#"{"union":{"type":"A","a":{}}}"#, text)] {
        assert_eq!(admitted(Some(old), new), Ok(json(new).to_string()));
    }
    let valid = r#"{"union":{"type":"A","a":{}}}"#;
    assert_eq!(admitted(Some(text), valid), Ok(json(valid).to_string()));
}

#[test]
fn a_server_with_a_smaller_view_refuses_a_discriminator_value_that_it_does_not_know() {
    let elements = ["Union.c".parse().unwrap(), "Kind=C".parse().unwrap()];
    let view = schema(TYPES).without(&elements).unwrap();
    let old_server = PatchContext::of(Arc::new(view), "Root").unwrap();
    let errors = admit(&old_server, kep(), None, json(r#"{"union":{"type":"C","c":{}}}"#)).unwrap_err();
    assert_eq!(errors[0].kind(), ErrorKind::UnionUnknownDiscriminator);
}

#[test]
fn a_schema_without_unions_accepts_every_object() {
    let plain = PatchContext::of(Arc::new(schema("type Root struct { A int }")), "Root").unwrap();
    let admitted = admit(&plain, kep(), None, json(r#"{"A":[{"type":1}]}"#)).unwrap();
    assert_eq!(admitted.object, json(r#"{"A":[{"type":1}]}"#));
    assert!(admitted.changes.is_empty());
}

#[test]
fn an_object_that_nests_too_deeply_is_refused_without_a_stack_overflow() {
    let mut object = Doc::Map(Map::new());
    for _ in 0..=MAX_DEPTH / 2 {
        let inner = [("nested".into(), object)].into_iter().collect::<OwnedMap>();
        let union = [("type".into(), Doc::from("A")), ("a".into(), Doc::Map(inner))];
        object = Doc::Map(union.into_iter().collect());
    }
    let new = Doc::Map([("union".into(), object)].into_iter().collect());
    let errors = admit(&context(), kep(), None, new).unwrap_err();
    assert_eq!(errors[0].kind(), ErrorKind::TooDeep);
}
