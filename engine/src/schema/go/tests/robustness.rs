//! For any text, the Go reader returns declarations or errors, in a time that the length of the text limits.

use std::fmt::Write as _;

use proptest::prelude::*;
use rstest::rstest;

use super::super::{MAX_NESTING, MAX_SOURCE};
use super::GoErrorKind as K;
use super::*;

/// Parts of Go texts, and parts that are not Go. Random texts are made of them.
const PIECES: &[&str] = &[
    "type ",
    "T ",
    "struct ",
    "{",
    "}",
    "\n",
    "(",
    ")",
    "[",
    "]",
    "[]",
    "map[string]",
    "*",
    "string ",
    "int ",
    "const ",
    "= ",
    "\"a\" ",
    "`json:\"a\"`",
    "`",
    "\"",
    "//",
    "// +enum\n",
    "// +optional\n",
    "// +default={\n",
    "/*",
    "*/",
    "...",
    "…",
    ",",
    ";",
    "package v1\n",
    "import \"a\"\n",
    "A ",
    "b ",
    "metav1.Time ",
    "func ",
    "chan ",
    "interface{}",
    "iota",
    "+",
    "\\",
    "\0",
    "\r\n",
    "é",
    "type T struct {\n A T2 `json:\"a\"`\n}\n",
    "type T2 string\nconst A T2 = \"a\"\n",
    "patchStrategy:\"merge\"",
    "'",
    "[...]",
    "<-",
    ":=",
    "\u{feff}",
];

const SEED: &str = "// +enum\ntype E string\n\nconst (\n\tA E = \"a\"\n\tB = \"b\"\n)\n\ntype T struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\t// +default=\"a\"\n\tE E `json:\"e\" patchStrategy:\"merge,retainKeys\"`\n\t/* +optional */\n\tL []struct{ X map[E]*T } `json:\"l,omitempty\" patchMergeKey:\"x\" recommendedPatchMergeKey:\"x,y\"`\n}\n";

/// Checks the properties that all texts must have: errors are sorted, and their positions are inside the text.
fn check(source: &str) {
    match read(source) {
        Ok(declarations) => assert!(!declarations.types.is_empty()),
        Err(errors) => {
            assert!(!errors.is_empty());
            assert!(errors.is_sorted_by_key(|e| (e.line, e.column)));
            let lines = source.matches('\n').count() + 1;
            assert!(errors.iter().all(|e| e.line >= 1 && e.column >= 1 && e.line as usize <= lines));
        }
    }
}

/// An error at the end of a text without a final line break is on the last line.
#[rstest]
#[case::brace("func f(é{`a`", (1, 14))]
#[case::brace_in_third_line("func \r\n\r\nb metav1.Time string (é{`json:\"a\"`", (3, 36))]
fn a_text_that_breaks_off_has_errors_on_its_lines(#[case] source: &str, #[case] last: (u32, u32)) {
    let errors = read(source).unwrap_err();
    assert_eq!(errors.last().map(|error| (error.line, error.column)), Some(last), "{errors:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,80}") {
        check(&text);
    }

    #[test]
    fn any_row_of_pieces_is_read_or_refused(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        check(&pieces.concat());
    }

    #[test]
    fn a_mutated_text_is_read_or_refused(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..6, prop::sample::select(PIECES)), 1..8)
    ) {
        let mut text: Vec<char> = SEED.chars().collect();
        for (position, removed, piece) in edits {
            let at = position.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, piece.chars());
        }
        check(&text.into_iter().collect::<String>());
    }

    #[test]
    fn any_tag_is_read_or_refused(tag in "[ -_a-~]{0,40}") {
        check(&format!("type T struct {{\n A []string `{tag}`\n}}\n"));
    }

    #[test]
    fn any_marker_is_read_or_refused(marker in "[a-zA-Z0-9=:,(){}\"\\[\\] .+]{0,40}") {
        check(&format!("type T struct {{\n // +{marker}\n A []string\n}}\n"));
    }
}

#[test]
fn the_seed_of_mutations_is_readable() {
    ok(SEED);
}

#[rstest]
#[case::lists("[]", "")]
#[case::pointers("*", "")]
#[case::maps("map[string]", "")]
#[case::parentheses("(", ")")]
#[case::structs("struct{ A ", "}")]
#[case::keys("map[", "]string")]
fn nesting_is_limited(#[case] open: &str, #[case] close: &str) {
    let nested = |n: usize| format!("type T struct {{ A {}string{} }}", open.repeat(n), close.repeat(n));
    let at_most = if open == "map[" { 1 } else { MAX_NESTING / 2 - 2 };
    ok(&nested(at_most));
    for n in [MAX_NESTING + 1, 10_000] {
        assert!(refused(&nested(n)).iter().any(|e| e.kind == K::TooDeep));
    }
}

#[test]
fn length_is_limited() {
    assert_eq!(kinds(&" ".repeat(MAX_SOURCE + 1)), [(1, K::TooLarge)]);
}

#[test]
fn constants_cannot_double_without_end() {
    let mut source = "type T string\nconst (\n C0 T = \"0123456789abcdef\"\n".to_owned();
    for i in 1..60 {
        writeln!(source, " C{i} T = C{0} + C{0}", i - 1).unwrap();
    }
    source.push(')');
    assert!(refused(&source).iter().all(|e| e.kind == K::BadConstant));
}

#[rstest]
#[case::chain_of_structs("type A{i} struct { A A{n} }\n", "type A{n} struct{}")]
#[case::chain_of_aliases("type A{i} A{n}\n", "type A{n} string")]
#[case::chain_of_constants("const A{i} = A{n}\n", "const A{n} = \"a\"\ntype T string")]
fn long_chains_need_no_stack(#[case] link: &str, #[case] end: &str) {
    let mut source = String::new();
    let count = 5_000;
    for i in 0..count {
        source.push_str(&link.replace("{i}", &i.to_string()).replace("{n}", &(i + 1).to_string()));
    }
    source.push_str(&end.replace("{n}", &count.to_string()));
    ok(&source);
}

#[rstest]
#[case::brackets("[")]
#[case::closing("}")]
#[case::quotes("\"")]
#[case::backticks("`a` ")]
#[case::ellipses("... ")]
#[case::markers("// +enum\n")]
#[case::commented_fields("// +optional\n// A int `json:\"a\"`\n")]
#[case::half_types("type T struct {\n")]
#[case::fields("A int `json:\"a\"`\n")]
#[case::unresolved("type T []Missing\n")]
#[case::noise("a b ( ")]
fn repetition_ends(#[case] piece: &str) {
    check(&piece.repeat(2_000));
    check(&format!("type T struct {{\n{}\n}}", piece.repeat(2_000)));
}
