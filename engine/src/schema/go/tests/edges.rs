//! Edge cases of the Go reader: limits, columns of errors, and texts that differ in one character from a text with
//! another result.

use rstest::rstest;

use super::super::MAX_CONSTANT;
use super::GoErrorKind as K;
use super::*;
use crate::document::Doc;
use crate::schema::{ScalarType, TypeExpr};

/// Returns the line, the column and the kind of each error.
#[track_caller]
fn positions(source: &str) -> Vec<(u32, u32, K)> {
    refused(source).iter().map(|e| (e.line, e.column, e.kind)).collect()
}

#[track_caller]
fn message(source: &str) -> String {
    let [error] = refused(source).try_into().unwrap();
    error.message
}

// Enums.

#[test]
fn a_type_of_the_text_may_have_the_name_of_a_predeclared_one() {
    let declarations = ok("type float32 string\nconst A float32 = \"a\"");
    assert_eq!(texts(values(&declarations, "float32").0), ["a"]);
}

#[rstest]
#[case::an_alias_of_nothing("type T = Missing", K::UnresolvedType)]
#[case::an_alias_of_numbers("type T = int", K::BadEnum)]
#[case::anything("type T any", K::BadEnum)]
fn what_is_no_enum_is_said_once(#[case] declaration: &str, #[case] kind: K) {
    assert_eq!(
        kinds(&format!("// +enum\n{declaration}")).into_iter().map(|(_, k)| k).collect::<Vec<_>>(),
        [kind]
    );
}

#[test]
fn a_well_known_enum_can_get_a_value_more() {
    let declarations = ok("type T struct {\n A corev1.Protocol\n}\nconst Quic corev1.Protocol = \"QUIC\"");
    let found = texts(values(&declarations, "corev1.Protocol").0);
    assert!(found.contains(&"TCP") && found.contains(&"QUIC"), "{found:?}");
}

// Constants.

#[rstest]
#[case::a_name("const A T = Missing", "`Missing` is neither a string nor a constant of this text")]
#[case::a_name_behind_text(
    "const A T = \"a\" + Missing",
    "`Missing` is neither a string nor a constant of this text"
)]
#[case::a_name_before_text(
    "const A T = Missing + \"a\"",
    "`Missing` is neither a string nor a constant of this text"
)]
#[case::itself("const A T = A", "it refers to itself")]
fn what_a_constant_is_cannot_be_told_because(#[case] constant: &str, #[case] why: &str) {
    assert_eq!(
        message(&format!("type T string\n{constant}")),
        format!("the constant `A` cannot be evaluated: {why}")
    );
}

#[rstest]
#[case::a_count("const N = iota")]
#[case::counts("const (\n N = iota\n M\n)")]
#[case::a_truth("const N = true")]
#[case::a_length("const N = len(\"abc\")")]
#[case::a_conversion("const N = int64(3)")]
#[case::a_sum("const N = 1 + 2")]
#[case::a_sum_with_text_in_it("const N = len(\"abc\") + 1")]
fn what_is_no_text_is_no_concern(#[case] constant: &str) {
    let declarations = ok(&format!("type T string\n{constant}\nconst A T = \"a\""));
    assert_eq!(texts(values(&declarations, "T").0), ["a"]);
}

#[rstest]
#[case::a_conversion("T(\"a\")", "a")]
#[case::a_conversion_to_string("T(string(\"a\"))", "a")]
#[case::parentheses("((\"a\"))", "a")]
#[case::a_sum("\"a\" + (\"b\" + \"c\")", "abc")]
#[case::a_raw_string_of_several_lines("`a\nb`", "a\nb")]
#[case::a_raw_string_on_a_line_of_its_own("\n`a\nb`", "a\nb")]
#[case::a_raw_string_behind_a_sum("\"x\" +\n`a\nb`", "xa\nb")]
#[case::quotes_and_dots("\"a\\\"...\\\"b\"", "a\"...\"b")]
#[case::quotes_and_brackets("\"\\\"{\"", "\"{")]
#[case::a_backslash("\"\\\\\"", "\\")]
fn a_constant_is_the_text_that_go_makes_of_it(#[case] expression: &str, #[case] expected: &str) {
    let declarations = ok(&format!("type T string\nconst A T = {expression}"));
    assert_eq!(texts(values(&declarations, "T").0), [expected]);
}

/// Returns `links` constants. The value of each constant is the next constant, and the value of the last is a string.
fn chain(links: usize) -> String {
    let link = |at: usize| format!("const C{at} = C{}\n", at + 1);
    let links_text: String = (0..links).map(link).collect::<Vec<_>>().concat();
    format!("type T string\nconst A T = C0\n{links_text}const C{links} = \"a\"")
}

/// Returns a sum of `terms` strings with nested parentheses on the left.
fn sum(terms: usize) -> String {
    format!("type T string\nconst A T = {}", vec!["\"a\""; terms].join(" + "))
}

fn parentheses(depth: usize) -> String {
    format!("type T string\nconst A T = {}\"a\"{}", "(".repeat(depth), ")".repeat(depth))
}

fn conversions(depth: usize) -> String {
    format!("type T string\nconst A T = {}\"a\"{}", "T(".repeat(depth), ")".repeat(depth))
}

/// Returns a sum of `terms` strings with nested parentheses on the right.
fn sum_from_the_right(terms: usize) -> String {
    format!("type T string\nconst A T = {}\"a\"{}", "\"a\" + (".repeat(terms - 1), ")".repeat(terms - 1))
}

/// The evaluation of a constant can take 64 steps. Each expression and each name takes one step.
#[rstest]
#[case::names(&chain(30), true)]
#[case::more_names(&chain(31), false)]
#[case::terms(&sum(64), true)]
#[case::more_terms(&sum(65), false)]
#[case::in_parentheses(&parentheses(63), true)]
#[case::in_more_parentheses(&parentheses(64), false)]
#[case::conversions(&conversions(63), true)]
#[case::more_conversions(&conversions(64), false)]
#[case::terms_from_the_right(&sum_from_the_right(32), true)]
#[case::more_terms_from_the_right(&sum_from_the_right(33), false)]
fn a_constant_has_so_many_steps(#[case] source: &str, #[case] is_read: bool) {
    if is_read {
        assert_eq!(values(&ok(source), "T").0.len(), 1);
    } else {
        assert_eq!(
            message(source),
            "the constant `A` cannot be evaluated: its evaluation takes more than 64 steps"
        );
    }
}

#[rstest]
#[case::as_long_as_may_be(MAX_CONSTANT, true)]
#[case::longer(MAX_CONSTANT + 1, false)]
fn a_sum_of_texts_is_so_long(#[case] length: usize, #[case] is_read: bool) {
    let half = length / 2;
    let source =
        format!("type T string\nconst A T = \"{}\" + \"{}\"", "a".repeat(half), "b".repeat(length - half));
    if is_read {
        assert_eq!(values(&ok(&source), "T").0[0].value.len(), length);
    } else {
        assert!(message(&source).ends_with("it is longer than 65536 bytes"));
    }
}

// Comments and markers.

#[rstest]
#[case::in_a_comment("type T struct {\n A int // +optional\n}", (2, 11))]
#[case::on_the_second_line_of_a_comment("type T struct {\n A int /* a\n   +optional */\n}", (3, 4))]
#[case::behind_stars("type T struct {\n A int /* a\n  * +optional */\n}", (3, 5))]
#[case::above_prose_that_nothing_follows("type T struct {\n A int\n\n // +optional\n // Prose.\n}", (4, 5))]
#[case::above_a_field_that_is_commented_out_further_down(
    "type T struct {\n A int\n\n // +optional\n\n // B int `json:\"b\"`\n}",
    (4, 5)
)]
fn an_unclaimed_marker_is_reported_at_its_position(#[case] source: &str, #[case] at: (u32, u32)) {
    assert_eq!(positions(source), [(at.0, at.1, K::MisplacedMarker)]);
}

#[test]
fn the_markers_of_a_field_that_is_commented_out_are_so_too() {
    let source = "type T struct {\n A int\n\n // +optional\n // What it is for.\n // B int `json:\"b\"`\n}";
    assert_eq!(fields(&ok(source), "T").len(), 1);
}

#[rstest]
#[case::anything("any", "{", "JSON")]
#[case::text_or_a_number("intstr.IntOrString", "{", "a number or a string")]
#[case::half_a_string("intstr.IntOrString", "\"a", "a number or a string")]
#[case::half_a_list("any", "[", "JSON")]
#[case::a_number("int", "x", "a whole number")]
#[case::a_float("float64", "x", "a number")]
#[case::a_truth("bool", "1", "true or false")]
#[case::a_list("[]string", "{}", "a JSON list")]
#[case::a_map("map[string]string", "[]", "a JSON object")]
#[case::text("string", "\"a", "a string")]
fn a_default_that_is_none_is_told_what_is_due(#[case] ty: &str, #[case] text: &str, #[case] due: &str) {
    assert_eq!(
        message(&format!("type T struct {{\n// +default={text}\nA {ty}\n}}")),
        format!("+default={text}: expected {due}")
    );
}

#[test]
fn a_default_of_text_or_a_number_is_what_it_looks_like() {
    let default = |text: &str| only_field(&format!("// +default={text}\nA intstr.IntOrString")).default;
    assert_eq!(default("80"), Some(Doc::Int(80)));
    assert_eq!(default("80%"), Some(Doc::from("80%")));
}

// Tags.

#[rstest]
#[case::raw("A int `json:\"a\" b`", 17)]
#[case::interpreted("A int \"json:\\\"a\\\" b\"", 7)]
fn a_mistake_in_a_tag_has_a_column_where_no_escape_shifts_it(#[case] field: &str, #[case] column: u32) {
    assert_eq!(positions(&format!("type T struct {{\n{field}\n}}")), [(2, column, K::MalformedTag)]);
}

#[test]
fn quotes_in_a_value_do_not_end_it() {
    let field = only_field(r#"A int `other:"a\"b\\" json:"c"`"#);
    assert_eq!(field.name, "c");
}

#[rstest]
#[case::unknown("mrege", "the patch strategy \"mrege\" is not known: merge, replace and retainKeys are")]
#[case::two_others(
    "merge,replace",
    "merge, replace cannot be combined: expected at most one of merge and replace, and retainKeys at most once"
)]
#[case::twice(
    "retainKeys,retainKeys",
    "retainKeys, retainKeys cannot be combined: expected at most one of merge and replace, and retainKeys at most once"
)]
#[case::three(
    "merge,replace,retainKeys",
    "merge, replace, retainKeys cannot be combined: expected at most one of merge and replace, and retainKeys at most once"
)]
fn strategies_that_do_not_go_together_are_told_why(#[case] tag: &str, #[case] expected: &str) {
    assert_eq!(message(&format!("type T struct {{\nA []int `patchStrategy:\"{tag}\"`\n}}")), expected);
}

#[rstest]
#[case::one(1)]
#[case::two(2)]
#[case::five(5)]
fn stray_backticks_are_one_error(#[case] number: usize) {
    let source =
        format!("type T struct {{\nA int `json:\"a\"`{}\nB int `json:\"b\"`\n}}", "`".repeat(number));
    assert_eq!(positions(&source), [(2, 17, K::MalformedTag)]);
}

#[test]
fn an_embedded_pointer_is_one() {
    let declarations = ok("type T struct {\n *A\n B\n}\ntype A struct { X int }\ntype B struct { Y int }");
    let [a, b] = fields(&declarations, "T") else { panic!("two fields") };
    assert_eq!(a.ty, TypeExpr::Pointer(Box::new(TypeExpr::Named("A".to_owned()))));
    assert_eq!(b.ty, TypeExpr::Named("B".to_owned()));
}

// Types.

#[rstest]
#[case::channel("chan int", "a channel has no form in JSON that could be read from its declaration")]
#[case::function("func()", "a function has no form in JSON that could be read from its declaration")]
#[case::interface(
    "interface{ M() }",
    "an interface with methods has no form in JSON that could be read from its declaration"
)]
#[case::generic("List[string]", "a generic type has no form in JSON that could be read from its declaration")]
#[case::predeclared("complex128", "`complex128` has no form in JSON")]
fn a_type_without_a_form_is_told_what_it_is(#[case] ty: &str, #[case] expected: &str) {
    assert_eq!(message(&format!("type T struct {{\nA {ty}\n}}")), expected);
}

/// A suggestion may differ in one letter, and in one more for each six letters of the name, but in at most three.
#[rstest]
#[case::one_in_five("Zqxjk", "Zqxjv", true)]
#[case::two_in_five("Zqxjk", "Zqxvv", false)]
#[case::two_in_six("Zqxjkw", "Zqxjvv", true)]
#[case::three_in_eleven("Zqxjkwzqxjk", "Zqxjkwzqvvv", false)]
#[case::three_in_twelve("Zqxjkwzqxjkw", "Zqxjkwzqxvvv", true)]
#[case::four_in_many("Zqxjkwzqxjkwzqxjkwzqxjkw", "Zqxjkwzqxjkwzqxjkwzqvvvv", false)]
#[case::one_in_the_longest(&"Z".repeat(100), &("Z".repeat(99) + "v"), true)]
#[case::one_in_a_longer_one(&"Z".repeat(100), &("Z".repeat(100) + "v"), false)]
#[case::of_a_longer_one(&"Z".repeat(101), &"Z".repeat(100), false)]
fn a_name_is_suggested_for_so_many_slips(#[case] declared: &str, #[case] used: &str, #[case] is_near: bool) {
    let found = message(&format!("type T struct {{ A {used} }}\ntype {declared} string"));
    assert_eq!(found.ends_with(&format!(": did you mean `{declared}`?")), is_near, "{found}");
}

#[test]
fn so_many_errors_come_with_a_suggestion() {
    let lines: Vec<_> = (0..51).map(|at| format!(" A{at} strng")).collect();
    let errors = refused(&format!("type T struct {{\n{}\n}}", lines.join("\n")));
    let suggested: Vec<_> = errors.iter().map(|error| error.message.contains("did you mean")).collect();
    assert_eq!(suggested, [vec![true; 50], vec![false]].concat());
}

#[test]
fn the_type_of_a_field_is_as_written() {
    let declarations =
        ok("type T struct { A string; B Named; C Other }\ntype Named string\ntype Other = Named");
    assert_eq!(field(&declarations, "T", "A").ty, TypeExpr::Scalar(ScalarType::String));
    assert_eq!(field(&declarations, "T", "B").ty, TypeExpr::Named("Named".to_owned()));
    assert_eq!(field(&declarations, "T", "C").ty, TypeExpr::Named("Other".to_owned()));
}

// Texts that are not declarations.

#[rstest]
#[case::dots_in_a_line_comment("// Write ... here.")]
#[case::dots_in_a_block_comment("type U struct{}\n/* Write ... here. */\n// Or */ here.")]
#[case::in_a_line_comment("// Don't write `A ... \"B` here. {")]
#[case::in_a_block_comment("/* Don't write `A ...\n   \"B` here. { */")]
#[case::in_text("const C = \"A ... `B {\"")]
#[case::in_a_rune("const C = '{'")]
#[case::in_a_raw_string("const C = `A ... \"B {`")]
fn signs_of_go_mean_nothing_in_comments_and_text(#[case] line: &str) {
    assert!(ok(&format!("{line}\ntype T struct {{ A int }}")).get("T").is_some());
}

#[rstest]
#[case::a_division("type T struct{}\nconst N = 6 / 2", &[])]
#[case::an_ellipsis_behind_a_division("type T struct{}\nconst N = 6 / 2 …", &[(2, 17, K::Ellipsis)])]
#[case::an_ellipsis_behind_a_comment("type T struct{}\n/* A */ ...", &[(2, 9, K::Ellipsis)])]
#[case::a_dash_that_is_no_minus("type T struct {\nA – int\n}", &[(2, 3, K::Syntax)])]
#[case::nul_between_words("type T struct {\nA\0int\n}", &[(2, 2, K::Syntax)])]
#[case::what_is_no_go("type T struct{}\n???\n", &[(2, 1, K::Syntax)])]
#[case::semicolons("type T struct{};\ntype U struct{};", &[])]
fn a_text_is_read_sign_by_sign(#[case] source: &str, #[case] expected: &[(u32, u32, K)]) {
    let found = read(source).err().unwrap_or_default();
    assert_eq!(
        found.iter().map(|e| (e.line, e.column, e.kind)).collect::<Vec<_>>(),
        expected,
        "{}",
        shown(&found)
    );
}

#[rstest]
#[case::a_line("type T struct{}\n??? ???\n", "this is not a Go declaration: `??? ???`")]
#[case::as_much_as_is_shown(&format!("type T struct{{}}\n{}\n", "?".repeat(40)), &format!("this is not a Go declaration: `{}`", "?".repeat(40)))]
#[case::more(&format!("type T struct{{}}\n{}\n", "?".repeat(41)), &format!("this is not a Go declaration: `{}…`", "?".repeat(40)))]
fn what_is_no_declaration_is_shown(#[case] source: &str, #[case] expected: &str) {
    assert_eq!(message(source), expected);
}

#[rstest]
#[case::behind_a_declaration("type A struct {}\ntype C struct {\n // +optional\n D int\n", (2, 1))]
#[case::on_the_last_line_of_one("type T struct {\n B int\n C int\n} else {\n D int\n", (4, 3))]
#[case::below_a_package_and_a_comment("package v1\n// T is one.\ntype T struct {\n B int\n} else {\n D int\n", (5, 3))]
#[case::behind_a_semicolon("type T struct {}; type U struct {\n B int\n} else {\n D int\n", (3, 3))]
#[case::a_declaration_that_is_broken_itself("type A\n // +optional\n B string `json:\"b\"`\n}\n", (1, 1))]
fn a_text_breaks_off_where_its_trouble_begins(#[case] source: &str, #[case] at: (u32, u32)) {
    assert_eq!(positions(source), [(at.0, at.1, K::Syntax)], "{}", shown(&refused(source)));
}

#[test]
fn brackets_nest_so_deep() {
    assert!(message(&parentheses(64)).contains("64 steps"), "the brackets are no problem");
    assert_eq!(message(&parentheses(65)), "brackets nest deeper than 64 levels");
}

#[test]
fn a_text_is_so_long() {
    let text = |length: usize| {
        let declaration = "type T struct{}\n// ";
        format!("{declaration}{}", "x".repeat(length - declaration.len()))
    };
    assert_eq!(ok(&text(super::super::MAX_SOURCE)).types.len(), 1);
    assert_eq!(message(&text(super::super::MAX_SOURCE + 1)), "the text is longer than 4194304 bytes");
}
