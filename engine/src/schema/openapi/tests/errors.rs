//! The messages and paths of the errors of the `OpenAPI` reader.

use proptest::prelude::*;
use rstest::rstest;

use super::super::MAX_NESTING;
use super::*;
use crate::document::{Doc, OwnedDoc, OwnedMap, Text};
use crate::error::ErrorKind;
use crate::schema::ScalarType;

#[rstest]
#[case::unknown_keyword(r#"{"type":"string","patternProperties":{}}"#, ".patternProperties: this keyword")]
#[case::unknown_type(r#"{"type":"null"}"#, ".type: the type \"null\" is not understood")]
#[case::several_types(r#"{"type":["string","integer"]}"#, ".type: the type")]
#[case::list_without_items(r#"{"type":"array"}"#, ": a list without `items`")]
#[case::items_of_an_object(r#"{"type":"object","items":{}}"#, ".items: `items` does not go")]
#[case::fields_of_a_string(r#"{"type":"string","properties":{}}"#, ".properties: `properties` does not go")]
#[case::required_without_fields(r#"{"type":"object","required":["b"]}"#, ".required: `required` does not go")]
#[case::fields_and_values(
    r#"{"type":"object","properties":{},"additionalProperties":{"type":"string"}}"#,
    ": `properties` and `additionalProperties`"
)]
#[case::alternatives_without_a_type(
    r#"{"oneOf":[{"type":"string"},{"type":"object"}]}"#,
    ".oneOf: without a `type`"
)]
#[case::reference_to_nothing(
    r##"{"$ref":"#/components/schemas/Missing"}"##,
    ".$ref: `#/components/schemas/Missing`"
)]
#[case::reference_of_v2(r##"{"$ref":"#/definitions/T"}"##, ".$ref: `#/definitions/T` refers to no schema")]
#[case::reference_in_all_of(r#"{"allOf":[{"$ref":"other"}]}"#, ".allOf[0]: `other` refers to no schema")]
#[case::several_in_all_of(r#"{"allOf":[{"type":"string"},{"type":"string"}]}"#, ".allOf: without a `type`")]
#[case::wrong_schema_in_all_of(r#"{"allOf":[{"type":"strng"}]}"#, ".allOf[0].type: the type \"strng\"")]
#[case::missing_required(
    r#"{"type":"object","properties":{},"required":["b"]}"#,
    ".required[0]: the object has no"
)]
#[case::required_is_no_list(
    r#"{"type":"object","properties":{},"required":true}"#,
    ".required: expected a list"
)]
#[case::properties_are_no_map(r#"{"type":"object","properties":[]}"#, ".properties: expected a map")]
#[case::schema_is_no_map("true", ": expected a map, found a boolean")]
#[case::enum_is_no_list(r#"{"type":"string","enum":"a"}"#, ".enum: expected a list")]
#[case::enum_of_numbers(r#"{"type":"string","enum":["a",1]}"#, ".enum[1]: expected a string")]
#[case::unknown_strategy(
    r#"{"type":"string","x-kubernetes-patch-strategy":"mrege"}"#,
    ".x-kubernetes-patch-strategy: the"
)]
#[case::strategy_is_no_text(
    r#"{"type":"string","x-kubernetes-patch-strategy":1}"#,
    ".x-kubernetes-patch-strategy: expected a string"
)]
#[case::empty_merge_key(
    r#"{"type":"string","x-kubernetes-patch-merge-key":""}"#,
    ".x-kubernetes-patch-merge-key: an empty"
)]
#[case::recommended_begins_otherwise(
    r#"{"type":"string","x-kubernetes-patch-merge-key":"a","x-kubernetes-recommended-patch-merge-key":"b,a"}"#,
    ".x-kubernetes-recommended-patch-merge-key: the first recommended merge key must be the default"
)]
#[case::unknown_list_type(
    r#"{"type":"string","x-kubernetes-list-type":"bag"}"#,
    ".x-kubernetes-list-type: unknown list type"
)]
#[case::map_keys_are_no_list(
    r#"{"type":"string","x-kubernetes-list-map-keys":"a"}"#,
    ".x-kubernetes-list-map-keys: expected a list"
)]
#[case::map_key_twice(
    r#"{"type":"string","x-kubernetes-list-map-keys":["a","a"]}"#,
    ".x-kubernetes-list-map-keys: the key"
)]
#[case::unknown_map_type(
    r#"{"type":"object","x-kubernetes-map-type":"set"}"#,
    ".x-kubernetes-map-type: unknown map type"
)]
#[case::kind_of_a_property(
    r#"{"type":"object","x-kubernetes-group-version-kind":[]}"#,
    ".x-kubernetes-group-version-kind: only"
)]
#[case::strategy_of_items(
    r#"{"type":"array","items":{"type":"string","x-kubernetes-patch-strategy":"merge"}}"#,
    ".items.x-kubernetes-patch-strategy: patch metadata belongs to a property"
)]
#[case::flag_is_no_flag(
    r#"{"x-kubernetes-int-or-string":"yes"}"#,
    ".x-kubernetes-int-or-string: expected true or false"
)]
#[case::unknown_fields_of_text(
    r#"{"type":"string","x-kubernetes-preserve-unknown-fields":true}"#,
    ".x-kubernetes-preserve-unknown-fields: only an object"
)]
#[case::unions_are_text(
    r#"{"type":"object","properties":{},"x-kubernetes-unions":"a"}"#,
    ".x-kubernetes-unions: expected a list or a map"
)]
#[case::list_of_unions_on_text(
    r#"{"type":"string","x-kubernetes-unions":[]}"#,
    ".x-kubernetes-unions: the list form"
)]
#[case::unions_without_members(
    r#"{"type":"string","x-kubernetes-unions":{}}"#,
    ".x-kubernetes-unions.fieldMembers: missing"
)]
#[case::more_in_unions(
    r#"{"type":"string","x-kubernetes-unions":{"fieldMembers":{},"more":1}}"#,
    ".x-kubernetes-unions.more: only `fieldMembers`"
)]
#[case::member_without_a_name(
    r#"{"type":"string","x-kubernetes-unions":{"fieldMembers":{"A":{}}}}"#,
    ".x-kubernetes-unions.fieldMembers.A.name: expected a string"
)]
#[case::member_that_is_no_property(
    r#"{"type":"string","x-kubernetes-unions":{"fieldMembers":{"A":{"name":"b"}}}}"#,
    ".x-kubernetes-unions: the union of \"a\" has the member \"b\""
)]
#[case::member_of_two_values(
    r#"{"type":"string","x-kubernetes-unions":{"fieldMembers":{"A":{"name":"a"},"B":{"name":"a"}}}}"#,
    ".x-kubernetes-unions: the union of \"a\" has the member \"a\", which is selected by two values"
)]
fn a_schema_that_is_not_understood_is_refused_with_its_path(#[case] schema: &str, #[case] expected: &str) {
    let errors = refused(&with_property(schema));
    let expected = format!("components.schemas.T.properties.a{expected}");
    assert!(errors.iter().any(|error| error.starts_with(&expected)), "{errors:#?}");
}

#[rstest]
#[case::not_a_map("[]", ".: expected a map")]
#[case::nothing_of_the_three("{}", "the document has no schema")]
#[case::definitions_are_no_map(r#"{"definitions":1}"#, "definitions: expected a map")]
#[case::other_version(
    r#"{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1alpha1"}"#,
    "apiVersion: unsupported version"
)]
#[case::no_version(r#"{"kind":"CustomResourceDefinition"}"#, "apiVersion: missing")]
#[case::no_spec(
    r#"{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1"}"#,
    "spec: missing"
)]
#[case::no_group(
    r#"{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","spec":{"names":{}}}"#,
    "spec.group: missing"
)]
#[case::no_kind(
    r#"{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","spec":{"group":"a","names":{}}}"#,
    "spec.names.kind: missing"
)]
fn a_document_that_is_not_understood_is_refused(#[case] document: &str, #[case] expected: &str) {
    let errors = refused(&json(document));
    let expected = expected.trim_start_matches(".: ");
    assert!(errors[0].starts_with(expected), "{errors:#?}");
}

/// In a `CustomResourceDefinition`, a schema can lack a type only if it means any JSON, or a string or number.
#[rstest]
#[case::int_or_string(r#"{"x-kubernetes-int-or-string":true}"#)]
#[case::anything(r#"{"x-kubernetes-preserve-unknown-fields":true}"#)]
fn a_custom_resource_can_leave_out_these_types(#[case] schema: &str) {
    ok(&json(&format!(
        r#"{{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1",
            "spec":{{"group":"example.com","names":{{"kind":"Tab"}},"versions":[
            {{"name":"v1","schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"a":{schema}}}}}}}}}]}}}}"#
    )));
}

/// API servers look at the type of a custom resource first, and drop the keywords that they do not know.
#[rstest]
#[case::fields_of_text(
    r#"{"type":"string","additionalProperties":{"type":"string"},"properties":{"b":{"type":"object"}}}"#,
    "string"
)]
#[case::items_of_an_object(r#"{"type":"object","items":{"type":"string"}}"#, "map of anything")]
#[case::required_of_a_map(
    r#"{"type":"object","additionalProperties":{"type":"string"},"required":["b"]}"#,
    "map of string"
)]
#[case::unknown_fields_of_a_list(
    r#"{"type":"array","items":{"type":"string"},"x-kubernetes-preserve-unknown-fields":true}"#,
    "list of string"
)]
#[case::unknown_fields_of_text(
    r#"{"type":"boolean","x-kubernetes-preserve-unknown-fields":true}"#,
    "boolean"
)]
#[case::a_type_beside_int_or_string(r#"{"type":"string","x-kubernetes-int-or-string":true}"#, "string")]
#[case::enum_of_numbers(r#"{"type":"string","enum":[1,2]}"#, "string")]
#[case::null_keywords(r#"{"type":"string","items":null,"default":null,"enum":null}"#, "string")]
#[case::no_properties_of_a_map(
    r#"{"type":"object","properties":{},"additionalProperties":{"type":"string"}}"#,
    "map of string"
)]
#[case::unknown_keyword(r#"{"type":"string","unknown":1}"#, "string")]
#[case::alternatives_of_anything(
    r#"{"x-kubernetes-preserve-unknown-fields":true,"anyOf":[{"minimum":1}],"items":{"type":"string"}}"#,
    "anything"
)]
fn the_type_of_a_custom_resource_decides(#[case] schema: &str, #[case] expected: &str) {
    let string = || Box::new(TypeExpr::Scalar(ScalarType::String));
    let expected = match expected {
        "string" => *string(),
        "boolean" => TypeExpr::Scalar(ScalarType::Boolean),
        "list of string" => TypeExpr::List(string()),
        "map of string" => TypeExpr::Map(string()),
        "map of anything" => TypeExpr::Map(Box::new(TypeExpr::Any)),
        _ => TypeExpr::Any,
    };
    let declarations = ok(&custom_resource(schema));
    assert_eq!(field(&declarations, "com.example.v1.Tab", "a").ty, expected);
}

#[test]
fn an_object_with_fields_and_any_other_fields_keeps_unknown_ones() {
    let declarations = ok(&custom_resource(
        r#"{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":true}"#,
    ));
    let declared = declarations.types.iter().find(|ty| ty.name == "com.example.v1.Tab.a").expect("a type");
    let markers: Vec<&str> = declared.markers.iter().map(|marker| marker.name.as_str()).collect();
    assert_eq!(markers, ["x-kubernetes-preserve-unknown-fields"]);
}

/// Upstream: `SetDefaults_CustomResourceDefinitionSpec`,
/// `Convert_apiextensions_CustomResourceDefinitionSpec_To_v1_CustomResourceDefinitionSpec`
/// (k8s.io/apiextensions-apiserver, apis/apiextensions).
#[rstest]
#[case::one_version(r#""version":"v1","#)]
#[case::list_of_versions(r#""versions":[{"name":"v1","served":true,"storage":true}],"#)]
fn an_old_definition_is_converted(#[case] versions: &str) {
    let declarations = ok(&json(&format!(
        r#"{{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1","spec":{{{versions}
            "group":"example.com","names":{{"kind":"Tab"}},"validation":{{"openAPIV3Schema":{{"properties":{{
            "a":{{"properties":{{"b":{{}},"c":{{"type":"array"}}}}}}}}}}}}}}}}"#
    )));
    assert_eq!(field(&declarations, "com.example.v1.Tab.a", "b").ty, TypeExpr::Any);
}

fn custom_resource(schema: &str) -> crate::document::OwnedDoc {
    json(&format!(
        r#"{{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1",
            "spec":{{"group":"example.com","names":{{"kind":"Tab"}},"versions":[
            {{"name":"v1","schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"a":{schema}}}}}}}}}]}}}}"#
    ))
}

/// kube-openapi refuses keywords beside a reference in v2 (`parseReference`), and ignores them in v3.
#[rstest]
#[case::with_a_type(r#"{"$ref":"PREFIXT","type":"object"}"#, "type: a reference has the type")]
#[case::with_properties(
    r#"{"$ref":"PREFIXT","properties":{"b":{"type":"string"}}}"#,
    "properties: `properties` does not go"
)]
fn what_stands_beside_a_reference_is_refused_in_v2_only(#[case] schema: &str, #[case] expected: &str) {
    let v2 = format!(
        r#"{{"definitions":{{"T":{{"type":"object","properties":{{"a":{}}}}}}}}}"#,
        schema.replace("PREFIX", "#/definitions/")
    );
    let errors = refused(&json(&v2));
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(errors[0].starts_with(&format!("definitions.T.properties.a.{expected}")), "{errors:#?}");
    let declarations = ok(&with_property(&schema.replace("PREFIX", "#/components/schemas/")));
    assert_eq!(field(&declarations, "T", "a").ty, named("T"));
}

#[rstest]
#[case::none("[]", "spec.versions: expected a list of versions")]
#[case::no_name("[{}]", "spec.versions[0].name: missing")]
#[case::no_schema(r#"[{"name":"v1"}]"#, "spec.versions[0].schema: missing")]
#[case::empty_schema(r#"[{"name":"v1","schema":{}}]"#, "spec.versions[0].schema.openAPIV3Schema: missing")]
#[case::not_an_object(
    r#"[{"name":"v1","schema":{"openAPIV3Schema":{"type":"string"}}}]"#,
    "spec.versions[0].schema.openAPIV3Schema: the schema of a custom resource is an object"
)]
#[case::reference(
    r##"[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"$ref":"#/definitions/A"}}}}}]"##,
    "spec.versions[0].schema.openAPIV3Schema.properties.a.$ref: a CustomResourceDefinition has no references"
)]
#[case::no_type_of_a_property(
    r#"[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"description":"a"}}}}}]"#,
    "spec.versions[0].schema.openAPIV3Schema.properties.a: the schema of a custom resource is structural"
)]
#[case::no_type_of_items(
    r#"[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"array","items":{}}}}}}]"#,
    "spec.versions[0].schema.openAPIV3Schema.properties.a.items: the schema of a custom resource is structural"
)]
#[case::no_type_at_all(
    r#"[{"name":"v1","schema":{"openAPIV3Schema":{"properties":{}}}}]"#,
    "spec.versions[0].schema.openAPIV3Schema: the schema of a custom resource is structural"
)]
#[case::version_twice(
    r#"[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object"}}},{"name":"v1","schema":{"openAPIV3Schema":{"type":"object"}}}]"#,
    "spec.versions[1].name: the version"
)]
fn a_version_that_is_not_understood_is_refused(#[case] versions: &str, #[case] expected: &str) {
    let errors = refused(&json(&format!(
        r#"{{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1",
            "spec":{{"group":"example.com","names":{{"kind":"Tab"}},"versions":{versions}}}}}"#
    )));
    assert!(errors[0].starts_with(expected), "{errors:#?}");
}

#[test]
fn all_errors_come_at_once() {
    let errors = refused(&v3(r#"{"A":{"type":"a"},"B":{"properties":{"b":{"type":"b"},"c":{"typ":"c"}}}}"#));
    assert_eq!(errors.len(), 3, "{errors:#?}");
}

#[rstest]
#[case::lists(r#"{"type":"array","items":"#, "}")]
#[case::maps(r#"{"type":"object","additionalProperties":"#, "}")]
#[case::objects(r#"{"type":"object","properties":{"a":"#, "}}")]
#[case::lists_with_names(r#"{"type":"array","x-kubernetes-list-type":"set","items":"#, "}")]
fn nesting_is_limited(#[case] open: &str, #[case] close: &str) {
    let nested =
        |n: usize| with_property(&format!(r#"{}{{"type":"string"}}{}"#, open.repeat(n), close.repeat(n)));
    ok(&nested(MAX_NESTING - 2));
    let errors = read(&nested(MAX_NESTING + 1)).unwrap_err();
    assert_eq!(errors[0].kind(), ErrorKind::TooDeep);
}

/// Generates documents with known keys, so that the reader does not refuse them at once.
fn value() -> impl Strategy<Value = OwnedDoc> {
    const KEYS: &[&str] = &[
        "type",
        "properties",
        "items",
        "additionalProperties",
        "required",
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
        "enum",
        "format",
        "default",
        "nullable",
        "a",
        "b",
        "",
        "fieldMembers",
        "name",
        "optional",
        "discriminator",
        "fields-to-discriminateBy",
        "x-kubernetes-unions",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-map-type",
        "x-kubernetes-patch-strategy",
        "x-kubernetes-patch-merge-key",
        "x-kubernetes-recommended-patch-merge-key",
        "x-kubernetes-int-or-string",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-group-version-kind",
    ];
    const TEXTS: &[&str] = &[
        "object",
        "array",
        "string",
        "integer",
        "a",
        "b",
        "",
        "#/components/schemas/T",
        "merge",
        "retainKeys",
        "set",
        "atomic",
        "byte",
        "a,b",
        "é",
    ];
    let leaf = prop_oneof![
        Just(Doc::Null),
        any::<bool>().prop_map(Doc::Bool),
        any::<i64>().prop_map(Doc::Int),
        prop::sample::select(TEXTS).prop_map(Doc::from),
    ];
    leaf.prop_recursive(6, 60, 5, |inner| {
        let entry = (prop::sample::select(KEYS).prop_map(Text::from), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Doc::List),
            prop::collection::vec(entry, 0..6)
                .prop_map(|entries| Doc::Map(entries.into_iter().collect::<OwnedMap>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// If a schema can be read, its declarations can be written and read again.
    #[test]
    fn any_schema_is_read_or_refused(schema in value()) {
        let mut document = with_property("{}");
        let components = document.as_map_mut().and_then(|m| m.get_mut("components")).and_then(Doc::as_map_mut)
            .and_then(|m| m.get_mut("schemas")).and_then(Doc::as_map_mut).and_then(|m| m.get_mut("T"))
            .and_then(Doc::as_map_mut).and_then(|m| m.get_mut("properties")).and_then(Doc::as_map_mut);
        components.unwrap().insert(Text::from("a"), schema);
        match read(&document) {
            Ok(declarations) => {
                let again = ok(&write_v3(&declarations));
                prop_assert_eq!(&again, &ok(&write_v2(&again)));
            }
            Err(errors) => prop_assert!(!errors.is_empty()),
        }
    }

    #[test]
    fn any_document_is_read_or_refused(document in value()) {
        let _ = read(&document);
    }
}
