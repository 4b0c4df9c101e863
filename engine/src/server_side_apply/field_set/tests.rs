use rstest::rstest;

use super::*;
use crate::document::Doc;
use crate::error::ErrorKind;

fn set(json: &str) -> FieldSet<'static> {
    FieldSet::from_json(json).unwrap()
}

/// The texts are what `fieldpath.Set` of structured-merge-diff v6.4.2 writes.
#[rstest]
#[case::fields("{\"f:b\":{},\"f:a\":{}}", "{\"f:a\":{},\"f:b\":{}}")]
#[case::member_with_children("{\"f:a\":{\"f:b\":{},\".\":{}}}", "{\"f:a\":{\".\":{},\"f:b\":{}}}")]
#[case::kinds_in_order(
    r#"{"i:1":{},"v:\"x\"":{},"k:{\"a\":1}":{},"f:z":{}}"#,
    r#"{"f:z":{},"k:{\"a\":1}":{},"v:\"x\"":{},"i:1":{}}"#
)]
#[case::numbers_in_order(r#"{"v:10":{},"v:9":{},"v:-1":{}}"#, r#"{"v:-1":{},"v:9":{},"v:10":{}}"#)]
#[case::exponents(r#"{"v:0.0000001":{},"v:1000000000000000000000":{}}"#, r#"{"v:1e-07":{},"v:1e+21":{}}"#)]
#[case::large_integer(r#"{"v:9007199254740993":{}}"#, r#"{"v:9007199254740992":{}}"#)]
#[case::negative_zeros(
    r#"{"v:-0":{},"f:-0":{},"k:{\"-0\":\"-0\",\"a\":-0,\"b\":1e-0,\"c\":-0.5}":{}}"#,
    r#"{"f:-0":{},"k:{\"-0\":\"-0\",\"a\":-0,\"b\":1,\"c\":-0.5}":{},"v:-0":{}}"#
)]
#[case::equal_numbers(r#"{"v:1":{},"v:1.0":{}}"#, r#"{"v:1":{}}"#)]
#[case::equal_keys(
    r#"{"k:{\"a\":1.0}":{},"k:{\"a\":1}":{"f:x":{}}}"#,
    r#"{"k:{\"a\":1}":{".":{},"f:x":{}}}"#
)]
#[case::equal_keys_in_another_order(
    r#"{"k:{\"a\":1.0}":{"f:x":{}},"k:{\"a\":1}":{}}"#,
    r#"{"k:{\"a\":1}":{".":{},"f:x":{}}}"#
)]
#[case::values_escape_html(r#"{"v:\"<&>\"":{},"f:<":{}}"#, r#"{"f:<":{},"v:\"\\u003c\\u0026\\u003e\"":{}}"#)]
#[case::separators("{\"v:\\\"\u{2028}\\\"\":{}}", r#"{"v:\"\\u2028\"":{}}"#)]
#[case::control_characters("{\"f:\\u0007\\b\":{}}", "{\"f:\\u0007\\u0008\":{}}")]
#[case::short_escapes(
    r#"{"f:\t\n\r\"\\":{},"v:\"\\t\\n\\r\"":{}}"#,
    r#"{"f:\t\n\r\"\\":{},"v:\"\\t\\n\\r\"":{}}"#
)]
#[case::null_keys(r#"{"k:null":{}}"#, r#"{"k:{}":{}}"#)]
#[case::null_is_a_member(r#"{"f:a":null}"#, r#"{"f:a":{}}"#)]
#[case::only_a_dot(r#"{"f:a":{".":{}}}"#, r#"{"f:a":{}}"#)]
#[case::unknown_type(r#"{"z:a":{},"f:a":{"z:b":{}}}"#, r#"{"f:a":{}}"#)]
#[case::keys_are_sorted(r#"{"k:{\"b\":1,\"a\":\"x\"}":{}}"#, r#"{"k:{\"a\":\"x\",\"b\":1}":{}}"#)]
#[case::empty("{}", "{}")]
fn a_set_is_written_as_upstream_writes_it(#[case] read: &str, #[case] written: &str) {
    assert_eq!(set(read).to_json(), written);
}

#[rstest]
#[case::no_object("[]")]
#[case::no_json("{")]
#[case::short_key(r#"{"f":{}}"#)]
#[case::no_colon(r#"{"fa:":{}}"#)]
#[case::no_value(r#"{"v:":{}}"#)]
#[case::no_keys(r#"{"k:1":{}}"#)]
#[case::no_index(r#"{"i:x":{}}"#)]
#[case::scalar_below(r#"{"f:a":1}"#)]
fn other_text_is_refused(#[case] text: &str) {
    assert_eq!(FieldSet::from_json(text).unwrap_err().kind(), ErrorKind::InvalidManagedFields);
}

/// Spaces and escapes leave the reading of a key to the JSON reader. All forms are the same element.
#[rstest]
#[case::key(r#"k:{"a":"x"}"#, &[r#"k:{"a":"\u0078"}"#, r#"k:{"\u0061":"x"}"#, r#"k: { "a" : "x" } "#])]
#[case::value(r#"v:"x""#, &[r#"v:"\u0078""#, r#"v: "x" "#])]
#[case::empty_key(r#"k:{"":""}"#, &[r#"k:{"" :""}"#])]
#[case::not_ascii(r#"k:{"é":"😀"}"#, &[r#"k:{"\u00e9":"\ud83d\ude00"}"#])]
fn a_key_can_be_written_in_several_forms(#[case] shortest: &str, #[case] others: &[&str]) {
    let set_of = |key: &str| {
        FieldSet::from_json(&Doc::Map([(key.into(), Doc::Null)].into_iter().collect()).to_string())
    };
    let expected = set_of(shortest).unwrap();
    for other in others {
        assert_eq!(set_of(other).unwrap(), expected, "{other}");
    }
}

/// Keys that are no JSON, although they begin with a string or an object with one string.
#[rstest]
fn a_key_with_other_text_around_its_strings_is_refused(
    #[values(
        r#"k:{"a":"x""#,
        r#"k:{"a":"x"}}"#,
        r#"k:{"a":"x",}"#,
        r#"k:{"a":"x"},"#,
        r#"k:{"a","x"}"#,
        r#"k:{"a":"x}"#,
        r#"k:{a":"x"}"#,
        r#"k:"a":"x"}"#,
        r#"k:"a""#,
        r#"v:"x"x"#,
        r#"v:"x"#,
        r#"v:"x"""#,
        "k:{\"a\":\"\t\"}",
        "v:\"\n\""
    )]
    key: &str,
) {
    let text = Doc::Map([(key.into(), Doc::Null)].into_iter().collect()).to_string();
    assert_eq!(FieldSet::from_json(&text).unwrap_err().kind(), ErrorKind::InvalidManagedFields);
}

const A: &str = r#"{"f:a":{".":{},"f:x":{},"f:y":{}},"f:b":{}}"#;
const B: &str = r#"{"f:a":{"f:y":{},"f:z":{}},"f:b":{"f:c":{}}}"#;

#[test]
fn sets_are_combined() {
    let (a, b) = (set(A), set(B));
    assert_eq!(
        a.clone().union(b.clone()).to_json(),
        r#"{"f:a":{".":{},"f:x":{},"f:y":{},"f:z":{}},"f:b":{".":{},"f:c":{}}}"#
    );
    assert_eq!(a.intersection(&b).to_json(), r#"{"f:a":{"f:y":{}}}"#);
    assert_eq!(a.clone().difference(&b).to_json(), r#"{"f:a":{".":{},"f:x":{}},"f:b":{}}"#);
    assert_eq!(b.clone().difference(&a).to_json(), r#"{"f:a":{"f:z":{}},"f:b":{"f:c":{}}}"#);
    assert_eq!(b.clone().recursive_difference(&a).to_json(), "{}");
    assert_eq!(a.leaves().to_json(), r#"{"f:a":{"f:x":{},"f:y":{}},"f:b":{}}"#);
    assert_eq!((a.len(), b.len(), FieldSet::new().is_empty()), (4, 3, true));
}

#[test]
fn members_are_visited_before_those_below_them() {
    let set = set(r#"{"f:a":{"f:x":{}},"f:b":{},"k:{\"n\":\"\\u0001\"}":{".":{},"f:n":{}}}"#);
    assert_eq!(set.paths(), [".b", r#"[n="\x01"]"#, ".a.x", r#"[n="\x01"].n"#]);
}

#[test]
fn inserted_paths_are_found() {
    let mut set = FieldSet::new();
    let path = [PathElement::Field("b".into()), PathElement::Value(Doc::Int(1))];
    set.insert(&path);
    set.insert(&[PathElement::Field("a".into())]);
    assert_eq!(set.to_json(), r#"{"f:a":{},"f:b":{"v:1":{}}}"#);
    assert!(set.contains(&path) && !set.contains(&path[..1]) && !set.contains(&[]));
    assert!(set.contains(&[PathElement::Field("b".into()), PathElement::Value(Doc::Float(1.0))]));
}

/// The maps are compared as `value.MapCompare` compares them.
#[rstest]
#[case("{}", r#"{"a":1}"#, Ordering::Less)]
#[case(r#"{"a":1}"#, r#"{"b":0}"#, Ordering::Less)]
#[case(r#"{"a":2}"#, r#"{"a":1,"b":0}"#, Ordering::Greater)]
#[case(r#"{"a":1,"c":1}"#, r#"{"a":1,"b":0}"#, Ordering::Greater)]
fn maps_have_an_order(#[case] a: &str, #[case] b: &str, #[case] expected: Ordering) {
    let read = |text: &str| crate::document::from_json(text.as_bytes()).unwrap();
    assert_eq!(value_order::compare(&read(a), &read(b)), expected);
}
