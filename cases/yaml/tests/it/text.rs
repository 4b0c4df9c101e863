//! Errors of a text that are found before it is decoded into a type.

use rstest::rstest;
use skewer_engine::document::from_json;
use skewer_engine::{Doc, OwnedDoc};

use crate::support::parse_errors;
use skewer_yaml::{MAX_ALIAS_NODES, MAX_DEPTH, parse, read_document, read_manifest};

#[rstest]
#[case::empty("", "1:1: the file is empty")]
#[case::only_comments("# a\n\n# b\n", "1:1: the file is empty")]
#[case::two_documents(
    "a: 1\n---\nb: 2\n",
    "2:1: a second document begins here: expected one document per file"
)]
#[case::key_twice("a: 1\nb: {c: 1, d: 2, c: 3}\n", "2:17: the map has the key `c` twice")]
#[case::integer_as_key("1: x\n", "1:1: a key must be a string, not an integer")]
#[case::null_as_key("a: 1\n~: x\n", "2:1: a key must be a string, not null")]
#[case::boolean_as_key("{true: x}", "1:2: a key must be a string, not a boolean")]
#[case::list_as_key("[a]: x\n", "1:1: a key must be a string, not a list")]
#[case::tag("a: !foo x\n", "1:4: tags such as `!foo` are not supported")]
#[case::tag_of_a_map("a: !foo {b: 1}\n", "1:4: tags such as `!foo` are not supported")]
#[case::core_tag("a: !!str 1\n", "1:4: tags such as `!!str` are not supported")]
#[case::merge_key(
    "a: &a {x: 1}\nb:\n  <<: *a\n",
    "3:3: the YAML merge key `<<` is not supported: write the keys out"
)]
#[case::infinity("a: -.inf", "1:4: a number that is not finite cannot be written as JSON")]
#[case::not_a_number("a: [1, .nan]", "1:8: a number that is not finite cannot be written as JSON")]
#[case::unknown_alias("a: *b\n", "1:4: no anchor before this alias has its name")]
#[case::anchor_of_yaml_1_2(
    "a: &b:c 1\n",
    "1:4: the name of the anchor `&b:c` must consist of letters, digits, `-` and `_`"
)]
#[case::question_mark_in_a_flow_list(
    "[?a]",
    "1:2: YAML 1.1 and YAML 1.2 differ in how they read `?` and `:` here"
)]
#[case::colon_in_a_flow_map("{a: :b}", "1:5: YAML 1.1 and YAML 1.2 differ in how they read `?` and `:` here")]
#[case::colon_before_a_bracket("[a:]", "1:2: YAML 1.1 and YAML 1.2 differ in how they read `?` and `:` here")]
#[case::byte_order_mark_in_a_text(
    "a: b\u{feff}\n",
    "1:4: a byte order mark must be at the beginning of the file"
)]
#[case::infinity_behind_an_anchor(
    "a: &b .inf\nc: *b\n",
    "1:7: a number that is not finite cannot be written as JSON"
)]
#[case::alias_in_itself("a: &a [1, *a]\n", "1:11: an alias cannot be inside the node to which it refers")]
fn a_text_that_is_not_plain_yaml_is_refused_at_its_span(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(parse_errors(text.as_bytes()), [expected]);
}

#[rstest]
#[case::flow("a: [1, 2\nb: 3\n")]
#[case::indentation("a:\n  b: 1\n c: 2\n")]
#[case::quote("a: \"x\n")]
#[case::control_character("a: \u{1}")]
#[case::control_character_behind_a_line("a: 1\nb: \u{9b}")]
#[case::reserved("a: @b")]
#[case::tab_for_indentation("a:\n\tb: 1\n")]
fn invalid_yaml_has_one_error_with_a_message(#[case] text: &str) {
    let errors = parse_errors(text.as_bytes());
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains(": not valid YAML: "), "{errors:?}");
    assert!(!errors[0].contains(" at line "), "{errors:?}");
}

#[test]
fn invalid_utf8_is_refused_at_its_span() {
    assert_eq!(parse_errors(b"\xC3\xA4: 1\nb: \xFF\n"), ["2:4: the file is not UTF-8 from here on"]);
    assert_eq!(
        parse_errors("a: 1".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>().as_slice()).len(),
        1
    );
}

#[test]
fn all_errors_of_a_text_are_reported_at_once() {
    let text = "a: !x 1\na: 2\n3: .inf\n<<: {b: 1, b: 2}\n";
    assert_eq!(
        parse_errors(text.as_bytes()),
        [
            "1:4: tags such as `!x` are not supported",
            "2:1: the map has the key `a` twice",
            "3:1: a key must be a string, not an integer",
            "3:4: a number that is not finite cannot be written as JSON",
            "4:1: the YAML merge key `<<` is not supported: write the keys out",
            "4:12: the map has the key `b` twice",
        ]
    );
}

/// The position is that of the mistake, or of the bracket or quote that is not closed.
#[rstest]
#[case::indentation("a:\n  b: 1\n c: 2\n", "3:2")]
#[case::open_quote("é: 1\nb: \"x\n", "2:4")]
#[case::open_quote_in_the_middle("é: # it's\n  - &a 'x\nb: 1\n", "2:8")]
#[case::open_bracket("a: 1\nb: [é, 1\nc\n", "2:4")]
#[case::control_character("日: \u{9b}", "1:4")]
#[case::reserved("a: @b", "1:4")]
#[case::value_in_a_value("a: b: c\n", "1:5")]
#[case::tab_below_a_text("a:\n  - b: c\n\td: e\n", "3:1")]
fn a_syntax_error_has_the_position_of_the_parser(#[case] text: &str, #[case] position: &str) {
    let errors = parse_errors(text.as_bytes());
    assert!(errors[0].starts_with(&format!("{position}: not valid YAML: ")), "{errors:?}");
}

#[test]
fn a_syntax_error_hides_no_error_before_it() {
    let errors = parse_errors(b"a: !x 1\na: .inf\n1: 2\nb: @c\n");
    let positions: Vec<&str> =
        errors.iter().filter_map(|error| error.split_once(": ")).map(|error| error.0).collect();
    assert_eq!(positions, ["1:4", "2:4", "3:1", "4:4"]);
}

#[rstest]
#[case::quoted_merge_key("\"<<\": 1", r#"{"<<":1}"#)]
#[case::merge_sign_as_value("a: <<", r#"{"a":"<<"}"#)]
#[case::directives_are_data("$patch: delete", r#"{"$patch":"delete"}"#)]
#[case::words_of_old_yaml_are_strings("[yes, no, on, off, y, n]", r#"["yes","no","on","off","y","n"]"#)]
#[case::null_in_its_forms("[null, ~, ]", "[null,null]")]
#[case::largest_integers(
    "[9223372036854775807, -9223372036854775808]",
    "[9223372036854775807,-9223372036854775808]"
)]
#[case::beyond_64_signed_bits("[9223372036854775808, 1e3, 1.0]", "[9223372036854775808.0,1000.0,1.0]")]
#[case::aliases_are_copies(
    "a: &a {x: [1]}\nb: *a\nc: [*a, *a]\n",
    r#"{"a":{"x":[1]},"b":{"x":[1]},"c":[{"x":[1]},{"x":[1]}]}"#
)]
#[case::an_alias_of_a_key("&k a: 1\nb: *k\n", r#"{"a":1,"b":"a"}"#)]
#[case::an_anchor_named_anew("a: &x 1\nb: &x 2\nc: *x\n", r#"{"a":1,"b":2,"c":2}"#)]
#[case::byte_order_mark("\u{feff}a: 1", r#"{"a":1}"#)]
#[case::windows_line_ends("a: 1\r\nb:\r\n  - c\r\n", r#"{"a":1,"b":["c"]}"#)]
#[case::json("{\"a\":\"\\ud83d\\ude00\",\t\"b\":[1.0]}", "{\"a\":\"😀\",\"b\":[1.0]}")]
fn documents_are_read_as_their_json(#[case] yaml: &str, #[case] json: &str) {
    let value: OwnedDoc = read_document("x.yaml", yaml.as_bytes()).unwrap();
    assert_eq!(value, from_json(json.as_bytes()).unwrap());
}

#[rstest]
#[case::lists("[", "]")]
#[case::maps("{a: ", "}")]
fn depth_is_limited(#[case] open: &str, #[case] close: &str) {
    let nested = |n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
    assert_eq!(parse_errors(nested(MAX_DEPTH).as_bytes()), [""; 0]);
    let error = &parse_errors(nested(MAX_DEPTH + 1).as_bytes())[0];
    let column = MAX_DEPTH * open.len() + 1;
    assert_eq!(*error, format!("1:{column}: nested too deeply: at most {MAX_DEPTH} levels are read"));
    assert!(parse_errors(open.repeat(1_000_000).as_bytes())[0].contains("nested too deeply"));
    assert!(parse_errors("- ".repeat(1_000_000).as_bytes())[0].contains("nested too deeply"));
}

#[test]
fn depth_counts_through_aliases() {
    let levels = MAX_DEPTH / 2 + 1;
    let half = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let text = format!("a: &a {half}\nb: {}*a{}\n", "[".repeat(levels), "]".repeat(levels));
    assert!(parse_errors(text.as_bytes())[0].contains("nested too deeply"));
}

#[test]
fn an_alias_bomb_is_refused_at_the_alias_that_exceeds_the_limit() {
    let level = |i: usize| format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 10].join(", "));
    let text: String = std::iter::once("a0: &a0 [x]\n".to_owned()).chain((1..12).map(level)).collect();
    let errors = parse_errors(text.as_bytes());
    assert_eq!(errors.len(), 1);
    assert!(errors[0].contains(&format!("more than {MAX_ALIAS_NODES} nodes")), "{errors:?}");
    assert!(errors[0].starts_with("6:"), "{errors:?}");
}

#[test]
fn json_nests_as_deep_as_the_engine_reads_and_its_errors_have_spans() {
    let nested = format!("{}{}", "[".repeat(300), "]".repeat(300));
    assert!(read_document("x.json", nested.as_bytes()).is_ok());
    let errors = read_document("x.json", b"{\"a\": 1,\n \"a\": 2}").unwrap_err();
    assert!(errors.to_string().starts_with("x.json:2:2: the map has the key `a` twice\n"));
}

/// A text that begins like JSON is read as YAML only if the error of the JSON reader shows that the text is not JSON.
#[rstest]
#[case::number_out_of_range(r#"{"a":1e400}"#, "1:6: number out of range: no float64 holds 1e400")]
#[case::below_zero("[1,\n -1.8e308]", "2:2: number out of range: no float64 holds -1.8e308")]
#[case::after_a_byte_order_mark("\u{feff} [1e400]", "1:3: number out of range: no float64 holds 1e400")]
#[case::key_twice("{\"é\":1,\"é\":2}", "1:8: the map has the key `é` twice")]
#[case::missing_comma(r#"{"a": 1 "b": 2}"#, "1:9: not valid JSON: expected `,` or `}`")]
#[case::bad_escape(r#"{"a": "\y"}"#, "1:9: not valid JSON: invalid escape")]
#[case::two_documents("{}\n{}", "2:1: not valid JSON: trailing characters")]
#[case::broken_flow_style("{a: 1, b: [}", "1:11: not valid YAML: mismatched bracket '[' closed by '}'")]
fn a_text_that_is_json_is_never_read_as_yaml(#[case] text: &str, #[case] expected: &str) {
    for errors in [read_document("x", text.as_bytes()), read_manifest("x", text.as_bytes())] {
        let errors = errors.unwrap_err().to_string();
        assert!(errors.starts_with(&format!("x:{expected}")), "{errors}");
    }
}

#[test]
fn the_limits_of_json_are_those_of_the_engine() {
    let nested = format!("{{\"a\":{}{}}}", "[".repeat(600), "]".repeat(600));
    let errors = read_document("x.json", nested.as_bytes()).unwrap_err().to_string();
    assert!(errors.starts_with("x.json:1:517: nested too deeply: at most 512 levels are read\n"), "{errors}");
}

#[rstest]
#[case::flow_style("{a: 1}", r#"{"a":1}"#)]
#[case::trailing_comma(r#"{"a": 1,}"#, r#"{"a":1}"#)]
#[case::quoted_key("\"a\": 1\nb: 2", r#"{"a":1,"b":2}"#)]
#[case::comment("{\"a\": 1, # one\n \"b\": 2}", r#"{"a":1,"b":2}"#)]
#[case::unquoted_value(r#"{"a": text, "b": 'x'}"#, r#"{"a":"text","b":"x"}"#)]
#[case::words("[1 apple, 2 pears]", r#"["1 apple","2 pears"]"#)]
#[case::lone_surrogate_of_json(r#"{"a":"\ud800"}"#, "{\"a\":\"\u{fffd}\"}")]
#[case::zero_of_json("[-0, -0.0]", "[0,-0.0]")]
fn flow_style_is_yaml(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(read_document("x", text.as_bytes()).unwrap().to_string(), expected);
}

#[test]
fn floats_of_json_and_yaml_are_the_same_to_the_last_bit() {
    let value = Doc::List(vec![Doc::Float(3.816_518_568_026_129e75)]);
    assert_eq!(read_document("x.json", b"[3.816518568026129e75]").unwrap(), value);
    assert_eq!(read_document("x.yaml", b"- 3.816518568026129e75").unwrap(), value);
}

#[test]
fn a_span_has_a_location_of_file_and_line() {
    let file = parse("corpus/x.yaml", b"a:\n  b: 1\n").unwrap();
    let node = file.root().get("a").and_then(|a| a.get("b")).unwrap();
    assert_eq!(file.location(node.span), "corpus/x.yaml:2");
}
