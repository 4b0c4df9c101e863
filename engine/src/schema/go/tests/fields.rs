//! Reading fields: their types, tags and markers.

use rstest::rstest;

use super::*;
use crate::document::{Doc, OwnedDoc, from_json};
use crate::schema::{ListType, ScalarType, TypeExpr};

fn list(of: TypeExpr) -> TypeExpr {
    TypeExpr::List(Box::new(of))
}

fn map(of: TypeExpr) -> TypeExpr {
    TypeExpr::Map(Box::new(of))
}

fn pointer(to: TypeExpr) -> TypeExpr {
    TypeExpr::Pointer(Box::new(to))
}

const STRING: TypeExpr = TypeExpr::Scalar(ScalarType::String);
const INTEGER: TypeExpr = TypeExpr::Scalar(ScalarType::Integer);

#[rstest]
#[case::string("string", STRING)]
#[case::integers("int64", INTEGER)]
#[case::integers_of_32_bits("int32", TypeExpr::Scalar(ScalarType::Int32))]
#[case::runes("rune", TypeExpr::Scalar(ScalarType::Int32))]
#[case::bytes_are_one_scalar("[]byte", TypeExpr::Scalar(ScalarType::Bytes))]
#[case::bytes_by_their_other_name("[]uint8", TypeExpr::Scalar(ScalarType::Bytes))]
#[case::an_array_of_bytes_is_a_list("[4]byte", list(INTEGER))]
#[case::floats("float64", TypeExpr::Scalar(ScalarType::Number))]
#[case::booleans("*bool", pointer(TypeExpr::Scalar(ScalarType::Boolean)))]
#[case::nested("map[string][]*string", map(list(pointer(STRING))))]
#[case::parentheses_mean_nothing("*(string)", pointer(STRING))]
#[case::empty_interface("interface{}", TypeExpr::Any)]
#[case::any("[]any", list(TypeExpr::Any))]
#[case::time("*metav1.Time", pointer(TypeExpr::Scalar(ScalarType::Time)))]
#[case::micro_time("metav1.MicroTime", TypeExpr::Scalar(ScalarType::MicroTime))]
#[case::meta_duration("metav1.Duration", TypeExpr::Scalar(ScalarType::Duration))]
#[case::go_duration("time.Duration", INTEGER)]
#[case::uid("types.UID", STRING)]
#[case::int_or_string("intstr.IntOrString", TypeExpr::Scalar(ScalarType::IntOrString))]
#[case::quantity("map[types.UID]resource.Quantity", map(TypeExpr::Scalar(ScalarType::Quantity)))]
#[case::raw("runtime.RawExtension", TypeExpr::RawExtension)]
#[case::json("apiextensionsv1.JSON", TypeExpr::RawExtension)]
fn go_types_have_the_form_that_json_gives_them(#[case] go: &str, #[case] expected: TypeExpr) {
    assert_eq!(only_field(&format!("A {go} `json:\"a\"`")).ty, expected);
}

#[rstest]
#[case::from_the_tag("A string `json:\"b\"`", "b")]
#[case::without_a_tag("A string", "A")]
#[case::with_options_only("A string `json:\",omitempty\"`", "A")]
#[case::a_dash_with_a_comma("A string `json:\"-,\"`", "-")]
#[case::interpreted_tag("A string \"json:\\\"b\\\"\"", "b")]
#[case::other_keys_first("A string `protobuf:\"bytes,1,opt,name=a\" json:\"b\"`", "b")]
#[case::no_space_between_pairs("A string `json:\"b\"protobuf:\"c\"`", "b")]
fn fields_are_named_as_encoding_json_names_them(#[case] go: &str, #[case] name: &str) {
    let field = only_field(go);
    assert_eq!((field.name.as_str(), field.go_name.as_str()), (name, "A"));
}

#[test]
fn options_of_the_json_tag_are_kept_apart() {
    let field = only_field("A int `json:\"a,omitempty,omitzero,string\"`");
    assert!(field.omit_empty && field.omit_zero);
    assert_eq!(field.ty, STRING, "`,string` writes the number as text");
    assert_eq!(only_field("A *int `json:\"a,string\"`").ty, pointer(STRING));
    let plain = only_field("A int `json:\"a\"`");
    assert!(!plain.omit_empty && !plain.omit_zero && !plain.inline);
}

#[test]
fn a_field_that_its_author_leaves_out_is_left_out() {
    let declarations = ok("type T struct {\n A func() `json:\"-\"`\n b int `json:\"-\"`\n C int\n}");
    assert_eq!(fields(&declarations, "T").len(), 1);
}

#[test]
fn several_names_share_type_and_markers() {
    let declarations = ok("type T struct {\n// +optional\nA, B []string\n}");
    let [a, b] = fields(&declarations, "T") else { panic!() };
    assert_eq!((a.name.as_str(), b.name.as_str()), ("A", "B"));
    assert_eq!((&a.ty, a.required, &a.markers), (&b.ty, Some(false), &b.markers));
}

#[rstest]
#[case::comma("merge,retainKeys", &["merge", "retainKeys"])]
#[case::bar_as_the_document_writes_it("merge|retainKeys", &["merge", "retainKeys"])]
#[case::either_order("retainKeys,replace", &["retainKeys", "replace"])]
#[case::one("retainKeys", &["retainKeys"])]
fn patch_strategies_are_split(#[case] tag: &str, #[case] expected: &[&str]) {
    let field = only_field(&format!("A []string `patchStrategy:\"{tag}\"`"));
    assert_eq!(field.patch.strategies, expected);
}

#[test]
fn merge_keys_are_split_and_trimmed() {
    let tag = "patchMergeKey:\"port\" recommendedPatchMergeKey:\"port, protocol\"";
    let patch = only_field(&format!("A []string `{tag}`")).patch;
    assert_eq!(patch.merge_key, ["port"]);
    assert_eq!(patch.tag_values("recommendedPatchMergeKey"), ["port", "protocol"]);
    let several = only_field("A []string `patchMergeKey:\"a,b\" recommendedPatchMergeKey:\"a\"`").patch;
    assert_eq!(several.merge_key, ["a", "b"]);
    assert_eq!(
        only_field("A []string `recommendedPatchMergeKey:\"a\"`")
            .patch
            .tag_values("recommendedPatchMergeKey"),
        ["a"]
    );
}

#[rstest]
#[case::none("", None)]
#[case::required("// +required", Some(true))]
#[case::optional("// +optional", Some(false))]
#[case::declarative("// +k8s:required", Some(true))]
#[case::declarative_optional("// +k8s:optional", Some(false))]
#[case::kubebuilder_alone("// +kubebuilder:validation:Required", Some(true))]
#[case::kubebuilder_optional("// +kubebuilder:validation:Optional", Some(false))]
#[case::kubebuilder_yields("// +optional\n// +kubebuilder:validation:Required", Some(false))]
#[case::in_a_block_comment("/*\n * +optional\n */", Some(false))]
#[case::in_one_line_of_block_comment("/* +optional */", Some(false))]
#[case::above_prose("// +optional\n// What A is for.", Some(false))]
#[case::alpha_gates_are_not_in_force("// +k8s:alpha(since: \"1.37\")=+k8s:required", None)]
fn markers_say_whether_a_field_is_required(#[case] marker: &str, #[case] expected: Option<bool>) {
    assert_eq!(only_field(&format!("{marker}\nA string")).required, expected);
}

#[test]
fn markers_are_kept_with_their_values_and_lines() {
    let field = only_field(
        "// Prose that is no marker: +1, + 2.\n// +unionMember=ALPHA,optional\n//+k8s:unionMember(union: \"u\")=\"a\"\n// +unionMember,optional\n// + k\nA *string",
    );
    let found: Vec<_> = field.markers.iter().map(|m| (m.name.as_str(), m.value.as_str(), m.line)).collect();
    assert_eq!(
        found,
        [
            ("unionMember", "=ALPHA,optional", 3),
            ("k8s:unionMember", "(union: \"u\")=\"a\"", 4),
            ("unionMember", ",optional", 5)
        ]
    );
    assert_eq!(field.line, 7);
}

#[rstest]
#[case::json_string("string", "\"a b\"", Doc::from("a b"))]
#[case::bare_string("string", "ClusterIP", Doc::from("ClusterIP"))]
#[case::a_bare_string_that_looks_like_a_number("string", "1", Doc::from("1"))]
#[case::empty_string("string", "\"\"", Doc::from(""))]
#[case::number("int32", "86400", Doc::Int(86_400))]
#[case::boolean("*bool", "true", Doc::Bool(true))]
#[case::bare_quantity("resource.Quantity", "100m", Doc::from("100m"))]
#[case::reference("string", "ref(other/package.Name)", Doc::from("named"))]
#[case::reference_in_this_text("E", "ref(Name)", Doc::from("named"))]
fn defaults_are_read_by_the_type_of_the_field(
    #[case] ty: &str,
    #[case] text: &str,
    #[case] expected: OwnedDoc,
) {
    let source =
        format!("type E string\nconst Name E = \"named\"\ntype T struct {{\n// +default={text}\nA {ty}\n}}");
    assert_eq!(field(&ok(&source), "T", "A").default, Some(expected));
}

#[test]
fn a_default_can_be_an_object() {
    let declarations = ok("type T struct {\n// +default={\"single\": {}}\nA map[string]any\n}");
    let expected = from_json(br#"{"single":{}}"#).unwrap();
    assert_eq!(field(&declarations, "T", "A").default, Some(expected));
}

#[rstest]
#[case::atomic("atomic", ListType::Atomic)]
#[case::set("set", ListType::Set)]
#[case::map("map", ListType::Map)]
fn list_types_fill_the_patch_metadata(
    #[case] text: &str,
    #[case] expected: ListType,
    #[values("", "k8s:")] prefix: &str,
) {
    let go = format!(
        "// +{prefix}listType={text}\n// +{prefix}listMapKey=a\n// +{prefix}listMapKey=b\nA []string"
    );
    let patch = only_field(&go).patch;
    assert_eq!(patch.list_type, Some(expected));
    assert_eq!(patch.list_map_keys, ["a", "b"]);
}

#[test]
fn list_markers_of_both_kinds_say_the_same_once() {
    let go = "// +listType=map\n// +listMapKey=a\n// +k8s:listType=map\n// +k8s:listMapKey=a\nA []string";
    assert_eq!(only_field(go).patch.list_map_keys, ["a"]);
}

#[test]
fn markers_that_repeat_the_tag_are_accepted() {
    let go = "// +patchStrategy=merge\n// +patchMergeKey=name\nA []string `patchStrategy:\"merge\" patchMergeKey:\"name\"`";
    assert_eq!(only_field(go).patch.merge_key, ["name"]);
}
