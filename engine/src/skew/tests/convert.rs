//! Conversion: decoding and encoding as `encoding/json` does it with Go types.

use rstest::rstest;

use super::*;
use crate::ErrorKind;
use crate::skew::{UnknownFieldHandling, convert, with_empty_structs, without_unset_fields};

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
#[case::values_that_fit_are_kept(
    r#"{"data":"aGk=","flag":true,"integer":-1,"items":[{"name":"a"}],"kind":"A","labels":{"a":"b"},"list":["a"],"number":1.5,"one":{"name":"x"},"port":80,"text":"t"}"#,
    r#"{"data":"aGk=","flag":true,"integer":-1,"items":[{"name":"a"}],"kind":"A","labels":{"a":"b"},"list":["a"],"number":1.5,"one":{"name":"x"},"port":80,"text":"t"}"#
)]
#[case::integer_fits_float_field(r#"{"number":1}"#, r#"{"number":1}"#)]
#[case::int_or_string_takes_string(r#"{"port":"http"}"#, r#"{"port":"http"}"#)]
#[case::unknown_enum_value_is_kept(r#"{"kind":"Z"}"#, r#"{"kind":"Z"}"#)]
#[case::any_type_keeps_every_value(r#"{"any":{"x":[1,{"y":null}]}}"#, r#"{"any":{"x":[1,{"y":null}]}}"#)]
#[case::unknown_fields_are_dropped(
    r#"{"x":1,"one":{"name":"a","x":[1]},"items":[{"x":1}]}"#,
    r#"{"items":[{}],"one":{"name":"a"}}"#
)]
#[case::null_in_a_map_is_the_zero_value(r#"{"labels":{"x":null}}"#, r#"{"labels":{"x":""}}"#)]
#[case::null_in_a_list_is_the_zero_value(
    r#"{"items":[null],"list":["a",null]}"#,
    r#"{"items":[{}],"list":["a",""]}"#
)]
#[case::map_keys_are_kept(r#"{"labels":{"x":"y"}}"#, r#"{"labels":{"x":"y"}}"#)]
#[case::null_fields_are_unset(r#"{"text":null,"items":null}"#, r"{}")]
#[case::empty_list_is_kept_without_omitempty(r#"{"list":[]}"#, r#"{"list":[]}"#)]
#[case::zero_values_are_unset_without_omitempty(
    r#"{"flag":false,"integer":0,"number":0.0,"text":""}"#,
    r"{}"
)]
#[case::zero_values_are_dropped_with_omitempty(
    r#"{"short":{"flag":false,"integer":0,"list":[],"number":0.0,"text":""}}"#,
    r"{}"
)]
#[case::other_values_are_kept_with_omitempty(
    r#"{"short":{"flag":true,"integer":1,"list":[""],"number":0.5,"text":"t"}}"#,
    r#"{"short":{"flag":true,"integer":1,"list":[""],"number":0.5,"text":"t"}}"#
)]
#[case::empty_struct_is_unset(r#"{"short":{"item":{}}}"#, r"{}")]
#[case::pointer_to_zero_is_kept_with_omitempty(r#"{"short":{"pointer":0}}"#, r#"{"short":{"pointer":0}}"#)]
fn a_converted_document_has_only_values_that_the_type_encodes(
    #[case] document: &str,
    #[case] expected: &str,
) {
    let context = context_of(TYPES, "Root");
    let result = convert(&context, &json(document), UnknownFieldHandling::Drop).unwrap();
    assert_eq!(without_unset_fields(&context, &result).to_string(), expected);
    // The zero values of the result are those that Go would write again.
    assert_eq!(convert(&context, &result, UnknownFieldHandling::Drop).unwrap(), result);
}

/// Observed with `encoding/json` of Go 1.26 and the modules k8s.io/apimachinery v0.32.13 and v0.37.2: the document is
/// decoded into these types and encoded again.
#[rstest]
#[case::nothing_is_set(
    "{}",
    r#"{"any":null,"data":null,"dur":"0s","durE":"0s","flag":false,"int":0,"list":null,"map":null,"num":0,"port":0,"portE":0,"ptr":null,"q":"0","qE":"0","struct":{"a":0,"b":null},"structE":{"a":0,"b":null},"text":"","time":null,"timeE":null}"#
)]
#[case::null_is_the_zero_value(
    r#"{"text":null,"int":null,"struct":null,"q":null,"port":null,"timeE":null}"#,
    r#"{"any":null,"data":null,"dur":"0s","durE":"0s","flag":false,"int":0,"list":null,"map":null,"num":0,"port":0,"portE":0,"ptr":null,"q":"0","qE":"0","struct":{"a":0,"b":null},"structE":{"a":0,"b":null},"text":"","time":null,"timeE":null}"#
)]
#[case::embedded_pointer_is_set(
    r#"{"c":"x","text":"t","struct":{"a":1},"portZ":"","qZ":"0","durZ":"0s"}"#,
    r#"{"any":null,"c":"x","d":"","data":null,"dur":"0s","durE":"0s","flag":false,"int":0,"list":null,"map":null,"num":0,"port":0,"portE":0,"portZ":"","ptr":null,"q":"0","qE":"0","struct":{"a":1,"b":null},"structE":{"a":0,"b":null},"text":"t","time":null,"timeE":null}"#
)]
fn zero_values_are_written_as_go_writes_them(#[case] document: &str, #[case] expected: &str) {
    let context = context_of(ALL_KINDS, "T");
    let result = convert(&context, &json(document), UnknownFieldHandling::Drop).unwrap();
    assert_eq!(result.to_string(), expected);
}

const ALL_KINDS: &str = r#"
type T struct {
  Text    string             `json:"text"`
  Data    []byte             `json:"data"`
  Int     int                `json:"int"`
  Num     float64            `json:"num"`
  Flag    bool               `json:"flag"`
  List    []string           `json:"list"`
  Map     map[string]string  `json:"map"`
  Ptr     *In                `json:"ptr"`
  Struct  In                 `json:"struct"`
  StructE In                 `json:"structE,omitempty"`
  StructZ In                 `json:"structZ,omitzero"`
  Any     any                `json:"any"`
  Port    intstr.IntOrString `json:"port"`
  PortE   intstr.IntOrString `json:"portE,omitempty"`
  PortZ   intstr.IntOrString `json:"portZ,omitzero"`
  Q       resource.Quantity  `json:"q"`
  QE      resource.Quantity  `json:"qE,omitempty"`
  QZ      resource.Quantity  `json:"qZ,omitzero"`
  Time    metav1.Time        `json:"time"`
  TimeE   metav1.Time        `json:"timeE,omitempty"`
  TimeZ   metav1.Time        `json:"timeZ,omitzero"`
  Dur     metav1.Duration    `json:"dur"`
  DurE    metav1.Duration    `json:"durE,omitempty"`
  DurZ    metav1.Duration    `json:"durZ,omitzero"`
  *E
}
type In struct {
  A int  `json:"a"`
  B *int `json:"b"`
}
type E struct {
  C string `json:"c"`
  D string `json:"d"`
}
"#;

#[rstest]
#[case::written_values_are_unset(r#"{"text":"","struct":{"a":0,"b":null},"q":"0","list":null}"#, "{}")]
#[case::pointer_to_zeros_is_set(r#"{"ptr":{"a":0,"b":null}}"#, r#"{"ptr":{}}"#)]
#[case::field_of_an_embedded_pointer_is_set(r#"{"c":""}"#, r#"{"c":""}"#)]
#[case::empty_list_is_set(r#"{"list":[]}"#, r#"{"list":[]}"#)]
#[case::unknown_fields_are_kept(r#"{"x":null,"struct":1}"#, r#"{"struct":1,"x":null}"#)]
fn unset_fields_are_those_with_the_value_that_go_writes(#[case] document: &str, #[case] expected: &str) {
    let result = without_unset_fields(&context_of(ALL_KINDS, "T"), &json(document));
    assert_eq!(result.to_string(), expected);
}

#[test]
fn missing_structs_are_added_as_empty_maps() {
    let result = with_empty_structs(&context_of(ALL_KINDS, "T"), &json(r#"{"ptr":{"a":1}}"#));
    assert_eq!(result.to_string(), r#"{"ptr":{"a":1},"struct":{},"structE":{}}"#);
}

/// Observed with the Go modules: `json.Marshal` of a Deployment whose only field is `spec.replicas`.
#[cfg(feature = "builtin")]
#[rstest]
#[case::before_omitzero(
    "1.32",
    r#"{"metadata":{"creationTimestamp":null},"spec":{"replicas":1,"selector":null,"strategy":{},"template":{"metadata":{"creationTimestamp":null},"spec":{"containers":null}}},"status":{}}"#
)]
#[case::since_omitzero(
    "1.37",
    r#"{"metadata":{},"spec":{"replicas":1,"selector":null,"strategy":{},"template":{"metadata":{},"spec":{"containers":null}}},"status":{}}"#
)]
fn a_deployment_has_the_zero_values_of_its_release(#[case] release: &str, #[case] expected: &str) {
    let release = crate::schema::builtin::release(&format!("kubernetes-{release}")).unwrap();
    let context = PatchContext::of(release.schema().clone(), release.resolve("Deployment").unwrap()).unwrap();
    let result = convert(&context, &json(r#"{"spec":{"replicas":1}}"#), UnknownFieldHandling::Drop).unwrap();
    assert_eq!(result.to_string(), expected);
}

#[rstest]
#[case::string(r#"{"text":1}"#, "text: expected a string, found an integer")]
#[case::data(r#"{"data":[1]}"#, "data: expected base64 text, found a list")]
#[case::integer(r#"{"integer":1.5}"#, "integer: expected an integer, found a float")]
#[case::number(r#"{"number":"1"}"#, "number: expected a number, found a string")]
#[case::boolean(r#"{"flag":"true"}"#, "flag: expected a boolean, found a string")]
#[case::int_or_string(r#"{"port":true}"#, "port: expected text or a number, found a boolean")]
#[case::enumeration(r#"{"kind":1}"#, "kind: expected a Kind, which is a string, found an integer")]
#[case::list(r#"{"list":{}}"#, "list: expected a list, found a map")]
#[case::map(r#"{"labels":[]}"#, "labels: expected a map, found a list")]
#[case::structure(r#"{"one":"x"}"#, "one: expected a Item, which is a map, found a string")]
#[case::in_a_list(r#"{"list":["a",1]}"#, "list[1]: expected a string, found an integer")]
#[case::in_a_map(r#"{"labels":{"a":1}}"#, "labels.a: expected a string, found an integer")]
#[case::in_a_struct(r#"{"items":[{},{"name":1}]}"#, "items[1].name: expected a string, found an integer")]
fn a_value_of_the_wrong_type_is_refused_with_its_field_path(#[case] document: &str, #[case] message: &str) {
    let error = convert(&context_of(TYPES, "Root"), &json(document), UnknownFieldHandling::Drop).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Undecodable, message));
}

#[rstest]
#[case::at_the_root(r#"{"x":1}"#, "x: unknown field x, refused by strict field validation")]
#[case::in_a_nested_struct(
    r#"{"items":[{"x":1}]}"#,
    "items[0].x: unknown field x, refused by strict field validation"
)]
#[case::null_field(r#"{"x":null}"#, "x: unknown field x, refused by strict field validation")]
fn strict_conversion_refuses_unknown_fields(#[case] document: &str, #[case] message: &str) {
    let error =
        convert(&context_of(TYPES, "Root"), &json(document), UnknownFieldHandling::Refuse).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::StrictUnknownField, message));
    assert!(
        convert(&context_of(TYPES, "Root"), &json(r#"{"text":"t"}"#), UnknownFieldHandling::Refuse).is_ok()
    );
}

/// Observed with `encoding/json` of Go 1.26: the document is decoded into these types and encoded again.
#[rstest]
#[case::empty_struct(r#"{"struct":{}}"#, false)]
#[case::struct_of_zeros(r#"{"struct":{"a":0}}"#, false)]
#[case::struct_of_nulls(r#"{"struct":{"c":null}}"#, false)]
#[case::struct_with_a_number(r#"{"struct":{"a":1}}"#, true)]
#[case::struct_with_a_pointer_to_zero(r#"{"struct":{"b":0}}"#, true)]
#[case::struct_with_an_empty_list(r#"{"struct":{"c":[]}}"#, true)]
#[case::integer_zero(r#"{"int":0}"#, false)]
#[case::empty_string(r#"{"text":""}"#, false)]
#[case::boolean_false(r#"{"flag":false}"#, false)]
#[case::empty_list(r#"{"list":[]}"#, true)]
#[case::empty_map(r#"{"map":{}}"#, true)]
#[case::pointer_to_an_empty_struct(r#"{"ptr":{}}"#, true)]
#[case::zero_in_an_interface(r#"{"any":0}"#, true)]
#[case::empty_list_with_both_options(r#"{"both":[]}"#, false)]
#[case::empty_map_with_omitempty(r#"{"empty":{}}"#, false)]
#[case::empty_string_in_an_interface_with_omitempty(r#"{"some":""}"#, true)]
fn omitzero_and_omitempty_drop_the_values_that_go_drops(#[case] document: &str, #[case] is_kept: bool) {
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
    assert_eq!(converted != from_json(b"{}").unwrap(), is_kept, "{converted}");
}
