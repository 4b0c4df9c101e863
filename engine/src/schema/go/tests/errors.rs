//! The kinds and positions of the errors of the Go reader.

use rstest::rstest;

use super::GoErrorKind as K;
use super::*;

#[rstest]
#[case::channel("A chan int", K::UnsupportedType)]
#[case::function("A func()", K::UnsupportedType)]
#[case::interface_with_methods("A interface{ M() }", K::UnsupportedType)]
#[case::generic("A List[string]", K::UnsupportedType)]
#[case::complex("A complex128", K::UnsupportedType)]
#[case::error("A error", K::UnsupportedType)]
#[case::in_a_list("A []chan int", K::UnsupportedType)]
#[case::unresolved("A Missing", K::UnresolvedType)]
#[case::unresolved_in_a_package("A metav1.Missing", K::UnresolvedType)]
#[case::wrong_package("A intstr.Quantity", K::UnresolvedType)]
#[case::integer_keys("A map[int]string", K::MapKey)]
#[case::struct_keys("A map[Other]string", K::MapKey)]
#[case::pointer_keys("A map[*string]string", K::MapKey)]
#[case::not_exported("a string", K::UnexportedField)]
#[case::not_exported_with_a_tag("a string `json:\"a\"`", K::UnexportedField)]
#[case::blank("_ string", K::UnexportedField)]
#[case::inline_on_a_named_field("A Other `json:\",inline\"`", K::BadInline)]
#[case::inline_and_named("Other `json:\"a,inline\"`", K::BadInline)]
#[case::inline_text("Text `json:\",inline\"`", K::BadInline)]
#[case::itself("A T", K::RecursiveType)]
#[case::itself_inlined("*T", K::RecursiveType)]
#[case::unknown_option("A int `json:\"a,omitemtpy\"`", K::BadJsonOption)]
#[case::string_option_on_text("A string `json:\"a,string\"`", K::BadJsonOption)]
#[case::comma_between_pairs("A int `json:\"a\",protobuf:\"b\"`", K::MalformedTag)]
#[case::unquoted_value("A int `json:a`", K::MalformedTag)]
#[case::unclosed_value("A int `json:\"a`", K::MalformedTag)]
#[case::space_before_the_value("A int `json: \"a\"`", K::MalformedTag)]
#[case::no_value("A int `json`", K::MalformedTag)]
#[case::key_twice("A int `json:\"a\" json:\"b\"`", K::MalformedTag)]
#[case::bad_name("A int `json:\"a\\\\b\"`", K::MalformedTag)]
#[case::stray_backtick("A int `json:\"a\"``", K::MalformedTag)]
#[case::unclosed_tag("A int `json:\"a\"", K::MalformedTag)]
#[case::ellipsis_in_a_tag("A int `json:\"a\" ...`", K::Ellipsis)]
#[case::ellipsis("...", K::Ellipsis)]
#[case::ellipsis_as_one_character("…", K::Ellipsis)]
#[case::unknown_strategy("A []int `patchStrategy:\"mrege\"`", K::BadStrategy)]
#[case::two_without_retain_keys("A []int `patchStrategy:\"merge,replace\"`", K::BadStrategy)]
#[case::retain_keys_twice("A []int `patchStrategy:\"retainKeys,retainKeys\"`", K::BadStrategy)]
#[case::three_strategies("A []int `patchStrategy:\"merge,replace,retainKeys\"`", K::BadStrategy)]
#[case::no_strategy("A []int `patchStrategy:\"\"`", K::BadStrategy)]
#[case::empty_merge_key("A []int `patchMergeKey:\"a,,b\"`", K::BadMergeKey)]
#[case::merge_key_twice("A []int `patchMergeKey:\"a,a\"`", K::BadMergeKey)]
#[case::recommended_begins_otherwise(
    "A []int `patchMergeKey:\"port\" recommendedPatchMergeKey:\"protocol,port\"`",
    K::Tag("recommended-key-mismatch")
)]
#[case::marker_against_tag("// +patchStrategy=merge\nA []int", K::BadStrategy)]
#[case::marker_against_key("// +patchMergeKey=a\nA []int `patchMergeKey:\"b\"`", K::BadMergeKey)]
#[case::required_and_optional("// +required\n// +optional\nA int", K::BadMarker)]
#[case::required_with_a_value("// +required=false\nA int", K::BadMarker)]
#[case::unknown_list_type("// +listType=bag\nA []int", K::BadMarker)]
#[case::two_list_types("// +listType=set\n// +listType=map\nA []int", K::BadMarker)]
#[case::no_map_key("// +listMapKey\nA []int", K::BadMarker)]
#[case::map_key_twice("// +listMapKey=a\n// +listMapKey=a\nA []int", K::BadMarker)]
#[case::no_default("// +default\nA int", K::BadMarker)]
#[case::two_defaults("// +default=1\n// +default=2\nA int", K::BadMarker)]
#[case::default_of_another_kind("// +default=\"1\"\nA int", K::BadMarker)]
#[case::default_of_another_kind_of_number("// +default=1.5\nA int", K::BadMarker)]
#[case::default_that_is_no_json("// +default={\nA Other", K::BadMarker)]
#[case::default_that_is_half_a_string("// +default=\"a\nA string", K::BadMarker)]
#[case::default_of_a_list("// +default={}\nA []int", K::BadMarker)]
#[case::default_of_an_unknown_constant("// +default=ref(Missing)\nA string", K::BadMarker)]
#[case::marker_behind_a_field("A int // +optional", K::MisplacedMarker)]
#[case::marker_above_a_blank_line("// +optional\n\nA int", K::MisplacedMarker)]
#[case::marker_below_all("A int\n// +optional", K::MisplacedMarker)]
#[case::marker_within_a_field("A /* +optional */ int", K::MisplacedMarker)]
#[case::not_go("A int :=", K::Syntax)]
#[case::question_marks("A int `json:\"a\"`???", K::Syntax)]
#[case::nul("A int\0", K::Syntax)]
fn a_field_that_is_not_understood_is_one_error_in_its_line(#[case] field: &str, #[case] kind: K) {
    let source = format!("type Other struct{{}}\ntype Text string\ntype T struct {{\n{field}\n}}\n");
    let found = kinds(&source);
    let [(line, found)] = found[..] else { panic!("{found:?}") };
    assert_eq!(found, kind);
    let lines = u32::try_from(field.lines().count()).unwrap();
    let expected = if kind == K::RecursiveType { 3..=3 } else { 4..=3 + lines };
    assert!(expected.contains(&line), "line {line}");
}

#[rstest]
#[case::empty("", K::Empty)]
#[case::only_comments("// Nothing.", K::Empty)]
#[case::type_twice("type T struct{}\ntype T string", K::DuplicateType)]
#[case::generic_type("type T[A any] struct{}", K::UnsupportedType)]
#[case::alias_of_itself("type T = T", K::RecursiveType)]
#[case::circle("type T U\ntype U T", K::RecursiveType)]
#[case::constant_twice("type T string\nconst A T = \"a\"\nconst A T = \"b\"", K::DuplicateConstant)]
#[case::enum_of_numbers("// +enum\ntype T int", K::BadEnum)]
#[case::enum_of_fields("// +enum\ntype T struct{}", K::BadEnum)]
#[case::enum_of_nothing("// +enum\ntype T string", K::BadEnum)]
#[case::constant_of_another_package("type T string\nconst A T = other.A", K::BadConstant)]
#[case::constant_of_itself("type T string\nconst A T = A", K::BadConstant)]
#[case::number_as_text("type T string\nconst A T = 1", K::BadConstant)]
#[case::constant_of_an_unknown_type("type T string\nconst A U = \"a\"", K::UnresolvedType)]
#[case::method_that_writes(
    "type T struct{}\nfunc (T) MarshalJSON() ([]byte, error) { return nil, nil }",
    K::UnsupportedDeclaration
)]
#[case::statement("type T struct{}\nx := 1", K::UnsupportedDeclaration)]
#[case::field_without_a_struct("Finalizers []string `json:\"finalizers\"`", K::Syntax)]
#[case::marker_at_the_end("type T struct{}\n// +enum\n", K::MisplacedMarker)]
#[case::marker_above_a_group("type T string\n// +enum\nconst (\n A T = \"a\"\n)", K::MisplacedMarker)]
#[case::unclosed_struct("type T struct {", K::Syntax)]
#[case::unclosed_comment("type T struct{}\n/* a", K::Syntax)]
fn a_declaration_that_is_not_understood_is_refused(#[case] source: &str, #[case] kind: K) {
    let found: Vec<K> = refused(source).iter().map(|e| e.kind).collect();
    assert_eq!(found, [kind], "{}", shown(&refused(source)));
}

#[test]
fn all_errors_come_at_once_in_the_order_of_the_text() {
    let source = "type T struct {\n A chan int\n B Missing\n A string\n C int `json:a`\n}";
    assert_eq!(
        kinds(source),
        [(2, K::UnsupportedType), (3, K::UnresolvedType), (4, K::DuplicateField), (5, K::MalformedTag)]
    );
}

#[test]
fn an_error_in_one_type_does_not_blame_those_that_refer_to_it() {
    assert_eq!(
        kinds("type T struct {\n A U\n}\ntype U struct {\n B ???\n}\ntype V struct {\n c int\n}"),
        [(5, K::Syntax), (8, K::UnexportedField)]
    );
}

#[test]
fn a_text_that_breaks_off_is_refused_where_its_last_declaration_begins() {
    let source = "package v1\n\ntype A struct {\n B int\n}\n// C is open.\ntype C struct {\n D int\n";
    assert_eq!(kinds(source), [(7, K::Syntax)]);
}

#[rstest]
#[case::of_this_text("A []Volum", "`Volume`")]
#[case::of_the_core_package("A Protcol", "`Protocol`")]
#[case::well_known("A metav1.ObjectMeat", "`metav1.ObjectMeta`")]
#[case::predeclared("A strng", "`string`")]
fn a_near_name_is_suggested(#[case] field: &str, #[case] expected: &str) {
    let errors = refused(&format!("type T struct {{ {field} }}\ntype Volume string"));
    assert!(errors[0].message.contains(&format!("did you mean {expected}?")), "{}", errors[0]);
}

#[test]
fn nothing_is_suggested_for_a_name_that_is_far_from_all() {
    assert!(!refused("type T struct { A Zebra }")[0].message.contains("did you mean"));
}

#[test]
fn columns_count_from_one_in_bytes() {
    let errors = refused("type T struct {\n\tA int `json:\"a\" b`\n}");
    assert_eq!((errors[0].line, errors[0].column), (2, 18));
    let errors = refused("type T struct { É Missing }");
    assert_eq!(errors[0].column, 20);
}

#[test]
fn ids_are_unique_and_in_kebab_case() {
    let mut ids: Vec<&str> = K::ALL.iter().map(|kind| kind.id()).collect();
    assert!(ids.iter().all(|id| id.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn the_engines_error_keeps_the_position() {
    let error: crate::Error = refused("type T struct{ A chan int }").remove(0).into();
    assert_eq!(error.kind(), crate::ErrorKind::InvalidSchema);
    assert!(error.to_string().starts_with("1:18: a channel"), "{error}");
}
