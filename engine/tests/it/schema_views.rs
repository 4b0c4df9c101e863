//! Schema views: the text form of schema elements, and the contents of a schema without an element.

use rstest::rstest;
use skewer_engine::ErrorKind;
use skewer_engine::schema::{FieldMeta, MetadataTag, PatchStrategy, Schema, SchemaElement, Type};

use crate::helpers::schema_of;

const TYPES: &str = r#"
type Pod struct {
  Volumes  []Volume `json:"volumes,omitempty" patchStrategy:"merge|retainKeys" patchMergeKey:"name" recommendedPatchMergeKey:"name,kind"`
  Others   []Volume `json:"others,omitempty" patchStrategy:"replace" patchMergeKey:"name"`
  Embedded `json:",inline"`
}
type Embedded struct {
  Inner []Volume `json:"inner,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
}
type Volume struct {
  Name string `json:"name"`
  Kind Kind   `json:"kind,omitempty"`
}
type Alias Volume
// +enum
type Kind string
const (
  KindA Kind = "A"
  KindB Kind = "B"
)
// +enum
type Other string
const OtherA Other = "A"
"#;

fn schema() -> Schema {
    schema_of(TYPES)
}

fn without(element: &str) -> Schema {
    schema().without([&element.parse().unwrap()]).unwrap()
}

fn meta(schema: &Schema, of: &str, field: &str) -> FieldMeta {
    schema.field(schema.named(of).unwrap(), field).unwrap().meta.as_ref().clone()
}

fn values(schema: &Schema, of: &str) -> Vec<String> {
    match schema.get(schema.named(of).unwrap()) {
        Type::Enum(of) => of.values.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case("Volume.name")]
#[case("core/v1.PodSpec.volumes")]
#[case("Kind=B")]
#[case("Kind=")]
#[case("Kind=a.b:c")]
#[case("Pod.volumes:patchStrategy")]
#[case("Pod.volumes:retainKeys")]
#[case("Pod.volumes:patchMergeKey")]
#[case("Pod.volumes:recommendedPatchMergeKey")]
fn a_schema_element_prints_as_it_parses(#[case] text: &str) {
    assert_eq!(text.parse::<SchemaElement>().unwrap().to_string(), text);
}

#[rstest]
#[case::no_field("Pod", r#""Pod" names nothing that a party can lack: expected Type.field, Type=value, Type.field:tag, or a directive"#)]
#[case::no_type(".volumes", r#"".volumes" names nothing that a party can lack: expected Type.field, Type=value, Type.field:tag, or a directive"#)]
#[case::trailing_dot("Pod.", r#""Pod." names nothing that a party can lack: expected Type.field, Type=value, Type.field:tag, or a directive"#)]
#[case::unknown_tag("Pod.volumes:merge", r#""merge" is not a tag of a field: expected patchStrategy, retainKeys, patchMergeKey, recommendedPatchMergeKey, listType, listMapKey, mapType or structType"#)]
fn text_that_names_no_schema_element_is_refused(#[case] text: &str, #[case] message: &str) {
    let error = text.parse::<SchemaElement>().unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidSchema, message));
}

#[rstest]
#[case::no_such_type("Nothing.name")]
#[case::no_such_field("Volume.nothing")]
#[case::no_such_value("Kind=C")]
#[case::no_enum("Volume=A")]
#[case::no_struct("Kind.name")]
#[case::no_such_tag("Volume.name:patchMergeKey")]
#[case::no_retain_keys("Pod.others:retainKeys")]
fn an_unknown_schema_element_is_refused(#[case] element: &str) {
    let error = schema().without([&element.parse().unwrap()]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSchema);
    assert_eq!(error.to_string(), format!("the schema has no {element}, which the view is to lack"));
}

#[test]
fn removing_an_enum_value_leaves_equal_values_of_other_enums() {
    let view = without("Kind=A");
    assert_eq!((values(&view, "Kind"), values(&view, "Other")), (vec!["B".to_owned()], vec!["A".to_owned()]));
}

#[rstest]
#[case("Volume.name")]
#[case("Alias.name")]
fn removing_a_field_removes_it_from_a_type_and_its_alias(#[case] element: &str) {
    let view = without(element);
    for name in ["Volume", "Alias"] {
        assert!(view.field(view.named(name).unwrap(), "name").is_none(), "{name}");
        assert!(view.field(view.named(name).unwrap(), "kind").is_some(), "{name}");
    }
}

#[rstest]
#[case::strategy("patchStrategy", |meta: &mut FieldMeta| {
    meta.strategy = PatchStrategy::Unset;
    meta.remove_tag(MetadataTag::Declared("retainKeys"));
})]
#[case::retain_keys("retainKeys", |meta: &mut FieldMeta| meta.remove_tag(MetadataTag::Declared("retainKeys")))]
#[case::recommended("recommendedPatchMergeKey", |meta: &mut FieldMeta| meta.remove_tag(MetadataTag::Declared("recommendedPatchMergeKey")))]
#[case::merge_key("patchMergeKey", |meta: &mut FieldMeta| meta.merge_key.clear())]
fn removing_a_tag_changes_only_its_field(#[case] tag: &str, #[case] remove: fn(&mut FieldMeta)) {
    let mut expected = meta(&schema(), "Pod", "volumes");
    remove(&mut expected);
    let view = without(&format!("Pod.volumes:{tag}"));
    assert_eq!(meta(&view, "Pod", "volumes"), expected);
    assert_eq!(meta(&view, "Pod", "others"), meta(&schema(), "Pod", "others"));
}

/// A field of an embedded struct is also a field of the struct that embeds it.
#[rstest]
#[case::named_by_the_declaring_struct("Embedded.inner:patchMergeKey")]
#[case::named_by_the_embedding_struct("Pod.inner:patchMergeKey")]
fn removing_a_tag_of_an_embedded_field_changes_the_embedding_struct(#[case] element: &str) {
    assert!(meta(&without(element), "Pod", "inner").merge_key.is_empty());
    assert_eq!(meta(&schema(), "Pod", "inner").merge_key, ["name"]);
}

const TOPOLOGY: &str = r#"
type Pod struct {
  // +listType=map
  // +listMapKey=name
  Volumes []Volume          `json:"volumes,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  // +mapType=atomic
  Labels  map[string]string `json:"labels,omitempty"`
  // +structType=granular
  Main    Volume            `json:"main,omitempty"`
  Names   Names             `json:"names,omitempty"`
}
// +structType=atomic
type Volume struct {
  Name string `json:"name"`
}
// +listType=set
type Names []string
"#;

#[rstest]
#[case("Pod.volumes:listType")]
#[case("Pod.volumes:listMapKey")]
#[case("Pod.labels:mapType")]
#[case("Pod.main:structType")]
#[case("Volume:structType")]
#[case("Names:listType")]
#[case("core/v1.ObjectReference:structType")]
fn an_element_of_topology_prints_as_it_parses(#[case] text: &str) {
    assert_eq!(text.parse::<SchemaElement>().unwrap().to_string(), text);
}

#[rstest]
#[case("Pod.volumes:listType", "volumes", |meta: &FieldMeta| meta.list_type.is_none() && meta.list_map_keys.is_empty() && meta.merge_key == ["name"])]
#[case("Pod.volumes:listMapKey", "volumes", |meta: &FieldMeta| meta.list_type.is_some() && meta.list_map_keys.is_empty())]
#[case("Pod.labels:mapType", "labels", |meta: &FieldMeta| meta.map_type.is_none())]
#[case("Pod.labels:structType", "labels", |meta: &FieldMeta| meta.map_type.is_none())]
#[case("Pod.main:mapType", "main", |meta: &FieldMeta| meta.map_type.is_none())]
fn a_view_can_lack_the_topology_of_a_field(
    #[case] element: &str,
    #[case] field: &str,
    #[case] is_removed: fn(&FieldMeta) -> bool,
) {
    let schema = schema_of(TOPOLOGY);
    assert!(!is_removed(&meta(&schema, "Pod", field)));
    assert!(is_removed(&meta(&schema.without([&element.parse().unwrap()]).unwrap(), "Pod", field)));
}

#[rstest]
#[case("Names:listType", "Names")]
#[case("Volume:structType", "Volume")]
#[case("Volume:mapType", "Volume")]
fn a_view_can_lack_the_topology_of_a_type(#[case] element: &str, #[case] name: &str) {
    let schema = schema_of(TOPOLOGY);
    let declares = |schema: &Schema| {
        let topology = schema.topology(schema.named(name).unwrap());
        topology.list_type.is_some() || topology.map_type.is_some()
    };
    assert!(declares(&schema));
    assert!(!declares(&schema.without([&element.parse().unwrap()]).unwrap()));
}

#[cfg(feature = "builtin")]
#[test]
fn the_name_of_a_type_can_have_a_dot() {
    let schema = skewer_engine::schema::builtin::newest().schema();
    let element = "core/v1.ObjectReference:structType".parse().unwrap();
    let view = schema.without([&element]).unwrap();
    let map_type =
        |schema: &Schema| schema.topology(schema.named("core/v1.ObjectReference").unwrap()).map_type;
    assert!(map_type(schema).is_some() && map_type(&view).is_none());
}

#[rstest]
#[case::no_list_type("Pod.labels:listType")]
#[case::no_map_type("Pod.names:mapType")]
#[case::no_such_tag_of_the_type("Names:mapType")]
#[case::no_type("Nothing:mapType")]
fn missing_topology_is_refused(#[case] element: &str) {
    assert!(schema_of(TOPOLOGY).without([&element.parse().unwrap()]).is_err());
}

#[test]
fn only_types_with_topology_tags_can_be_named_without_a_field() {
    assert!("Volume:patchStrategy".parse::<SchemaElement>().is_err());
}

#[test]
fn without_tag_removes_a_tag_from_every_type() {
    let view = schema_of(TOPOLOGY).without_tag(MetadataTag::StructType);
    assert!(view.topology(view.named("Volume").unwrap()).map_type.is_none());
    assert!(meta(&view, "Pod", "main").map_type.is_none());
    assert!(view.topology(view.named("Names").unwrap()).list_type.is_some());
}

#[test]
fn without_tag_removes_a_tag_from_every_field() {
    let view = schema().without_tag(MetadataTag::PatchMergeKey);
    for field in ["volumes", "others", "inner"] {
        assert!(meta(&view, "Pod", field).merge_key.is_empty(), "{field}");
    }
    assert_eq!(meta(&view, "Pod", "others").strategy, PatchStrategy::Replace);
}
