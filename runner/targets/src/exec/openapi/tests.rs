//! Tests of published schemas.

use rstest::rstest;
use skewer_engine::schema::{SchemaElement, Shape, TypeExpr, go, openapi};

use super::*;

const TYPES: &str = r#"
    type Root struct {
        Spec     Spec              `json:"spec" patchStrategy:"retainKeys"`
        Labels   map[string]string `json:"labels,omitempty"`
        Matrix   [][]int           `json:"matrix,omitempty"`
        Policy   Policy            `json:"policy,omitempty"`
        Port     intstr.IntOrString `json:"port,omitempty"`
        Anything runtime.RawExtension `json:"anything,omitempty"`
        Nested   *Root             `json:"nested,omitempty"`
    }
    type Spec struct {
        Items []Item `json:"items" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
        Ports []Item `json:"ports" patchStrategy:"merge" patchMergeKey:"port" recommendedPatchMergeKey:"port,protocol"`
        Set   Names  `json:"set" patchStrategy:"merge"`
        Whole Item   `json:"whole" patchStrategy:"replace"`
    }
    type Names []string
    type Item struct {
        Name string `json:"name"`
        Data []byte `json:"data,omitempty"`
    }
    // +enum
    type Policy string
    const (
        Always Policy = "Always"
        Never  Policy = "Never"
    )
"#;

fn schema() -> Schema {
    schema_of(TYPES)
}

fn schema_of(text: &str) -> Schema {
    Schema::compile(&go::read(text).unwrap()).unwrap()
}

fn read_back(published: &PublishedSchema) -> Schema {
    let components = published.openapi.as_map().unwrap().get("components").unwrap().clone();
    let document = object([("openapi", Doc::from("3.0.0")), ("components", components)]);
    Schema::compile(&openapi::read(&document).unwrap()).unwrap()
}

#[test]
fn a_published_schema_is_read_back_unchanged() {
    let schema = schema();
    let published = publish(&schema, schema.named("Root").unwrap());
    let read = read_back(&published);
    let again = publish(&read, read.named("Root").unwrap());
    assert_eq!(again.openapi.to_string(), published.openapi.to_string());
}

#[test]
fn elements_without_which_a_view_was_made_are_not_published() {
    let element: SchemaElement = "Spec.items:retainKeys".parse().unwrap();
    let view = schema().without([&element]).unwrap();
    let text = publish(&view, view.named("Root").unwrap()).openapi.to_string();
    assert!(!text.contains("merge,retainKeys"), "{text}");
    assert!(text.contains(r#""x-kubernetes-patch-strategy":"retainKeys""#), "{text}");
}

#[test]
fn only_types_that_the_root_refers_to_are_published() {
    let schema = schema();
    let published = publish(&schema, schema.named("Item").unwrap());
    assert_eq!(
        published.openapi.to_string(),
        r#"{"components":{"schemas":{"Item":{"properties":{"data":{"format":"byte","type":"string"},"name":{"type":"string"}},"type":"object"}}}}"#
    );
    assert!(!published.is_recursive);
}

#[test]
fn a_type_that_contains_itself_is_recursive() {
    let schema = schema();
    assert!(publish(&schema, schema.named("Root").unwrap()).is_recursive);
}

const APPLIED: &str = r#"
    type Root struct {
        Spec   Spec  `json:"spec"`
        Nested *Root `json:"nested,omitempty"`
    }
    type Spec struct {
        // +mapType=atomic
        Labels map[string]string `json:"labels,omitempty"`
        // +mapType=granular
        Whole  Whole             `json:"whole"`
        // +listType=atomic
        Fixed  Keyed             `json:"fixed,omitempty"`
        Keyed  Keyed             `json:"keyed,omitempty"`
        Sets   map[string]Names  `json:"sets,omitempty"`
        Maps   []Labels          `json:"maps,omitempty"`
        Raw    runtime.RawExtension `json:"raw,omitempty" patchStrategy:"replace"`
        Open   Open              `json:"open"`
        Time   metav1.Time       `json:"time"`
        For    metav1.Duration   `json:"for"`
        Size   resource.Quantity `json:"size"`
        Port   intstr.IntOrString `json:"port"`
    }
    // +structType=atomic
    type Whole struct {
        Name string `json:"name"`
        // +default=80
        Port *int   `json:"port,omitempty"`
    }
    // +listType=set
    type Names []string
    // +listType=map
    // +listMapKey=name
    type Keyed []Whole
    // +mapType=atomic
    type Labels map[string]string
    // +kubebuilder:pruning:PreserveUnknownFields
    type Open struct {
        A string `json:"a,omitempty"`
    }
"#;

fn applied(text: &str) -> PublishedSchema {
    let schema = schema_of(text);
    publish_for_server_side_apply(&schema, schema.named("Root").unwrap())
}

/// Returns the text of a component, or of a property of a component.
fn text_at(published: &PublishedSchema, path: &[&str]) -> String {
    let path = ["components", "schemas"].iter().chain(path);
    let value = path.fold(&published.openapi, |value, key| {
        value.as_map().and_then(|map| map.get(key)).unwrap_or_else(|| panic!("no {key} in {value}"))
    });
    value.to_string()
}

#[rstest]
#[case::map_type_of_a_map(
    "labels",
    r#"{"additionalProperties":{"type":"string"},"type":"object","x-kubernetes-map-type":"atomic"}"#
)]
#[case::map_type_of_a_reference(
    "whole",
    r##"{"allOf":[{"$ref":"#/components/schemas/Whole"}],"x-kubernetes-map-type":"granular"}"##
)]
#[case::a_field_replaces_the_list_type_of_a_type(
    "fixed",
    r##"{"items":{"$ref":"#/components/schemas/Whole"},"type":"array","x-kubernetes-list-type":"atomic"}"##
)]
#[case::list_type_of_a_type("keyed", r##"{"items":{"$ref":"#/components/schemas/Whole"},"type":"array","x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map"}"##)]
#[case::list_type_of_values("sets", r#"{"additionalProperties":{"items":{"type":"string"},"type":"array","x-kubernetes-list-type":"set"},"type":"object"}"#)]
#[case::map_type_of_items("maps", r#"{"items":{"additionalProperties":{"type":"string"},"type":"object","x-kubernetes-map-type":"atomic"},"type":"array"}"#)]
#[case::any_value_of_go(
    "raw",
    r#"{"x-kubernetes-map-type":"atomic","x-kubernetes-preserve-unknown-fields":true}"#
)]
#[case::time("time", r#"{"format":"date-time","type":"string"}"#)]
#[case::duration("for", r#"{"type":"string"}"#)]
#[case::quantity("size", r#"{"format":"quantity","type":"string"}"#)]
#[case::int_or_string("port", r#"{"x-kubernetes-int-or-string":true}"#)]
fn properties_have_what_server_side_apply_reads(#[case] field: &str, #[case] expected: &str) {
    assert_eq!(text_at(&applied(APPLIED), &["Spec", "properties", field]), expected);
}

#[test]
fn structs_have_their_map_type_and_defaults_and_keep_unknown_fields() {
    let published = applied(APPLIED);
    assert_eq!(
        text_at(&published, &["Whole"]),
        r#"{"properties":{"name":{"default":"","type":"string"},"port":{"default":80,"type":"integer"}},"type":"object","x-kubernetes-map-type":"atomic"}"#
    );
    assert_eq!(
        text_at(&published, &["Open"]),
        r#"{"properties":{"a":{"type":"string"}},"type":"object","x-kubernetes-preserve-unknown-fields":true}"#
    );
}

#[test]
fn a_schema_for_server_side_apply_is_read_back_unchanged() {
    let published = applied(APPLIED);
    let read = read_back(&published);
    let again = publish_for_server_side_apply(&read, read.named(&published.root).unwrap());
    assert_eq!(again.openapi.to_string(), published.openapi.to_string());
    assert_eq!(again.root, published.root);
}

/// The schemas of strategic merge patch must not depend on what only server-side apply reads.
#[test]
fn strategic_merge_patch_gets_none_of_this() {
    let schema = schema_of(APPLIED);
    let text = publish(&schema, schema.named("Root").unwrap()).openapi.to_string();
    for key in ["map-type", "default", "date-time", "metadata", r#""x-kubernetes-list-type":"set""#] {
        assert!(!text.contains(key), "{key} in {text}");
    }
}

#[test]
fn the_root_has_the_fields_of_every_object_and_a_nested_root_has_not() {
    let published = applied(APPLIED);
    assert_eq!(published.root, "Root.object");
    let property = |field| text_at(&published, &["Root.object", "properties", field]);
    assert_eq!(property("apiVersion"), r#"{"type":"string"}"#);
    assert_eq!(property("kind"), r#"{"type":"string"}"#);
    assert_eq!(property("metadata"), r##"{"$ref":"#/components/schemas/metav1.ObjectMeta"}"##);
    assert_eq!(property("nested"), r##"{"$ref":"#/components/schemas/Root"}"##);
    assert!(!text_at(&published, &["Root"]).contains("metadata"));
    assert!(text_at(&published, &["metav1.ObjectMeta"]).contains("managedFields"));
    assert!(published.is_recursive);
}

#[test]
fn a_root_to_which_nothing_refers_keeps_its_name_and_its_fields() {
    let published = applied("type Root struct {\n  Kind int `json:\"kind,omitempty\"`\n}");
    assert_eq!(published.root, "Root");
    assert_eq!(text_at(&published, &["Root", "properties", "kind"]), r#"{"type":"integer"}"#);
    assert_eq!(text_at(&published, &["Root", "properties", "apiVersion"]), r#"{"type":"string"}"#);
}

#[test]
fn the_type_of_metadata_does_not_replace_another_type_of_this_name() {
    let mut declared =
        go::read("type Root struct {\n  A Other `json:\"a\"`\n}\ntype Other struct {}").unwrap();
    let renamed = declared.types.iter_mut().find(|ty| ty.name == "Other").unwrap();
    renamed.name = "metav1.ObjectMeta".to_owned();
    let Shape::Struct(fields) = &mut declared.types[0].shape else { panic!() };
    fields[0].ty = TypeExpr::named("metav1.ObjectMeta");
    let schema = Schema::compile(&declared).unwrap();
    let published = publish_for_server_side_apply(&schema, schema.named("Root").unwrap());
    let property = |field| text_at(&published, &["Root", "properties", field]);
    assert_eq!(property("a"), r##"{"$ref":"#/components/schemas/metav1.ObjectMeta"}"##);
    assert_eq!(property("metadata"), r##"{"$ref":"#/components/schemas/metav1.ObjectMeta_"}"##);
}
