//! Conversion: decoding and encoding as `encoding/json` does it with Go types.

use rstest::rstest;
use skewer_engine::ErrorKind;
use skewer_engine::schema::{Declarations, FieldDecl, ScalarType, Schema, TypeDecl, TypeExpr};

use super::*;
use crate::{Decoder, UnknownFieldHandling, convert, with_empty_structs, without_unset_fields};

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
    let result = convert(&context, &json(document), Decoder::Json, UnknownFieldHandling::Drop).unwrap();
    assert_eq!(without_unset_fields(&context, result.clone()).to_string(), expected);
    // The zero values of the result are those that Go would write again.
    assert_eq!(convert(&context, &result, Decoder::Json, UnknownFieldHandling::Drop).unwrap(), result);
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
    let result = convert(&context, &json(document), Decoder::Json, UnknownFieldHandling::Drop).unwrap();
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
    let result = without_unset_fields(&context_of(ALL_KINDS, "T"), json(document));
    assert_eq!(result.to_string(), expected);
}

#[test]
fn missing_structs_are_added_as_empty_maps() {
    let result = with_empty_structs(&context_of(ALL_KINDS, "T"), json(r#"{"ptr":{"a":1}}"#));
    assert_eq!(result.to_string(), r#"{"ptr":{"a":1},"struct":{},"structE":{}}"#);
}

/// A server returns each object with its metadata.
#[test]
fn the_metadata_of_a_custom_resource_is_always_there() {
    let mut context = context_of(ALL_KINDS, "T");
    context.custom_resource = true;
    let with = |document| with_empty_structs(&context, json(document));
    assert_eq!(with(r#"{"metadata":{}}"#), with("{}"));
    assert_ne!(with(r#"{"metadata":{"labels":{}}}"#), with("{}"));
}

#[test]
fn unset_fields_and_missing_structs_can_be_in_lists_and_maps() {
    let types = r#"
type T struct {
  List []In          `json:"list"`
  Map  map[string]In `json:"map"`
}
type In struct {
  A int `json:"a"`
  S E   `json:"s"`
}
type E struct {
}
"#;
    let context = context_of(types, "T");
    let document = json(r#"{"list":[{"a":0}],"map":{"x":{"a":0}}}"#);
    let without = without_unset_fields(&context, document.clone());
    assert_eq!(without.to_string(), r#"{"list":[{}],"map":{"x":{}}}"#);
    let with = with_empty_structs(&context, document);
    assert_eq!(with.to_string(), r#"{"list":[{"a":0,"s":{}}],"map":{"x":{"a":0,"s":{}}}}"#);
}

/// Observed with the Go modules: `json.Marshal` of a Deployment whose only field is `spec.replicas`.
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
    let release = skewer_engine::schema::builtin::release(&format!("kubernetes-{release}")).unwrap();
    let context = PatchContext::of(release.schema().clone(), release.resolve("Deployment").unwrap()).unwrap();
    let result =
        convert(&context, &json(r#"{"spec":{"replicas":1}}"#), Decoder::Json, UnknownFieldHandling::Drop)
            .unwrap();
    assert_eq!(result.to_string(), expected);
}

#[rstest]
#[case::string(r#"{"text":1}"#, "text: expected a string, found an integer")]
#[case::data(r#"{"data":1}"#, "data: expected base64 text, found an integer")]
#[case::integer(r#"{"integer":1.5}"#, "integer: expected an integer, found a float")]
#[case::number(r#"{"number":"1"}"#, "number: expected a number, found a string")]
#[case::boolean(r#"{"flag":"true"}"#, "flag: expected a boolean, found a string")]
#[case::int_or_string(r#"{"port":true}"#, "port: expected a string or an integer, found a boolean")]
#[case::enumeration(r#"{"kind":1}"#, "kind: expected a Kind, which is a string, found an integer")]
#[case::list(r#"{"list":{}}"#, "list: expected a list, found a map")]
#[case::map(r#"{"labels":[]}"#, "labels: expected a map, found a list")]
#[case::structure(r#"{"one":"x"}"#, "one: expected a Item, which is a map, found a string")]
#[case::in_a_list(r#"{"list":["a",1]}"#, "list[1]: expected a string, found an integer")]
#[case::in_a_map(r#"{"labels":{"a":1}}"#, "labels.a: expected a string, found an integer")]
#[case::in_a_struct(r#"{"items":[{},{"name":1}]}"#, "items[1].name: expected a string, found an integer")]
fn a_value_of_the_wrong_type_is_refused_with_its_field_path(#[case] document: &str, #[case] message: &str) {
    let error =
        convert(&context_of(TYPES, "Root"), &json(document), Decoder::Json, UnknownFieldHandling::Drop)
            .unwrap_err();
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
        convert(&context_of(TYPES, "Root"), &json(document), Decoder::Json, UnknownFieldHandling::Refuse)
            .unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::StrictUnknownField, message));
    assert!(
        convert(
            &context_of(TYPES, "Root"),
            &json(r#"{"text":"t"}"#),
            Decoder::Json,
            UnknownFieldHandling::Refuse
        )
        .is_ok()
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
    let converted = convert(
        &context,
        &from_json(document.as_bytes()).unwrap(),
        Decoder::Json,
        UnknownFieldHandling::Drop,
    )
    .unwrap();
    assert_eq!(converted != from_json(b"{}").unwrap(), is_kept, "{converted}");
}

const GO_TYPES: &str = r#"
type Root struct {
  Small    int32               `json:"small,omitempty"`
  Large    int64               `json:"large,omitempty"`
  Number   float64             `json:"number,omitempty"`
  Flag     bool                `json:"flag,omitempty"`
  Port     *intstr.IntOrString `json:"port,omitempty"`
  Quantity *resource.Quantity  `json:"quantity,omitempty"`
  Time     *metav1.Time        `json:"time,omitempty"`
  Micro    *metav1.MicroTime   `json:"micro,omitempty"`
  Period   *metav1.Duration    `json:"period,omitempty"`
  Periods  []metav1.Duration   `json:"periods,omitempty"`
  Data     []byte              `json:"data,omitempty"`
  Secrets  map[string][]byte   `json:"secrets,omitempty"`
  Texts    []string            `json:"texts,omitempty"`
  Labels   map[string]string   `json:"labels,omitempty"`
  Limits   map[string]resource.Quantity `json:"limits,omitempty"`
  Items    []Item              `json:"items,omitempty"`
  Raw      *runtime.RawExtension `json:"raw,omitempty"`
  *Embedded
}
type Item struct {
  Name string `json:"name"`
}
type Embedded struct {
  C string `json:"c"`
  D string `json:"d,omitempty"`
}
"#;

fn convert_go(document: &str, decoder: Decoder) -> Result<String, String> {
    let context = context_of(GO_TYPES, "Root");
    convert(&context, &json(document), decoder, UnknownFieldHandling::Drop)
        .map(|converted| converted.to_string())
        .map_err(|error| error.to_string())
}

/// Observed with `json.Unmarshal` and `json.Marshal` of Go 1.26, and with create requests to the request handlers of
/// Kubernetes 1.20 to 1.37.
#[rstest]
#[case::quantity(
    r#"{"quantity":"1.5","limits":{"a":0.5,"b":"0.5Gi","c":2}}"#,
    r#"{"limits":{"a":"500m","b":"512Mi","c":"2"},"quantity":"1500m"}"#
)]
#[case::spaces_around_a_quantity(r#"{"quantity":" 1000 "}"#, r#"{"quantity":"1k"}"#)]
#[case::times_in_utc(
    r#"{"time":"2020-01-01T00:00:00.5+01:00","micro":"2020-01-01T00:00:00.000001+01:00"}"#,
    r#"{"micro":"2019-12-31T23:00:00.000001Z","time":"2019-12-31T23:00:00Z"}"#
)]
#[case::pointer_to_the_zero_time(r#"{"time":"0001-01-01T00:00:00Z"}"#, r#"{"time":null}"#)]
#[case::duration(r#"{"period":"90m"}"#, r#"{"period":"1h30m0s"}"#)]
#[case::bytes(
    r#"{"data":"aGl=","secrets":{"a":"","b":[104,null],"c":null}}"#,
    r#"{"data":"aGk=","secrets":{"a":"","b":"aAA=","c":null}}"#
)]
#[case::nulls_are_zero_values(
    r#"{"texts":[null],"labels":{"a":null},"limits":{"a":null},"items":[null]}"#,
    r#"{"items":[{"name":""}],"labels":{"a":""},"limits":{"a":"0"},"texts":[""]}"#
)]
#[case::a_float_field_is_written_as_an_integer(r#"{"number":1.0}"#, r#"{"number":1}"#)]
#[case::a_float_field_loses_digits(r#"{"number":9007199254740993}"#, r#"{"number":9007199254740992}"#)]
#[case::a_raw_value_stays(r#"{"raw":{"a":1.0,"b":null}}"#, r#"{"raw":{"a":1.0,"b":null}}"#)]
#[case::null_sets_an_embedded_pointer(r#"{"c":null}"#, r#"{"c":""}"#)]
#[case::omitted_field_sets_an_embedded_pointer(r#"{"d":""}"#, r#"{"c":""}"#)]
fn scalars_and_nulls_have_the_form_that_go_writes(#[case] document: &str, #[case] expected: &str) {
    assert_eq!(convert_go(document, Decoder::Json), Ok(expected.to_owned()));
    assert_eq!(convert_go(expected, Decoder::Json).map(|_| ()), Ok(()));
}

/// Observed in the same way.
#[rstest]
#[case::quantity(
    r#"{"limits":{"a":"1 Gi"}}"#,
    r#"limits.a: expected a quantity, found "1 Gi": it is not a number and a suffix, such as 1500m or 2Gi"#
)]
#[case::quantity_with_a_line_break(
    "{\"quantity\":\"1\\n\"}",
    r#"quantity: expected a quantity, found "1\n": it is not a number and a suffix, such as 1500m or 2Gi"#
)]
#[case::unknown_suffix(
    r#"{"quantity":"1Mb"}"#,
    r#"quantity: expected a quantity, found "1Mb": it is not a number and a suffix, such as 1500m or 2Gi"#
)]
#[case::time(r#"{"time":""}"#, r#"time: expected a time such as 2006-01-02T15:04:05Z, found """#)]
#[case::micro_time_without_a_fraction(
    r#"{"micro":"2020-01-01T00:00:00Z"}"#,
    r#"micro: expected a time such as 2006-01-02T15:04:05.000000Z, found "2020-01-01T00:00:00Z""#
)]
#[case::duration(r#"{"period":"1d"}"#, r#"period: expected a duration such as 1h30m, found "1d""#)]
#[case::null_duration(r#"{"periods":[null]}"#, "periods[0]: expected a duration such as 1h30m, found null")]
#[case::bytes(r#"{"data":"aGk"}"#, r#"data: expected base64 text, found "aGk""#)]
#[case::too_large_byte(
    r#"{"data":[256]}"#,
    "data: expected base64 text or a list of bytes, found a list with 256"
)]
#[case::int32(r#"{"small":2147483648}"#, "small: expected an integer of 32 bits, found 2147483648")]
#[case::int_or_string(
    r#"{"port":2147483648}"#,
    "port: expected a string or an integer of 32 bits, found 2147483648"
)]
#[case::float_as_integer(r#"{"large":1.0}"#, "large: expected an integer, found a float")]
#[case::float_as_int_or_string(r#"{"port":80.0}"#, "port: expected a string or an integer, found a float")]
fn json_with_a_value_that_does_not_fit_is_refused(#[case] document: &str, #[case] message: &str) {
    assert_eq!(convert_go(document, Decoder::Json), Err(message.to_owned()));
}

/// Observed with `DefaultUnstructuredConverter.FromUnstructured` of k8s.io/apimachinery v0.20.15, v0.28.15 and v0.37.2,
/// and with strategic merge patches to the request handlers of these releases.
#[rstest]
#[case::whole_float(r#"{"small":3.0,"port":80.0}"#, Some(r#"{"c":"","port":80,"small":3}"#))]
#[case::upper_bits_are_lost(r#"{"small":3000000000}"#, Some(r#"{"c":"","small":-1294967296}"#))]
#[case::float_beyond_64_bits(r#"{"large":1e19}"#, Some(r#"{"c":"","large":-9223372036854775808}"#))]
#[case::bytes_lose_upper_bits(r#"{"data":[1,2,300]}"#, Some(r#"{"c":"","data":"AQIs"}"#))]
#[case::null_duration(r#"{"periods":[null]}"#, Some(r#"{"c":"","periods":["0s"]}"#))]
#[case::raw_value_is_written_again(r#"{"raw":{"a":[1.0,1.5]}}"#, Some(r#"{"c":"","raw":{"a":[1,1.5]}}"#))]
#[case::float(r#"{"small":1.5}"#, None)]
#[case::int_or_string_too_large(r#"{"port":2147483648}"#, None)]
#[case::text_as_integer(r#"{"small":"1"}"#, None)]
#[case::integer_as_text(r#"{"texts":[1]}"#, None)]
#[case::integer_as_flag(r#"{"flag":1}"#, None)]
fn maps_in_memory_are_decoded_as_upstream_converts_them(
    #[case] document: &str,
    #[case] expected: Option<&str>,
) {
    for decoder in [Decoder::Unstructured, Decoder::UnstructuredWithoutEmptyBytes] {
        assert_eq!(convert_go(document, decoder).ok().as_deref(), expected);
    }
}

/// Observed in the same way: with v0.20.15 and v0.22.17, and with v0.26.15 and v0.37.2.
#[rstest]
#[case::in_old_releases(Decoder::UnstructuredWithoutEmptyBytes, r#"{"c":"","secrets":{"a":null}}"#)]
#[case::now(Decoder::Unstructured, r#"{"c":"","secrets":{"a":""}}"#)]
fn empty_text_is_null_or_no_bytes(#[case] decoder: Decoder, #[case] expected: &str) {
    assert_eq!(convert_go(r#"{"data":"","secrets":{"a":""}}"#, decoder), Ok(expected.to_owned()));
}

/// Servers keep custom resources as they are written.
#[test]
fn scalars_that_are_not_declared_in_go_stay_as_they_are() {
    let scalar = |scalar| TypeExpr::Scalar(scalar);
    let fields = [
        FieldDecl::new("limits", TypeExpr::map(scalar(ScalarType::Quantity))),
        FieldDecl::new("time", scalar(ScalarType::Time)),
    ];
    let schema = Schema::compile(&Declarations::new([TypeDecl::new_struct("Root", fields)])).unwrap();
    let context = PatchContext::of(schema.into(), "Root").unwrap();
    let document = r#"{"limits":{"a":"1.5","b":null},"time":"2020-01-01T00:00:00+01:00"}"#;
    let result =
        convert(&context, &json(document), Decoder::Unstructured, UnknownFieldHandling::Drop).unwrap();
    assert_eq!(result.to_string(), document);
}

/// Observed with the request handlers of Kubernetes 1.28 and 1.37.
#[rstest]
#[case::with_omitempty("1.28", r#"{"data":null,"metadata":{"creationTimestamp":null},"revision":0}"#)]
#[case::without_omitempty("1.37", r#"{"data":null,"metadata":{},"revision":0}"#)]
fn an_unset_raw_extension_is_written_as_null(#[case] release: &str, #[case] expected: &str) {
    let release = skewer_engine::schema::builtin::release(&format!("kubernetes-{release}")).unwrap();
    let root = release.find("apps/v1", "ControllerRevision").unwrap();
    let context = PatchContext::of(release.schema().clone(), root).unwrap();
    let result = convert(&context, &json("{}"), Decoder::Json, UnknownFieldHandling::Drop).unwrap();
    assert_eq!(result.to_string(), expected);
}
