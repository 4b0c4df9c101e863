//! Compares the YAML reader of this crate with `serde_yaml`. `serde_yaml` uses libyaml, and Kubernetes uses a Go port
//! of libyaml.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rstest::rstest;
use skewer_engine::OwnedDoc;

use skewer_yaml::{FileErrors, read_document};

fn reference(text: &str) -> Result<OwnedDoc, serde_yaml::Error> {
    serde_yaml::from_str(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Parts of the messages for YAML that this crate refuses although `serde_yaml` reads it.
const OWN_RULES: [&str; 8] = [
    "tags such as",
    "the YAML merge key `<<` is not supported",
    "number out of range",
    "a key must be a string",
    "differ in how they read",
    "plain scalar cannot start with '-' followed by ,[]{}",
    "comments must be separated from other tokens by whitespace",
    "invalid indentation in multiline quoted scalar",
];

fn is_refused_by_own_rules(errors: &FileErrors) -> bool {
    errors.diagnostics().iter().any(|error| OWN_RULES.iter().any(|rule| error.message.contains(rule)))
}

/// Checks that both readers return the same value, or that both return an error. This crate may also refuse a text that `serde_yaml`
/// reads.
fn check_same(text: &str) -> Result<(), TestCaseError> {
    match (read_document("x.yaml", text.as_bytes()), reference(text)) {
        (Ok(value), Ok(expected)) => prop_assert_eq!(value, expected, "{:?}", text),
        (Ok(value), Err(error)) => prop_assert!(false, "{text:?} is {value}; the reference: {error}"),
        (Err(errors), Ok(expected)) => {
            prop_assert!(is_refused_by_own_rules(&errors), "{text:?} should be {expected}: {errors}");
        }
        (Err(_), Err(_)) => {}
    }
    Ok(())
}

/// Plain and quoted scalars that could be read as another type or have a special meaning.
const AMBIGUOUS: &[&str] = &[
    "~",
    "null",
    "Null",
    "nULL",
    "true",
    "FALSE",
    "yes",
    "No",
    "on",
    "y",
    "0",
    "-0",
    "+1",
    "00",
    "-00",
    "0644",
    "08",
    "00.5",
    "0x1F",
    "0X1f",
    "-0x10",
    "0x",
    "0x-1",
    "0xFFFFFFFFFFFFFFFF",
    "0o17",
    "0o8",
    "0O7",
    "0b11",
    "0b2",
    "-0b1",
    "1_000",
    "1e3",
    "1E3",
    "1e+3",
    "1e-400",
    "1e",
    "e1",
    "1.",
    "5.e1",
    ".5",
    "-.5",
    "+.5",
    ".",
    "..",
    "1.2.3",
    "1e400",
    ".inf",
    "-.INF",
    "+.inf",
    ".iNF",
    ".nan",
    "-.nan",
    "inf",
    "nan",
    "Infinity",
    "--1",
    "+-1",
    "1:30",
    "2001-12-14",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "<<",
    "=",
    "-",
    "-a",
    "''",
    "\"\"",
    "'it''s'",
    "'0644'",
    "\"yes\"",
    "\"a\\tb\\x41\\u00e9\\U0001F600\\/\\N\\_\\L\\e\\0\"",
    "\"a b\"",
    "a  b",
    "a:b",
    "a#b",
    "http://x/y",
    "a'b",
    "日本",
    "\u{a0}",
    "a\u{a0}b",
    "a\tb",
    "[]",
    "{}",
    "[ ]",
    "{ }",
    "*a",
    "&a b",
    "!t a",
    "|",
    ">",
    "@a",
    "`a",
    "%a",
    "#a",
    "?",
    ":",
    "? a",
    "- a",
    "a: b",
    "a #b",
    "]",
    "{a",
    "'a",
    "\"a",
];

/// Generates plain and quoted scalars on one line.
fn scalars() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::sample::select(vec!["a", "b", "c d", "1", "x-y"]).prop_map(str::to_owned),
        3 => prop::sample::select(AMBIGUOUS).prop_map(str::to_owned),
        1 => "[0-9a-fxob_.eE+-]{1,7}",
        1 => "[a-z0-9 #*|>'\"%@`,=<_.+-]{1,8}",
        1 => "\"[ -!#-\\[\\]-~]{0,6}\"",
        1 => "'[ -&(-~]{0,6}'",
    ]
}

#[derive(Clone, Debug)]
enum Tree {
    Scalar(String),
    /// A scalar in block style, with its header and its lines.
    Block(&'static str, Vec<&'static str>),
    /// A plain or quoted scalar over several lines.
    Lines(char, Vec<&'static str>),
    List(Style, Vec<Tree>),
    Map(Style, Vec<(String, Tree)>),
    Anchored(Box<Tree>),
    Alias,
}

#[derive(Clone, Copy, Debug)]
enum Style {
    Flow,
    Block,
    /// Block style with comments, blank lines, and the smallest possible indentation.
    Odd,
}

fn trees() -> impl Strategy<Value = Tree> {
    let lines = || {
        prop::collection::vec(prop::sample::select(vec!["x", "x y ", "", "  z", "- a", "b: c", "# no"]), 0..5)
    };
    let headers = vec!["|", "|-", "|+", ">", ">-", ">+", "|2", ">1-"];
    let words = || prop::collection::vec(prop::sample::select(vec!["x", "y z", ""]), 1..4);
    let leaf = prop_oneof![
        8 => scalars().prop_map(Tree::Scalar),
        1 => (prop::sample::select(headers), lines()).prop_map(|(header, lines)| Tree::Block(header, lines)),
        1 => (prop::sample::select(vec!['"', '\'', ' ']), words()).prop_map(|(quote, words)| Tree::Lines(quote, words)),
        1 => Just(Tree::Alias),
    ];
    let style = || prop::sample::select(vec![Style::Flow, Style::Block, Style::Odd]);
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            4 => (style(), prop::collection::vec(inner.clone(), 0..4)).prop_map(|(style, items)| Tree::List(style, items)),
            6 => (style(), prop::collection::vec((scalars(), inner.clone()), 0..4))
                .prop_map(|(style, entries)| Tree::Map(style, entries)),
            1 => inner.prop_map(|tree| Tree::Anchored(Box::new(tree))),
        ]
    })
}

impl Tree {
    /// Writes the tree after `key:` or `-`, which is indented by `indent - 2`.
    fn write(&self, indent: usize, in_map: bool, out: &mut String) {
        let spaces = " ".repeat(indent);
        let break_line = |style: Style| if matches!(style, Style::Odd) { " # c\n\n" } else { "\n" };
        match self {
            Tree::List(style @ (Style::Block | Style::Odd), items) if !items.is_empty() => {
                out.push_str(break_line(*style));
                let is_unindented = in_map && matches!(style, Style::Odd) && indent > 0;
                let indent = if is_unindented { indent - 2 } else { indent };
                for item in items {
                    out.push_str(&" ".repeat(indent));
                    out.push('-');
                    item.write(indent + 2, false, out);
                }
            }
            Tree::Map(style @ (Style::Block | Style::Odd), entries) if !entries.is_empty() => {
                let mut is_first_in_item = !in_map && matches!(style, Style::Block);
                out.push_str(if is_first_in_item { " " } else { break_line(*style) });
                for (key, value) in entries {
                    out.push_str(if std::mem::take(&mut is_first_in_item) { "" } else { &spaces });
                    out.push_str(key);
                    out.push(':');
                    value.write(indent + 2, true, out);
                }
            }
            Tree::Block(header, lines) => {
                out.extend([" ", header, "\n"]);
                for line in lines {
                    out.extend([&spaces, *line, "\n"]);
                }
            }
            Tree::Lines(quote, lines) => {
                out.extend([
                    " ",
                    quote.to_string().trim(),
                    &lines.join(&format!("\n{spaces}")),
                    quote.to_string().trim(),
                    "\n",
                ]);
            }
            Tree::Anchored(tree) => {
                out.push_str(" &x");
                tree.write(indent, true, out);
            }
            flow => {
                out.push(' ');
                flow.write_flow(out);
                out.push('\n');
            }
        }
    }

    fn write_flow(&self, out: &mut String) {
        match self {
            Tree::Scalar(text) => out.push_str(text),
            Tree::Block(_, lines) | Tree::Lines(_, lines) => {
                out.extend(["\"", &lines.join("\\n"), "\""]);
            }
            Tree::List(_, items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    item.write_flow(out);
                }
                out.push(']');
            }
            Tree::Map(_, entries) => {
                out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    out.extend([key, ": "]);
                    value.write_flow(out);
                }
                out.push('}');
            }
            Tree::Anchored(tree) => {
                out.push_str("&x ");
                tree.write_flow(out);
            }
            Tree::Alias => out.push_str("*x"),
        }
    }
}

/// Generates documents. About two thirds of them are valid YAML.
fn texts() -> impl Strategy<Value = String> {
    (trees(), 0..12).prop_map(|(tree, ending)| {
        let mut text = "a:".to_owned();
        tree.write(2, true, &mut text);
        match ending {
            0 => text.replace('\n', "\r\n"),
            1 => text.trim_end().to_owned(),
            2 => text + "...\n",
            3 => format!("--- # c\n{text}"),
            4 => format!("\u{feff}# c\n{text}"),
            5 => text + "# d",
            _ => text,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn values_equal_those_of_the_reference(text in texts()) {
        check_same(&text)?;
    }
}

#[test]
fn the_files_of_the_project_are_read_like_the_reference() {
    fn visit(folder: &Path, count: &mut usize) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                visit(&path, count);
            } else if path.extension().is_some_and(|extension| extension == "yaml") {
                check_same(&fs::read_to_string(&path).unwrap()).unwrap();
                *count += 1;
            }
        }
    }
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut count = 0;
    for folder in ["corpus", "../runner/execute/data/deviations", "../runner/tests"] {
        visit(&cases.join(folder), &mut count);
    }
    assert!(count >= 80, "{count}");
}

/// The texts that this crate and `serde_yaml` read differently. If Kubernetes would read another value, this crate
/// refuses the text. The last two groups are exceptions.
#[rstest]
// Valid YAML 1.2, which people write, but which `serde_yaml` refuses.
#[case::tab_behind_a_dash("- a\n-\tb\n", r#"["a","b"]"#, "refused")]
#[case::tab_on_a_blank_line("a:\n\t\n  b: c\n", r#"{"a":{"b":"c"}}"#, "refused")]
#[case::tab_in_a_block_scalar("a: |\n  \tx\n", r#"{"a":"\tx\n"}"#, "refused")]
#[case::tab_before_the_document("\ta: b\n", r#"{"a":"b"}"#, "refused")]
#[case::flow_key_on_two_lines("{a\n b: c}", r#"{"a b":"c"}"#, "refused")]
#[case::surrogates_as_in_json("a: \"\\ud83d\\ude00\"", r#"{"a":"😀"}"#, "refused")]
#[case::later_version("%YAML 1.3\n---\na: b\n", r#"{"a":"b"}"#, "refused")]
#[case::unknown_directive("%FOO\n---\na: b\n", r#"{"a":"b"}"#, "refused")]
#[case::document_end_at_the_beginning("...\na: b\n", r#"{"a":"b"}"#, "refused")]
#[case::space_like_character_in_a_comment("a: b # \u{85}x\n", r#"{"a":"b"}"#, "refused")]
// Texts with another meaning in YAML 1.1.
#[case::question_mark_in_flow_style("[?a]", "refused", r#"[{"a":null}]"#)]
#[case::colon_in_flow_style("[:a]", "refused", "refused")]
#[case::colon_at_the_end_in_flow_style("[a:]", "refused", "refused")]
#[case::colon_in_the_name_of_an_anchor("a: &b:c 1\n", "refused", r#"{"a":":c 1"}"#)]
// Byte order marks, which are invisible.
#[case::byte_order_mark_in_a_plain_scalar("a: b\u{feff}c\n", "refused", "{\"a\":\"b\u{feff}c\"}")]
#[case::byte_order_mark_on_a_line_of_its_own("a: b\n\u{feff}\n", "refused", r#"{"a":"b"}"#)]
// Documents that consist of one block scalar without indentation.
#[case::literal_document("--- |\nx\n", r#""x\n""#, "refused")]
#[case::literal_document_with_a_comment("--- |\n# x\n", r##""# x\n""##, r#""""#)]
// Characters that are line breaks only in YAML 1.1: U+0085, U+2028, U+2029.
#[case::next_line_in_quotes("a: \"b\u{85}c\"\n", "{\"a\":\"b\u{85}c\"}", r#"{"a":"b c"}"#)]
#[case::line_separator_in_a_plain_scalar("a: b\u{2028}c\n", "{\"a\":\"b\u{2028}c\"}", "refused")]
#[case::paragraph_separator_in_quotes(
    "a: 'b\u{2029} c'\n",
    "{\"a\":\"b\u{2029} c\"}",
    "{\"a\":\"b\u{2029}c\"}"
)]
fn texts_that_differ_from_the_reference_are_known(
    #[case] text: &str,
    #[case] ours: &str,
    #[case] expected: &str,
) {
    let shown =
        |document: Option<OwnedDoc>| document.map_or_else(|| "refused".to_owned(), |value| value.to_string());
    assert_eq!(shown(read_document("x.yaml", text.as_bytes()).ok()), ours, "ours");
    assert_eq!(shown(reference(text).ok()), expected, "reference");
}
