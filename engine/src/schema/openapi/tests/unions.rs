//! Reading and writing of `x-kubernetes-unions` in both forms.

use rstest::rstest;

use super::*;
use crate::schema::go;

/// The type `Union2` from KEP-1027, "Examples".
const UNION2: &str = r#"
// +enum
type Union2Type string

const (
  Alpha Union2Type = "ALPHA"
  Beta = "BETA"
  None Union2Type = ""
)

type Union2 struct {
  // +unionDiscriminator
  // +required
  Type2 Union2Type `json:"type"`
  // +unionMember=ALPHA
  // +optional
  Alpha int `json:"alpha,omitempty"`
  // +unionMember=BETA,optional
  // +optional
  Beta int `json:"beta,omitempty"`
}
"#;

#[track_caller]
fn schema_of<'v>(document: &'v OwnedDoc, ty: &str) -> &'v OwnedDoc {
    let path = ["components", "schemas", ty];
    path.iter().fold(document, |value, key| value.as_map().and_then(|map| map.get(key)).unwrap())
}

#[test]
fn unions_are_written_as_the_kep_defines_them() {
    let document = write_v3(&go::read(UNION2).unwrap());
    let discriminator = schema_of(&document, "Union2").as_map().unwrap().get("properties").unwrap();
    let discriminator = discriminator.as_map().unwrap().get("type").unwrap();
    let expected = json(
        r##"{"allOf":[{"$ref":"#/components/schemas/Union2Type"}],"x-kubernetes-unions":{"fieldMembers":{
            "ALPHA":{"name":"alpha","optional":false},"BETA":{"name":"beta","optional":true},"":null}}}"##,
    );
    assert_eq!(*discriminator, expected);
}

#[test]
fn unions_come_back_as_markers() {
    let declarations = ok(&write_v3(&go::read(UNION2).unwrap()));
    assert_eq!(markers(field(&declarations, "Union2", "type")), ["unionDiscriminator"]);
    assert_eq!(markers(field(&declarations, "Union2", "alpha")), ["unionMember=ALPHA"]);
    assert_eq!(markers(field(&declarations, "Union2", "beta")), ["unionMember=BETA,optional"]);
}

#[rstest]
#[case::by_the_go_name("+unionMember", "FieldA", false)]
#[case::by_the_go_name_and_optional("+unionMember,optional", "FieldA", true)]
#[case::by_its_own_name("+unionMember=A", "A", false)]
#[case::by_its_own_name_and_optional("+unionMember=A,optional", "A", true)]
#[case::by_the_empty_value("+unionMember=", "", false)]
fn a_member_is_selected(#[case] marker: &str, #[case] value: &str, #[case] optional: bool) {
    let source = format!(
        "type T struct {{\n// +unionDiscriminator\nKind string `json:\"kind\"`\n// {marker}\nFieldA *int `json:\"fieldA\"`\n}}"
    );
    let declarations = ok(&write_v3(&go::read(&source).unwrap()));
    let option = if optional { ",optional" } else { "" };
    assert_eq!(markers(field(&declarations, "T", "fieldA")), [format!("unionMember={value}{option}")]);
    // The discriminator has no enum, so that the members determine the valid values.
    let Shape::Enum { values, closed } = &declarations.get("T.kind").unwrap().shape else { panic!() };
    assert!(*closed);
    assert_eq!(values[0].value, value);
}

#[test]
fn two_unions_of_one_struct_stay_apart() {
    let source = r#"
type T struct {
  // +unionDiscriminator
  One string `json:"one"`
  // +unionDiscriminator
  Two string `json:"two"`
  // +unionMember
  // +unionDiscriminatedBy=Two
  A *int `json:"a"`
  // +unionMember
  // +unionDiscriminatedBy=One
  B *int `json:"b"`
  // +unionMember
  // +unionDiscriminatedBy=Missing
  C *int `json:"c"`
}
"#;
    let declarations = ok(&write_v3(&go::read(source).unwrap()));
    assert_eq!(markers(field(&declarations, "T", "a")), ["unionMember=A", "unionDiscriminatedBy=two"]);
    assert_eq!(markers(field(&declarations, "T", "b")), ["unionMember=B", "unionDiscriminatedBy=one"]);
    assert!(markers(field(&declarations, "T", "c")).is_empty());
    assert_eq!(ok(&write_v2(&declarations)), declarations);
}

/// The discriminator has the values of the enum, even if pointers or aliases are between them.
#[rstest]
#[case::a_pointer("*Union2Type", "")]
#[case::an_alias("Short", "type Short = Union2Type")]
#[case::a_pointer_to_an_alias("*Short", "type Short = Longer\ntype Longer = Union2Type")]
fn a_discriminator_has_the_values_of_its_enum(#[case] ty: &str, #[case] more: &str) {
    let source = format!("{}\n{more}", UNION2.replace("Type2 Union2Type", &format!("Type2 {ty}")));
    let declarations = go::read(&source).unwrap();
    for document in [write_v2(&declarations), write_v3(&declarations)] {
        let expected =
            r#""":null,"ALPHA":{"name":"alpha","optional":false},"BETA":{"name":"beta","optional":true}"#;
        assert!(document.to_string().contains(&format!("{{\"fieldMembers\":{{{expected}}}}}")), "{document}");
    }
}

#[test]
fn an_alias_of_itself_ends_the_search_for_values() {
    // The Go reader refuses a cycle of aliases, but declarations from another source can have one.
    let declarations: Declarations = serde_json::from_str(
        r#"{"types":[{"name":"A","shape":{"alias":{"named":"A"}}},{"name":"T","shape":{"struct":[
            {"name":"type","type":{"named":"A"},"markers":[{"name":"unionDiscriminator"}]}]}}]}"#,
    )
    .unwrap();
    assert!(write_v3(&declarations).to_string().contains(r#"{"fieldMembers":{}}"#));
}

#[test]
fn an_inlined_union_belongs_to_its_parent() {
    let source = format!(
        "{UNION2}\ntype Parent struct {{\n Union2 `json:\",inline\"`\n Name string `json:\"name\"`\n}}"
    );
    let declarations = ok(&write_v3(&go::read(&source).unwrap()));
    assert_eq!(markers(field(&declarations, "Parent", "type")), ["unionDiscriminator"]);
    assert_eq!(markers(field(&declarations, "Parent", "beta")), ["unionMember=BETA,optional"]);
    assert_eq!(fields(&declarations, "Parent").len(), 4);
}

const LIST_FORM: &str =
    r#"[{"discriminator":"type","fields-to-discriminateBy":{"rollingUpdate":"RollingUpdate"}}]"#;

#[test]
fn the_older_form_is_kept_as_it_is() {
    let document = v3(&format!(
        r#"{{"T":{{"type":"object","properties":{{"type":{{"type":"string"}},"rollingUpdate":{{"type":"object"}}}},
            "x-kubernetes-unions":{LIST_FORM}}}}}"#
    ));
    let declarations = ok(&document);
    let marker = &declarations.types[0].markers[0];
    assert_eq!(
        (marker.name.as_str(), marker.value.as_str()),
        ("x-kubernetes-unions", format!("={LIST_FORM}").as_str())
    );
    assert!(markers(field(&declarations, "T", "type")).is_empty(), "it is not the KEP's union");
    let again = schema_of(&write_v3(&declarations), "T")
        .as_map()
        .unwrap()
        .get("x-kubernetes-unions")
        .unwrap()
        .to_string();
    assert_eq!(again, LIST_FORM);
}

#[rstest]
#[case::inline(r#"{"type":"object","properties":{"type":{"type":"string"},"rollingUpdate":{}},"x-kubernetes-unions":UNIONS}"#)]
#[case::in_items(
    r#"{"type":"array","items":{"type":"object","properties":{"type":{"type":"string"},"rollingUpdate":{}},"x-kubernetes-unions":UNIONS}}"#
)]
fn the_older_form_belongs_to_the_nested_object(#[case] schema: &str) {
    let declarations = ok(&with_property(&schema.replace("UNIONS", LIST_FORM)));
    assert!(field(&declarations, "T", "a").markers.is_empty());
    assert_eq!(declarations.get("T.a").unwrap().markers[0].value, format!("={LIST_FORM}"));
}

#[rstest]
#[case::discriminator(r#"[{"discriminator":"b"}]"#, "[0].discriminator: the object has no property \"b\"")]
#[case::member(
    r#"[{"fields-to-discriminateBy":{"b":"B"}}]"#,
    "[0].fields-to-discriminateBy.b: the object has no"
)]
#[case::value(
    r#"[{"fields-to-discriminateBy":{"a":1}}]"#,
    "[0].fields-to-discriminateBy.a: expected a string"
)]
#[case::more(r#"[{"more":1}]"#, "[0].more: only")]
#[case::flag(
    r#"[{"deduceInvalidDiscriminator":1}]"#,
    "[0].deduceInvalidDiscriminator: expected true or false"
)]
#[case::not_a_map("[1]", "[0]: expected a map")]
fn the_older_form_is_checked(#[case] unions: &str, #[case] expected: &str) {
    let errors = refused(&v3(&format!(
        r#"{{"T":{{"type":"object","properties":{{"a":{{"type":"string"}}}},"x-kubernetes-unions":{unions}}}}}"#
    )));
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(
        errors[0].starts_with(&format!("components.schemas.T.x-kubernetes-unions{expected}")),
        "{errors:#?}"
    );
}

#[test]
fn the_keps_form_is_refused_where_no_property_is() {
    let errors = refused(&v3(r#"{"T":{"type":"string","x-kubernetes-unions":{"fieldMembers":{}}}}"#));
    assert!(errors[0].contains("belongs to the property of the discriminator"), "{errors:#?}");
}
