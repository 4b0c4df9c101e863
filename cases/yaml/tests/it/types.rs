//! Decodes files into types, and checks all errors.

use std::collections::BTreeMap;

use rstest::rstest;
use schemars::JsonSchema;
use serde::Deserialize;
use skewer_engine::document::{from_json, max_nodes};
use skewer_engine::{Doc, OwnedDoc};

use crate::support::messages;
use skewer_yaml::{
    FileErrors, MAX_DIAGNOSTICS, OptionalField, Span, Spanned, any_schema, parse, parse_lenient, read,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // Some fields are only there to be read.
#[allow(clippy::struct_field_names)] // The format has a field of this name.
struct Suite {
    suite: Spanned<String>,
    #[serde(default)]
    level: Option<Level>,
    #[serde(default)]
    axes: BTreeMap<Spanned<String>, Spanned<u8>>,
    cases: Vec<Case>,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Level {
    Required,
    StronglyRecommended,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Case {
    id: Spanned<String>,
    intent: Intent,
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    live: Option<OwnedDoc>,
    #[serde(default)]
    expect: Vec<Expectation>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Intent {
    Set(#[schemars(schema_with = "any_schema")] OwnedDoc),
    Remove {
        path: Spanned<String>,
        #[serde(default)]
        force: bool,
    },
    Nothing,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Expectation {
    when: BTreeMap<String, Level>,
    outcome: Spanned<Level>,
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    result: OptionalField<OwnedDoc>,
}

fn read_suite(text: &str) -> Result<Suite, FileErrors> {
    read("x.yaml", text.as_bytes())
}

fn suite_errors(text: &str) -> Vec<String> {
    read_suite(text).map_or_else(|errors| messages(&errors), |_| Vec::new())
}

const VALID: &str = "\
suite: s
level: strongly-recommended
axes: {client: 1, server: 255}
cases:
  - id: first
    intent: {set: {$patch: delete, n: 9007199254740993}}
    live: {a: 1, b: 1.0}
    expect:
      - {when: {client: required}, outcome: required, result: null}
      - {when: {}, outcome: required}
  - {id: second, intent: nothing}
  - {id: third, intent: {remove: {path: a.b, force: true}}}
";

#[test]
fn a_valid_file_is_read_completely_and_exactly() {
    let suite = read_suite(VALID).unwrap();
    assert_eq!(suite.level, Some(Level::StronglyRecommended));
    let axes: Vec<_> = suite.axes.iter().map(|(key, value)| (key.as_str(), value.value)).collect();
    assert_eq!(axes, [("client", 1), ("server", 255)]);
    let [first, second, third] = suite.cases.as_slice() else { panic!("three cases") };
    let Intent::Set(set) = &first.intent else { panic!("set") };
    assert_eq!(*set, from_json(br#"{"$patch":"delete","n":9007199254740993}"#).unwrap());
    assert_eq!(first.live, Some(from_json(br#"{"a":1,"b":1.0}"#).unwrap()));
    assert_eq!(first.expect[0].result, OptionalField::Given(Doc::Null));
    assert_eq!(first.expect[1].result, OptionalField::Absent);
    assert!(matches!(second.intent, Intent::Nothing));
    assert!(matches!(&third.intent, Intent::Remove { path, force: true } if path.as_str() == "a.b"));
}

#[test]
fn spans_are_those_of_the_values_and_keys() {
    let suite = read_suite(VALID).unwrap();
    let text = |span: Span| &VALID[span.offset..span.end()];
    assert_eq!(text(suite.cases[0].id.span), "first");
    assert_eq!(
        suite.axes.iter().map(|(k, v)| (text(k.span), text(v.span))).collect::<Vec<_>>(),
        [("client", "1"), ("server", "255")]
    );
    assert_eq!(text(suite.cases[0].expect[1].outcome.span), "required");
}

#[test]
fn other_deserializers_read_values_without_spans() {
    let value: Spanned<String> = serde_json::from_str("\"x\"").unwrap();
    assert_eq!((value.as_str(), value.span), ("x", Span::default()));
}

#[rstest]
#[case::unknown_key(
    "suite: s\ncases: []\nlevl: required\n",
    "3:1: unknown key `levl`: did you mean `level`?"
)]
#[case::unknown_key_like_nothing("suite: s\ncases: []\nzzzzzz: 1\n", "3:1: unknown key `zzzzzz`")]
#[case::required_key_misspelt("siute: s\ncases: []\n", "1:1: unknown key `siute`: did you mean `suite`?")]
#[case::missing("cases: []\n", "1:1: missing field `suite`")]
#[case::wrong_kind("suite: s\ncases: x\n", "2:8: expected a list, found a string, `x`")]
#[case::number_for_string("suite: 1\ncases: []\n", "1:8: expected a string, found an integer, `1`")]
#[case::null_for_string("suite:\ncases: []\n", "1:6: expected a string, found null")]
#[case::out_of_range(
    "suite: s\ncases: []\naxes: {a: 256}\n",
    "3:11: expected an integer from 0 to 255, found an integer, `256`"
)]
#[case::negative(
    "suite: s\ncases: []\naxes: {a: -1}\n",
    "3:11: expected an integer from 0 to 255, found an integer, `-1`"
)]
#[case::unknown_value(
    "suite: s\ncases: []\nlevel: requird\n",
    "3:8: unknown value `requird`: did you mean `required`?"
)]
#[case::other_case_style(
    "suite: s\ncases: []\nlevel: StronglyRecommended\n",
    "3:8: unknown value `StronglyRecommended`: did you mean `strongly-recommended`?"
)]
#[case::list_for_enum(
    "suite: s\ncases: []\nlevel: []\n",
    "3:8: expected one of `required`, `strongly-recommended`, found a list"
)]
#[case::unknown_variant_key(
    "suite: s\ncases: [{id: a, intent: {sett: 1}}]\n",
    "2:26: unknown key `sett`: did you mean `set`?"
)]
#[case::variant_without_content("suite: s\ncases: [{id: a, intent: set}]\n", "2:25: `set` needs a value")]
#[case::variant_with_content(
    "suite: s\ncases: [{id: a, intent: {nothing: 1}}]\n",
    "2:35: `nothing` takes no value"
)]
#[case::two_variants(
    "suite: s\ncases: [{id: a, intent: {set: 1, nothing: }}]\n",
    "2:25: expected a map with one key, found a map with 2"
)]
#[case::unknown_key_in_a_variant(
    "suite: s\ncases: [{id: a, intent: {remove: {path: a, foce: true}}}]\n",
    "2:44: unknown key `foce`: did you mean `force`?"
)]
#[case::root_of_another_kind("- 1\n", "1:1: expected a map, found a list")]
fn each_error_is_one_message_at_its_span(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(suite_errors(text), [expected]);
}

#[test]
fn all_errors_of_a_file_are_reported_at_once() {
    let text = "\
suite: s
levl: required
axes: {a: x, b: 1, c: 1000}
cases:
  - id: 1
    intent: nothin
    lvie: {}
  - intent: nothing
    expect:
      - {when: {client: requird, server: req}, outcom: required}
      - {outcome: 7, other: 1}
      - 5
  - id: good
    intent: {remove: {paht: x}}
  - {}
";
    assert_eq!(
        suite_errors(text),
        [
            "2:1: unknown key `levl`: did you mean `level`?",
            "3:11: expected an integer, found a string, `x`",
            "3:23: expected an integer from 0 to 255, found an integer, `1000`",
            "5:9: expected a string, found an integer, `1`",
            "6:13: unknown value `nothin`: did you mean `nothing`?",
            "7:5: unknown key `lvie`: did you mean `live`?",
            "8:5: missing field `id`",
            "10:25: unknown value `requird`: did you mean `required`?",
            "10:42: unknown value `req`",
            "10:48: unknown key `outcom`: did you mean `outcome`?",
            "11:9: missing field `when`",
            "11:19: expected one of `required`, `strongly-recommended`, found an integer, `7`",
            "11:22: unknown key `other`",
            "12:9: expected a map, found an integer, `5`",
            "14:23: unknown key `paht`: did you mean `path`?",
            "15:5: missing field `id`",
            "15:5: missing field `intent`",
        ]
    );
}

#[test]
fn the_plain_form_has_the_line_the_carets_the_path_and_the_help() {
    let text = "suite: s\ncases:\n  - id: a\n    intent: {}\n    expect: [{when: {}, outcome: nope}]\n";
    assert_eq!(
        read_suite(text).unwrap_err().to_string(),
        "\
x.yaml:4:13: expected a map with one key, found a map with 0
4 |     intent: {}
  |             ^^
  = in cases[0].intent
  = help: one of `set`, `remove`, `nothing`
x.yaml:5:34: unknown value `nope`
5 |     expect: [{when: {}, outcome: nope}]
  |                                  ^^^^
  = in cases[0].expect[0].outcome
  = help: one of `required`, `strongly-recommended`
"
    );
}

#[test]
fn the_graphical_form_has_the_same_content() {
    let errors = read_suite("suite: s\ncases: []\nlevl: x # \u{202e}31m\n").unwrap_err();
    let rendered = errors.graphical(false, 80);
    assert!(!rendered.contains(['\u{1b}', '\u{202e}']), "{rendered}");
    for part in ["unknown key `levl`: did you mean `level`?", "x.yaml:3:1", "levl:"] {
        assert!(rendered.contains(part), "{rendered}");
    }
    assert!(errors.graphical(true, 80).contains("\u{1b}["));
}

#[test]
fn parts_with_errors_are_left_out_and_later_checks_add_diagnostics() {
    let text = "suite: s\ncases:\n  - {id: a, intent: nothing}\n  - {id: 1, intent: nothing}\n";
    let document = parse("x.yaml", text.as_bytes()).unwrap();
    let (suite, diagnostics) = document.decode_partial::<Suite>();
    let suite = suite.unwrap();
    assert_eq!(suite.cases.len(), 1);
    diagnostics.error(suite.cases[0].id.span, "too short").label("here").help("two letters at least");
    diagnostics.error(suite.cases[0].id.span, "too short");
    let errors = document.finish(Some(suite), diagnostics).unwrap_err();
    assert_eq!(messages(&errors), ["3:10: too short", "4:10: expected a string, found an integer, `1`"]);
    assert!(errors.to_string().contains("^ here\n  = help: two letters at least\n"));
}

#[test]
fn errors_of_text_and_type_are_reported_together() {
    let text = "suite: s\nsuite: t\ncases: x\n";
    assert_eq!(
        suite_errors(text),
        ["2:1: the map has the key `suite` twice", "3:8: expected a list, found a string, `x`"]
    );
    assert!(parse("x.yaml", text.as_bytes()).is_err());
    assert!(parse_lenient("x.yaml", text.as_bytes()).is_ok());
}

#[test]
fn an_error_in_an_aliased_value_is_reported_once_at_the_anchor() {
    let text = "suite: s\ncases:\n  - &c {id: 1, intent: nothing}\n  - *c\n";
    assert_eq!(suite_errors(text), ["3:13: expected a string, found an integer, `1`"]);
}

#[test]
fn a_file_with_too_many_errors_ends_with_a_message() {
    let text = format!("suite: s\ncases:\n{}", "  - {id: 1, intent: x}\n".repeat(2000));
    let errors = suite_errors(&text);
    assert_eq!(errors.len(), MAX_DIAGNOSTICS);
    let errors = read::<Suite>("x.yaml", text.as_bytes()).unwrap_err().to_string();
    let end = "x.yaml: these are the first 100 errors; what comes after them was not checked\n";
    assert!(errors.ends_with(end), "{errors}");
}

/// Comparing each unknown key with all known keys would take quadratic time: an hour for this test.
#[test]
fn very_many_unknown_keys_are_counted() {
    let add_key = |text: String, number: u32| text + "key" + &number.to_string() + ": x\n";
    let keys = (0..100_000).fold(String::new(), add_key);
    let one_line = keys.replace('\n', ", ");
    for text in [format!("suite: s\n{keys}"), keys, format!("{{{one_line}}}")] {
        let errors = read::<Suite>("x.yaml", text.as_bytes()).unwrap_err();
        assert_eq!(errors.diagnostics().len(), MAX_DIAGNOSTICS);
        let (plain, graphical) = (errors.to_string(), errors.graphical(false, 80));
        assert!(plain.contains("unknown key `key0`"), "{plain}");
        for text in [&plain, &graphical] {
            assert!(text.len() < 100_000, "{}", text.len());
            assert!(
                text.contains("x.yaml: and 99900 more errors")
                    || text.contains("x.yaml: and 99901 more errors"),
                "{text}"
            );
        }
    }
}

/// Computing the position of each duplicate key in its long line would take quadratic time.
#[test]
fn very_many_duplicate_keys_are_counted() {
    let keys: Vec<String> = (0..20_000).map(|number| format!("key{number}: x")).collect();
    let text = format!("{{{}, {}}}", keys.join(", "), keys.join(", "));
    let errors = parse("x.yaml", text.as_bytes()).unwrap_err();
    assert_eq!(errors.diagnostics().len(), MAX_DIAGNOSTICS);
    assert!(errors.to_string().ends_with("x.yaml: and 19900 more errors\n"), "{errors}");
}

#[test]
fn a_file_with_too_many_nodes_is_refused() {
    // The limit on the nodes of any short text.
    let max_nodes = max_nodes(0);
    let text = format!("a:\n  [{}]\n", vec!["0"; max_nodes].join(","));
    let errors = parse("x.yaml", text.as_bytes()).unwrap_err().to_string();
    // The map, its key and the list also count as nodes.
    let column = 4 + 2 * (max_nodes - 3);
    let expected = format!(
        "x.yaml:2:{column}: the file has more than {max_nodes} keys and values, the maximum for YAML\n"
    );
    assert!(errors.starts_with(&expected), "{errors}");
    assert!(errors.contains("help: split the file, or write it as JSON"), "{errors}");
}

/// The reader keeps a copy of each node with an anchor, and the copy counts like the node. If each of 100 nested lists
/// has an anchor, the copy of each contains the items of the innermost list, so that 9,850 items count as a million nodes.
#[test]
fn nodes_with_anchors_count_twice() {
    let nested = |items: usize| {
        let list = vec!["0"; items].join(",");
        format!("{}{list}{}", "&a [".repeat(100), "]".repeat(100))
    };
    assert!(parse("x.yaml", nested(9_850).as_bytes()).is_ok());
    let errors = parse("x.yaml", nested(9_851).as_bytes()).unwrap_err().to_string();
    assert!(
        errors.contains("the file has more than 1000000 keys and values, the maximum for YAML"),
        "{errors}"
    );
}

#[derive(Debug, Deserialize)]
#[allow(dead_code)]
struct Wrapped {
    #[serde(default)]
    pair: Option<(u8, String)>,
    #[serde(default)]
    short: Option<Short>,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Short;

impl TryFrom<String> for Short {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.len() < 4 { Ok(Short) } else { Err(format!("`{text}` is too long")) }
    }
}

#[rstest]
#[case::conversion("short: abcd\n", "1:8: `abcd` is too long")]
#[case::tuple_element("pair: [1, 2]\n", "1:11: expected a string, found an integer, `2`")]
#[case::tuple_length("pair: [1]\n", "1:7: expected a list with 2 items, found a list with 1")]
fn errors_of_conversions_and_tuples_have_spans(#[case] text: &str, #[case] expected: &str) {
    let errors = read::<Wrapped>("x.yaml", text.as_bytes()).unwrap_err();
    assert_eq!(messages(&errors), [expected]);
}

#[test]
fn the_json_schema_is_that_of_the_values() {
    let schema = serde_json::to_value(schemars::schema_for!(Suite)).unwrap();
    assert_eq!(schema["properties"]["suite"]["type"], "string");
    assert_eq!(schema["required"], serde_json::json!(["suite", "cases"]));
    assert_eq!(schema["$defs"]["Expectation"]["required"], serde_json::json!(["when", "outcome"]));
}
