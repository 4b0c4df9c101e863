//! Reading and writing of single keywords.

use rstest::rstest;

use super::*;
use crate::schema::openapi::{CustomResource, MAX_WRITTEN_OUT, write_custom_resource};
use crate::schema::{ScalarType, go};

const PRESERVES: &str = "x-kubernetes-preserve-unknown-fields=true";

fn type_markers(declarations: &Declarations, name: &str) -> Vec<String> {
    let markers = &declarations.get(name).unwrap().markers;
    markers.iter().map(|marker| format!("{}{}", marker.name, marker.value)).collect()
}

/// The extension belongs to the type if the schema is an object with fields. Otherwise, the extension belongs to the
/// property.
#[test]
fn what_keeps_unknown_fields_is_the_object_or_the_property() {
    let object = r#"{"type":"object","properties":{},"x-kubernetes-preserve-unknown-fields":true}"#;
    let declarations = ok(&with_property(object));
    assert_eq!(markers(field(&declarations, "T", "a")), [""; 0]);
    assert_eq!(type_markers(&declarations, "T.a"), [PRESERVES]);
    let map = r#"{"type":"object","additionalProperties":{"type":"string"},"x-kubernetes-preserve-unknown-fields":true}"#;
    assert_eq!(markers(field(&ok(&with_property(map)), "T", "a")), [PRESERVES]);
}

#[rstest]
#[case::a_map_of_something(r#"{"type":"object","additionalProperties":{"type":"string"},"x-kubernetes-preserve-unknown-fields":true}"#, true)]
#[case::a_map_of_anything(r#"{"type":"object","x-kubernetes-preserve-unknown-fields":true}"#, false)]
#[case::anything(r#"{"x-kubernetes-preserve-unknown-fields":true}"#, false)]
#[case::a_map_that_says_nothing_of_it(r#"{"type":"object","additionalProperties":{"type":"string"}}"#, false)]
fn an_item_that_keeps_unknown_fields_has_a_name_to_say_so(#[case] items: &str, #[case] has_name: bool) {
    let declarations = ok(&with_property(&format!(r#"{{"type":"array","items":{items}}}"#)));
    assert_eq!(declarations.get("T.a").is_some(), has_name);
    if has_name {
        assert_eq!(type_markers(&declarations, "T.a"), [PRESERVES]);
    }
}

#[rstest]
#[case::a_quantity("io.k8s.apimachinery.pkg.api.resource.Quantity", ScalarType::IntOrString)]
#[case::a_quantity_of_somebody_else("com.example.Quantity", ScalarType::String)]
fn only_the_quantities_of_kubernetes_take_numbers(#[case] name: &str, #[case] expected: ScalarType) {
    let declarations = ok(&json(&format!(r#"{{"definitions":{{"{name}":{{"type":"string"}}}}}}"#)));
    assert_eq!(declarations.types[0].shape, Shape::Alias(TypeExpr::Scalar(expected)));
}

/// Zero values are not read as defaults, because servers publish them for every field. All other defaults are read.
#[rstest]
#[case::a_struct_with_something(
    r##"{"allOf":[{"$ref":"#/components/schemas/T"}],"default":{"a":{}}}"##,
    false,
    true
)]
#[case::an_empty_struct(r##"{"allOf":[{"$ref":"#/components/schemas/T"}],"default":{}}"##, true, false)]
#[case::an_empty_map(
    r#"{"type":"object","additionalProperties":{"type":"string"},"default":{}}"#,
    false,
    true
)]
#[case::a_float_that_is_zero(r#"{"type":"number","default":0.0}"#, true, false)]
#[case::a_float_that_is_not(r#"{"type":"number","default":0.5}"#, true, true)]
#[case::zero_of_an_optional_float(r#"{"type":"number","default":0.0}"#, false, true)]
#[case::zero_of_an_optional_integer(r#"{"type":"integer","default":0}"#, false, true)]
#[case::text(r#"{"type":"string","default":"a"}"#, true, true)]
#[case::false_of_an_optional_boolean(r#"{"type":"boolean","default":false}"#, false, true)]
#[case::an_empty_list(r#"{"type":"array","items":{"type":"string"},"default":[]}"#, true, true)]
fn a_default_that_is_no_zero_value_is_kept(#[case] schema: &str, #[case] required: bool, #[case] kept: bool) {
    let required = if required { r#","required":["a"]"# } else { "" };
    let document = v3(&format!(r#"{{"T":{{"type":"object","properties":{{"a":{schema}}}{required}}}}}"#));
    assert_eq!(field(&ok(&document), "T", "a").default.is_some(), kept);
}

#[rstest]
#[case::of_integers(r#"{"anyOf":[{"type":"integer"},{"type":"string"}]}"#)]
#[case::of_numbers(r#"{"oneOf":[{"type":"number"},{"type":"string"}]}"#)]
fn text_or_a_number_is_one_type(#[case] schema: &str) {
    assert_eq!(field(&ok(&with_property(schema)), "T", "a").ty, TypeExpr::Scalar(ScalarType::IntOrString));
}

#[rstest]
#[case::of_more(r#"{"anyOf":[{"type":"integer"},{"type":"string"},{"type":"boolean"}]}"#)]
#[case::of_other_types(r#"{"anyOf":[{"type":"boolean"},{"type":"string"}]}"#)]
#[case::of_text_alone(r#"{"anyOf":[{"type":"string"}]}"#)]
#[case::of_no_text(r#"{"anyOf":[{"type":"integer"},{"type":"number"}]}"#)]
#[case::that_says_more(r#"{"anyOf":[{"type":"integer","minimum":1},{"type":"string"}]}"#)]
fn other_alternatives_are_not_understood(#[case] schema: &str) {
    assert_eq!(
        refused(&with_property(schema)),
        ["components.schemas.T.properties.a.anyOf: without a `type` this is not understood"]
    );
}

/// Both versions of `OpenAPI` require `info` with these fields.
#[test]
fn documents_say_what_they_are() {
    let declarations = Declarations::default();
    assert_eq!(
        write_v2(&declarations).to_string(),
        r#"{"definitions":{},"info":{"title":"Skewer","version":"0"},"paths":{},"swagger":"2.0"}"#
    );
    assert_eq!(
        write_v3(&declarations).to_string(),
        r#"{"components":{"schemas":{}},"info":{"title":"Skewer","version":"0"},"openapi":"3.0.0","paths":{}}"#
    );
}

const WRITTEN: &str = r#"
type A struct {
  *B `json:",inline"`
  // +nullable
  Text string             `json:"text"`
  Port intstr.IntOrString `json:"port"`
}
type B struct {
  Deep string `json:"deep"`
}
"#;

/// v2 has neither `nullable` nor `oneOf`. In v2, API servers publish `int-or-string` as a format.
#[test]
fn versions_differ_in_how_they_say_things() {
    let declarations = go::read(WRITTEN).unwrap();
    let schema = |document: &OwnedDoc, path: &[&str]| {
        path.iter()
            .fold(document.clone(), |value, key| value.as_map().and_then(|map| map.get(key)).unwrap().clone())
    };
    assert_eq!(
        schema(&write_v2(&declarations), &["definitions", "A", "properties"]).to_string(),
        r#"{"deep":{"type":"string"},"port":{"format":"int-or-string","type":"string","x-kubernetes-int-or-string":true},"text":{"type":"string","x-nullable":true}}"#
    );
    assert_eq!(
        schema(&write_v3(&declarations), &["components", "schemas", "A", "properties"]).to_string(),
        r#"{"deep":{"type":"string"},"port":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true},"text":{"nullable":true,"type":"string"}}"#
    );
}

/// The schema of a type is written at every use. A field without a declared type counts as one schema.
#[rstest]
#[case::as_many_as_may_be(MAX_WRITTEN_OUT - 1, None)]
#[case::one_more(
    MAX_WRITTEN_OUT,
    Some("`A` is 100001 schemas when each use of a type is written out; a definition may have 100000")
)]
fn a_definition_writes_out_so_many_schemas(#[case] fields: usize, #[case] message: Option<&str>) {
    // The root has a hundred fields with a struct type. Scalar fields fill the rest of the limit.
    let (structs, inner) = (100, 900);
    let scalars = fields - structs * (inner + 1);
    let lines = |name: &str, number: usize, ty: &str| {
        let line = |at: usize| format!("{name}{at} {ty} `json:\"{name}{at}\"`");
        (0..number).map(line).collect::<Vec<_>>().join("\n")
    };
    let source = format!(
        "type A struct {{\n{}\n{}\n}}\ntype B struct {{\n{}\n}}",
        lines("B", structs, "[]*B"),
        lines("S", scalars, "string"),
        lines("X", inner, "string")
    );
    let names = CustomResource { group: "example.com", version: "v1", kind: "A" };
    let written = write_custom_resource(&go::read(&source).unwrap(), "A", names);
    assert_eq!(written.err().map(|error| error.message().to_owned()).as_deref(), message);
}
