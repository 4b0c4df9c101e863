//! Any bytes give a value or errors that can be shown.

use proptest::prelude::*;
use serde::Deserialize;
use skewer_engine::OwnedDoc;

use super::super::{Spanned, parse_lenient, read, read_value};

#[derive(Debug, Deserialize)]
#[allow(dead_code)]
struct Anything {
    a: Spanned<Vec<Anything>>,
    b: Option<Choice>,
    c: OwnedDoc,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(dead_code)]
enum Choice {
    Not(Box<Choice>),
    A,
    B { a: u64 },
}

fn read_and_show(bytes: &[u8]) {
    if let Err(errors) = read::<Anything>("x.yaml", bytes) {
        assert!(!errors.diagnostics().is_empty());
        assert!(!errors.to_string().is_empty());
        assert!(!errors.graphical(false, 80).is_empty());
    }
    let _ = read_value("x.yaml", bytes);
    if let Ok(document) = parse_lenient("x.yaml", bytes) {
        for line in 0..document.lines().len() + 2 {
            assert!(document.lines().line(line).len() <= bytes.len() * 3);
        }
    }
}

/// Pieces of YAML, among them those that parsers stumble over.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "c",
        "not",
        ": ",
        ":",
        "- ",
        "-",
        "\n",
        "\n  ",
        "\n    ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "? ",
        "&x ",
        "*x",
        "!t ",
        "!!str ",
        "\"",
        "'",
        "|\n",
        ">-\n",
        "#",
        "---\n",
        "...\n",
        "<<",
        "~",
        "null",
        "1",
        ".inf",
        "\t",
        "\r\n",
        "\r",
        "é",
        "日",
        "\u{1f600}",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "%YAML 1.2\n",
        "\\",
        "@",
        "`",
        "\u{0}",
        "\u{1b}",
        "a: ",
        "b: ",
        "c: 1\n",
        "a: []\n",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_and_show(&bytes);
    }

    #[test]
    fn on_pieces_of_yaml(text in pieces()) {
        read_and_show(text.as_bytes());
    }

    #[test]
    fn on_any_text(text in "\\PC{0,60}") {
        read_and_show(text.as_bytes());
    }
}
