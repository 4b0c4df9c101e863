//! What a client makes of an intent, in the document that it holds.

use rstest::rstest;

use std::sync::Arc;

use super::*;
use crate::document::{Map, OwnedMap};
use crate::error::{ErrorKind, Result};
use crate::schema::Schema;
use crate::schema::union::{Member, Union};
use crate::skew::{Edit, Intent, Selector};

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

fn everything() -> PatchContext {
    context_of(TYPES, "Root")
}

fn at(text: &str) -> Selector {
    text.parse().unwrap()
}

fn map(text: &str) -> OwnedMap {
    json(text).as_map().unwrap().clone()
}

/// The document after the edit by a client that knows everything.
fn edited(document: &str, edit: Edit) -> Result<String> {
    let mut document = json(document);
    Intent(vec![edit]).edit(&mut document, &everything(), &everything())?;
    Ok(document.to_string())
}

#[rstest]
#[case::a_field(r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":2}"#)]
#[case::a_new_field("{}", r#"{"one":{"name":"n"}}"#, r#"{"one":{"name":"n"}}"#)]
#[case::in_a_map(r#"{"one":{"name":"n","x":1}}"#, r#"{"one":{"x":2}}"#, r#"{"one":{"name":"n","x":2}}"#)]
#[case::in_a_map_of_any_keys(
    r#"{"labels":{"a":"1"}}"#,
    r#"{"labels":{"b":"2"}}"#,
    r#"{"labels":{"a":"1","b":"2"}}"#
)]
#[case::an_item_by_its_key(
    r#"{"items":[{"name":"a","x":1},{"name":"b","x":1}]}"#,
    r#"{"items":[{"name":"b","y":2}]}"#,
    r#"{"items":[{"name":"a","x":1},{"name":"b","x":1,"y":2}]}"#
)]
#[case::a_new_item(
    r#"{"items":[{"name":"a"}]}"#,
    r#"{"items":[{"name":"b"}]}"#,
    r#"{"items":[{"name":"a"},{"name":"b"}]}"#
)]
#[case::an_item_by_all_recommended_keys(
    r#"{"ports":[{"port":53,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}"#,
    r#"{"ports":[{"port":53,"protocol":"UDP","name":"dns"}]}"#,
    r#"{"ports":[{"port":53,"protocol":"TCP"},{"name":"dns","port":53,"protocol":"UDP"}]}"#
)]
#[case::an_item_of_which_a_key_differs(
    r#"{"ports":[{"port":53,"protocol":"TCP"}]}"#,
    r#"{"ports":[{"port":53,"protocol":"UDP"}]}"#,
    r#"{"ports":[{"port":53,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}"#
)]
#[case::a_list_without_keys(
    r#"{"plain":[{"name":"a","x":1}]}"#,
    r#"{"plain":[{"name":"a"}]}"#,
    r#"{"plain":[{"name":"a"}]}"#
)]
#[case::a_list_of_scalars(r#"{"list":["a"]}"#, r#"{"list":["b"]}"#, r#"{"list":["b"]}"#)]
#[case::scalars_in_a_list_of_maps(r#"{"items":[{"name":"a"}]}"#, r#"{"items":[1]}"#, r#"{"items":[1]}"#)]
#[case::another_kind(r#"{"one":{"x":1}}"#, r#"{"one":1}"#, r#"{"one":1}"#)]
fn what_is_set_is_set_as_deep_as_it_goes(
    #[case] document: &str,
    #[case] values: &str,
    #[case] expected: &str,
) {
    assert_eq!(edited(document, Edit::Set(json(values))).unwrap(), expected);
}

#[rstest]
#[case::no_other_field("{\"one\":{\"name\":\"n\",\"x\":1}}", "one", r#"{"y":2}"#, r#"{"one":{"y":2}}"#)]
#[case::what_is_chosen_again(r#"{"one":{"x":1}}"#, "one", r#"{"x":2}"#, r#"{"one":{"x":2}}"#)]
#[case::where_nothing_is("{}", "one", r#"{"x":1}"#, r#"{"one":{"x":1}}"#)]
#[case::where_nothing_is_for_a_while("{}", "choice.first", r#"{"x":1}"#, r#"{"choice":{"first":{"x":1}}}"#)]
#[case::where_null_is(r#"{"choice":null}"#, "choice.first", r#"{"x":1}"#, r#"{"choice":{"first":{"x":1}}}"#)]
#[case::in_an_item(
    r#"{"items":[{"name":"a"},{"name":"b","x":1}]}"#,
    "items[name=b]",
    r#"{"name":"b","y":1}"#,
    r#"{"items":[{"name":"a"},{"name":"b","y":1}]}"#
)]
fn a_chosen_map_has_the_chosen_fields_and_no_others(
    #[case] document: &str,
    #[case] selector: &str,
    #[case] fields: &str,
    #[case] expected: &str,
) {
    let choose = Edit::Choose { selector: at(selector), fields: map(fields) };
    assert_eq!(edited(document, choose).unwrap(), expected);
}

#[rstest]
#[case::what_it_knows(&[], r#"{"one":{"y":2}}"#)]
#[case::not_what_it_does_not_know(&["Item.x"], r#"{"one":{"x":1,"y":2}}"#)]
#[case::all_of_what_it_knows_no_type_of(&["Root.one"], r#"{"one":{"y":2}}"#)]
fn a_client_removes_what_it_knows(#[case] elements: &[&str], #[case] expected: &str) {
    let elements: Vec<_> = elements.iter().map(|element| element.parse().unwrap()).collect();
    let mut known = everything();
    known.schema = Arc::new(known.schema.without(&elements).unwrap());
    let mut document = json(r#"{"one":{"x":1}}"#);
    let choose = Edit::Choose { selector: at("one"), fields: map(r#"{"y":2}"#) };
    Intent(vec![choose]).edit(&mut document, &known, &everything()).unwrap();
    assert_eq!(document.to_string(), expected);
}

#[rstest]
#[case::at_the_end(r#"{"list":["a"]}"#, "list", r#""b""#, r#"{"list":["a","b"]}"#)]
#[case::where_nothing_is("{}", "list", r#""b""#, r#"{"list":["b"]}"#)]
#[case::where_null_is(r#"{"list":null}"#, "list", r#""b""#, r#"{"list":["b"]}"#)]
#[case::below_where_nothing_is("{}", "choice.list", "1", r#"{"choice":{"list":[1]}}"#)]
fn an_item_is_added_at_the_end(
    #[case] document: &str,
    #[case] selector: &str,
    #[case] item: &str,
    #[case] expected: &str,
) {
    assert_eq!(edited(document, Edit::Add { selector: at(selector), item: json(item) }).unwrap(), expected);
}

#[rstest]
#[case::a_field(r#"{"a":1,"one":{}}"#, "a", r#"{"one":{}}"#)]
#[case::a_field_further_down(r#"{"one":{"x":1,"y":2}}"#, "one.x", r#"{"one":{"y":2}}"#)]
#[case::an_item(r#"{"items":[{"name":"a"},{"name":"b"}]}"#, "items[name=a]", r#"{"items":[{"name":"b"}]}"#)]
#[case::an_item_by_its_place(r#"{"list":["a","b","c"]}"#, "list[1]", r#"{"list":["a","c"]}"#)]
#[case::all_items_that_are_meant(r#"{"list":["a","b","a"]}"#, "list[=a]", r#"{"list":["b"]}"#)]
#[case::items_without_a_key(
    r#"{"ports":[{"port":1,"protocol":"UDP"},{"port":1}]}"#,
    "ports[port=1,protocol=null]",
    r#"{"ports":[{"port":1,"protocol":"UDP"}]}"#
)]
#[case::what_is_not_there(r#"{"a":1}"#, "one.x", r#"{"a":1}"#)]
#[case::what_is_no_list(r#"{"a":1}"#, "a[0]", r#"{"a":1}"#)]
#[case::a_field_of_a_list(r#"{"list":["a"]}"#, "list.a", r#"{"list":["a"]}"#)]
#[case::not_the_object(r#"{"a":1}"#, ".", r#"{"a":1}"#)]
fn removed_values_are_gone(#[case] document: &str, #[case] selector: &str, #[case] expected: &str) {
    assert_eq!(edited(document, Edit::Remove(at(selector))).unwrap(), expected);
}

#[rstest]
#[case::scalars(r#"{"list":["a","b","c"]}"#, "list", r#"["c","a"]"#, r#"{"list":["c","a","b"]}"#)]
#[case::maps_by_their_merge_key(
    r#"{"items":[{"name":"a"},{"name":"b"},{"name":"c"}]}"#,
    "items",
    r#"["b","c"]"#,
    r#"{"items":[{"name":"b"},{"name":"c"},{"name":"a"}]}"#
)]
#[case::maps_by_the_first_of_their_keys(
    r#"{"ports":[{"port":1},{"port":2}]}"#,
    "ports",
    "[2]",
    r#"{"ports":[{"port":2},{"port":1}]}"#
)]
#[case::maps_without_a_key(
    r#"{"plain":[{"name":"a"},{"name":"b"}]}"#,
    "plain",
    r#"[{"name":"b"}]"#,
    r#"{"plain":[{"name":"b"},{"name":"a"}]}"#
)]
fn a_list_is_ordered_by_what_its_items_are_called(
    #[case] document: &str,
    #[case] selector: &str,
    #[case] order: &str,
    #[case] expected: &str,
) {
    let order = json(order).as_list().unwrap().to_vec();
    assert_eq!(edited(document, Edit::Order { selector: at(selector), order }).unwrap(), expected);
}

#[rstest]
#[case::select_from_none("{}", Edit::Select { selector: at("choice"), member: "first".into(), value: json("{}") }, r#"{"choice":{"first":{},"type":"First"}}"#)]
#[case::select_the_other(
    r#"{"choice":{"first":{},"type":"First"}}"#,
    Edit::Select { selector: at("choice"), member: "second".into(), value: json(r#"{"x":1}"#) },
    r#"{"choice":{"second":{"x":1},"type":"Second"}}"#
)]
#[case::clear(
    r#"{"choice":{"first":{},"type":"First"}}"#,
    Edit::Clear(at("choice")),
    r#"{"choice":{"type":""}}"#
)]
#[case::clear_nothing("{}", Edit::Clear(at("choice")), r#"{"choice":{"type":""}}"#)]
fn of_a_union_one_member_is_set_or_none(#[case] document: &str, #[case] edit: Edit, #[case] expected: &str) {
    assert_eq!(edited(document, edit).unwrap(), expected);
}

/// A client cannot write a value that a closed enum of its types does not have; an open one takes any.
#[rstest]
#[case::open("", r#"{"choice":{"second":{},"type":"Second"}}"#)]
#[case::closed("// +enum\n", r#"{"choice":{"second":{},"type":"First"}}"#)]
fn a_client_sets_the_values_that_its_enum_takes(#[case] marker: &str, #[case] expected: &str) {
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
    let select = Edit::Select { selector: at("choice"), member: "second".into(), value: json("{}") };
    Intent(vec![select]).edit(&mut document, &known, &known).unwrap();
    assert_eq!(document.to_string(), expected);
}

#[rstest]
#[case::add_to_a_scalar(r#"{"a":1}"#, Edit::Add { selector: at("a"), item: json("1") }, "the intent's a holds an integer, and an item is to be added")]
#[case::order_of_a_map(r#"{"one":{}}"#, Edit::Order { selector: at("one"), order: vec![] }, "the intent's one holds a map, and a list is to be ordered")]
#[case::order_of_nothing("{}", Edit::Order { selector: at("list"), order: vec![] }, "the intent's list is not in the object")]
#[case::choose_in_a_scalar(r#"{"a":1}"#, Edit::Choose { selector: at("a"), fields: Map::new() }, "fields are to be chosen in an integer, which is not a map")]
#[case::through_a_scalar(r#"{"a":1}"#, Edit::Add { selector: at("a.b"), item: json("1") }, "the intent's a.b is not in the object")]
#[case::through_no_list(r#"{"a":1}"#, Edit::Add { selector: at("a[0]"), item: json("1") }, "the intent's a[0] goes through what is no list")]
#[case::through_an_item_that_is_not_there(
    r#"{"items":[{"name":"a"}]}"#,
    Edit::Choose { selector: at("items[name=b]"), fields: Map::new() },
    "the intent's items[name=b] names an item that is not there"
)]
#[case::no_such_member(
    "{}",
    Edit::Select { selector: at("choice"), member: "third".into(), value: json("{}") },
    "the intent's choice has no union with a member third"
)]
#[case::no_union("{}", Edit::Clear(at("one")), "the intent's one has no union")]
#[case::a_union_in_a_scalar(
    r#"{"choice":1}"#,
    Edit::Clear(at("choice")),
    "the intent's choice holds an integer, and a union is in a map"
)]
fn what_cannot_be_meant_is_refused(#[case] document: &str, #[case] edit: Edit, #[case] message: &str) {
    let error = edited(document, edit).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidIntent, message));
}

#[test]
fn an_intent_without_edits_is_empty() {
    assert!(Intent::default().is_empty());
    assert!(!Intent(vec![Edit::Remove(at("a"))]).is_empty());
}

#[test]
fn edits_are_made_in_turn() {
    let mut document = json("{}");
    let edits = vec![
        Edit::Add { selector: at("list"), item: json("1") },
        Edit::Add { selector: at("list"), item: json("2") },
        Edit::Remove(at("list[0]")),
    ];
    Intent(edits).edit(&mut document, &everything(), &everything()).unwrap();
    assert_eq!(document.to_string(), r#"{"list":[2]}"#);
}
