//! Tests of the changes that an overlay makes to base declarations, and of those that it must not make.

use rstest::rstest;

use super::*;
use crate::schema::{ListType, MapType, Schema, go};

const BASE: &str = r#"
type Holder struct {
  Union Union `json:"union"`
  Other Other `json:"other"`
}
type Union struct {
  A *Member `json:"a,omitempty"`
  B *Member `json:"b,omitempty"`
}
type Member struct {
  X int `json:"x"`
}
type Other struct {}
type Unneeded struct {}
"#;

fn overlay_base(overlay: &str, root: &str) -> Result<Declarations, Vec<OverlayConflict>> {
    let base = go::read(BASE).unwrap();
    let base_name = |name: &str| base.get(name).map(|ty| ty.name.clone());
    let overlay = go::read_overlay(overlay, &|name| base_name(name).is_some()).unwrap();
    base.overlaid_with(&overlay, root, &base_name)
}

#[test]
fn an_overlay_can_declare_a_union_on_types_of_the_base() {
    let overlay = r#"
// +enum
type UnionType string
const (
  A UnionType = "A"
)
type Union struct {
  // +unionDiscriminator
  // +required
  Type UnionType `json:"type"`
  // +unionMember
  // +optional
  A *Member `json:"a,omitempty"`
}
"#;
    let schema = Schema::compile(&overlay_base(overlay, "Holder").unwrap()).unwrap();
    let union = schema.named("Union").unwrap();
    assert_eq!(schema.unions(union).len(), 1);
    let fields: Vec<&str> = schema.as_struct(union).unwrap().fields().map(|f| f.name.as_str()).collect();
    assert_eq!(fields, ["a", "b", "type"], "fields of the base are kept, and new fields come last");
}

#[test]
fn only_types_that_the_root_needs_remain() {
    let overlay = "type Other struct {}";
    let names = |root: &str| -> Vec<String> {
        overlay_base(overlay, root).unwrap().types.into_iter().map(|ty| ty.name).collect()
    };
    assert_eq!(names("Holder"), ["Holder", "Union", "Member", "Other"]);
    assert_eq!(names("Union"), ["Union", "Member"]);
}

#[rstest]
#[case::another_field_type(
    "type Union struct {\n  A *Other `json:\"a,omitempty\"`\n}",
    2,
    "the field Union.a has the type *Member"
)]
#[case::missing_pointer("type Union struct {\n  A Member `json:\"a\"`\n}", 2, "in the base, not Member")]
#[case::another_shape("type Member string", 1, "the type Member has another definition")]
fn another_type_in_the_overlay_is_a_conflict(
    #[case] overlay: &str,
    #[case] line: u32,
    #[case] expected: &str,
) {
    let conflicts = overlay_base(overlay, "Holder").unwrap_err();
    assert_eq!(conflicts.len(), 1, "{conflicts:?}");
    assert!(conflicts[0].line == line && conflicts[0].message.contains(expected), "{conflicts:?}");
}

const RICH: &str = r#"
type Holder struct {
  Embedded `json:",inline"`
  Texts    []string           `json:"texts"`
  Labels   map[string]string  `json:"labels"`
  Count    *int64             `json:"count"`
  Free     any                `json:"free"`
  // +default="a"
  // +optional
  Kind     Kind               `json:"kind,omitempty" patchStrategy:"replace"`
  Listed   []Item             `json:"listed"`
  Mapped   map[string]Kind    `json:"mapped"`
  Named    Items              `json:"named"`
}
type Embedded struct {
  X int `json:"x"`
}
type Other struct {
  Y int `json:"y"`
}
// An enum without a marker is open.
type Kind string
const (
  KindA Kind = "A"
  KindB Kind = "B"
)
type Items []Item
type Item struct {
  Deep *Deep `json:"deep"`
}
type Deep struct {}
"#;

fn overlay_rich(overlay: &str) -> Result<Declarations, Vec<OverlayConflict>> {
    let base = go::read(RICH).unwrap();
    let base_name = |name: &str| base.get(name).map(|ty| ty.name.clone());
    let overlay = go::read_overlay(overlay, &|name| base_name(name).is_some()).unwrap();
    base.overlaid_with(&overlay, "Holder", &base_name)
}

fn fields<'d>(declarations: &'d Declarations, name: &str) -> &'d [FieldDecl] {
    match &declarations.get(name).unwrap().shape {
        Shape::Struct(fields) => fields,
        other => panic!("{other:?}"),
    }
}

fn field<'d>(declarations: &'d Declarations, name: &str) -> &'d FieldDecl {
    fields(declarations, "Holder").iter().find(|field| field.name == name).unwrap()
}

#[test]
fn a_field_that_is_declared_again_gets_the_metadata_of_the_overlay() {
    let overlay =
        "type Holder struct {\n\n  // +required\n  Kind Kind `json:\"kind\" patchStrategy:\"merge\"`\n}";
    let (base, merged) = (go::read(RICH).unwrap(), overlay_rich(overlay).unwrap());
    let (before, after) = (field(&base, "kind"), field(&merged, "kind"));
    assert_eq!((before.required, after.required), (Some(false), Some(true)));
    assert_eq!((before.omit_empty, after.omit_empty), (true, false));
    assert_eq!((&before.default, &after.default), (&Some("a".into()), &Some("a".into())));
    assert_eq!(after.patch.strategies, ["merge"]);
    assert_eq!(after.line, 4);
    let markers = |field: &FieldDecl| field.markers.iter().map(|m| m.name.clone()).collect::<Vec<_>>();
    assert_eq!(markers(before), ["default", "optional"]);
    assert_eq!(markers(after), ["default", "optional", "required"]);
    assert_eq!(merged.get("Holder").unwrap().line, 1);
}

#[test]
fn metadata_that_is_not_declared_again_is_kept() {
    let overlay = "type Holder struct {\n  // +default=\"b\"\n  Kind Kind `json:\"kind,omitzero\"`\n}";
    let merged = overlay_rich(overlay).unwrap();
    let after = field(&merged, "kind");
    assert_eq!(after.patch.strategies, ["replace"]);
    assert_eq!(after.required, Some(false));
    assert_eq!(after.default, Some("b".into()));
    assert!(after.omit_zero && !after.omit_empty);
}

const APPLIED: &str = r#"
type Holder struct {
  // +listType=atomic
  Listed []Item            `json:"listed" patchStrategy:"merge" patchMergeKey:"name"`
  // +mapType=atomic
  Labels map[string]string `json:"labels"`
  Named  Named             `json:"named"`
}
// +structType=atomic
type Item struct {
  Name string `json:"name"`
}
// +listType=map
// +listMapKey=name
type Named []Item
"#;

fn overlay_applied(overlay: &str) -> Schema {
    let base = go::read(APPLIED).unwrap();
    let base_name = |name: &str| base.get(name).map(|ty| ty.name.clone());
    let overlay = go::read_overlay(overlay, &|name| base_name(name).is_some()).unwrap();
    Schema::compile(&base.overlaid_with(&overlay, "Holder", &base_name).unwrap()).unwrap()
}

#[test]
fn an_overlay_can_change_the_topology_of_fields() {
    let schema = overlay_applied(
        "type Holder struct {\n  // +listType=map\n  // +listMapKey=name\n  Listed []Item `json:\"listed\"`\n  \
         // +k8s:mapType=granular\n  Labels map[string]string `json:\"labels\"`\n}",
    );
    let meta = |name| &schema.field(schema.named("Holder").unwrap(), name).unwrap().meta;
    assert_eq!(meta("listed").list_type, Some(ListType::Map));
    assert_eq!(meta("listed").list_map_keys, ["name"]);
    assert_eq!(meta("listed").merge_key, ["name"], "the struct tags are kept");
    assert_eq!(meta("labels").map_type, Some(MapType::Granular));
}

#[test]
fn an_overlay_can_change_the_topology_of_types() {
    let schema = overlay_applied(
        "// +structType=granular\ntype Item struct {}\n// +listType=map\n// +listMapKey=other\ntype Named []Item",
    );
    let topology = |name| schema.topology(schema.named(name).unwrap());
    assert_eq!(topology("Item").map_type, Some(MapType::Granular));
    assert_eq!(topology("Named").list_map_keys, ["other"]);
    let schema = overlay_applied("// +listType=atomic\ntype Named []Item");
    let topology = schema.topology(schema.named("Named").unwrap());
    assert_eq!((topology.list_type, topology.list_map_keys.len()), (Some(ListType::Atomic), 0));
}

#[test]
fn an_overlay_with_struct_tags_keeps_the_list_type() {
    let schema = overlay_applied(
        "type Holder struct {\n  Listed []Item `json:\"listed\" patchStrategy:\"replace\"`\n}",
    );
    let meta = &schema.field(schema.named("Holder").unwrap(), "listed").unwrap().meta;
    assert_eq!(meta.list_type, Some(ListType::Atomic));
    assert!(meta.merge_key.is_empty(), "the struct tags are replaced together");
}

#[rstest]
#[case::new_value("type Kind string\nconst C Kind = \"C\"", &["A", "B", "C"], false)]
#[case::existing_value("type Kind string\nconst B Kind = \"B\"", &["A", "B"], false)]
#[case::closed("// +enum\ntype Kind string\nconst B Kind = \"B\"", &["A", "B"], true)]
fn an_overlay_can_add_values_to_an_enum_and_close_it(
    #[case] overlay: &str,
    #[case] expected: &[&str],
    #[case] is_closed: bool,
) {
    let merged = overlay_rich(overlay).unwrap();
    let Shape::Enum { values, closed } = &merged.get("Kind").unwrap().shape else { panic!("an enum") };
    assert_eq!(values.iter().map(|value| value.value.as_str()).collect::<Vec<_>>(), expected);
    assert_eq!(*closed, is_closed);
}

#[test]
fn a_closed_enum_stays_closed() {
    let base = go::read("type R struct {\n  K K `json:\"k\"`\n}\n// +enum\ntype K string\nconst A K = \"A\"")
        .unwrap();
    let overlay = go::read("type K string\nconst B K = \"B\"").unwrap();
    let merged = base.overlaid_with(&overlay, "R", &|_| None).unwrap();
    assert!(
        matches!(&merged.get("K").unwrap().shape, Shape::Enum { closed: true, values } if values.len() == 2)
    );
}

#[test]
fn the_root_needs_the_types_in_lists_maps_pointers_and_aliases() {
    let merged = overlay_rich(
        "type Deep struct {\n  New []*New `json:\"new\"`\n}\ntype New struct {}\ntype Unneeded struct {}",
    )
    .unwrap();
    let names: Vec<_> = merged.types.iter().map(|ty| ty.name.as_str()).collect();
    assert_eq!(names, ["Holder", "Embedded", "Kind", "Items", "Item", "Deep", "New"]);
}

#[test]
fn all_references_to_types_use_the_names_of_the_base() {
    let base = go::read("type Holder struct {\n  M Member `json:\"m\"`\n}\ntype Member struct {}").unwrap();
    let overlay = go::read("type Mine struct {\n  L []*Short `json:\"l\"`\n  M map[string]Short `json:\"n\"`\n  A Alias `json:\"a\"`\n}\ntype Short struct {}\ntype Alias []Short").unwrap();
    let base_name = |name: &str| match name {
        "Mine" => Some("Holder".to_owned()),
        "Short" => Some("Member".to_owned()),
        _ => None,
    };
    let merged = base.overlaid_with(&overlay, "Holder", &base_name).unwrap();
    let types: Vec<_> = fields(&merged, "Holder").iter().map(|field| go_syntax(&field.ty)).collect();
    assert_eq!(types, ["Member", "[]*Member", "map[string]Member", "Alias"]);
    assert!(matches!(&merged.get("Alias").unwrap().shape, Shape::Alias(of) if go_syntax(of) == "[]Member"));
}

#[rstest]
#[case::embedded_again("type Holder struct {\n  Embedded `json:\",inline\"`\n}\ntype Embedded struct {}", 9)]
#[case::another_embedded("type Holder struct {\n  Other `json:\",inline\"`\n}\ntype Other struct {}", 10)]
fn embedded_fields_are_identified_by_their_type(#[case] overlay: &str, #[case] number: usize) {
    assert_eq!(fields(&overlay_rich(overlay).unwrap(), "Holder").len(), number);
}

#[test]
fn an_alias_can_be_declared_again_with_the_same_target() {
    assert!(overlay_rich("type Items []Item").is_ok());
}

#[rstest]
#[case::a_list("Texts string `json:\"texts\"`", "texts has the type []string in the base, not string")]
#[case::a_map("Labels any `json:\"labels\"`", "labels has the type map[string]string in the base, not any")]
#[case::a_pointer("Count *bool `json:\"count\"`", "count has the type *integer in the base, not *boolean")]
#[case::anything("Free *Kind `json:\"free\"`", "free has the type any in the base, not *Kind")]
fn a_conflict_names_both_types_in_go_syntax(#[case] line: &str, #[case] expected: &str) {
    let conflicts = overlay_rich(&format!("type Holder struct {{\n  {line}\n}}")).unwrap_err();
    let errors: Vec<_> = conflicts.into_iter().map(|conflict| Error::from(conflict).to_string()).collect();
    assert_eq!(errors, [format!("line 2: the field Holder.{expected}")]);
}

#[test]
fn another_target_of_an_alias_is_a_conflict() {
    let conflicts = overlay_rich("type Items []string").unwrap_err();
    assert_eq!(
        conflicts,
        [OverlayConflict {
            line: 1,
            message: "the type Items has another definition in the base".to_owned()
        }]
    );
}
