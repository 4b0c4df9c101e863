//! Any bytes can be read, or return errors that can be rendered.

use proptest::prelude::*;
use serde::Deserialize;
use skewer_engine::OwnedDoc;

use skewer_yaml::{Spanned, format, parse_lenient, read, read_document};

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

fn read_and_render(bytes: &[u8]) {
    if let Err(errors) = read::<Anything>("x.yaml", bytes) {
        assert!(!errors.diagnostics().is_empty());
        assert!(!errors.to_string().is_empty());
        assert!(!errors.graphical(false, 80).is_empty());
    }
    let _ = read_document("x.yaml", bytes);
    if let Ok(formatted) = format("x.yaml", bytes) {
        assert_eq!(format("x.yaml", formatted.as_bytes()).unwrap(), formatted);
    }
    if let Ok(document) = parse_lenient("x.yaml", bytes) {
        for line in 0..document.lines().len() + 2 {
            assert!(document.lines().line(line).len() <= bytes.len() * 3);
        }
    }
}

/// Generates texts of YAML tokens, including tokens that parsers often read incorrectly.
fn token_texts() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
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
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_and_render(&bytes);
    }

    #[test]
    fn any_yaml_tokens_are_read_or_refused(text in token_texts()) {
        read_and_render(text.as_bytes());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
        read_and_render(text.as_bytes());
    }
}
