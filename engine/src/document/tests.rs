use proptest::prelude::*;
use rstest::rstest;

use super::json::{fast_reader, reader};
use super::*;
use crate::error::ErrorKind;

#[rstest]
#[case::integer("1", Doc::Int(1))]
#[case::float_that_is_whole("1.0", Doc::Float(1.0))]
#[case::exponent("1e3", Doc::Float(1000.0))]
#[case::largest_integer("9223372036854775807", Doc::Int(i64::MAX))]
#[case::beyond_64_bits_signed("9223372036854775808", Doc::Float(9_223_372_036_854_775_808.0))]
#[case::null("null", Doc::Null)]
fn numbers_are_read_as_go_reads_them(#[case] json: &str, #[case] expected: OwnedDoc) {
    assert_eq!(from_json(json.as_bytes()).unwrap(), expected);
}

#[rstest]
#[case::empty("", ErrorKind::InvalidDocument)]
#[case::two_documents("{} {}", ErrorKind::InvalidDocument)]
#[case::key_twice(r#"{"a":1,"b":2,"a":3}"#, ErrorKind::InvalidDocument)]
#[case::out_of_range("1e999", ErrorKind::InvalidDocument)]
#[case::not_a_number("NaN", ErrorKind::InvalidDocument)]
fn invalid_json_is_refused(#[case] json: &str, #[case] kind: ErrorKind) {
    assert_eq!(from_json(json.as_bytes()).unwrap_err().kind(), kind);
}

#[rstest]
fn nesting_depth_is_limited(#[values("[", r#"{"a":"#)] open: &str) {
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

/// Generates text that is JSON, or nearly JSON.
fn nearly_json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\""),
        Just("\\"),
        Just(" "),
        Just("\n"),
        Just("\"a\":"),
        Just("\"b\""),
        Just("\"\\u00e9\\ud83d\\ude00\""),
        Just("\"long enough for eight bytes\""),
        Just("\u{1}"),
        Just("\u{7f}é€😀"),
        Just("true"),
        Just("false"),
        Just("null"),
        Just("nul"),
        Just("0"),
        Just("-0"),
        Just("01"),
        Just("-"),
        Just("1.5"),
        Just("1e3"),
        Just("1e999"),
        Just("999999999999999999"),
        Just("9223372036854775807"),
        Just("9223372036854775808"),
        Just("-9223372036854775808"),
        Just("18446744073709551616"),
        Just("+1"),
        Just("1."),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Generates documents.
fn document() -> impl Strategy<Value = OwnedDoc> {
    let scalar = prop_oneof![
        Just(Doc::Null),
        any::<bool>().prop_map(Doc::Bool),
        any::<i64>().prop_map(Doc::Int),
        any::<f64>().prop_filter("finite", |f| f.is_finite()).prop_map(Doc::Float),
        any::<String>().prop_map(Doc::from),
    ];
    scalar.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Doc::List),
            proptest::collection::vec((any::<String>(), inner), 0..6).prop_map(|entries| entries
                .into_iter()
                .map(|(k, v)| (Text::from(k), v))
                .collect::<OwnedMap>()
                .into()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_fast_reader_agrees_with_serde(text in nearly_json()) {
        let expected = reader::from_json_with_serde(text.as_bytes());
        prop_assert_eq!(&fast_reader::read(text.as_bytes(), Text::from), &expected.clone().ok());
        let borrowed = from_json_borrowed(text.as_bytes());
        prop_assert_eq!(borrowed.as_ref().ok(), expected.as_ref().ok());
        if let (Ok(borrowed), Ok(owned)) = (borrowed, expected) {
            prop_assert_eq!(to_json(&borrowed), to_json(&owned));
            prop_assert_eq!(borrowed.to_static(), owned);
        }
    }

    #[test]
    fn the_writer_agrees_with_serde_and_reads_back(value in document()) {
        let written = to_json(&value);
        prop_assert_eq!(&written, &serde_json::to_vec(&value).unwrap());
        prop_assert_eq!(fast_reader::read(&written, Text::from), Some(value));
    }
}
