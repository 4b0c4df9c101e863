//! Reading documents of the three kinds: v2, v3 and `CustomResourceDefinition`.

use rstest::rstest;

use super::*;
use crate::document::Doc;
use crate::schema::{ListType, MapType, Required, ScalarType, Schema};

const STRING: TypeExpr = TypeExpr::Scalar(ScalarType::String);

fn list(of: TypeExpr) -> TypeExpr {
    TypeExpr::List(Box::new(of))
}

fn map(of: TypeExpr) -> TypeExpr {
    TypeExpr::Map(Box::new(of))
}

#[rstest]
#[case::string(r#"{"type":"string"}"#, STRING)]
#[case::time(r#"{"type":"string","format":"date-time"}"#, TypeExpr::Scalar(ScalarType::Time))]
#[case::other_formats_of_text(r#"{"type":"string","format":"uuid"}"#, STRING)]
#[case::bytes(r#"{"type":"string","format":"byte"}"#, TypeExpr::Scalar(ScalarType::Bytes))]
#[case::integer(r#"{"type":"integer","format":"int32"}"#, TypeExpr::Scalar(ScalarType::Integer))]
#[case::an_enum_of_numbers(r#"{"type":"integer","enum":[1,2]}"#, TypeExpr::Scalar(ScalarType::Integer))]
#[case::number(r#"{"type":"number"}"#, TypeExpr::Scalar(ScalarType::Number))]
#[case::boolean(r#"{"type":"boolean"}"#, TypeExpr::Scalar(ScalarType::Boolean))]
#[case::list(r#"{"type":"array","items":{"type":"string"}}"#, list(STRING))]
#[case::map(r#"{"type":"object","additionalProperties":{"type":"string"}}"#, map(STRING))]
#[case::map_of_anything(r#"{"type":"object","additionalProperties":true}"#, map(TypeExpr::Any))]
#[case::object(r#"{"type":"object"}"#, map(TypeExpr::Any))]
#[case::object_that_keeps_all(
    r#"{"type":"object","x-kubernetes-preserve-unknown-fields":true}"#,
    map(TypeExpr::Any)
)]
#[case::anything("{}", TypeExpr::Any)]
#[case::anything_that_keeps_all(r#"{"x-kubernetes-preserve-unknown-fields":true}"#, TypeExpr::Any)]
#[case::int_or_string_of_resources(
    r#"{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true}"#,
    TypeExpr::Scalar(ScalarType::IntOrString)
)]
#[case::int_or_string_alone(
    r#"{"x-kubernetes-int-or-string":true}"#,
    TypeExpr::Scalar(ScalarType::IntOrString)
)]
#[case::int_or_string_of_v2(
    r#"{"type":"string","format":"int-or-string"}"#,
    TypeExpr::Scalar(ScalarType::IntOrString)
)]
#[case::quantity_of_v3(
    r#"{"oneOf":[{"type":"string"},{"type":"number"}]}"#,
    TypeExpr::Scalar(ScalarType::IntOrString)
)]
#[case::reference(r##"{"$ref":"#/components/schemas/U"}"##, TypeExpr::Named("U".to_owned()))]
#[case::reference_with_siblings(
    r##"{"allOf":[{"$ref":"#/components/schemas/U"}],"default":{},"description":"u"}"##,
    TypeExpr::Named("U".to_owned())
)]
#[case::escaped_reference(r##"{"$ref":"#/components/schemas/a~1b~0c"}"##, TypeExpr::Named("a/b~c".to_owned()))]
#[case::validation_beside_a_type(
    r#"{"type":"string","allOf":[{"minLength":1},{"maxLength":2}],"not":{"pattern":"a"},"x-other":1}"#,
    STRING
)]
fn schemas_become_types(#[case] schema: &str, #[case] expected: TypeExpr) {
    let document = v3(&format!(
        r#"{{"T":{{"type":"object","properties":{{"a":{schema}}}}},"U":{{"type":"string"}},"a/b~c":{{"type":"string"}}}}"#
    ));
    let declarations = ok(&document);
    assert_eq!(field(&declarations, "T", "a").ty, expected);
    assert_eq!(declarations.types.len(), 3, "no further type");
}

/// The property has the form in which API servers publish it in v2, and the extensions of the proposals.
#[test]
fn patch_metadata_of_a_property_is_read() {
    let document = json(
        r##"{"swagger":"2.0","definitions":{
            "io.k8s.api.core.v1.ServiceSpec":{"properties":{
                "ports":{"type":"array","description":"The list of ports.",
                    "items":{"$ref":"#/definitions/io.k8s.api.core.v1.ServicePort"},
                    "x-kubernetes-list-map-keys":["port","protocol"],"x-kubernetes-list-type":"map",
                    "x-kubernetes-patch-merge-key":"port","x-kubernetes-patch-strategy":"merge,retainKeys",
                    "x-kubernetes-recommended-patch-merge-key":"port,protocol"},
                "affinity":{"$ref":"#/definitions/io.k8s.api.core.v1.ServicePort","description":"A sibling.",
                    "x-kubernetes-patch-strategy":"retainKeys"}}},
            "io.k8s.api.core.v1.ServicePort":{"type":"object","properties":{}}}}"##,
    );
    let declarations = ok(&document);
    let ports = &field(&declarations, "io.k8s.api.core.v1.ServiceSpec", "ports").patch;
    assert_eq!(ports.strategies, ["merge", "retainKeys"]);
    assert_eq!(ports.merge_key, ["port"]);
    assert_eq!(ports.tag_values("recommendedPatchMergeKey"), ["port", "protocol"]);
    assert_eq!(ports.list_type, Some(ListType::Map));
    assert_eq!(ports.list_map_keys, ["port", "protocol"]);
    let affinity = field(&declarations, "io.k8s.api.core.v1.ServiceSpec", "affinity");
    assert_eq!(affinity.ty, named("io.k8s.api.core.v1.ServicePort"));
    assert_eq!(affinity.patch.strategies, ["retainKeys"]);
    assert!(fields(&declarations, "io.k8s.api.core.v1.ServicePort").is_empty());
}

#[test]
fn nested_schemas_are_named_after_their_property() {
    let declarations = ok(&v3(r#"{"T":{"type":"object","properties":{
            "a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string","enum":["x","y"]}}}}}},
            "T.a":{"type":"string"},
            "L":{"type":"array","items":{"type":"object","properties":{"c":{"type":"string"}}}}}"#));
    assert_eq!(names(&declarations), ["L", "L.items", "T", "T.a_", "T.a_.b", "T.a"]);
    assert_eq!(field(&declarations, "T", "a").ty, list(named("T.a_")));
    let Shape::Enum { values, closed } = &declarations.get("T.a_.b").unwrap().shape else { panic!() };
    assert!(closed);
    assert_eq!(values.iter().map(|v| v.value.as_str()).collect::<Vec<_>>(), ["x", "y"]);
}

#[test]
fn properties_are_required_when_they_are_listed() {
    let declarations = ok(&v3(
        r#"{"T":{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}}"#,
    ));
    let [a, b] = fields(&declarations, "T") else { panic!() };
    assert_eq!((a.required, a.omit_empty), (Some(true), false));
    assert_eq!((b.required, b.omit_empty), (Some(false), true));
}

#[rstest]
#[case::given(r#"{"type":"string","default":"a"}"#, false, Some(Doc::from("a")))]
#[case::empty_of_an_optional_field(r#"{"type":"string","default":""}"#, false, Some(Doc::from("")))]
#[case::empty_of_a_required_field(r#"{"type":"string","default":""}"#, true, None)]
#[case::zero_of_a_required_field(r#"{"type":"integer","default":0}"#, true, None)]
#[case::one_of_a_required_field(r#"{"type":"integer","default":1}"#, true, Some(Doc::Int(1)))]
#[case::false_of_a_required_field(r#"{"type":"boolean","default":false}"#, true, None)]
#[case::true_of_a_required_field(r#"{"type":"boolean","default":true}"#, true, Some(Doc::Bool(true)))]
#[case::empty_struct(r##"{"allOf":[{"$ref":"#/components/schemas/T"}],"default":{}}"##, false, None)]
fn the_zero_values_that_servers_publish_are_no_defaults(
    #[case] schema: &str,
    #[case] required: bool,
    #[case] expected: Option<OwnedDoc>,
) {
    let required = if required { r#","required":["a"]"# } else { "" };
    let document = v3(&format!(r#"{{"T":{{"type":"object","properties":{{"a":{schema}}}{required}}}}}"#));
    assert_eq!(field(&ok(&document), "T", "a").default, expected);
}

#[test]
fn kinds_stay_with_their_types() {
    let declarations = ok(&v3(r#"{"T":{"type":"object","properties":{},"x-kubernetes-map-type":"atomic",
            "x-kubernetes-group-version-kind":[{"group":"apps","kind":"Deployment","version":"v1"}]}}"#));
    let found: Vec<String> = declarations.types[0]
        .markers
        .iter()
        .map(|marker| format!("{}{}", marker.name, marker.value))
        .collect();
    assert_eq!(
        found,
        [
            "structType=atomic",
            r#"x-kubernetes-group-version-kind=[{"group":"apps","kind":"Deployment","version":"v1"}]"#
        ]
    );
}

#[test]
fn metadata_of_a_list_in_a_map_is_kept_on_a_type() {
    let document = with_property(
        r#"{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}"#,
    );
    let declarations = ok(&document);
    assert_eq!(field(&declarations, "T", "a").ty, map(named("T.a")));
    let nested = declarations.get("T.a").unwrap();
    assert_eq!((&nested.shape, nested.markers[0].value.as_str()), (&Shape::Alias(list(STRING)), "=set"));
}

#[rstest]
#[case::nullable(r#"{"type":"string","nullable":true}"#, &["nullable"])]
#[case::not_nullable(r#"{"type":"string","nullable":false}"#, &[])]
#[case::map_type(r#"{"type":"object","additionalProperties":{},"x-kubernetes-map-type":"atomic"}"#, &["mapType=atomic"])]
#[case::embedded(
    r#"{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}"#,
    &["x-kubernetes-embedded-resource=true"]
)]
fn what_has_no_field_becomes_a_marker(#[case] schema: &str, #[case] expected: &[&str]) {
    assert_eq!(markers(field(&ok(&with_property(schema)), "T", "a")), expected);
}

const CRON_TAB: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"crontabs.stable.example.com"},
    "spec":{"group":"stable.example.com","scope":"Namespaced","names":{"kind":"CronTab","plural":"crontabs"},
    "versions":[
        {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
            "metadata":{"type":"object"},
            "spec":{"type":"object","required":["cronSpec"],"properties":{
                "cronSpec":{"type":"string","pattern":"^a","default":""},
                "replicas":{"type":"integer","minimum":1,"default":0},
                "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port"],
                    "items":{"type":"object","required":["port"],"properties":{"port":{"type":"integer"}}}},
                "extra":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}}},
        {"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":
            {"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}"#;

#[test]
fn every_version_of_a_custom_resource_is_a_type() {
    let declarations = ok(&json(CRON_TAB));
    assert_eq!(
        names(&declarations)[..4],
        [
            "com.example.stable.v1.CronTab",
            "com.example.stable.v1.CronTab.spec",
            "com.example.stable.v1.CronTab.spec.ports",
            "com.example.stable.v2.CronTab"
        ]
    );
    let v1 = fields(&declarations, "com.example.stable.v1.CronTab");
    assert_eq!(
        v1.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(),
        ["apiVersion", "kind", "metadata", "spec"]
    );
    assert_eq!(v1[2].ty, named("metav1.ObjectMeta"));
    assert_eq!(field(&declarations, "metav1.ObjectMeta", "finalizers").patch.strategies, ["merge"]);
    let ports = field(&declarations, "com.example.stable.v1.CronTab.spec", "ports");
    assert_eq!((ports.patch.list_type, ports.patch.list_map_keys.len()), (Some(ListType::Map), 1));
    let v2 = declarations.get("com.example.stable.v2.CronTab").unwrap();
    assert_eq!(fields(&declarations, "com.example.stable.v2.CronTab").len(), 3);
    assert_eq!(v2.markers[0].value, r#"=[{"group":"stable.example.com","kind":"CronTab","version":"v2"}]"#);
    assert_eq!(v2.markers[1].name, "x-kubernetes-preserve-unknown-fields");
}

#[test]
fn the_defaults_of_custom_resources_are_all_meant() {
    let declarations = ok(&json(CRON_TAB));
    let default = |name| field(&declarations, "com.example.stable.v1.CronTab.spec", name).default.clone();
    assert_eq!(default("cronSpec"), Some(Doc::from("")));
    assert_eq!(default("replicas"), Some(Doc::Int(0)));
}

#[test]
fn quantities_take_numbers_though_v2_calls_them_strings() {
    let declarations =
        ok(&json(r#"{"definitions":{"io.k8s.apimachinery.pkg.api.resource.Quantity":{"type":"string"}}}"#));
    assert_eq!(declarations.types[0].shape, Shape::Alias(TypeExpr::Scalar(ScalarType::IntOrString)));
}

fn crd(spec: &str) -> OwnedDoc {
    json(&format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{{"group":"example.com",
        "names":{{"kind":"Tab"}},"versions":[{{"name":"v1","schema":{{"openAPIV3Schema":{{"type":"object",
        "properties":{{"spec":{spec}}}}}}}}}]}}}}"#
    ))
}

fn compiled(document: &OwnedDoc) -> Schema {
    Schema::compile(&ok(document)).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

const IN_OPEN: &str = r#"{"type":"object","properties":{
    "open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{
        "inner":{"type":"object","properties":{}},
        "list":{"type":"array","items":{"type":"object","properties":{}}}}},
    "map":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
        "additionalProperties":{"type":"object","properties":{}}},
    "closed":{"type":"object","properties":{}}}}"#;

/// Upstream: `visitSpec` of kube-openapi, package schemaconv.
#[rstest]
#[case::itself("open", true)]
#[case::a_property("open.inner", true)]
#[case::items("open.list", true)]
#[case::values("map", true)]
#[case::a_sibling("closed", false)]
fn schemas_in_a_schema_that_keeps_unknown_fields_do_so_too(#[case] path: &str, #[case] expected: bool) {
    let of_resource = compiled(&crd(IN_OPEN));
    let of_component = compiled(&with_property(IN_OPEN));
    for (schema, prefix) in [(of_resource, "com.example.v1.Tab.spec"), (of_component, "T.a")] {
        let ty = schema.named(&format!("{prefix}.{path}")).unwrap();
        assert_eq!(schema.topology(ty).keeps_unknown_fields, expected, "{prefix}");
    }
}

#[test]
fn a_referenced_schema_does_not_keep_unknown_fields_because_of_the_reference() {
    let schema = compiled(&v3(r##"{"T":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
        "properties":{"a":{"$ref":"#/components/schemas/U"}}},"U":{"type":"object","properties":{}}}"##));
    assert!(schema.topology(schema.named("T").unwrap()).keeps_unknown_fields);
    assert!(!schema.topology(schema.named("U").unwrap()).keeps_unknown_fields);
}

const EMBEDDED: &str = r#"{"type":"object","properties":{
    "open":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
    "closed":{"type":"array","items":{"type":"object","x-kubernetes-embedded-resource":true,
        "properties":{"metadata":{"type":"object"},"data":{"type":"string"}}}}}}"#;

/// Upstream: `addEmbeddedProperties` of `apiextensions-apiserver`.
#[test]
fn an_embedded_resource_has_the_fields_of_an_object() {
    let schema = compiled(&crd(EMBEDDED));
    for (name, fields, keeps) in [
        ("open", &["apiVersion", "kind", "metadata"][..], true),
        ("closed", &["apiVersion", "data", "kind", "metadata"][..], false),
    ] {
        let ty = schema.named(&format!("com.example.v1.Tab.spec.{name}")).unwrap();
        let found: Vec<&str> =
            schema.as_struct(ty).unwrap().fields().map(|field| field.name.as_str()).collect();
        assert_eq!(found, fields);
        assert_eq!(schema.topology(ty).keeps_unknown_fields, keeps);
        assert_eq!(schema.field(ty, "metadata").unwrap().ty, schema.named("metav1.ObjectMeta").unwrap());
        assert_eq!(schema.field(ty, "kind").unwrap().required, Required::Yes);
    }
}

#[test]
fn an_embedded_resource_is_written_as_it_was_read() {
    let names = crate::schema::openapi::CustomResource { group: "example.com", version: "v1", kind: "Tab" };
    let write = |declarations: &Declarations| {
        crate::schema::openapi::write_custom_resource(declarations, "com.example.v1.Tab", names).unwrap()
    };
    let read = ok(&crd(EMBEDDED));
    let written = write(&read);
    assert_eq!(ok(&written), read);
    assert!(!written.to_string().contains("managedFields"), "{written}");
}

#[rstest]
#[case::of_a_map(
    r#"{"type":"object","additionalProperties":{"type":"string"},"x-kubernetes-map-type":"atomic"}"#
)]
#[case::of_an_object(r#"{"type":"object","properties":{},"x-kubernetes-map-type":"atomic"}"#)]
#[case::of_a_reference(r##"{"allOf":[{"$ref":"#/components/schemas/T"}],"x-kubernetes-map-type":"atomic"}"##)]
fn the_map_type_of_a_property_is_that_of_the_field(#[case] schema: &str) {
    let schema = compiled(&with_property(schema));
    let field = schema.field(schema.named("T").unwrap(), "a").unwrap();
    assert_eq!(field.meta.map_type, Some(MapType::Atomic));
}

#[test]
fn an_untyped_property_has_no_map_type() {
    let schema = compiled(&with_property("{}"));
    assert_eq!(schema.field(schema.named("T").unwrap(), "a").unwrap().meta.map_type, None);
}

/// The zero value is the default of a list key, although the source does not declare it.
#[rstest]
#[case::required(r#""required":["a"],"#)]
#[case::optional("")]
fn a_published_zero_value_is_a_default_of_the_compiled_field(#[case] required: &str) {
    let schema = compiled(&v3(&format!(
        r#"{{"T":{{"type":"object",{required}"properties":{{"a":{{"type":"string","default":""}}}}}}}}"#
    )));
    assert_eq!(
        schema.field(schema.named("T").unwrap(), "a").unwrap().default.as_deref(),
        Some(&Doc::from(""))
    );
}
