//! What a party does not know of a schema: how it is named, and what is left without it.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use rstest::rstest;
use skewer_engine::ErrorKind;
use skewer_engine::schema::{FieldMeta, MetadataTag, PatchStrategy, Schema, SchemaElement, Type, go};

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
    Schema::compile(&go::read(TYPES).unwrap()).unwrap()
}

fn without(lack: &str) -> Schema {
    schema().without([&lack.parse().unwrap()]).unwrap()
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
fn a_lack_is_printed_as_it_is_read(#[case] text: &str) {
    assert_eq!(text.parse::<SchemaElement>().unwrap().to_string(), text);
}

#[rstest]
#[case::no_field("Pod", r#""Pod" names nothing that a party can lack: expected Type.field, Type=value, Type.field:tag, or a directive"#)]
#[case::no_type(".volumes", r#"".volumes" names nothing that a party can lack: expected Type.field, Type=value, Type.field:tag, or a directive"#)]
#[case::a_dot_last("Pod.", r#""Pod." names nothing that a party can lack: expected Type.field, Type=value, Type.field:tag, or a directive"#)]
#[case::no_tag("Pod.volumes:merge", r#""merge" is no patch metadata: expected patchStrategy, retainKeys, patchMergeKey or recommendedPatchMergeKey"#)]
fn what_is_no_lack_is_refused_with_what_there_is(#[case] text: &str, #[case] message: &str) {
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
fn what_is_not_there_cannot_be_lacked(#[case] lack: &str) {
    let error = schema().without([&lack.parse().unwrap()]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSchema);
    assert_eq!(error.to_string(), format!("the schema has no {lack}: nothing to be without"));
}

#[test]
fn a_value_is_gone_from_its_enum_alone() {
    let view = without("Kind=A");
    assert_eq!((values(&view, "Kind"), values(&view, "Other")), (vec!["B".to_owned()], vec!["A".to_owned()]));
}

#[rstest]
#[case("Volume.name")]
#[case("Alias.name")]
fn a_type_and_its_aliases_lack_the_same(#[case] lack: &str) {
    let view = without(lack);
    for name in ["Volume", "Alias"] {
        assert!(view.field(view.named(name).unwrap(), "name").is_none(), "{name}");
        assert!(view.field(view.named(name).unwrap(), "kind").is_some(), "{name}");
    }
}

#[rstest]
#[case::strategy("patchStrategy", |meta: &mut FieldMeta| {
    meta.strategy = PatchStrategy::Unset;
    meta.retain_keys = false;
})]
#[case::retain_keys("retainKeys", |meta: &mut FieldMeta| meta.retain_keys = false)]
#[case::recommended("recommendedPatchMergeKey", |meta: &mut FieldMeta| meta.recommended_merge_key.clear())]
#[case::merge_key("patchMergeKey", |meta: &mut FieldMeta| meta.merge_key.clear())]
fn a_tag_is_gone_from_its_field_alone(#[case] tag: &str, #[case] take: fn(&mut FieldMeta)) {
    let mut expected = meta(&schema(), "Pod", "volumes");
    take(&mut expected);
    let view = without(&format!("Pod.volumes:{tag}"));
    assert_eq!(meta(&view, "Pod", "volumes"), expected);
    assert_eq!(meta(&view, "Pod", "others"), meta(&schema(), "Pod", "others"));
}

/// The tags of an embedded struct are those of the struct that embeds it.
#[rstest]
#[case::by_the_struct_that_declares_it("Embedded.inner:patchMergeKey")]
#[case::by_the_struct_that_embeds_it("Pod.inner:patchMergeKey")]
fn a_tag_of_an_embedded_struct_is_gone_where_it_is_embedded(#[case] lack: &str) {
    assert!(meta(&without(lack), "Pod", "inner").merge_key.is_empty());
    assert_eq!(meta(&schema(), "Pod", "inner").merge_key, ["name"]);
}

#[test]
fn a_tag_means_nothing_wherever_it_stands() {
    let view = schema().without_tag(MetadataTag::PatchMergeKey);
    for field in ["volumes", "others", "inner"] {
        assert!(meta(&view, "Pod", field).merge_key.is_empty(), "{field}");
    }
    assert_eq!(meta(&view, "Pod", "others").strategy, PatchStrategy::Replace);
}
