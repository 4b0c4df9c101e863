//! `skewer schema`: its output and exit codes.

use std::path::Path;

use rstest::rstest;

use crate::helpers::{skewer_with_input, split_output};

const TYPES: &str = r#"
type Holder struct {
	// +optional
	Items []Item `json:"items" patchStrategy:"merge,retainKeys" patchMergeKey:"name" recommendedPatchMergeKey:"name,type"`
	// +required
	Kind Kind `json:"kind"`
	Inner map[string]*Holder `json:"inner" patchStrategy:"replace"`
	// +listType=set
	Set []string `json:"set"`
}
type Item struct {
	Name string `json:"name"`
	Deep Deep `json:"deep"`
}
type Deep struct {
	Port int32 `json:"port"`
}
// +enum
type Kind string
const (
	One Kind = "One"
	Two Kind = "Two"
)
"#;

const RESOURCE: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Tab, plural: tabs}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}
";

/// Runs `skewer schema` with types on standard input. Returns the exit code, standard output and standard error.
fn schema(arguments: &str, input: &str) -> (i32, String, String) {
    let arguments = format!("schema {arguments}");
    let (code, out, err) = split_output(&skewer_with_input(Path::new("."), &arguments, input));
    (code.unwrap(), out, err)
}

/// Runs `skewer schema`, which must succeed, and returns standard output.
fn schema_output(arguments: &str, input: &str) -> String {
    let (code, out, err) = schema(arguments, input);
    assert_eq!(code, 0, "{err}");
    out
}

#[test]
fn show_prints_a_type_with_its_patch_metadata() {
    let shown = schema_output("show Holder --schema -", TYPES);
    let expected = "\
Holder (standard input)

FIELD  TYPE               \u{20}         PATCH                                                           LIST
items  []Item                       merge by name, retainKeys; recommendedPatchMergeKey: name,type
kind   Kind (One|Two)     required
inner  map[string]Holder            replace
set    []string                                                                                     set

A list without a patch strategy is replaced as a whole; objects merge.
";
    assert_eq!(shown, expected);
}

#[test]
fn show_indents_nested_fields_and_stops_at_recursive_types() {
    let shown = schema_output("show Holder --schema - --depth 9", TYPES);
    for line in ["items  ", "  name  ", "  deep  ", "    port  ", "inner  "] {
        assert!(shown.lines().any(|shown| shown.starts_with(line)), "{line:?} is not in\n{shown}");
    }
    assert_eq!(shown.matches("items  ").count(), 1, "{shown}");
}

#[test]
fn show_finds_kubernetes_types_without_a_file() {
    let spec = schema_output("show Deployment spec", "");
    assert!(
        spec.starts_with("apps/v1.Deployment.spec: apps/v1.DeploymentSpec (kubernetes-1.37)\n"),
        "{spec}"
    );
    assert!(spec.lines().any(|line| line.starts_with("strategy ") && line.contains(" retainKeys")), "{spec}");
    let volumes = schema_output("show v1/Pod spec.volumes --release kubernetes-1.20", "");
    assert!(
        volumes.starts_with("core/v1.Pod.spec.volumes (kubernetes-1.20)\ntype: []core/v1.Volume\n"),
        "{volumes}"
    );
    let pod = schema_output("show apps/v1/Deployment", "");
    assert!(pod.contains("kind: apps/v1/Deployment\n"), "{pod}");
    let containers = schema_output("show PodSpec", "");
    assert!(containers.contains("merge by name, retainKeys"), "{containers}");
}

#[rstest]
#[case::enumeration("show core/v1.Protocol", "type: core/v1.Protocol (")]
#[case::alias("show core/v1.ResourceList", "type: map[string]integer or string")]
#[case::scalar("show Pod metadata.name", "type: string")]
fn show_describes_types_without_fields(#[case] arguments: &str, #[case] expected: &str) {
    let shown = schema_output(arguments, "");
    assert!(shown.contains(expected), "{shown}");
}

#[rstest]
#[case::type_name("show Deploymet", 2, "kubernetes-1.37 has no type `Deploymet`: did you mean `Deployment`?")]
#[case::field(
    "show Pod spec.containerz",
    2,
    "core/v1.PodSpec has no field `containerz`: did you mean `containers`?"
)]
#[case::field_of_a_scalar(
    "show Pod metadata.name.x",
    2,
    "core/v1.Pod.metadata.name has no field `x`: it is not a struct"
)]
#[case::release(
    "show Pod --release kubernetes-1.18",
    2,
    "no release \"kubernetes-1.18\" is embedded (expected newest, "
)]
#[case::two_sources("show Pod --release newest --schema x", 2, "cannot be used with")]
#[case::no_depth("show Pod --depth 0", 2, "0 is not in 1..=16")]
#[case::no_file("check nope", 2, "cannot read nope: ")]
#[case::unknown_output_format(
    "convert newest --to go",
    2,
    "[possible values: openapi-v2, openapi-v3, crd, json]"
)]
fn usage_errors_explain_the_mistake(#[case] arguments: &str, #[case] code: i32, #[case] message: &str) {
    let (exit, out, err) = schema(arguments, "");
    assert_eq!((exit, out.as_str()), (code, ""), "{err}");
    assert!(err.contains(message), "{err}");
}

#[test]
fn list_prints_releases_kinds_and_types() {
    let releases = schema_output("list", "");
    assert!(releases.starts_with("RELEASE          FROM"), "{releases}");
    assert!(releases.contains("kubernetes-1.17  k8s.io/api v0.17.5 "), "{releases}");
    let kinds = schema_output("list --release kubernetes-1.32 DEPLOYMENT", "");
    assert!(kinds.contains("apps/v1/Deployment  ") && !kinds.contains("Pod"), "{kinds}");
    let types = schema_output("list --types podspec", "");
    assert!(types.lines().any(|line| line == "core/v1.PodSpec"), "{types}");
    assert_eq!(schema_output("list --schema -", TYPES), "Holder\nItem\nDeep\nKind\n");
    let (kinds, resource) =
        (schema_output("list --schema -", RESOURCE), "example.com/v1/Tab  com.example.v1.Tab\n");
    assert!(kinds.ends_with(resource), "{kinds}");
    assert_eq!(schema_output("list nothing-is-called-this", ""), "");
}

#[rstest]
#[case::go(
    TYPES,
    "standard input: Go type declarations\n      4 types\n      0 kinds of objects\n      3 structs\n      1 enum\n"
)]
#[case::custom_resource(RESOURCE, "standard input: a CustomResourceDefinition\n")]
#[case::openapi(
    r#"{"definitions": {"A": {"type": "object"}}}"#,
    "standard input: an OpenAPI document\n      1 type\n"
)]
fn check_summarizes_a_valid_file(#[case] input: &str, #[case] expected: &str) {
    let summary = schema_output("check -", input);
    assert!(summary.starts_with(expected), "{summary}");
}

/// A definition is read as by kubectl: in YAML 1.1, in a list, and beside other documents.
#[rstest]
#[case::merge_key(|text: &str| text.replace("metadata: {", "metadata: {<<: {annotations: {}}, "), 1)]
#[case::repeated_key(|text: &str| text.replace("metadata: {", "metadata: {name: other, "), 1)]
#[case::list(|text: &str| format!("apiVersion: v1\nkind: List\nitems:\n- {}", text.trim_end().replace('\n', "\n  ")), 1)]
#[case::two_documents(|text: &str| format!("{text}---\n{text}"), 2)]
#[case::beside_another_document(|text: &str| format!("apiVersion: v1\nkind: Namespace\n---\n{text}"), 1)]
fn check_reads_definitions_as_kubectl_does(#[case] change: fn(&str) -> String, #[case] count: usize) {
    let changed = change(RESOURCE);
    assert_ne!(changed, RESOURCE);
    let (code, out, err) = schema("check -", &changed);
    assert_eq!((code, out.matches("a CustomResourceDefinition").count()), (0, count), "{out}{err}");
    let refused = changed.replace("scope: ", "scope: Other # ");
    let (code, _, err) = schema("check -", &refused);
    assert!(code == 1 && err.contains("Other"), "{err}");
}

#[rstest]
#[case::go("type A struct {\n\tB Nope `json:\"b\"`\n}\n", "standard input:2:4: ")]
#[case::openapi(
    "definitions:\n  A: {type: object, propertys: {}}\n",
    "standard input:2:21: this keyword is not understood"
)]
#[case::no_definition(
    "apiVersion: apps/v1\nkind: Deployment\n",
    "standard input:1:1: the document has no schema: "
)]
#[case::a_cycle_of_references(
    "definitions:\n  A: {$ref: '#/definitions/B'}\n  B: {$ref: '#/definitions/A'}\n",
    "standard input:1:1: aliases or references lead only to each other: A, B, A"
)]
#[case::a_definition_that_is_not_structural(
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: tabs.example.com}\nspec:\n  \
     group: example.com\n  scope: Namespaced\n  names: {kind: Tab, plural: tabs}\n  versions:\n    - name: v1\n      \
     served: true\n      storage: true\n      schema: {openAPIV3Schema: {type: object, properties: {spec: {nullable: true}}}}\n",
    "standard input:12:61: Required value: missing: each field has a type"
)]
#[case::empty("", "standard input:")]
#[case::invalid_yaml("definitions: [", "standard input:")]
fn check_reports_source_positions_and_exits_with_1_for_an_invalid_file(
    #[case] input: &str,
    #[case] expected: &str,
) {
    let (code, out, err) = schema("check -", input);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.starts_with(expected), "{err}");
}

/// Go permits a list type that is its own item type.
#[test]
fn show_supports_recursive_list_types() {
    let types = "type A []A\ntype B struct {\n\tX A `json:\"x\"`\n}\n";
    assert!(schema_output("show A --schema -", types).starts_with("A (standard input)\ntype: [][]"));
    assert!(schema_output("show B --schema -", types).contains("x      A"));
}

/// Otherwise, a reader of the converted document would merge the list differently than a reader of the Go text.
#[test]
fn convert_keeps_pointers_to_lists() {
    let types = "type A struct {\n\tX *[]B `json:\"x\" patchStrategy:\"merge\" patchMergeKey:\"name\"`\n}\n\
                 type B struct {\n\tName string `json:\"name\"`\n}\n";
    for form in ["openapi-v2", "openapi-v3", "crd --kind example.com/v1/A --type A"] {
        let written = schema_output(&format!("convert - --to {form}"), types);
        assert!(written.contains("\"x-skewer-go-pointer\": true"), "{written}");
        assert!(schema_output("convert - --to json", &written).contains("\"pointer\": {\n"), "{form}");
        assert!(schema_output("show A --schema -", &written).contains("merge by name"), "{form}");
    }
}

#[test]
fn converted_types_can_be_read_and_converted_again() {
    for form in ["openapi-v2", "openapi-v3"] {
        let written = schema_output(&format!("convert - --to {form}"), TYPES);
        let again = schema_output(&format!("convert - --to {form}"), &written);
        assert_eq!(written, again);
        assert!(written.contains("\"x-kubernetes-recommended-patch-merge-key\": \"name,type\""), "{written}");
    }
    let json = schema_output("convert - --to json", TYPES);
    assert!(json.contains("\"recommendedPatchMergeKey\": ["), "{json}");
}

#[test]
fn convert_writes_a_custom_resource_definition() {
    let define = "convert - --to crd --kind example.com/v1/CronTab --type Item";
    let written = schema_output(define, TYPES);
    assert!(written.contains("\"name\": \"crontabs.example.com\""), "{written}");
    assert_eq!(schema_output("convert - --to crd --kind example.com/v1/CronTab", &written), written);
}

#[test]
fn convert_writes_an_embedded_release() {
    let written = schema_output("convert kubernetes-1.32 --to openapi-v3", "");
    assert!(schema_output("check -", &written).contains("   1212 types\n    290 kinds of objects\n"));
    let shown = schema_output("show apps/v1/Deployment spec.strategy --schema -", &written);
    assert!(
        shown.starts_with("apps/v1.Deployment.spec.strategy: apps/v1.DeploymentStrategy (standard input)")
    );
}
