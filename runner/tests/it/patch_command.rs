//! `skewer patch`: its output and exit codes.

use rstest::rstest;
use tempfile::TempDir;

use crate::helpers::{folder_with, skewer_with_input, split_output};

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}
  template:
    spec:
      containers:
        - {name: a, image: a:1}
";

const SWITCH: &str = "spec: {strategy: {$retainKeys: [type], type: Recreate}}";

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

/// Runs the program in a folder, and returns the exit code, standard output and standard error.
fn run_in(folder: &TempDir, arguments: &str, input: &str) -> (i32, String, String) {
    let (code, out, err) = split_output(&skewer_with_input(folder.path(), arguments, input));
    (code.unwrap(), out, err)
}

/// Creates a folder with the files that the tests use.
fn folder() -> TempDir {
    folder_with(&[
        ("d.yaml", DEPLOYMENT),
        ("switch.yaml", SWITCH),
        ("crd.yaml", RESOURCE),
        ("tab.yaml", "apiVersion: example.com/v1\nkind: Tab\nspec: {a: 1}\n"),
        ("typo.yaml", "apiVersion: apps/v1\nkind: Deploymet\n"),
        ("m.yaml", &DEPLOYMENT.replace("a:1", "a:2")),
        ("l.yaml", &DEPLOYMENT.replace("a:1", "a:9")),
        ("t.go", "type Holder struct {\n\tItems []string `json:\"items\" patchStrategy:\"merge\"`\n}\n"),
        ("old.yaml", "{name: old, base: kubernetes-1.6}"),
        ("1.22.yaml", "{name: x, base: kubernetes-1.22}"),
        ("null.yaml", "{metadata: {annotations: {a: null, b: c}}}"),
        ("repeated.yaml", "{apiVersion: v1, kind: Pod, metadata: {finalizers: [c, b, b, e, b]}}"),
        ("order.yaml", "{metadata: {$setElementOrder/finalizers: [d, a, f], finalizers: [a, f]}}"),
        ("one.yaml", "{spec: {replicas: 1}}"),
        ("two.yaml", "{spec: {replicas: 2}}"),
        ("bad.yaml", "spec:\n  template:\n    spec:\n      containers:\n        - image: x\n"),
        ("list.yaml", "[1]"),
        ("empty", ""),
        ("broken.yaml", "spec: {a"),
    ])
}

/// Returns a document in YAML or JSON as JSON on one line.
fn compact(text: &str) -> String {
    serde_yaml::from_str::<serde_json::Value>(text).unwrap().to_string()
}

/// `deploymentStrategy.PrepareForUpdate`.
#[rstest]
#[case::strategic("strategic", "d.yaml", true)]
#[case::merge("merge", "d.yaml", true)]
#[case::kind_without_status("merge", "map.yaml", false)]
fn a_status_that_a_server_ignores_is_noted(
    #[case] patch_type: &str,
    #[case] original: &str,
    #[case] is_noted: bool,
) {
    let folder = folder_with(&[
        ("d.yaml", DEPLOYMENT),
        ("map.yaml", "{apiVersion: v1, kind: ConfigMap}"),
        ("status.yaml", "{status: {replicas: 4}}"),
    ]);
    let patch = format!("patch apply --original {original} --patch status.yaml --type {patch_type}");
    let (code, out, err) = run_in(&folder, &patch, "");
    let note = "note: the patched object: a server ignores status in this request, and stores that of the original\n";
    assert_eq!((code, err.contains(note)), (0, is_noted), "{out}{err}");
    let (_, _, err) = run_in(&folder, &format!("{patch} --no-admission"), "");
    assert_eq!(err, "");
}

#[rstest]
#[case::strategic("--original d.yaml --patch switch.yaml", "", r#""strategy":{"type":"Recreate"}"#)]
#[case::patch_from_standard_input("--original d.yaml --patch -", SWITCH, r#""strategy":{"type":"Recreate"}"#)]
#[case::object_from_standard_input(
    "--original - --patch switch.yaml",
    DEPLOYMENT,
    r#""strategy":{"type":"Recreate"}"#
)]
#[case::old_profile(
    "--original d.yaml --patch switch.yaml --profile kubernetes-1.6",
    "",
    r#""$retainKeys":["type"]"#
)]
#[case::library_of_an_old_release(
    "--original d.yaml --patch null.yaml --profile kubernetes-1.23",
    "",
    r#""annotations":{"a":null,"b":"c"}"#
)]
#[case::library_of_a_later_release(
    "--original d.yaml --patch null.yaml --profile kubernetes-1.24",
    "",
    r#""annotations":{"b":"c"}"#
)]
#[case::library_of_the_base_of_a_profile(
    "--original d.yaml --patch null.yaml --profile 1.22.yaml",
    "",
    r#""annotations":{"a":null,"b":"c"}"#
)]
#[case::decoded_lists(
    "--original repeated.yaml --patch order.yaml",
    "",
    r#""finalizers":["c","b","e","a","f"]"#
)]
#[case::lists_in_structs(
    "--original repeated.yaml --patch order.yaml --lists structs",
    "",
    r#""finalizers":["a","f","c","b","e"]"#
)]
#[case::profile_from_a_file(
    "--original d.yaml --patch switch.yaml --profile old.yaml",
    "",
    r#""$retainKeys":["type"]"#
)]
#[case::old_release(
    "--original d.yaml --patch switch.yaml --schema kubernetes-1.17",
    "",
    r#""type":"Recreate""#
)]
#[case::json_merge("--original d.yaml --patch one.yaml --type merge", "", r#""replicas":1"#)]
#[case::json_merge_of_a_custom_resource(
    "--original tab.yaml --patch one.yaml --type merge",
    "",
    r#"{"a":1,"replicas":1}"#
)]
#[case::json_patch(
    "--original tab.yaml --patch - --type json",
    r#"[{"op":"remove","path":"/spec/a"}]"#,
    r#""spec":{}"#
)]
fn a_patch_is_applied(#[case] arguments: &str, #[case] input: &str, #[case] expected: &str) {
    let (code, out, err) = run_in(&folder(), &format!("patch apply {arguments}"), input);
    assert_eq!(code, 0, "{err}");
    assert!(compact(&out).contains(expected), "{out}");
}

#[test]
fn types_are_read_from_a_file() {
    let folder = folder();
    std::fs::write(folder.path().join("a.json"), r#"{"items":["a"]}"#).unwrap();
    let apply = "patch apply --original a.json --patch - --schema t.go#Holder";
    let (code, out, err) = run_in(&folder, apply, r#"{"items":["b"]}"#);
    assert_eq!(code, 0, "{err}");
    assert_eq!(compact(&out), r#"{"items":["b","a"]}"#);
}

const JSON_OBJECT: &str = r#"{"apiVersion":"example.com/v1","kind":"Tab","spec":{"a":1}}"#;

/// The result has the format of the document from which it is made, unless `--output` names another one.
#[rstest]
#[case::patched_yaml("patch apply --original tab.yaml --patch one.json --type merge", false)]
#[case::patched_json("patch apply --original tab.json --patch one.yaml --type merge", true)]
#[case::patched_json_whatever_its_name(
    "patch apply --original json.yaml --patch one.yaml --type merge",
    true
)]
#[case::patched_yaml_from_standard_input("patch apply --original - --patch one.json --type merge", false)]
#[case::output_json("patch apply --original tab.yaml --patch one.yaml --type merge -o json", true)]
#[case::output_yaml("patch apply --original tab.json --patch one.json --type merge --output yaml", false)]
#[case::new_yaml("patch diff --original tab.json --modified one.yaml --type merge", false)]
#[case::new_json("patch diff --original tab.yaml --modified one.json --type merge", true)]
#[case::modified_yaml(
    "patch diff3 --last-applied tab.json --modified one.yaml --live tab.json --type merge",
    false
)]
#[case::modified_json(
    "patch diff3 --last-applied tab.yaml --modified one.json --live tab.yaml --type merge",
    true
)]
#[case::first_patch_yaml("patch merge one.yaml one.json --schema #Deployment", false)]
#[case::first_patch_json("patch merge one.json one.yaml --schema #Deployment", true)]
#[case::normalized_json("union normalize --new one.json --schema #Deployment", true)]
#[case::normalized_yaml("union normalize --new one.yaml --schema #Deployment", false)]
#[case::applied_json("apply --config tab.json --manager me --untyped", true)]
#[case::applied_yaml("apply --config tab.yaml --manager me --untyped", false)]
#[case::applied_json_as_yaml("apply --config tab.json --manager me --untyped -o yaml", false)]
fn a_result_has_the_format_of_its_input(#[case] arguments: &str, #[case] is_json: bool) {
    let folder = folder();
    for (name, content) in
        [("tab.json", JSON_OBJECT), ("json.yaml", JSON_OBJECT), ("one.json", r#"{"spec":{"replicas":1}}"#)]
    {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let (code, out, err) =
        run_in(&folder, arguments, "apiVersion: example.com/v1\nkind: Tab\nspec: {a: 1}\n");
    assert_eq!(code, 0, "{err}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), is_json, "{out}");
    assert!(serde_yaml::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
}

/// `kubectl apply` overwrites what others changed. `--no-overwrite` refuses it, and the old option is still accepted.
#[rstest]
#[case::as_by_kubectl_apply("", 0)]
#[case::refused("--no-overwrite", 1)]
#[case::the_old_option("--overwrite", 0)]
#[case::the_last_option_counts("--no-overwrite --overwrite", 0)]
fn a_three_way_patch_overwrites_changes_of_others_by_default(#[case] option: &str, #[case] expected: i32) {
    let arguments = format!("patch diff3 --last-applied d.yaml --modified m.yaml --live l.yaml {option}");
    let (code, out, err) = run_in(&folder(), &arguments, "");
    assert_eq!(code, expected, "{out}{err}");
    assert_eq!(out.contains("image: a:2"), expected == 0, "{out}");
    assert_eq!(err.contains("m.yaml:8:7: refused (conflict): "), expected == 1, "{err}");
}

#[test]
fn a_json_merge_patch_cannot_refuse_to_overwrite() {
    let arguments =
        "patch diff3 --last-applied d.yaml --modified m.yaml --live l.yaml --no-overwrite --type merge";
    let (code, out, err) = run_in(&folder(), arguments, "");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("--no-overwrite needs --type strategic: "), "{err}");
}

#[rstest]
#[case::missing_key(
    "--original d.yaml --patch bad.yaml",
    "bad.yaml:5:11: refused (missing-merge-key): the item {\"image\":\"x\"} does not have the merge key name\n\
     5 |         - image: x\n  |           ^^^^^^^^\n  = in spec.template.spec.containers[0]\n"
)]
#[case::no_object(
    "--original list.yaml --patch one.yaml --schema #Pod",
    "list.yaml: refused (invalid-document): "
)]
#[case::no_patch(
    "--original d.yaml --patch list.yaml",
    "list.yaml: refused (invalid-document): the patch must be an object"
)]
#[case::custom_resource(
    "--original tab.yaml --patch one.yaml --schema crd.yaml",
    "tab.yaml:2:7: refused (unsupported-patch-format): a strategic merge patch cannot change a custom resource"
)]
#[case::unknown_custom_resource(
    "--original tab.yaml --patch one.yaml",
    "tab.yaml:2:7: refused (unsupported-patch-format): kubernetes-1.37 has no type example.com/v1/Tab, and a custom \
     resource does not support strategic merge patches: use a JSON merge patch (--type merge), or read the type from a file"
)]
#[case::kind_is_deleted(
    "--original d.yaml --patch list.yaml --type merge",
    "list.yaml: refused (invalid-document): the patch deletes the kind"
)]
#[case::json_patch(
    "--original d.yaml --patch one.yaml --type json",
    "one.yaml: refused (json-patch-failed): "
)]
fn a_refused_patch_exits_with_1_and_reports_error_kind_file_and_position(
    #[case] arguments: &str,
    #[case] expected: &str,
) {
    let (code, out, err) = run_in(&folder(), &format!("patch apply {arguments}"), "");
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.starts_with(expected), "{err}");
}

#[test]
fn a_directive_that_the_profile_does_not_know_causes_a_note() {
    let patch = r#"{"spec":{"template":{"spec":{"containers":[{"$patchMergeKey":["name"],"name":"z"}]}}}}"#;
    for (profile, noted) in [("today", true), ("proposed", false)] {
        let arguments = format!("patch apply --original d.yaml --patch - --profile {profile}");
        let (code, _, err) = run_in(&folder(), &arguments, patch);
        assert_eq!(code, 0, "{err}");
        assert_eq!(
            err.starts_with("note: this profile does not know $patchMergeKey and treats it as a field"),
            noted,
            "{err}"
        );
    }
}

#[rstest]
#[case::no_file("--original nope --patch one.yaml", "cannot read nope: ")]
#[case::folder("--original . --patch one.yaml", "cannot read .: ")]
#[case::no_object("--original t.go --patch one.yaml", "t.go: expected an object, found a string")]
#[case::no_yaml("--original d.yaml --patch broken.yaml", "broken.yaml:1:7: ")]
#[case::empty_file("--original d.yaml --patch empty", "empty:1:1: the file is empty")]
#[case::types_and_patch_from_standard_input(
    "--original d.yaml --patch - --schema=-#Pod",
    "the documents and the types cannot both come from standard input (-)"
)]
#[case::both_documents_from_standard_input(
    "--original - --patch -",
    "only one document can come from standard input (-)"
)]
#[case::unknown_kind(
    "--original typo.yaml --patch one.yaml",
    "typo.yaml: kubernetes-1.37 has no type `apps/v1/Deploymet`: did you mean `apps/v1/Deployment`?\nhelp: name the type"
)]
#[case::no_kind(
    "--original one.yaml --patch two.yaml",
    "one.yaml and two.yaml have no apiVersion and kind: name the type"
)]
#[case::unknown_type(
    "--original d.yaml --patch one.yaml --schema #Deploymet",
    "kubernetes-1.37 has no type `Deploymet`: did you mean"
)]
#[case::unknown_release(
    "--original d.yaml --patch one.yaml --schema kubernetes-1.18",
    "error: invalid value 'kubernetes-1.18'"
)]
#[case::no_such_schema("--original d.yaml --patch one.yaml --schema nope.go", "cannot read nope.go: ")]
#[case::file_is_not_a_schema(
    "--original d.yaml --patch one.yaml --schema one.yaml",
    "one.yaml:1:1: the document has no schema"
)]
#[case::kind_is_not_in_the_schema(
    "--original d.yaml --patch one.yaml --schema t.go",
    "d.yaml: t.go has no type `apps/v1/Deployment` (expected one of Holder)\nhelp: name the type with --schema FILE#TYPE"
)]
#[case::unknown_profile(
    "--original d.yaml --patch one.yaml --profile todya",
    "unknown profile `todya`: expected today"
)]
#[case::no_such_profile("--original d.yaml --patch one.yaml --profile nope.yaml", "cannot read nope.yaml: ")]
#[case::file_is_not_a_profile("--original d.yaml --patch one.yaml --profile d.yaml", "d.yaml:")]
#[case::unknown_patch_type("--original d.yaml --patch one.yaml --type smart", "error: invalid value 'smart'")]
fn unusable_input_exits_with_2(#[case] arguments: &str, #[case] expected: &str) {
    let (code, out, err) = run_in(&folder(), &format!("patch apply {arguments}"), "{}");
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.starts_with(expected), "{err}");
}

#[rstest]
#[case::strategic(
    "diff --original d.yaml --modified m.yaml",
    r#"{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"image":"a:2","name":"a"}]}}}}"#
)]
#[case::json_merge(
    "diff --original d.yaml --modified m.yaml --type merge",
    r#"{"spec":{"template":{"spec":{"containers":[{"image":"a:2","name":"a"}]}}}}"#
)]
#[case::old_client(
    "diff --original d.yaml --modified m.yaml --profile kubernetes-1.6",
    r#"{"spec":{"template":{"spec":{"containers":[{"image":"a:2","name":"a"}]}}}}"#
)]
#[case::three_ways(
    "diff3 --last-applied d.yaml --modified m.yaml --live l.yaml",
    r#"{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"image":"a:2","name":"a"}]}}}}"#
)]
#[case::three_ways_json_merge(
    "diff3 --last-applied d.yaml --modified m.yaml --live l.yaml --type merge",
    r#"{"spec":{"template":{"spec":{"containers":[{"image":"a:2","name":"a"}]}}}}"#
)]
#[case::merge("merge one.yaml two.yaml --schema #Deployment", r#"{"spec":{"replicas":2}}"#)]
fn patches_are_created(#[case] arguments: &str, #[case] expected: &str) {
    let (code, out, err) = run_in(&folder(), &format!("patch {arguments}"), "");
    assert_eq!(code, 0, "{err}");
    assert_eq!(compact(&out), expected);
}

#[rstest]
#[case::conflict(
    "diff3 --last-applied d.yaml --modified m.yaml --live l.yaml --no-overwrite",
    "m.yaml:8:7: refused (conflict): "
)]
#[case::precondition(
    "diff3 --last-applied d.yaml --modified tab.yaml --live d.yaml --schema #Deployment --unchanged kind",
    "tab.yaml: refused (precondition-failed): the patch changes kind"
)]
#[case::list(
    "diff --original d.yaml --modified list.yaml",
    "list.yaml: refused (invalid-document): the modified document"
)]
#[case::original_list(
    "diff --original list.yaml --modified d.yaml",
    "list.yaml: refused (invalid-document): the original"
)]
#[case::live_list(
    "diff3 --last-applied d.yaml --modified m.yaml --live list.yaml",
    "list.yaml: refused (invalid-document): the live document"
)]
#[case::second_of_three(
    "merge m.yaml bad.yaml one.yaml",
    "bad.yaml:5:11: refused (missing-merge-key): the item"
)]
fn a_patch_that_cannot_be_created_is_refused(#[case] arguments: &str, #[case] expected: &str) {
    let (code, out, err) = run_in(&folder(), &format!("patch {arguments}"), "");
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.starts_with(expected), "{err}");
}

#[test]
fn conflicts_are_printed_and_exit_with_1() {
    let folder = folder();
    let conflicts = |left, right| {
        let (code, out, err) =
            run_in(&folder, &format!("patch conflicts {left} {right} --schema #Deployment"), "");
        assert_eq!(err, "");
        (code, out)
    };
    assert_eq!(conflicts("one.yaml", "two.yaml"), (1, "the patches conflict at spec.replicas\n".to_owned()));
    assert_eq!(conflicts("one.yaml", "one.yaml"), (0, "the patches do not conflict\n".to_owned()));
}

#[rstest]
#[case("patch")]
#[case("patch apply")]
#[case("patch diff")]
#[case("patch diff3")]
#[case("patch conflicts")]
#[case("patch merge")]
fn help_explains_the_exit_codes(#[case] command: &str) {
    let (code, out, _) = run_in(&folder(), &format!("{command} --help"), "");
    assert_eq!(code, 0);
    assert!(out.contains("Exit codes: 0 success; 1 the patch was refused"), "{out}");
}

#[test]
fn a_precondition_on_another_field_is_refused() {
    let (code, _, err) = run_in(&folder(), "patch diff3 --unchanged spec.replicas", "");
    assert_eq!(code, 2);
    assert!(err.contains("expected a top-level field or a field of metadata"), "{err}");
}

/// kubernetes/kubernetes#39188: a Service gets a second protocol for a port. Released versions match ports by number
/// alone, and lose TCP or UDP. A profile with `$patchMergeKey` uses the merge keys that the proposal recommends.
#[rstest]
#[case::today("today", &["TCP"])]
#[case::an_old_release("kubernetes-1.6", &["TCP"])]
#[case::proposed("proposed", &["TCP", "UDP"])]
#[case::a_profile_with_the_directive("keys.yaml", &["TCP", "UDP"])]
fn a_service_keeps_both_protocols_of_a_port_if_the_profile_has_patch_merge_key(
    #[case] profile: &str,
    #[case] expected: &[&str],
) {
    let service = |ports: &str| {
        format!("apiVersion: v1\nkind: Service\nmetadata: {{name: dns}}\nspec: {{ports: [{ports}]}}\n")
    };
    let (tcp, udp) = ("{name: dns-tcp, port: 53, protocol: TCP}", "{name: dns, port: 53, protocol: UDP}");
    let folder = folder_with(&[
        ("live.yaml", &service(tcp)),
        ("wanted.yaml", &service(&format!("{tcp}, {udp}"))),
        ("keys.yaml", "{name: keys, with: [$patchMergeKey]}"),
    ]);
    let (code, patch, err) = run_in(
        &folder,
        &format!("patch diff --original live.yaml --modified wanted.yaml --profile {profile}"),
        "",
    );
    assert_eq!(code, 0, "{err}");
    let by_hand = "spec: {ports: [{$patchMergeKey: [port, protocol], name: dns, port: 53, protocol: UDP}]}";
    let (stored, hand) = (protocols(&folder, profile, &patch), protocols(&folder, profile, by_hand));
    assert_eq!(stored, expected, "{patch}");
    // The handwritten patch contains only the new port. Without the directive, that port replaces the existing one.
    assert_eq!(hand, if expected.len() > 1 { vec!["UDP", "TCP"] } else { vec!["UDP"] });
}

/// Applies a patch to the Service, and returns the protocols of its ports.
fn protocols(folder: &TempDir, profile: &str, patch: &str) -> Vec<String> {
    let (code, out, err) =
        run_in(folder, &format!("patch apply --original live.yaml --patch - --profile {profile}"), patch);
    assert_eq!(code, 0, "{err}");
    let service: serde_json::Value = serde_yaml::from_str(&out).unwrap();
    let ports = service["spec"]["ports"].as_array().unwrap();
    ports.iter().map(|port| port["protocol"].as_str().unwrap().to_owned()).collect()
}

/// The types are validated under every union policy. With the gate off (`none`), a discriminator is a string like any other.
#[rstest]
#[case::none("none", "")]
#[case::structured_merge_diff(
    "structured-merge-diff",
    "one.yaml:1:8: refused (unknown-enum-value): \"Baz\" is not a value of Kind (expected \"Foo\", \"Bar\")"
)]
#[case::kep_1027(
    "kep-1027",
    "one.yaml:1:8: refused (union-unknown-discriminator): unknown value \"Baz\" of the discriminator (expected \"Foo\", \
     \"Bar\")"
)]
fn union_validate_refuses_objects_that_violate_their_types(#[case] policy: &str, #[case] expected: &str) {
    let types = "// +enum\ntype Kind string\nconst (\n\tFoo Kind = \"Foo\"\n\tBar Kind = \"Bar\"\n)\ntype Object struct {\n\t// \
                 +unionDiscriminator\n\t// +required\n\tType Kind `json:\"type\"`\n\t// +unionMember\n\t// +optional\n\tFoo *Foo \
                 `json:\"foo,omitempty\"`\n\t// +unionMember\n\t// +optional\n\tBar *Foo `json:\"bar,omitempty\"`\n}\ntype Foo struct \
                 {\n\t// +required\n\tPath string `json:\"path\"`\n}\n";
    let folder = folder_with(&[
        ("t.go", types),
        ("one.yaml", "{type: Baz}"),
        ("two.yaml", "{type: Foo, foo: {}}"),
        ("three.yaml", "{type: Foo, foo: {path: x}}"),
    ]);
    let validate = |file: &str| {
        run_in(&folder, &format!("union validate --schema t.go#Object --policy {policy} --new {file}"), "")
    };
    let (code, _, error) = validate("one.yaml");
    assert!(code == i32::from(!expected.is_empty()) && error.contains(expected), "{error}");
    let (code, _, error) = validate("two.yaml");
    let missing = "two.yaml:1:13: refused (required-field-missing): a required field of Foo is missing: expected a string";
    assert!(code == 1 && error.contains(missing) && error.contains("in foo.path"), "{error}");
    assert_eq!(validate("three.yaml"), (0, format!("{policy}: accepted\n"), String::new()));
}

/// A custom resource is validated as its definition says. An update may keep what was invalid before.
#[test]
fn union_validate_validates_custom_resources_by_their_definition() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: \
                      stores.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Store, plural: \
                      stores}\n  versions:\n    - name: v1\n      served: true\n      storage: true\n      schema:\n        \
                      openAPIV3Schema:\n          type: object\n          properties:\n            spec:\n              type: \
                      object\n              x-kubernetes-validations: [{rule: has(self.disk) != has(self.bucket), message: \
                      one of disk and bucket}]\n              properties:\n                replicas: {type: integer, \
                      maximum: 5}\n                disk: {type: string}\n                bucket: {type: string}\n";
    let head = "apiVersion: example.com/v1\nkind: Store\nmetadata: {name: a}\n";
    let both = format!("{head}spec: {{replicas: 9, disk: a, bucket: b}}\n");
    let one = format!("{head}spec: {{replicas: 5, disk: a}}\n");
    let folder = folder_with(&[("crd.yaml", definition), ("both.yaml", &both), ("one.yaml", &one)]);
    let validate = |files: &str| run_in(&folder, &format!("union validate --schema crd.yaml {files}"), "");
    let accepted = (0, "kep-1027: accepted\n".to_owned(), String::new());

    assert_eq!(validate("--new one.yaml"), accepted);
    assert_eq!(validate("--new both.yaml --old both.yaml"), accepted);
    let (code, _, error) = validate("--new both.yaml --old one.yaml");
    assert_eq!(code, 1, "{error}");
    assert!(
        error.contains("both.yaml:4:18: refused (invalid-value): expected at most 5, found 9\n"),
        "{error}"
    );
    assert!(error.contains("both.yaml:4:1: refused (invalid-value): one of disk and bucket\n"), "{error}");
}

/// Every command that reads a document refuses a number that does not fit into a float64.
#[rstest]
fn a_number_out_of_range_is_refused_by_every_command(
    #[values(
        "patch apply --original FILE --patch one.yaml",
        "patch apply --original one.yaml --patch FILE",
        "patch apply --original one.yaml --patch FILE --type merge",
        "patch apply --original one.yaml --patch FILE --type json",
        "patch diff --original FILE --modified one.yaml",
        "patch diff --original one.yaml --modified FILE --type merge",
        "patch diff3 --last-applied FILE --modified one.yaml --live one.yaml",
        "patch diff3 --last-applied one.yaml --modified one.yaml --live FILE --type merge",
        "patch conflicts one.yaml FILE",
        "patch merge FILE one.yaml",
        "union validate --new FILE",
        "union normalize --new one.yaml --old FILE",
        "schema show x --schema FILE",
        "run --corpus FILE"
    )]
    command: &str,
    #[values("over.json", "over.yaml", "-")] file: &str,
) {
    let folder = folder_with(&[
        ("one.yaml", "{spec: {replicas: 1}}"),
        ("crd.yaml", RESOURCE),
        ("over.json", "{\"kind\": \"Pod\",\n \"a\": 1e400}"),
        ("over.yaml", "kind: Pod\na: 1e400\n"),
    ]);
    let is_case_file = command.starts_with("run");
    if file == "-" && is_case_file {
        return;
    }
    let input = "{\"kind\": \"Pod\",\n \"a\": 1e400}";
    let (code, out, err) = run_in(&folder, &command.replace("FILE", file), input);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains(":2:") && err.contains("number out of range: no float64 holds 1e400"), "{err}");
}

#[test]
fn json_has_a_nesting_limit_and_negative_zero_is_zero() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(600), "]".repeat(600));
    let ports = r#"{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":0,"name":"a"}]}}"#;
    let folder = folder_with(&[("deep.json", &deep), ("live.json", ports), ("one.yaml", "{a: 1}")]);
    let (code, _, err) = run_in(&folder, "patch diff --original deep.json --modified one.yaml", "");
    assert_eq!(code, 2);
    assert!(err.starts_with("deep.json:1:517: nested too deeply: at most 512 levels are read\n"), "{err}");

    // `-0` is the port 0.
    for patch in [r#"{"spec":{"ports":[{"port":-0,"name":"b"}]}}"#, "spec: {ports: [{port: -0, name: b}]}"] {
        let (_, out, err) = run_in(&folder, "patch apply --original live.json --patch -", patch);
        assert!(compact(&out).contains(r#""ports":[{"name":"b","port":0}]"#), "{out}{err}");
    }
}

/// A type without unions has nothing that a policy could judge.
#[test]
fn union_validate_says_if_there_is_no_union() {
    let folder = folder_with(&[("pod.yaml", "{apiVersion: v1, kind: Pod, spec: {containers: [{name: c}]}}")]);
    let (code, out, _) = run_in(&folder, "union validate --new pod.yaml", "");
    assert_eq!((code, out.starts_with("kep-1027: nothing to judge")), (0, true), "{out}");
}

/// Markers with an effect, and those of other tools, are no misspellings.
#[rstest]
#[case::misspelt("+unionMembr", "t.go:6:0: warning: U.B: the marker +unionMembr is not known")]
#[case::another_case("+UnionMember", "t.go:6:0: warning: U.B: the marker +UnionMember is not known")]
#[case::declarative(
    "+k8s:unionMembers",
    "the marker +k8s:unionMembers is not known, and has no effect: did you mean +k8s:unionMember?"
)]
#[case::right("+unionMember=B", "")]
#[case::of_another_tool("+kubebuilder:default=1", "")]
#[case::another_tag("+k8s:immutable", "")]
fn union_check_warns_of_misspelt_markers(#[case] marker: &str, #[case] expected: &str) {
    let text = format!(
        "type U struct {{\n\t// +unionDiscriminator\n\t// +required\n\tType T `json:\"type\"`\n\t// +optional\n\t// \
         {marker}\n\tB *int `json:\"b,omitempty\"`\n\t// +unionMember=A\n\t// +optional\n\tA *int \
         `json:\"a,omitempty\"`\n}}\n// +enum\ntype T string\nconst (\n\tA T = \"A\"\n\tB T = \"B\"\n)\n"
    );
    let folder = folder_with(&[("t.go", &text)]);
    let (_, _, error) = run_in(&folder, "union check t.go", "");
    let expected = expected.replace("6:0", "6");
    assert!(error.contains(&*expected) && error.is_empty() == expected.is_empty(), "{error}");
}

/// A default is never used if the field is always written. The names of members should be those of their fields.
#[test]
fn union_check_checks_defaults_and_names() {
    let text = |field: &str| {
        format!(
            "// +enum\ntype T string\nconst (\n\tA T = \"A\"\n\tB T = \"B\"\n)\ntype U struct {{\n\t// \
             +unionDiscriminator\n{field}\n\t// +unionMember=B\n\t// +optional\n\tA *int `json:\"a,omitempty\"`\n\t// \
             +unionMember=A\n\t// +optional\n\tB *int `json:\"b,omitempty\"`\n}}\n"
        )
    };
    let folder = folder_with(&[
        ("required.go", &text("\t// +default=\"A\"\n\t// +required\n\tType T `json:\"type\"`")),
        ("optional.go", &text("\t// +default=\"A\"\n\t// +optional\n\tType T `json:\"type,omitempty\"`")),
    ]);
    let (code, _, error) = run_in(&folder, "union check required.go", "");
    assert!(code == 2 && error.contains("[default-not-optional]"), "{error}");
    let (code, out, error) = run_in(&folder, "union check optional.go", "");
    let warning = "optional.go:12: warning: U.A: the member name \"B\" should be the JSON name \"a\" of its field, apart from \
                   the case, and is that of another field";
    assert!(code == 0 && out.contains("all valid") && error.contains(warning), "{error}");
}
