//! A written document reads back as the same value.

use proptest::prelude::*;
use rstest::rstest;
use skewer_engine::{Doc, Map, OwnedDoc, Text};

use skewer_yaml::{Layout, MAX_DEPTH, format, read_document, write};

fn strings() -> impl Strategy<Value = String> {
    let ambiguous = prop::sample::select(vec![
        "1",
        "yes",
        "null",
        "~",
        "1e3",
        "",
        " ",
        "true",
        "0x1",
        "0o7",
        "01",
        "1_000",
        ".inf",
        "-",
        "- a",
        "a: b",
        "#",
        "a #b",
        "<<",
        "!t",
        "&a",
        "*a",
        "|",
        "\n",
        "a\n",
        "a\nb\n\n",
        " a\n b",
        "\t",
        "\r\n",
        "'",
        "\"",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{7f}",
        "日本",
        "=",
        "2001-01-01",
        "1:30",
        "---",
        "...",
        "@a",
        "%",
        "? a",
    ]);
    prop_oneof![ambiguous.prop_map(str::to_owned), "\\PC{0,12}", "[ -~\n\t]{0,20}", any::<String>()]
}

fn values() -> impl Strategy<Value = OwnedDoc> {
    let scalar = prop_oneof![
        Just(Doc::Null),
        any::<bool>().prop_map(Doc::Bool),
        any::<i64>().prop_map(Doc::Int),
        any::<f64>().prop_filter("finite", |f| f.is_finite()).prop_map(Doc::Float),
        (-9i32..9).prop_map(|i| Doc::Float(i.into())),
        strings().prop_map(Doc::from),
    ];
    scalar.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Doc::List),
            prop::collection::vec((strings(), inner), 0..5)
                .prop_map(|entries| Doc::Map(entries.into_iter().map(|(k, v)| (Text::from(k), v)).collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_document_reads_back(value in values()) {
        let text = write(&value);
        prop_assert_eq!(read_document("x.yaml", text.as_bytes()).map_err(|e| e.to_string()), Ok(value), "{}", text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_printed_layout_reads_back_and_is_formatted(value in values()) {
        let text = Layout::of(&value).print();
        prop_assert_eq!(read_document("x.yaml", text.as_bytes()).map_err(|e| e.to_string()), Ok(value), "{}", text);
        let formatted = format("x.yaml", text.as_bytes()).map_err(|e| e.to_string());
        prop_assert_eq!(formatted, Ok(text));
    }
}

#[rstest]
#[case("1")]
#[case("yes")]
#[case("null")]
#[case("1e3")]
#[case("")]
#[case("true")]
#[case("0x10")]
#[case("a: b")]
#[case("two\nlines\n")]
fn strings_stay_strings(#[case] text: &str) {
    let value = Doc::from(text);
    assert_eq!(read_document("x.yaml", write(&value).as_bytes()).unwrap(), value);
}

#[test]
fn documents_are_written_in_block_style_with_sorted_keys() {
    let value = read_document("x.yaml", b"{b: [1, 1.0, {c: x}], a: \"1\", $patch: null}").unwrap();
    assert_eq!(write(&value), "$patch: null\na: '1'\nb:\n- 1\n- 1.0\n- c: x\n");
}

#[test]
fn a_document_that_yaml_cannot_hold_is_written_as_json() {
    let deep = (0..=MAX_DEPTH).fold(Doc::Null, |value, _| Doc::List(vec![value]));
    let merge = Doc::Map(Map::from_iter([(Text::from("<<"), Doc::Int(1))]));
    for value in [deep, merge] {
        let text = write(&value);
        assert_eq!(text, format!("{value}\n"));
        assert_eq!(read_document("x.yaml", text.as_bytes()).unwrap(), value);
    }
}
