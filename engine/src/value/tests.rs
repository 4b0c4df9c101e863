use rstest::rstest;

use super::*;
use crate::error::ErrorKind;

#[rstest]
#[case::integer("1", Value::Int(1))]
#[case::float_that_is_whole("1.0", Value::Float(1.0))]
#[case::exponent("1e3", Value::Float(1000.0))]
#[case::largest_integer("9223372036854775807", Value::Int(i64::MAX))]
#[case::beyond_64_bits_signed("9223372036854775808", Value::Float(9_223_372_036_854_775_808.0))]
#[case::null("null", Value::Null)]
fn numbers_are_read_as_go_reads_them(#[case] json: &str, #[case] expected: Value) {
    assert_eq!(from_json(json.as_bytes()).unwrap(), expected);
}

#[rstest]
#[case::empty("", ErrorKind::InvalidDocument)]
#[case::two_documents("{} {}", ErrorKind::InvalidDocument)]
#[case::key_twice(r#"{"a":1,"b":2,"a":3}"#, ErrorKind::InvalidDocument)]
#[case::out_of_range("1e999", ErrorKind::InvalidDocument)]
#[case::not_a_number("NaN", ErrorKind::InvalidDocument)]
fn what_is_not_one_json_value_is_refused(#[case] json: &str, #[case] kind: ErrorKind) {
    assert_eq!(from_json(json.as_bytes()).unwrap_err().kind(), kind);
}

#[rstest]
fn depth_is_limited(#[values("[", r#"{"a":"#)] open: &str) {
    let close = if open == "[" { "]" } else { "}" };
    let nested = |n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
    assert!(from_json(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert_eq!(from_json(nested(MAX_DEPTH + 1).as_bytes()).unwrap_err().kind(), ErrorKind::TooDeep);
    assert_eq!(from_json(open.repeat(1_000_000).as_bytes()).unwrap_err().kind(), ErrorKind::TooDeep);
}

#[test]
fn keys_are_sorted_and_values_read_back() {
    let text = r#"{"b":[1,1.0,"x",null],"$a":{"z":true,"y":-1}}"#;
    let value = from_json(text.as_bytes()).unwrap();
    assert_eq!(value.to_string(), r#"{"$a":{"y":-1,"z":true},"b":[1,1.0,"x",null]}"#);
    assert_eq!(from_json(&to_json(&value)).unwrap(), value);
}
