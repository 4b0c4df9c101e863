//! Intents: the edits that a client makes on its decoded document.

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::document::{Map, OwnedMap};
use skewer_engine::error::{ErrorKind, Result};
use skewer_engine::schema::Schema;
use skewer_engine::schema::union::{Member, Union};

use super::*;
use crate::{Edit, Intent, Selector};

const TYPES: &str = r#"
type Root struct {
  A      *int              `json:"a,omitempty"`
  One    *Item             `json:"one,omitempty"`
  Items  []Item            `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Ports  []Port            `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port" recommendedPatchMergeKey:"port,protocol"`
  Plain  []Item            `json:"plain,omitempty"`
  List   []string          `json:"list,omitempty"`
  Labels map[string]string `json:"labels,omitempty"`
  Choice *Choice           `json:"choice,omitempty"`
}
type Item struct {
  Name string `json:"name"`
  X    *int   `json:"x,omitempty"`
  Y    *int   `json:"y,omitempty"`
}
type Port struct {
  Port     int    `json:"port"`
  Protocol string `json:"protocol,omitempty"`
  Name     string `json:"name,omitempty"`
}
// +union
type Choice struct {
  // +unionDiscriminator
  // +required
  Type Kind `json:"type"`
  // +unionMember
  // +optional
  First *Item `json:"first,omitempty"`
  // +unionMember
  // +optional
  Second *Item `json:"second,omitempty"`
}
// +enum
type Kind string
const (
  KindFirst Kind = "First"
  KindSecond Kind = "Second"
  KindNone Kind = ""
)
"#;

fn full_context() -> PatchContext {
    context_of(TYPES, "Root")
}

fn selector(text: &str) -> Selector {
    text.parse().unwrap()
}

fn map(text: &str) -> OwnedMap {
    json(text).as_map().unwrap().clone()
}

/// Returns the document after an edit by a client that knows all types.
fn edited(document: &str, edit: Edit) -> Result<String> {
    let mut document = json(document);
    Intent(vec![edit]).edit(&mut document, &full_context(), &full_context())?;
    Ok(document.to_string())
}

#[rstest]
#[case::existing_field(r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":2}"#)]
#[case::new_field("{}", r#"{"one":{"name":"n"}}"#, r#"{"one":{"name":"n"}}"#)]
#[case::field_of_a_struct(
    r#"{"one":{"name":"n","x":1}}"#,
    r#"{"one":{"x":2}}"#,
    r#"{"one":{"name":"n","x":2}}"#
)]
#[case::key_of_a_map(r#"{"labels":{"a":"1"}}"#, r#"{"labels":{"b":"2"}}"#, r#"{"labels":{"a":"1","b":"2"}}"#)]
#[case::existing_item(
    r#"{"items":[{"name":"a","x":1},{"name":"b","x":1}]}"#,
    r#"{"items":[{"name":"b","y":2}]}"#,
    r#"{"items":[{"name":"a","x":1},{"name":"b","x":1,"y":2}]}"#
)]
#[case::new_item(
    r#"{"items":[{"name":"a"}]}"#,
    r#"{"items":[{"name":"b"}]}"#,
    r#"{"items":[{"name":"a"},{"name":"b"}]}"#
)]
#[case::existing_item_by_all_recommended_keys(
    r#"{"ports":[{"port":53,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}"#,
    r#"{"ports":[{"port":53,"protocol":"UDP","name":"dns"}]}"#,
    r#"{"ports":[{"port":53,"protocol":"TCP"},{"name":"dns","port":53,"protocol":"UDP"}]}"#
)]
#[case::new_item_with_one_equal_recommended_key(
    r#"{"ports":[{"port":53,"protocol":"TCP"}]}"#,
    r#"{"ports":[{"port":53,"protocol":"UDP"}]}"#,
    r#"{"ports":[{"port":53,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}"#
)]
#[case::list_without_merge_keys(
    r#"{"plain":[{"name":"a","x":1}]}"#,
    r#"{"plain":[{"name":"a"}]}"#,
    r#"{"plain":[{"name":"a"}]}"#
)]
#[case::list_of_scalars(r#"{"list":["a"]}"#, r#"{"list":["b"]}"#, r#"{"list":["b"]}"#)]
#[case::scalars_in_a_list_of_maps(r#"{"items":[{"name":"a"}]}"#, r#"{"items":[1]}"#, r#"{"items":[1]}"#)]
#[case::value_of_another_kind(r#"{"one":{"x":1}}"#, r#"{"one":1}"#, r#"{"one":1}"#)]
fn set_merges_maps_and_keyed_lists_and_replaces_other_values(
    #[case] document: &str,
    #[case] values: &str,
    #[case] expected: &str,
) {
    assert_eq!(edited(document, Edit::Set(json(values))).unwrap(), expected);
}

#[rstest]
#[case::existing_map("{\"one\":{\"name\":\"n\",\"x\":1}}", "one", r#"{"y":2}"#, r#"{"one":{"y":2}}"#)]
#[case::field_with_a_new_value(r#"{"one":{"x":1}}"#, "one", r#"{"x":2}"#, r#"{"one":{"x":2}}"#)]
#[case::missing_map("{}", "one", r#"{"x":1}"#, r#"{"one":{"x":1}}"#)]
#[case::missing_parent("{}", "choice.first", r#"{"x":1}"#, r#"{"choice":{"first":{"x":1}}}"#)]
#[case::null_parent(r#"{"choice":null}"#, "choice.first", r#"{"x":1}"#, r#"{"choice":{"first":{"x":1}}}"#)]
#[case::list_item(
    r#"{"items":[{"name":"a"},{"name":"b","x":1}]}"#,
    "items[name=b]",
    r#"{"name":"b","y":1}"#,
    r#"{"items":[{"name":"a"},{"name":"b","y":1}]}"#
)]
fn choose_replaces_all_fields_of_a_map(
    #[case] document: &str,
    #[case] selected: &str,
    #[case] fields: &str,
    #[case] expected: &str,
) {
    let choose = Edit::Choose { selector: selector(selected), fields: map(fields) };
    assert_eq!(edited(document, choose).unwrap(), expected);
}

#[rstest]
#[case::known_field(&[], r#"{"one":{"y":2}}"#)]
#[case::unknown_field(&["Item.x"], r#"{"one":{"x":1,"y":2}}"#)]
#[case::field_of_a_map_of_unknown_type(&["Root.one"], r#"{"one":{"y":2}}"#)]
fn choose_keeps_fields_that_the_client_does_not_know(#[case] elements: &[&str], #[case] expected: &str) {
    let elements: Vec<_> = elements.iter().map(|element| element.parse().unwrap()).collect();
    let mut known = full_context();
    known.schema = Arc::new(known.schema.without(&elements).unwrap());
    let mut document = json(r#"{"one":{"x":1}}"#);
    let choose = Edit::Choose { selector: selector("one"), fields: map(r#"{"y":2}"#) };
    Intent(vec![choose]).edit(&mut document, &known, &full_context()).unwrap();
    assert_eq!(document.to_string(), expected);
}

#[rstest]
#[case::existing_list(r#"{"list":["a"]}"#, "list", r#""b""#, r#"{"list":["a","b"]}"#)]
#[case::missing_list("{}", "list", r#""b""#, r#"{"list":["b"]}"#)]
#[case::null_list(r#"{"list":null}"#, "list", r#""b""#, r#"{"list":["b"]}"#)]
#[case::missing_parent("{}", "choice.list", "1", r#"{"choice":{"list":[1]}}"#)]
fn add_appends_an_item(
    #[case] document: &str,
    #[case] selected: &str,
    #[case] item: &str,
    #[case] expected: &str,
) {
    let add = Edit::Add { selector: selector(selected), item: json(item) };
    assert_eq!(edited(document, add).unwrap(), expected);
}

#[rstest]
#[case::field(r#"{"a":1,"one":{}}"#, "a", r#"{"one":{}}"#)]
#[case::nested_field(r#"{"one":{"x":1,"y":2}}"#, "one.x", r#"{"one":{"y":2}}"#)]
#[case::item_by_key(
    r#"{"items":[{"name":"a"},{"name":"b"}]}"#,
    "items[name=a]",
    r#"{"items":[{"name":"b"}]}"#
)]
#[case::item_by_index(r#"{"list":["a","b","c"]}"#, "list[1]", r#"{"list":["a","c"]}"#)]
#[case::all_matching_items(r#"{"list":["a","b","a"]}"#, "list[=a]", r#"{"list":["b"]}"#)]
#[case::item_without_a_key(
    r#"{"ports":[{"port":1,"protocol":"UDP"},{"port":1}]}"#,
    "ports[port=1,protocol=null]",
    r#"{"ports":[{"port":1,"protocol":"UDP"}]}"#
)]
#[case::missing_parent(r#"{"a":1}"#, "one.x", r#"{"a":1}"#)]
#[case::item_of_a_scalar(r#"{"a":1}"#, "a[0]", r#"{"a":1}"#)]
#[case::field_of_a_list(r#"{"list":["a"]}"#, "list.a", r#"{"list":["a"]}"#)]
#[case::whole_object(r#"{"a":1}"#, ".", r#"{"a":1}"#)]
fn remove_deletes_the_selected_values_if_they_exist(
    #[case] document: &str,
    #[case] selected: &str,
    #[case] expected: &str,
) {
    assert_eq!(edited(document, Edit::Remove(selector(selected))).unwrap(), expected);
}

#[rstest]
#[case::scalars(r#"{"list":["a","b","c"]}"#, "list", r#"["c","a"]"#, r#"{"list":["c","a","b"]}"#)]
#[case::maps_by_their_merge_key(
    r#"{"items":[{"name":"a"},{"name":"b"},{"name":"c"}]}"#,
    "items",
    r#"["b","c"]"#,
    r#"{"items":[{"name":"b"},{"name":"c"},{"name":"a"}]}"#
)]
#[case::maps_by_their_first_merge_key(
    r#"{"ports":[{"port":1},{"port":2}]}"#,
    "ports",
    "[2]",
    r#"{"ports":[{"port":2},{"port":1}]}"#
)]
#[case::maps_without_merge_key_by_their_contents(
    r#"{"plain":[{"name":"a"},{"name":"b"}]}"#,
    "plain",
    r#"[{"name":"b"}]"#,
    r#"{"plain":[{"name":"b"},{"name":"a"}]}"#
)]
fn order_sorts_items_by_their_names(
    #[case] document: &str,
    #[case] selected: &str,
    #[case] order: &str,
    #[case] expected: &str,
) {
    let order = json(order).as_list().unwrap().to_vec();
    assert_eq!(edited(document, Edit::Order { selector: selector(selected), order }).unwrap(), expected);
}

#[rstest]
#[case::select_in_a_missing_union(
    "{}",
    Edit::Select { selector: selector("choice"), member: "first".into(), value: json("{}") },
    r#"{"choice":{"first":{},"type":"First"}}"#
)]
#[case::select_another_member(
    r#"{"choice":{"first":{},"type":"First"}}"#,
    Edit::Select { selector: selector("choice"), member: "second".into(), value: json(r#"{"x":1}"#) },
    r#"{"choice":{"second":{"x":1},"type":"Second"}}"#
)]
#[case::clear_a_member(
    r#"{"choice":{"first":{},"type":"First"}}"#,
    Edit::Clear(selector("choice")),
    r#"{"choice":{"type":""}}"#
)]
#[case::clear_a_missing_union("{}", Edit::Clear(selector("choice")), r#"{"choice":{"type":""}}"#)]
fn select_leaves_one_member_and_clear_leaves_none(
    #[case] document: &str,
    #[case] edit: Edit,
    #[case] expected: &str,
) {
    assert_eq!(edited(document, edit).unwrap(), expected);
}

/// A client cannot write a value that a closed enum of its types does not have. An open enum allows any value.
#[rstest]
#[case::open_enum("", r#"{"choice":{"second":{},"type":"Second"}}"#)]
#[case::closed_enum("// +enum\n", r#"{"choice":{"second":{},"type":"First"}}"#)]
fn select_sets_the_discriminator_if_the_clients_enum_allows_the_value(
    #[case] marker: &str,
    #[case] expected: &str,
) {
    let types = format!(
        "type Root struct {{\n Choice *Choice `json:\"choice,omitempty\"`\n}}\ntype Choice struct {{\n Type Kind `json:\"type\"`\n First \
         *int `json:\"first,omitempty\"`\n Second *int `json:\"second,omitempty\"`\n}}\n{marker}type Kind string\nconst A Kind = \
         \"First\""
    );
    let union = Union::discriminated(
        "type",
        ["First", "Second"],
        vec![Member::new("first", "First"), Member::new("second", "Second")],
    );
    let mut known = context_of(&types, "Root");
    known.schema = Arc::new(Schema::clone(&known.schema).with_union("Choice", union).unwrap());
    let mut document = json(r#"{"choice":{"type":"First","first":1}}"#);
    let select = Edit::Select { selector: selector("choice"), member: "second".into(), value: json("{}") };
    Intent(vec![select]).edit(&mut document, &known, &known).unwrap();
    assert_eq!(document.to_string(), expected);
}

#[rstest]
#[case::of_a_number(r#"{"a":1}"#, "a", r#"{"a":3}"#)]
#[case::of_a_number_in_an_item(
    r#"{"items":[{"name":"n","x":-1}]}"#,
    "items[name=n].x",
    r#"{"items":[{"name":"n","x":1}]}"#
)]
#[case::of_a_missing_number("{}", "one.x", r#"{"one":{"x":2}}"#)]
fn increment_adds_to_a_number(#[case] document: &str, #[case] selected: &str, #[case] expected: &str) {
    assert_eq!(edited(document, Edit::Increment { selector: selector(selected), by: 2 }).unwrap(), expected);
}

#[rstest]
#[case::increment_of_a_map(
    r#"{"one":{}}"#,
    Edit::Increment { selector: selector("one"), by: 1 },
    "the edit at one: expected an integer, found a map"
)]
#[case::increment_of_the_largest_number(
    r#"{"a":9223372036854775807}"#,
    Edit::Increment { selector: selector("a"), by: 1 },
    "the edit at a: the sum is not a 64-bit integer"
)]
#[case::add_to_a_scalar(
    r#"{"a":1}"#,
    Edit::Add { selector: selector("a"), item: json("1") },
    "the edit at a: expected a list, found an integer"
)]
#[case::order_of_a_map(
    r#"{"one":{}}"#,
    Edit::Order { selector: selector("one"), order: vec![] },
    "the edit at one: expected a list, found a map"
)]
#[case::order_of_a_missing_list(
    "{}",
    Edit::Order { selector: selector("list"), order: vec![] },
    "the edit at list: the object has no field list"
)]
#[case::choose_in_a_scalar(
    r#"{"a":1}"#,
    Edit::Choose { selector: selector("a"), fields: Map::new() },
    "the edit at a: expected a map, found an integer"
)]
#[case::field_of_a_scalar(
    r#"{"a":1}"#,
    Edit::Add { selector: selector("a.b"), item: json("1") },
    "the edit at a.b: expected a map with the field b, found an integer"
)]
#[case::item_of_a_scalar(
    r#"{"a":1}"#,
    Edit::Add { selector: selector("a[0]"), item: json("1") },
    "the edit at a[0]: expected a list, found an integer"
)]
#[case::missing_item(
    r#"{"items":[{"name":"a"}]}"#,
    Edit::Choose { selector: selector("items[name=b]"), fields: Map::new() },
    "the edit at items[name=b]: the list has no matching item"
)]
#[case::unknown_member(
    "{}",
    Edit::Select { selector: selector("choice"), member: "third".into(), value: json("{}") },
    "the edit at choice: the type has no union with a member third"
)]
#[case::type_without_union("{}", Edit::Clear(selector("one")), "the edit at one: the type has no union")]
#[case::union_in_a_scalar(
    r#"{"choice":1}"#,
    Edit::Clear(selector("choice")),
    "the edit at choice: expected a map, found an integer"
)]
fn an_edit_that_does_not_fit_the_document_is_refused(
    #[case] document: &str,
    #[case] edit: Edit,
    #[case] message: &str,
) {
    let error = edited(document, edit).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidIntent, message));
}

#[test]
fn an_intent_without_edits_is_empty() {
    assert!(Intent::default().is_empty());
    assert!(!Intent(vec![Edit::Remove(selector("a"))]).is_empty());
}

#[test]
fn edits_are_made_in_order() {
    let mut document = json("{}");
    let edits = vec![
        Edit::Add { selector: selector("list"), item: json("1") },
        Edit::Add { selector: selector("list"), item: json("2") },
        Edit::Remove(selector("list[0]")),
    ];
    Intent(edits).edit(&mut document, &full_context(), &full_context()).unwrap();
    assert_eq!(document.to_string(), r#"{"list":[2]}"#);
}
