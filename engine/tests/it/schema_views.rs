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
    schema.field(schema.named(of).unwrap(), field).unwrap().meta.clone()
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
#[case::unknown_tag("Pod.volumes:merge", r#""merge" is not a tag of patch metadata: expected patchStrategy, retainKeys, patchMergeKey or recommendedPatchMergeKey"#)]
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

#[test]
fn without_tag_removes_a_tag_from_every_field() {
    let view = schema().without_tag(MetadataTag::PatchMergeKey);
    for field in ["volumes", "others", "inner"] {
        assert!(meta(&view, "Pod", field).merge_key.is_empty(), "{field}");
    }
    assert_eq!(meta(&view, "Pod", "others").strategy, PatchStrategy::Replace);
}
