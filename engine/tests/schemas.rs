//! Schemas: what compiles, what does not, and what a view lacks.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use rstest::rstest;
use skewer_engine::schema::{Lack, Schema, Strategy, go};

const TYPES: &str = r#"
type Pod struct {
  Volumes []Volume `json:"volumes,omitempty" patchStrategy:"merge|retainKeys" patchMergeKey:"name"`
}
type Volume struct {
  Name string `json:"name"`
  VolumeSource `json:",inline"`
}
type VolumeSource struct {
  HostPath *Path `json:"hostPath,omitempty"`
  EmptyDir *Path `json:"emptyDir,omitempty"`
}
type Path struct {
  Path string `json:"path"`
  Type PathType `json:"type,omitempty"`
}
// +enum
type PathType string
const (
  Directory PathType = "Directory"
  File      PathType = "File"
)
"#;

fn schema() -> Schema {
    Schema::compile(&go::read(TYPES).unwrap()).unwrap()
}

fn has(schema: &Schema, of: &str, field: &str) -> bool {
    schema.field(schema.named(of).unwrap(), field).is_some()
}

#[test]
fn embedded_structs_give_their_fields_to_the_parent() {
    let schema = schema();
    let volumes = schema.field(schema.named("Pod").unwrap(), "volumes").unwrap();
    assert!(volumes.meta.retain_keys);
    assert_eq!(volumes.meta.strategy, Strategy::Merge);
    assert!(schema.field(schema.item(volumes.ty).unwrap(), "hostPath").is_some());
}

#[rstest]
#[case("Volume.hostPath")]
#[case("VolumeSource.hostPath")]
fn a_view_lacks_a_field_of_an_embedded_struct_wherever_it_is_embedded(#[case] lack: &str) {
    let lack: Lack = lack.parse().unwrap();
    let view = schema().without([&lack]).unwrap();
    assert!(!has(&view, "Volume", "hostPath"));
    assert!(has(&view, "Volume", "emptyDir"));
    assert!(has(&schema(), "Volume", "hostPath"), "the schema itself is unchanged");
}

#[rstest]
#[case("Pod.nothing")]
#[case("Nothing.name")]
#[case("PathType=Socket")]
#[case("Volume.name:patchStrategy")]
fn a_lack_that_names_nothing_is_refused(#[case] lack: &str) {
    assert!(schema().without([&lack.parse::<Lack>().unwrap()]).is_err());
}

#[rstest]
#[case("Pod")]
#[case("Pod.x:strategy")]
fn what_is_no_lack_is_refused(#[case] text: &str) {
    assert!(text.parse::<Lack>().is_err());
}

#[rstest]
#[case::itself("type A struct {\n A `json:\",inline\"`\n}")]
#[case::each_other("type A struct {\n B `json:\",inline\"`\n}\ntype B struct {\n A `json:\",inline\"`\n}")]
#[case::without_end(
    "type A struct {\n B `json:\",inline\"`\n C `json:\",inline\"`\n}\ntype B struct {\n A `json:\",inline\"`\n C \
     `json:\",inline\"`\n}\ntype C struct {\n A `json:\",inline\"`\n B `json:\",inline\"`\n}"
)]
#[case::the_same_field_twice(
    "type A struct {\n B `json:\",inline\"`\n C `json:\",inline\"`\n}\ntype B struct {\n X int `json:\"x\"`\n}\ntype C struct {\n \
     X int `json:\"x\"`\n}"
)]
fn what_cannot_be_embedded_is_an_error(#[case] text: &str) {
    assert!(go::read(text).map_err(|_| ()).and_then(|d| Schema::compile(&d).map_err(|_| ())).is_err());
}
