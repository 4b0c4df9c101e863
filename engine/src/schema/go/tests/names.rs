//! Named types: structs in structs, enums, aliases, well-known types.

use rstest::rstest;

use super::*;
use crate::schema::{ScalarType, TypeExpr};

fn named(name: &str) -> TypeExpr {
    TypeExpr::Named(name.to_owned())
}

#[rstest]
#[case::bare("")]
#[case::with_a_package("package v1\n")]
#[case::with_imports(
    "package v1\n\nimport (\n metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n)\nimport \"fmt\"\n"
)]
#[case::with_package_markers("// +k8s:deepcopy-gen=package\n\n// Package v1 is one.\npackage v1\n")]
#[case::with_a_byte_order_mark("\u{feff}")]
#[case::with_functions("func (t T) String() string {\n // +optional\n return \"\"\n}\nvar _ = T{}\n")]
fn what_surrounds_declarations_changes_nothing(#[case] before: &str) {
    let declarations = ok(&format!("{before}type T struct {{ A string }}"));
    assert_eq!(declarations.types.len(), 1);
}

#[test]
fn types_come_in_source_order_with_their_lines() {
    let declarations = ok("type (\n B struct{ A A }\n\n A = []string\n)\ntype C map[string]*B");
    let found: Vec<_> = declarations.types.iter().map(|t| (t.name.as_str(), t.line)).collect();
    assert_eq!(found, [("B", 2), ("A", 4), ("C", 6)]);
    let Shape::Alias(c) = &decl(&declarations, "C").shape else { panic!() };
    assert_eq!(*c, TypeExpr::Map(Box::new(TypeExpr::Pointer(Box::new(named("B"))))));
}

#[rstest]
#[case::embedded("Base", true, "")]
#[case::embedded_with_inline("Base `json:\",inline\"`", true, "")]
#[case::embedded_with_an_empty_tag("Base `json:\"\"`", true, "")]
#[case::embedded_pointer("*Base `json:\",inline\"`", true, "")]
#[case::embedded_under_a_name("Base `json:\"base\"`", false, "base")]
#[case::embedded_text_is_a_field("Text", false, "Text")]
fn embedded_structs_are_inlined(#[case] go: &str, #[case] inline: bool, #[case] name: &str) {
    let declarations =
        ok(&format!("type T struct {{\n {go}\n}}\ntype Base struct {{ A int }}\ntype Text string"));
    let field = &fields(&declarations, "T")[0];
    assert_eq!((field.inline, field.name.as_str()), (inline, name));
}

#[test]
fn a_struct_that_is_not_exported_can_be_embedded() {
    assert!(fields(&ok("type T struct { base }\ntype base struct { A int }"), "T")[0].inline);
}

#[test]
fn a_name_of_the_text_wins_over_a_well_known_one() {
    let declarations = ok(
        "type T struct {\n A metav1.Condition\n B Protocol\n}\ntype Condition struct { C int }\ntype Protocol struct{}",
    );
    assert_eq!(fields(&declarations, "T")[0].ty, named("Condition"));
    assert_eq!(fields(&declarations, "T")[1].ty, named("Protocol"));
    assert_eq!(declarations.types.len(), 3);
}

#[test]
fn a_type_named_after_that_of_another_package_is_not_itself() {
    let declarations =
        ok("type ObjectMeta metav1.ObjectMeta\ntype T struct { ObjectMeta `json:\"metadata\"` }");
    let Shape::Alias(target) = &decl(&declarations, "ObjectMeta").shape else { panic!() };
    assert_eq!(*target, named("metav1.ObjectMeta"));
}

#[test]
fn well_known_types_come_with_all_that_they_refer_to() {
    let declarations =
        ok("type T struct {\n metav1.TypeMeta `json:\",inline\"`\n metav1.ObjectMeta `json:\"metadata\"`\n}");
    let found: Vec<_> = declarations.types.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(
        found,
        [
            "T",
            "metav1.ManagedFieldsEntry",
            "metav1.ManagedFieldsOperationType",
            "metav1.ObjectMeta",
            "metav1.OwnerReference",
            "metav1.TypeMeta"
        ]
    );
    assert!(fields(&declarations, "T")[0].inline);
    let owners = field(&declarations, "metav1.ObjectMeta", "ownerReferences");
    assert_eq!(owners.patch.merge_key, ["uid"]);
    assert_eq!(owners.ty, TypeExpr::List(Box::new(named("metav1.OwnerReference"))));
    assert_eq!(field(&declarations, "metav1.ObjectMeta", "finalizers").patch.strategies, ["merge"]);
}

#[test]
fn resource_lists_are_maps_of_quantities() {
    let declarations = ok("type T struct { A v1.ResourceList }");
    let Shape::Alias(list) = &decl(&declarations, "corev1.ResourceList").shape else { panic!() };
    assert_eq!(*list, TypeExpr::Map(Box::new(TypeExpr::Scalar(ScalarType::Quantity))));
}

#[test]
fn an_anonymous_struct_is_named_after_its_field() {
    let declarations = ok("type T struct {\n A []struct {\n  B struct{ C int }\n }\n}\ntype U struct{}");
    let found: Vec<_> = declarations.types.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(found, ["T", "T.A", "T.A.B", "U"]);
    assert_eq!(fields(&declarations, "T")[0].ty, TypeExpr::List(Box::new(named("T.A"))));
}

#[test]
fn an_anonymous_struct_in_a_named_list_is_its_item() {
    let declarations = ok("type T []struct{ A int }");
    let found: Vec<_> = declarations.types.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(found, ["T", "T.Item"]);
}

#[rstest]
#[case::typed("A E = \"a\"\nB E = \"b\"", &["a", "b"])]
#[case::untyped_below_a_typed_one("A E = \"a\"\nB = \"b\"", &["a", "b"])]
#[case::untyped_above_a_typed_one("X = \"x\"\nA E = \"a\"", &["a"])]
#[case::converted("A = E(\"a\")", &["a"])]
#[case::computed("P = \"p/\"\nA E = P + \"a\"", &["p/a"])]
#[case::computed_before_its_parts("A E = (P + \"a\")\nP string = \"p/\"", &["p/a"])]
#[case::of_another_constant("A E = \"a\"\nB = A", &["a", "a"])]
#[case::repeated("A E = \"a\"\nB", &["a", "a"])]
#[case::several_on_a_line("A, B E = \"a\", \"b\"", &["a", "b"])]
#[case::numbers_among_them("A E = \"a\"\nN = 3\nM = 1 << iota\nB E = \"b\"", &["a", "b"])]
#[case::of_other_types("A E = \"a\"\nN int = 3\nS string = \"s\"", &["a"])]
#[case::empty("A E = \"\"", &[""])]
#[case::raw("A E = `a`", &["a"])]
#[case::of_an_alias("A F = \"a\"", &["a"])]
fn string_constants_are_the_values_of_their_type(#[case] block: &str, #[case] expected: &[&str]) {
    let declarations = ok(&format!("type E string\ntype F = E\nconst (\n{block}\n)"));
    let (found, closed) = values(&declarations, "E");
    assert_eq!(texts(found), expected);
    assert!(!closed);
}

#[rstest]
#[case::upstream("// +enum", true)]
#[case::declarative("// +k8s:enum", true)]
#[case::above_a_blank_line("// +enum\n\n// E is one.", true)]
#[case::not_marked("// E is one.", false)]
fn an_enum_is_closed_when_it_is_marked(#[case] comment: &str, #[case] expected: bool) {
    let declarations = ok(&format!("{comment}\ntype E string\n// +k8s:ifEnabled=F\nconst A E = \"a\""));
    let (found, closed) = values(&declarations, "E");
    assert_eq!(closed, expected);
    assert_eq!((found[0].name.as_str(), found[0].markers[0].name.as_str()), ("A", "k8s:ifEnabled"));
}

#[test]
fn a_string_type_without_constants_is_another_name_for_text() {
    let declarations = ok("type E string");
    assert_eq!(decl(&declarations, "E").shape, Shape::Alias(TypeExpr::Scalar(ScalarType::String)));
}

#[test]
fn constants_of_well_known_types_are_added_to_them() {
    let declarations = ok("type T struct { A v1.ResourceName }\nconst GPU v1.ResourceName = \"gpu\"");
    assert_eq!(texts(values(&declarations, "corev1.ResourceName").0), ["gpu"]);
}

#[test]
fn markers_of_removed_fields_disturb_nobody() {
    let declarations = ok(
        "type T struct {\n// +k8s:deprecated=old,protobuf=1\n\n// +optional\n// +listType=atomic\n// Old string `json:\"old\"`\n\nNew string\n}",
    );
    assert!(fields(&declarations, "T")[0].markers.is_empty());
}
