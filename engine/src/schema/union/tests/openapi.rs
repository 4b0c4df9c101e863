//! Reading and writing of the extension `x-kubernetes-unions`.

use rstest::rstest;

use super::kep_text::{EXAMPLES, FIRST, OPENAPI};
use super::*;
use crate::ErrorKind;
use crate::document::to_json;
use crate::schema::union::openapi::{read as read_extension, read_list, write, write_list};
use crate::schema::union::{Cardinality, DeclarationForm, Member};
use crate::schema::{Marker, Shape};
use crate::test_support::json;

/// Returns declarations in which the union markers are replaced by the extension, as the `OpenAPI` reader returns them.
fn with_extensions(source: &str, ty: &str) -> Declarations {
    let unions = declared(source);
    let mut declarations = read(source);
    for decl in declarations.types.iter_mut().filter(|decl| decl.name == ty) {
        let Shape::Struct(fields) = &mut decl.shape else { continue };
        for field in fields {
            field.markers.retain(|marker| !marker.name.starts_with("union"));
            for union in unions.of_type(ty) {
                if union.discriminator.as_ref().is_some_and(|d| d.field == field.name) {
                    let value = format!("={}", write(union).unwrap());
                    field.markers.push(Marker { name: "x-kubernetes-unions".to_owned(), value, line: 0 });
                }
            }
        }
    }
    declarations
}

#[rstest]
#[case::first_listing(FIRST, "Union")]
#[case::second_listing(EXAMPLES, "Union")]
#[case::custom_names(EXAMPLES, "Union2")]
#[case::listing_of_the_openapi_section(OPENAPI, "Union")]
fn every_example_of_the_kep_round_trips(#[case] source: &str, #[case] ty: &str) {
    let again = Unions::declared(&with_extensions(source, ty)).unwrap();
    assert_eq!(only(&again, ty), only(&declared(source), ty));
}

#[test]
fn the_extension_has_the_form_of_the_keps_go_structs() {
    let written = write(&only(&declared(OPENAPI), "Union")).unwrap();
    let expected = json(
        r#"{"fieldMembers":{"":null,"FieldA":{"name":"fieldA","optional":false},
            "FieldB":{"name":"fieldB","optional":true},"FieldC":null,"FieldD":null}}"#,
    );
    assert_eq!(written, expected);
}

#[test]
fn optional_defaults_to_false() {
    let union = read_extension(&json(r#"{"fieldMembers":{"A":{"name":"a"},"None":null}}"#), "type").unwrap();
    assert_eq!(members(&union), [("a", "A", false)]);
    assert_eq!(union.empty_values().collect::<Vec<_>>(), ["None"]);
}

#[rstest]
#[case::not_a_map("[]", ".: expected a map, found a list")]
#[case::no_members("{}", "fieldMembers: expected a map, found null")]
#[case::empty(r#"{"fieldMembers":{}}"#, "fieldMembers: a union must have values")]
#[case::more(r#"{"fieldMembers":{"A":null},"more":1}"#, "more: unknown key (expected fieldMembers")]
#[case::member_is_text(r#"{"fieldMembers":{"A":"a"}}"#, "fieldMembers.A: expected a map, found a string")]
#[case::no_name(r#"{"fieldMembers":{"A":{}}}"#, "fieldMembers.A.name: expected a string, found null")]
#[case::more_in_a_member(
    r#"{"fieldMembers":{"A":{"name":"a","x":1}}}"#,
    "fieldMembers.A.x: unknown key (expected name, optional)"
)]
#[case::optional_is_text(
    r#"{"fieldMembers":{"A":{"name":"a","optional":"yes"}}}"#,
    "fieldMembers.A.optional: expected true or false, found a string"
)]
#[case::field_twice(
    r#"{"fieldMembers":{"A":{"name":"a"},"B":{"name":"a"}}}"#,
    "fieldMembers.B.name: the value \"A\" already selects the field \"a\""
)]
fn a_malformed_extension_is_refused_with_a_path(#[case] extension: &str, #[case] expected: &str) {
    let error = read_extension(&json(extension), "type").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSchema);
    let shown = format!("{}: {}", error.path(), error.message());
    assert!(shown.starts_with(expected), "{shown}");
}

const LIST: &str = r#"[{"discriminator":"type","fields-to-discriminateBy":{"a":"A","b":"B"}},{"deduceInvalidDiscriminator":true,"fields-to-discriminateBy":{"c":"C"}}]"#;

#[test]
fn the_list_of_2019_round_trips() {
    let unions = read_list(&json(LIST)).unwrap();
    assert_eq!(members(&unions[0]), [("a", "A", false), ("b", "B", false)]);
    assert_eq!(unions[0].form, DeclarationForm::List { deduce: None });
    assert!(unions[0].discriminator.as_ref().unwrap().values.is_none());
    assert_eq!(
        (unions[1].form, unions[1].cardinality()),
        (DeclarationForm::List { deduce: Some(true) }, Cardinality::AtMostOne)
    );
    assert_eq!(String::from_utf8(to_json(&write_list(&unions))).unwrap(), LIST);
}

#[rstest]
#[case::not_a_list("{}", ".: expected a list of unions, found a map")]
#[case::text_in_it("[1]", "[0]: expected a map")]
#[case::more(
    r#"[{"more":1}]"#,
    "[0].more: unknown key (expected discriminator, fields-to-discriminateBy, deduce"
)]
#[case::no_fields(r#"[{"discriminator":"a"}]"#, "[0].fields-to-discriminateBy: expected a map")]
#[case::empty_fields(
    r#"[{"fields-to-discriminateBy":{}}]"#,
    "[0].fields-to-discriminateBy: a union must have fields"
)]
#[case::discriminator_is_a_number(r#"[{"discriminator":1}]"#, "[0].discriminator: expected a string")]
#[case::value_is_null(
    r#"[{"fields-to-discriminateBy":{"a":null}}]"#,
    "[0].fields-to-discriminateBy.a: expected a string"
)]
#[case::value_twice(
    r#"[{"fields-to-discriminateBy":{"a":"A","b":"A"}}]"#,
    "[0].fields-to-discriminateBy.b: the value \"A\" already selects the field \"a\""
)]
#[case::field_in_two_unions(
    r#"[{"fields-to-discriminateBy":{"a":"A"}},{"fields-to-discriminateBy":{"a":"A"}}]"#,
    "[1]: the field \"a\" already belongs to a union"
)]
#[case::discriminator_is_a_member(
    r#"[{"discriminator":"a","fields-to-discriminateBy":{"a":"A"}}]"#,
    "[0]: the field \"a\" already belongs to a union"
)]
fn a_malformed_list_is_refused_with_a_path(#[case] extension: &str, #[case] expected: &str) {
    let error = read_list(&json(extension)).unwrap_err();
    let shown = format!("{}: {}", error.path(), error.message());
    assert!(shown.starts_with(expected), "{shown}");
}

fn on_type(extension: &str) -> Declarations {
    let mut declarations = read(
        "type T struct {\nType string `json:\"type\"`\nA *int `json:\"a\"`\nB *int `json:\"b\"`\nC *int `json:\"c\"`\n}",
    );
    let value = format!("={extension}");
    declarations.types[0].markers.push(Marker { name: "x-kubernetes-unions".to_owned(), value, line: 0 });
    declarations
}

#[test]
fn the_list_is_read_from_a_marker_of_the_type() {
    let unions = Unions::declared(&on_type(LIST)).unwrap();
    assert_eq!(unions.of_type("T").len(), 2);
}

#[rstest]
#[case::not_json("[", UnionErrorKind::MalformedExtension)]
#[case::malformed("{}", UnionErrorKind::MalformedExtension)]
#[case::no_such_member(r#"[{"fields-to-discriminateBy":{"x":"X"}}]"#, UnionErrorKind::UnknownField)]
#[case::no_such_discriminator(
    r#"[{"discriminator":"x","fields-to-discriminateBy":{"a":"A"}}]"#,
    UnionErrorKind::UnknownField
)]
fn an_extension_must_fit_its_struct(#[case] extension: &str, #[case] kind: UnionErrorKind) {
    let errors = Unions::declared(&on_type(extension)).unwrap_err();
    assert_eq!(errors.iter().map(|e| e.kind).collect::<Vec<_>>(), [kind]);
}

#[test]
fn values_of_the_extension_must_be_those_of_the_enum() {
    let mut declarations = with_extensions(OPENAPI, "Union");
    let Shape::Struct(fields) = &mut declarations.types[1].shape else { panic!("a struct is expected") };
    let extension = &mut fields[0].markers.last_mut().unwrap().value;
    *extension = extension.replace("FieldC", "FieldX");
    let errors = Unions::declared(&declarations).unwrap_err();
    assert_eq!(errors.iter().map(|e| e.kind).collect::<Vec<_>>(), [UnionErrorKind::MemberNotInEnum]);
}

#[test]
fn members_are_read_in_the_order_of_their_fields() {
    let source = OPENAPI.replace("FieldA", "X").replace("FieldB", "FieldA").replace('X', "FieldB");
    let source = source.replace("fieldA", "x").replace("fieldB", "fieldA").replace("\"x\"", "\"fieldB\"");
    let union = only(&declared(&source), "Union");
    assert_eq!(members(&union), [("fieldB", "FieldB", false), ("fieldA", "FieldA", true)]);
    assert_eq!(only(&Unions::declared(&with_extensions(&source, "Union")).unwrap(), "Union"), union);
}

#[test]
fn a_union_without_a_discriminator_is_written_only_as_a_list() {
    let union = Union::legacy(["a", "b"], Cardinality::ExactlyOne);
    assert_eq!(write(&union), None);
    let list = write_list(&[union]);
    assert_eq!(members(&read_list(&list).unwrap()[0]), [("a", "a", false), ("b", "b", false)]);
}

#[test]
fn members_and_empty_values_are_read_back_as_written() {
    let union = Union::discriminated("type", ["B", "A"], vec![Member::new("a", "A").optional()]);
    let again = read_extension(&write(&union).unwrap(), "type").unwrap();
    assert_eq!(members(&again), [("a", "A", true)]);
    assert_eq!(again.empty_values().collect::<Vec<_>>(), ["B"]);
}
