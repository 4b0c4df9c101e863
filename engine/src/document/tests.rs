use std::cmp::Ordering;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::error::ErrorKind;

#[rstest]
#[case::integer("1", Doc::Int(1))]
#[case::whole_float("1.0", Doc::Float(1.0))]
#[case::exponent("1e3", Doc::Float(1000.0))]
#[case::largest_integer("9223372036854775807", Doc::Int(i64::MAX))]
#[case::above_int64("9223372036854775808", Doc::Float(9_223_372_036_854_775_808.0))]
#[case::null("null", Doc::Null)]
#[case::negative_zero("-0", Doc::Int(0))]
#[case::zero_with_an_exponent("0e0", Doc::Float(0.0))]
#[case::capital_exponent("1E2", Doc::Float(100.0))]
#[case::smallest_integer("-9223372036854775808", Doc::Int(i64::MIN))]
#[case::below_int64("-9223372036854775809", Doc::Float(-9_223_372_036_854_775_808.0))]
#[case::beyond_53_bits("9007199254740993", Doc::Int(9_007_199_254_740_993))]
#[case::too_small_for_a_float("1e-400", Doc::Float(0.0))]
fn numbers_are_read_as_go_reads_them(#[case] json: &str, #[case] expected: OwnedDoc) {
    assert_eq!(from_json(json.as_bytes()).unwrap(), expected);
}

/// Observed with `k8s.io/apimachinery/pkg/util/json`: `-0` is an `int64`; these texts are `float64` values with the
/// sign.
#[rstest]
fn a_float_zero_keeps_its_sign(#[values("-0.0", "-0e0", "-0E5", "-1e-400")] json: &str) {
    let Doc::Float(zero) = from_json(json.as_bytes()).unwrap() else { panic!("{json} is not a float") };
    assert!(zero == 0.0 && zero.is_sign_negative());
}

/// Observed with `encoding/json` and `sigs.k8s.io/json`.
#[rstest]
#[case::lone_high_surrogate(r"\ud800", "\u{fffd}")]
#[case::lone_low_surrogate(r"\udc00", "\u{fffd}")]
#[case::high_surrogate_before_another_escape(r"\ud800\u0041", "\u{fffd}A")]
#[case::high_surrogate_before_a_letter(r"\ud800x", "\u{fffd}x")]
#[case::surrogates_in_the_wrong_order(r"\udc00\ud800", "\u{fffd}\u{fffd}")]
#[case::high_surrogate_before_a_pair(r"\ud800\ud83d\ude00", "\u{fffd}😀")]
#[case::surrogate_pair(r"\uD83D\uDE00", "😀")]
#[case::all_short_escapes(r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t")]
#[case::between_unescaped_characters("é\\u00e9é", "ééé")]
fn escapes_are_read_as_go_reads_them(#[case] escaped: &str, #[case] expected: &str) {
    let text = format!(r#"{{"{escaped}":"{escaped}"}}"#);
    let expected = Map::from_iter([(Text::from(expected), Doc::from(expected))]);
    assert_eq!(from_json(text.as_bytes()).unwrap(), Doc::Map(expected.clone()));
    assert_eq!(from_json_borrowed(text.as_bytes()).unwrap(), Doc::Map(expected.clone()));
    let arena = Arena::default();
    assert_eq!(from_json_in(text.as_bytes(), &arena).unwrap(), Doc::Map(expected));
}

/// Comparisons read the ends of short strings, which overlap.
#[test]
fn strings_of_all_lengths_are_compared_by_all_their_bytes() {
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    for length in 0..=letters.len() {
        let (text, longer) = (Text::borrowed(&letters[..length]), format!("{}é", &letters[..length]));
        assert_eq!(text, Text::from(&letters[..length]));
        assert!(text == letters[..length] && text != Text::borrowed(&longer) && text != *longer);
        for position in 0..length {
            for replacement in ["_", "~", " "] {
                let mut other = letters[..length].to_owned();
                other.replace_range(position..=position, replacement);
                assert!(text != Text::borrowed(&other) && text != *other, "{other}");
                assert_eq!(text.cmp(&Text::borrowed(&other)), text.as_str().cmp(&other), "{other}");
                for second in position + 1..length {
                    let mut both = other.clone();
                    both.replace_range(second..=second, "_");
                    assert_eq!(text.cmp(&Text::borrowed(&both)), text.as_str().cmp(&both), "{both}");
                }
            }
        }
        assert_eq!(text.cmp(&Text::borrowed(&letters[..length])), Ordering::Equal);
        assert_eq!(text.cmp(&Text::borrowed(&longer)), Ordering::Less);
    }
}

#[rstest]
#[case::number_too_large(r#"{"a":1e400}"#, "number out of range: no float64 holds 1e400 at line 1 column 6")]
#[case::number_too_small(
    "[1,\n -1.8e308]",
    "number out of range: no float64 holds -1.8e308 at line 2 column 2"
)]
#[case::duplicate_key("{\"a\":1,\n \"a\":2}", "duplicate key \"a\" at line 2 column 2")]
#[case::duplicate_escaped_key(r#"[{"b":{"a":1},"\u0062":[]}]"#, "duplicate key \"b\" at line 1 column 15")]
#[case::unexpected_end("{\"a\":", "EOF while parsing a value at line 1 column 5")]
#[case::unquoted_key("{a: 1}", "key must be a string at line 1 column 2")]
#[case::trailing("{}\n{}", "trailing characters at line 2 column 1")]
#[case::bad_escape(r#"["\x"]"#, "invalid escape at line 1 column 4")]
#[case::bad_number("[01]", "invalid number at line 1 column 3")]
fn errors_have_a_position(#[case] json: &str, #[case] expected: &str) {
    assert_eq!(from_json(json.as_bytes()).unwrap_err().message(), expected);
}

#[test]
fn invalid_utf8_is_refused() {
    let error = parse_json(b"{\"a\":\n\"b\xff\"}").unwrap_err();
    assert_eq!((error.problem(), error.offset()), (&JsonProblem::InvalidUtf8, 8));
    assert_eq!(error.to_string(), "invalid UTF-8 at line 2 column 3");
}

#[test]
fn the_number_of_values_is_limited() {
    let list = |items: usize| format!("[{}0]", "0,".repeat(items - 1));
    // The list itself counts as a value. At 2 bytes per value, the lower limit applies.
    assert!(from_json(list(999_999).as_bytes()).is_ok());
    let error = parse_json(list(1_000_000).as_bytes()).unwrap_err();
    assert_eq!((error.problem(), error.offset()), (&JsonProblem::TooManyNodes(1_000_000), 1_999_999));
    // At 9 bytes per value, the upper limit applies.
    let long = |items: usize| list(items).replace("0,", "12345678,");
    assert!(from_json(long(MAX_NODES - 1).as_bytes()).is_ok());
    let error = parse_json(long(MAX_NODES).as_bytes()).unwrap_err();
    assert_eq!(error.problem(), &JsonProblem::TooManyNodes(MAX_NODES));
    let error = serde_json::from_str::<OwnedDoc>(&list(MAX_NODES)).unwrap_err();
    assert!(error.to_string().contains("at most 4000000 values are read"), "{error}");
}

#[rstest]
#[case::empty("", ErrorKind::InvalidDocument)]
#[case::two_documents("{} {}", ErrorKind::InvalidDocument)]
#[case::duplicate_key(r#"{"a":1,"b":2,"a":3}"#, ErrorKind::InvalidDocument)]
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
fn written_keys_are_sorted_and_the_output_is_read_back_unchanged() {
    let text = r#"{"b":[1,1.0,"x",null],"$a":{"z":true,"y":-1}}"#;
    let value = from_json(text.as_bytes()).unwrap();
    assert_eq!(value.to_string(), r#"{"$a":{"y":-1,"z":true},"b":[1,1.0,"x",null]}"#);
    assert_eq!(from_json(&to_json(&value)).unwrap(), value);
}

/// Generates texts that are JSON, or differ slightly from JSON.
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
        Just("\"\\ud83d\""),
        Just("\\ud800"),
        Just("\\u00"),
        Just("\\n"),
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
    fn the_reader_agrees_with_serde_json(text in nearly_json()) {
        let read = parse_json(text.as_bytes());
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        match &read {
            Ok(_) => prop_assert!(is_json),
            Err(error) if matches!(error.problem(), JsonProblem::Syntax(_)) => prop_assert!(!is_json),
            // Syntactically valid up to the error: `serde_json` must refuse it too.
            Err(_) => prop_assert!(serde_json::from_str::<OwnedDoc>(&text).is_err()),
        }
        if let Ok(expected) = serde_json::from_str::<OwnedDoc>(&text) {
            // `serde_json` reads `-0` as the float `-0.0`, Go as the integer 0.
            prop_assert_eq!(read.clone().map(with_float_zeros), Ok(with_float_zeros(expected)));
        }
        let borrowed = from_json_borrowed(text.as_bytes());
        prop_assert_eq!(borrowed.as_ref().ok(), read.as_ref().ok());
        let arena = Arena::default();
        let in_arena = from_json_in(text.as_bytes(), &arena);
        prop_assert_eq!(&in_arena, &borrowed);
        prop_assert_eq!(in_arena.map(|read| to_json(&read)), borrowed.clone().map(|read| to_json(&read)));
        if let (Ok(borrowed), Ok(owned)) = (borrowed, read) {
            prop_assert_eq!(to_json(&borrowed), to_json(&owned));
            prop_assert_eq!(borrowed.to_static(), owned);
        }
    }

    #[test]
    fn the_writer_agrees_with_serde_json_and_its_output_is_read_back(value in document()) {
        let written = to_json(&value);
        prop_assert_eq!(&written, &serde_json::to_vec(&value).unwrap());
        prop_assert_eq!(from_json(&written), Ok(value));
    }
}

type Change = fn(&mut Map<'_>);

#[rstest]
#[case::insert_new(|map: &mut Map| drop(map.insert("b1".into(), Doc::Null)))]
#[case::insert_last(|map: &mut Map| drop(map.insert("z".into(), Doc::Null)))]
#[case::insert_existing(|map: &mut Map| drop(map.insert("b".into(), Doc::Null)))]
#[case::get_mut(|map: &mut Map| *map.get_mut("b").unwrap() = Doc::Null)]
#[case::remove(|map: &mut Map| drop(map.remove("b").unwrap()))]
#[case::update(|map: &mut Map| map.update(vec![("a".into(), None), ("b".into(), Some(Doc::Null))]))]
#[case::retain(|map: &mut Map| map.retain(|key, _| *key != "b"))]
#[case::iter_mut(|map: &mut Map| map.iter_mut().for_each(|(_, value)| *value = Doc::Null))]
fn a_map_in_an_arena_is_changed_like_any_map_and_its_copies_are_not(#[case] change: Change) {
    let text = br#"{"a":1,"b":"x","c":{"d":"y"}}"#;
    let arena = Arena::default();
    let map_of = |document: Doc<'_>| document.as_map().unwrap().to_static();
    let original = from_json_in(text, &arena).unwrap();
    let mut changed = original.as_map().unwrap().clone();
    let mut expected = map_of(from_json(text).unwrap());
    change(&mut changed);
    change(&mut expected);
    assert_eq!(changed, expected);
    assert_ne!(Doc::Map(changed), original);
    assert_eq!(to_json(&original), text);
}

#[test]
fn a_map_with_a_list_is_not_in_the_arena() {
    let arena = Arena::default();
    let texts = [(r#"{"a":[1]}"#, false), (r#"{"b":{"a":[1]}}"#, false), (r#"{"b":{"a":[]}}"#, true)];
    for (text, is_borrowed) in texts {
        let document = from_json_in(text.as_bytes(), &arena).unwrap();
        assert_eq!(document.as_map().unwrap().is_borrowed(), is_borrowed, "{text}");
    }
}

#[test]
fn a_map_with_only_one_key_is_part_of_the_map() {
    let text = br#"{"a":1,"b":{"c":"x"}}"#;
    let arena = Arena::default();
    for document in [from_json(text).unwrap(), from_json_in(text, &arena).unwrap()] {
        let map = document.as_map().unwrap();
        let parts = ["a", "b", "c"].map(|key| Doc::Map(map.with_only(key)).to_string());
        assert_eq!(parts, [r#"{"a":1}"#, r#"{"b":{"c":"x"}}"#, "{}"]);
    }
}

fn with_float_zeros(value: OwnedDoc) -> OwnedDoc {
    match value {
        Doc::Int(0) => Doc::Float(0.0),
        Doc::List(items) => Doc::List(items.into_iter().map(with_float_zeros).collect()),
        Doc::Map(map) => {
            Doc::Map(map.into_iter().map(|(key, value)| (key, with_float_zeros(value))).collect())
        }
        other => other,
    }
}
