//! Decoding and encoding again, as `encoding/json` does it with Go types.

use rstest::rstest;

use super::*;
use crate::ErrorKind;
use crate::skew::{UnknownFieldHandling, convert};

const TYPES: &str = r#"
// +enum
type Kind string
const KindA Kind = "A"
type Root struct {
  Text    string             `json:"text"`
  Data    []byte             `json:"data"`
  Integer int64              `json:"integer"`
  Number  float64            `json:"number"`
  Flag    bool               `json:"flag"`
  Port    intstr.IntOrString `json:"port"`
  Kind    Kind               `json:"kind"`
  List    []string           `json:"list"`
  Labels  map[string]string  `json:"labels"`
  Items   []Item             `json:"items"`
  One     Item               `json:"one"`
  Any     any                `json:"any"`
  Short   Short              `json:"short"`
}
type Item struct {
  Name string `json:"name"`
}
type Short struct {
  Text    string            `json:"text,omitempty"`
  Integer int64             `json:"integer,omitempty"`
  Number  float64           `json:"number,omitempty"`
  Flag    bool              `json:"flag,omitempty"`
  List    []string          `json:"list,omitempty"`
  Labels  map[string]string `json:"labels,omitempty"`
  Item    Item              `json:"item,omitempty"`
  Pointer *int64            `json:"pointer,omitempty"`
}
"#;

#[rstest]
#[case::what_fits_stays(
    r#"{"data":"aGk=","flag":true,"integer":-1,"items":[{"name":"a"}],"kind":"A","labels":{"a":"b"},"list":["a"],"number":1.5,"one":{"name":"x"},"port":80,"text":"t"}"#,
    r#"{"data":"aGk=","flag":true,"integer":-1,"items":[{"name":"a"}],"kind":"A","labels":{"a":"b"},"list":["a"],"number":1.5,"one":{"name":"x"},"port":80,"text":"t"}"#
)]
#[case::an_integer_is_a_number(r#"{"number":1}"#, r#"{"number":1}"#)]
#[case::a_port_is_text_or_a_number(r#"{"port":"http"}"#, r#"{"port":"http"}"#)]
#[case::a_string_is_an_enum_value_that_nobody_knows(r#"{"kind":"Z"}"#, r#"{"kind":"Z"}"#)]
#[case::anything_goes(r#"{"any":{"x":[1,{"y":null}]}}"#, r#"{"any":{"x":[1,{"y":null}]}}"#)]
#[case::unknown_fields_are_gone(
    r#"{"x":1,"one":{"name":"a","x":[1]},"items":[{"x":1}]}"#,
    r#"{"items":[{}],"one":{"name":"a"}}"#
)]
#[case::keys_of_a_map_are_no_fields(r#"{"labels":{"x":"y"}}"#, r#"{"labels":{"x":"y"}}"#)]
#[case::null_is_gone(r#"{"text":null,"items":null}"#, r"{}")]
#[case::zero_stays_where_it_is_not_left_out(
    r#"{"flag":false,"integer":0,"list":[],"text":""}"#,
    r#"{"flag":false,"integer":0,"list":[],"text":""}"#
)]
#[case::zero_is_left_out(
    r#"{"short":{"flag":false,"integer":0,"list":[],"number":0.0,"text":""}}"#,
    r#"{"short":{}}"#
)]
#[case::what_is_not_zero_is_not(
    r#"{"short":{"flag":true,"integer":1,"list":[""],"number":0.5,"text":"t"}}"#,
    r#"{"short":{"flag":true,"integer":1,"list":[""],"number":0.5,"text":"t"}}"#
)]
#[case::a_struct_is_never_left_out(r#"{"short":{"item":{}}}"#, r#"{"short":{"item":{}}}"#)]
#[case::a_pointer_to_zero_is_not_zero(r#"{"short":{"pointer":0}}"#, r#"{"short":{"pointer":0}}"#)]
fn what_comes_out_is_what_the_type_has(#[case] document: &str, #[case] expected: &str) {
    let result = convert(&context_of(TYPES, "Root"), &json(document), UnknownFieldHandling::Drop).unwrap();
    assert_eq!(result.to_string(), expected);
}

#[rstest]
#[case::text(r#"{"text":1}"#, "text: expected a string, found an integer")]
#[case::data(r#"{"data":[1]}"#, "data: expected base64 text, found a list")]
#[case::integer(r#"{"integer":1.5}"#, "integer: expected an integer, found a float")]
#[case::number(r#"{"number":"1"}"#, "number: expected a number, found a string")]
#[case::flag(r#"{"flag":"true"}"#, "flag: expected a boolean, found a string")]
#[case::port(r#"{"port":true}"#, "port: expected text or a number, found a boolean")]
#[case::kind(r#"{"kind":1}"#, "kind: expected a Kind, which is a string, found an integer")]
#[case::list(r#"{"list":{}}"#, "list: expected a list, found a map")]
#[case::labels(r#"{"labels":[]}"#, "labels: expected a map, found a list")]
#[case::one(r#"{"one":"x"}"#, "one: expected a Item, which is a map, found a string")]
#[case::in_a_list(r#"{"list":["a",1]}"#, "list[1]: expected a string, found an integer")]
#[case::in_a_map(r#"{"labels":{"a":1}}"#, "labels.a: expected a string, found an integer")]
#[case::in_a_struct(r#"{"items":[{},{"name":1}]}"#, "items[1].name: expected a string, found an integer")]
fn a_value_of_the_wrong_type_is_refused_with_its_field_path(#[case] document: &str, #[case] message: &str) {
    let error = convert(&context_of(TYPES, "Root"), &json(document), UnknownFieldHandling::Drop).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Undecodable, message));
}

#[rstest]
#[case::at_the_root(r#"{"x":1}"#, "x: unknown field x, refused by strict field validation")]
#[case::further_down(
    r#"{"items":[{"x":1}]}"#,
    "items[0].x: unknown field x, refused by strict field validation"
)]
#[case::also_when_null(r#"{"x":null}"#, "x: unknown field x, refused by strict field validation")]
fn a_strict_party_refuses_what_it_does_not_know(#[case] document: &str, #[case] message: &str) {
    let error =
        convert(&context_of(TYPES, "Root"), &json(document), UnknownFieldHandling::Refuse).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::StrictUnknownField, message));
    assert!(
        convert(&context_of(TYPES, "Root"), &json(r#"{"text":"t"}"#), UnknownFieldHandling::Refuse).is_ok()
    );
}

/// As `encoding/json` of go1.26 has it: decoded into these types and encoded again.
#[rstest]
#[case::an_empty_struct(r#"{"struct":{}}"#, false)]
#[case::a_struct_of_zeros(r#"{"struct":{"a":0}}"#, false)]
#[case::a_struct_of_nulls(r#"{"struct":{"c":null}}"#, false)]
#[case::a_struct(r#"{"struct":{"a":1}}"#, true)]
#[case::a_pointer_in_a_struct(r#"{"struct":{"b":0}}"#, true)]
#[case::a_list_in_a_struct(r#"{"struct":{"c":[]}}"#, true)]
#[case::a_number(r#"{"int":0}"#, false)]
#[case::a_text(r#"{"text":""}"#, false)]
#[case::a_flag(r#"{"flag":false}"#, false)]
#[case::a_list(r#"{"list":[]}"#, true)]
#[case::a_map(r#"{"map":{}}"#, true)]
#[case::a_pointer(r#"{"ptr":{}}"#, true)]
#[case::anything(r#"{"any":0}"#, true)]
#[case::a_list_that_may_not_be_empty(r#"{"both":[]}"#, false)]
#[case::an_empty_map_that_may_not_be_empty(r#"{"empty":{}}"#, false)]
#[case::anything_that_may_not_be_empty(r#"{"some":""}"#, true)]
fn what_is_zero_is_left_out_as_go_does(#[case] document: &str, #[case] stays: bool) {
    let source = r#"
type T struct {
  Struct In             `json:"struct,omitzero"`
  Int    int            `json:"int,omitzero"`
  Text   string         `json:"text,omitzero"`
  Flag   bool           `json:"flag,omitzero"`
  List   []int          `json:"list,omitzero"`
  Map    map[string]int `json:"map,omitzero"`
  Ptr    *In            `json:"ptr,omitzero"`
  Any    interface{}    `json:"any,omitzero"`
  Both   []int          `json:"both,omitempty,omitzero"`
  Empty  map[string]int `json:"empty,omitempty"`
  Some   interface{}    `json:"some,omitempty"`
}
type In struct {
  A int   `json:"a"`
  B *int  `json:"b,omitempty"`
  C []int `json:"c"`
}
"#;
    let context = context_of(source, "T");
    let converted =
        convert(&context, &from_json(document.as_bytes()).unwrap(), UnknownFieldHandling::Drop).unwrap();
    assert_eq!(converted != from_json(b"{}").unwrap(), stays, "{converted}");
}
