//! Compilation of schemas: valid and invalid declarations, embedding, patch metadata, and views without a field.

use std::fmt::Write as _;

use rstest::rstest;
use skewer_engine::schema::{
    Declarations, FieldMeta, PatchStrategy, Required, Schema, SchemaElement, Shape, go,
};

use crate::helpers::schema_of;

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
    schema_of(TYPES)
}

fn has_field(schema: &Schema, of: &str, field: &str) -> bool {
    schema.field(schema.named(of).unwrap(), field).is_some()
}

#[test]
fn the_fields_of_an_embedded_struct_are_fields_of_the_embedding_struct() {
    let schema = schema();
    let volumes = schema.field(schema.named("Pod").unwrap(), "volumes").unwrap();
    assert!(volumes.meta.has_tag("retainKeys"));
    assert_eq!(volumes.meta.strategy, PatchStrategy::Merge);
    assert!(schema.field(schema.item(volumes.ty).unwrap(), "hostPath").is_some());
}

#[rstest]
#[case("Volume.hostPath")]
#[case("VolumeSource.hostPath")]
fn removing_a_field_of_an_embedded_struct_removes_it_from_the_embedding_struct(#[case] element: &str) {
    let element: SchemaElement = element.parse().unwrap();
    let view = schema().without([&element]).unwrap();
    assert!(!has_field(&view, "Volume", "hostPath"));
    assert!(has_field(&view, "Volume", "emptyDir"));
    assert!(has_field(&schema(), "Volume", "hostPath"), "the original schema was changed");
}

#[rstest]
#[case("Pod.nothing")]
#[case("Nothing.name")]
#[case("PathType=Socket")]
#[case("Volume.name:patchStrategy")]
fn an_unknown_schema_element_is_refused(#[case] element: &str) {
    assert!(schema().without([&element.parse::<SchemaElement>().unwrap()]).is_err());
}

#[rstest]
#[case("Pod")]
#[case("Pod.x:strategy")]
fn text_that_names_no_schema_element_is_refused(#[case] text: &str) {
    assert!(text.parse::<SchemaElement>().is_err());
}

#[rstest]
#[case::struct_that_embeds_itself("type A struct {\n A `json:\",inline\"`\n}")]
#[case::structs_that_embed_each_other(
    "type A struct {\n B `json:\",inline\"`\n}\ntype B struct {\n A `json:\",inline\"`\n}"
)]
#[case::several_cycles(
    "type A struct {\n B `json:\",inline\"`\n C `json:\",inline\"`\n}\ntype B struct {\n A `json:\",inline\"`\n C \
     `json:\",inline\"`\n}\ntype C struct {\n A `json:\",inline\"`\n B `json:\",inline\"`\n}"
)]
#[case::field_of_two_embedded_structs(
    "type A struct {\n B `json:\",inline\"`\n C `json:\",inline\"`\n}\ntype B struct {\n X int `json:\"x\"`\n}\ntype C struct {\n \
     X int `json:\"x\"`\n}"
)]
fn an_invalid_embedding_is_refused(#[case] text: &str) {
    assert!(go::read(text).map_err(|_| ()).and_then(|d| Schema::compile(&d).map_err(|_| ())).is_err());
}

#[test]
fn a_view_keeps_the_order_of_its_fields() {
    let view = schema().without([&"Volume.hostPath".parse().unwrap()]).unwrap();
    let volume = view.as_struct(view.named("Volume").unwrap()).unwrap();
    assert_eq!(volume.fields().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["name", "emptyDir"]);
    let path = view.as_struct(view.named("Path").unwrap()).unwrap();
    assert_eq!(path.fields().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["path", "type"]);
}

/// Returns the fields of the struct `A`, each with its declaring struct, or the errors of the schema.
fn fields_of_a(text: &str) -> String {
    match Schema::compile(&go::read(text).unwrap()) {
        Ok(schema) => {
            let fields = schema.as_struct(schema.named("A").unwrap()).unwrap().fields();
            fields.map(|field| format!("{}.{}", field.declared_in, field.name)).collect::<Vec<_>>().join(" ")
        }
        Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    }
}

/// The rule of `encoding/json`: if several fields have the same name, the least nested field is used.
#[rstest]
#[case::direct_field_after_an_embedded_field(
    "type A struct {\n B `json:\",inline\"`\n X int `json:\"x\"`\n}",
    "A.x"
)]
#[case::direct_field_before_an_embedded_field(
    "type A struct {\n X int `json:\"x\"`\n B `json:\",inline\"`\n}",
    "A.x"
)]
#[case::less_nested_field_last("type A struct {\n D `json:\",inline\"`\n B `json:\",inline\"`\n}", "B.x D.y")]
#[case::less_nested_field_first(
    "type A struct {\n B `json:\",inline\"`\n D `json:\",inline\"`\n}",
    "B.x D.y"
)]
#[case::two_fields_of_the_same_depth(
    "type A struct {\n B `json:\",inline\"`\n C `json:\",inline\"`\n}",
    "C, line 9: two embedded structs have a field x, and encoding/json would drop both"
)]
#[case::direct_field_before_two_embedded_fields(
    "type A struct {\n X int `json:\"x\"`\n B `json:\",inline\"`\n C `json:\",inline\"`\n}",
    "A.x"
)]
#[case::direct_field_after_two_embedded_fields(
    "type A struct {\n B `json:\",inline\"`\n C `json:\",inline\"`\n X int `json:\"x\"`\n}",
    "A.x"
)]
fn the_least_nested_field_of_a_name_counts(#[case] a: &str, #[case] expected: &str) {
    let others = "type B struct {\n X int `json:\"x\"`\n}\ntype C struct {\n X int `json:\"x\"`\n}\ntype D struct {\n C `json:\",inline\"`\n Y int `json:\"y\"`\n}";
    assert_eq!(fields_of_a(&format!("{a}\n{others}")), expected);
}

#[rstest]
#[case::maximum_depth(32, "S31.x")]
#[case::too_deep(33, "A, line 1: the struct embeds a chain of more than 32 structs")]
#[case::struct_that_embeds_a_refused_struct_is_not_reported(
    34,
    "S0, line 4: the struct embeds a chain of more than 32 structs"
)]
fn embedding_depth_is_limited(#[case] depth: usize, #[case] expected: &str) {
    let mut text = "type A struct {\n S0 `json:\",inline\"`\n}\n".to_owned();
    for i in 0..depth - 1 {
        writeln!(text, "type S{i} struct {{\n S{} `json:\",inline\"`\n}}", i + 1).unwrap();
    }
    writeln!(text, "type S{} struct {{\n X int `json:\"x\"`\n}}", depth - 1).unwrap();
    assert_eq!(fields_of_a(&text), expected);
}

/// If n structs embed a struct with n fields, text of 2n lines produces n² fields.
#[rstest]
#[case::below_the_limit(400, "")]
#[case::above_the_limit(
    500,
    "S399, line 1701: the structs of this schema embed more than 200000 structs and fields in all"
)]
fn the_number_of_embedded_fields_is_limited(#[case] n: usize, #[case] expected: &str) {
    let mut text = String::from("type M struct {\n");
    (0..n).for_each(|i| writeln!(text, " X{i} int `json:\"x{i}\"`").unwrap());
    text.push_str("}\ntype A struct {}\n");
    (0..n).for_each(|i| writeln!(text, "type S{i} struct {{\n M `json:\",inline\"`\n}}").unwrap());
    assert_eq!(fields_of_a(&text), expected);
}

#[test]
fn a_struct_can_embed_many_others() {
    let mut text = String::from("type A struct {\n");
    (0..2_000).for_each(|i| writeln!(text, " S{i} `json:\",inline\"`").unwrap());
    text.push_str("}\n");
    (0..2_000).for_each(|i| writeln!(text, "type S{i} struct {{\n X int `json:\"x{i}\"`\n}}").unwrap());
    assert_eq!(fields_of_a(&text).split(' ').count(), 2_000);
}

/// As in `encoding/json`, a struct that is embedded on two paths of different depth counts once, with the smaller
/// depth. On two paths of the same depth its fields are duplicates.
#[rstest]
#[case::paths_of_the_same_depth(
    "type A struct {\n B `json:\",inline\"`\n C `json:\",inline\"`\n}\ntype B struct {\n D `json:\",inline\"`\n}",
    "D, line 13: two embedded structs have a field x, and encoding/json would drop both"
)]
#[case::paths_of_different_depths(
    "type A struct {\n C `json:\",inline\"`\n D `json:\",inline\"`\n}\ntype B struct {}",
    "C.y D.x"
)]
fn a_struct_that_is_embedded_on_two_paths_counts_at_the_smaller_depth(
    #[case] text: &str,
    #[case] expected: &str,
) {
    let others = "type C struct {\n D `json:\",inline\"`\n Y int `json:\"y\"`\n}\ntype D struct {\n X int `json:\"x\"`\n}";
    assert_eq!(fields_of_a(&format!("{text}\n{others}")), expected);
}

/// The Go reader refuses such structs already; declarations from another source can reach the compiler.
#[test]
fn compiling_structs_that_embed_each_other_is_refused() {
    let embed = |name: &str, target: &str| {
        format!(
            r#"{{"name":"{name}","shape":{{"struct":[{{"type":{{"named":"{target}"}},"inline":true}}]}}}}"#
        )
    };
    let text = format!(r#"{{"types":[{},{},{}]}}"#, embed("A", "B"), embed("B", "A"), embed("C", "A"));
    let declarations: Declarations = serde_json::from_str(&text).unwrap();
    let errors = Schema::compile(&declarations).unwrap_err();
    assert_eq!(
        errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["A: the struct embeds itself: A, B, A"]
    );
}

/// The folding of `encoding/json`: the Kelvin sign equals k and the long s equals s, but the sharp s does not equal ss.
#[rstest]
#[case::exact_name("hostPath", Some("hostPath"))]
#[case::upper_case("HOSTPATH", Some("hostPath"))]
#[case::long_s("ho\u{17f}tPath", Some("hostPath"))]
#[case::kelvin_sign("\u{212a}ind", Some("kind"))]
#[case::exact_name_before_another_case("Path", Some("Path"))]
#[case::first_declared_field_in_another_case("pATH", Some("path"))]
#[case::shorter_name("hostPat", None)]
#[case::different_letter("hostBath", None)]
#[case::sharp_s_as_two_letters("MASSE", None)]
fn field_names_match_in_any_case(#[case] name: &str, #[case] expected: Option<&str>) {
    let text = "type A struct {\n HostPath int `json:\"hostPath\"`\n Kind int `json:\"kind\"`\n Lower int `json:\"path\"`\n \
                Upper int `json:\"Path\"`\n Sharp int `json:\"ma\u{df}e\"`\n}";
    let schema = schema_of(text);
    let field = schema.field_in_any_case(schema.named("A").unwrap(), name);
    assert_eq!(field.map(|field| field.name.as_str()), expected);
}

#[test]
fn serialized_declarations_omit_default_values() {
    let text = "type A struct {\n X int `json:\"x\"`\n Y []string `json:\"y\" patchStrategy:\"merge\"`\n}";
    let mut declared = go::read(text).unwrap();
    let with_lines = serde_json::to_value(&declared).unwrap();
    assert_eq!(with_lines["types"][0]["line"], 1);
    declared.types[0].line = 0;
    let Shape::Struct(fields) = &mut declared.types[0].shape else { panic!("A is not a struct") };
    for field in fields {
        field.line = 0;
    }
    assert_eq!(
        serde_json::to_string(&declared).unwrap(),
        r#"{"types":[{"name":"A","shape":{"struct":[{"name":"x","goName":"X","type":{"scalar":"integer"}},{"name":"y","goName":"Y","type":{"list":{"scalar":"string"}},"patch":{"strategies":["merge"]}}]}}]}"#
    );
    let read: Declarations = serde_json::from_str(&serde_json::to_string(&declared).unwrap()).unwrap();
    assert_eq!(read, declared);
}

/// Compiles a field with the given patch metadata. The declarations bypass the checks of the readers.
fn with_metadata(patch: &str) -> Result<FieldMeta, String> {
    let text = format!(
        r#"{{"types":[{{"name":"A","shape":{{"struct":[{{"name":"x","type":{{"list":{{"scalar":"string"}}}},"patch":{patch},"line":2}}]}}}}]}}"#
    );
    let declared: Declarations = serde_json::from_str(&text).unwrap();
    match Schema::compile(&declared) {
        Ok(schema) => Ok(schema.field(schema.named("A").unwrap(), "x").unwrap().meta.as_ref().clone()),
        Err(errors) => Err(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
    }
}

/// Upstream: `extractRetainKeysPatchStrategy`. The patch-merge-key document requires the default merge key to be first.
#[rstest]
#[case::two_different_strategies(
    r#"{"strategies":["merge","replace"]}"#,
    "a field has at most one of the patch strategies merge and replace"
)]
#[case::duplicate_strategy(
    r#"{"strategies":["merge","retainKeys","merge"]}"#,
    "a field has at most one of the patch strategies merge and replace"
)]
#[case::unknown_strategy(
    r#"{"strategies":["keep"]}"#,
    r#"unexpected patch strategy "keep": expected merge, replace or retainKeys"#
)]
#[case::default_merge_key_not_first(
    r#"{"strategies":["merge"],"mergeKey":["name"],"tags":{"recommendedPatchMergeKey":["kind","name"]}}"#,
    r#"the first recommended merge key must be the default merge key "name", not "kind""#
)]
fn contradictory_metadata_is_refused(#[case] patch: &str, #[case] message: &str) {
    assert_eq!(with_metadata(patch).unwrap_err(), format!("A.x, line 2: {message}"));
}

#[rstest]
#[case::merge(r#"["merge"]"#, PatchStrategy::Merge, false)]
#[case::replace(r#"["replace"]"#, PatchStrategy::Replace, false)]
#[case::retain_keys(r#"["retainKeys"]"#, PatchStrategy::Unset, true)]
#[case::retain_keys_of_merged_items(r#"["merge","retainKeys"]"#, PatchStrategy::Merge, true)]
#[case::retain_keys_of_replaced_items(r#"["replace","retainKeys"]"#, PatchStrategy::Replace, true)]
#[case::empty_strategy(r#"[""]"#, PatchStrategy::Unset, false)]
fn patch_strategies_are_read(
    #[case] strategies: &str,
    #[case] strategy: PatchStrategy,
    #[case] retain_keys: bool,
) {
    let meta = with_metadata(&format!(r#"{{"strategies":{strategies}}}"#)).unwrap();
    assert_eq!((meta.strategy, meta.has_tag("retainKeys")), (strategy, retain_keys));
}

#[rstest]
#[case::marked_required("// +required", Required::Yes)]
#[case::marked_optional("// +optional", Required::No)]
#[case::not_marked("// A field.", Required::No)]
fn a_field_is_required_if_marked(#[case] comment: &str, #[case] expected: Required) {
    let text = format!("type A struct {{\n {comment}\n X string `json:\"x\"`\n}}");
    let schema = schema_of(&text);
    assert_eq!(schema.field(schema.named("A").unwrap(), "x").unwrap().required, expected);
}
