//! Commands that admit a custom resource as its definition says, or that behave as an old release does.

use rstest::rstest;
use tempfile::TempDir;

use crate::helpers::{folder_with, skewer_with_input, split_output};

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: apps.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: App, plural: apps, singular: app, listKind: AppList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              mode: {type: string, enum: [x, w], default: w}
              num: {type: integer, default: 3}
          status:
            type: object
            properties:
              phase: {type: string, enum: [x, w]}
";

/// A definition of `v1beta1` in its short form, with one version.
const OLD_DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: apps.example.com}
spec:
  group: example.com
  scope: Namespaced
  version: v1
  names: {kind: App, plural: apps}
  preserveUnknownFields: false
  validation:
    openAPIV3Schema:
      type: object
      properties:
        spec: {type: object, properties: {mode: {type: string, maxLength: 2}}}
";

const TYPES: &str = "\
package v1
type App struct {
\tAPIVersion string   `json:\"apiVersion\"`
\tKind       string   `json:\"kind\"`
\tMetadata   Metadata `json:\"metadata\"`
\tSpec       Spec     `json:\"spec\"`
}
type Metadata struct {
\tName string `json:\"name\"`
}
type Spec struct {
\tMode string `json:\"mode,omitempty\"`
}
";

const HEAD: &str = "apiVersion: example.com/v1\nkind: App\nmetadata: {name: a}\n";

fn folder() -> TempDir {
    folder_with(&[
        ("crd.yaml", DEFINITION),
        ("unserved.yaml", &DEFINITION.replace(
            "  - name: v1\n    served: true\n    storage: true\n",
            "  - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n  - name: v1\n    \
             served: false\n    storage: false\n",
        )),
        ("rule.yaml", &DEFINITION.replace(
            "              mode: {type: string,",
            "              mode: {x-kubernetes-validations: [{rule: '!isIP(self)'}], type: string,",
        )),
        ("not-simulated.yaml", &DEFINITION.replace(
            "              mode: {type: string,",
            "              mode: {x-kubernetes-validations: [{rule: '[].all(x, x == x)'}], type: string,",
        )),
        ("old.yaml", OLD_DEFINITION),
        ("keeps.yaml", &OLD_DEFINITION.replace("preserveUnknownFields: false", "preserveUnknownFields: true")),
        ("types.go", TYPES),
        ("app.yaml", &format!("{HEAD}spec: {{mode: x}}\n")),
        ("other-version.yaml", &format!("{HEAD}spec: {{mode: x}}\n").replace("/v1", "/v2")),
        ("list.yaml", &HEAD.replace("name: a", "name: [a]")),
        ("status.json", r#"{"status": {"phase": "x"}}"#),
        ("number.json", r#"{"spec": {"containers": [{"name": "c", "image": 5}]}}"#),
        ("misspelt.json", r#"{"spec": {"container": 1}}"#),
        ("bad.yaml", &format!("{HEAD}spec: {{mode: zzz}}\n")),
        ("status.yaml", &format!("{HEAD}spec: {{mode: x}}\nstatus: {{phase: x}}\n")),
        ("unknown.yaml", &format!("{HEAD}spec: {{mode: x, other: 1}}\n")),
        ("bad-live.yaml", &format!("{HEAD}spec: {{mode: x}}\nstatus: {{phase: zzz}}\n")),
        ("patch.json", r#"{"spec": {"mode": "qqq", "unknown": 1}}"#),
        ("good.json", r#"{"spec": {"num": 4, "unknown": 1}}"#),
        ("operations.json", r#"[{"op": "replace", "path": "/spec/mode", "value": "qqq"}]"#),
        ("pod.yaml", "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: c, args: [a]}]}\n"),
        ("nulls.json", r#"{"spec":{"containers":[{"name":"c","args":["x",null,"z"]}]}}"#),
        ("last.json", r#"[{"op":"replace","path":"/spec/containers/-1/name","value":"d"}]"#),
        ("whole.json", r#"[{"op":"replace","path":"","value":{"apiVersion":"v1","kind":"Pod"}}]"#),
    ])
}

fn run(arguments: &str) -> (i32, String, String) {
    let folder = folder();
    let (code, out, err) = split_output(&skewer_with_input(folder.path(), arguments, ""));
    (code.unwrap(), out, err)
}

/// The expectations are those of a server: defaults are set, unknown fields are pruned, and the status is not written.
#[rstest]
#[case::defaults("apply --manager m --config app.yaml", "spec:\n  mode: x\n  num: 3\n")]
#[case::pruning("apply --manager m --update unknown.yaml", "spec:\n  mode: x\n  num: 3\n")]
#[case::status("apply --manager m --update status.yaml", "spec:\n  mode: x\n  num: 3\n")]
#[case::status_request(
    "apply --manager m --subresource status --live app.yaml --update status.yaml",
    "spec:\n  mode: x\n  num: 3\nstatus:\n  phase: x\n"
)]
#[case::patch(
    "patch apply --original app.yaml --patch good.json --type merge",
    "spec:\n  mode: x\n  num: 4\n"
)]
#[case::turned_off(
    "patch apply --original app.yaml --patch patch.json --type merge --no-admission",
    "spec:\n  mode: qqq\n  unknown: 1\n"
)]
#[case::apply_without_admission("apply --manager m --config bad.yaml --no-admission", "spec:\n  mode: zzz\n")]
fn a_custom_resource_is_stored_as_by_a_server(#[case] arguments: &str, #[case] expected: &str) {
    let (code, out, err) = run(&format!("{arguments} --schema crd.yaml"));
    let object = format!("apiVersion: example.com/v1\nkind: App\nmetadata:\n  name: a\n{expected}");
    assert_eq!((code, out.split("# ").next().unwrap()), (0, &*object), "{err}");
}

/// Each error is in the document that has it.
#[rstest]
#[case::apply("apply --manager m --config bad.yaml", "bad.yaml:4:14: refused (unknown-enum-value)")]
#[case::update(
    "apply --manager m --live app.yaml --update bad.yaml",
    "bad.yaml:4:14: refused (unknown-enum-value)"
)]
#[case::patch(
    "patch apply --original app.yaml --patch patch.json --type merge",
    "patch.json:1:19: refused (unknown-enum-value)"
)]
#[case::json_patch(
    "patch apply --original app.yaml --patch operations.json --type json",
    "operations.json:1:51: refused (unknown-enum-value)"
)]
#[case::subresource_that_is_off(
    "apply --manager m --live app.yaml --config app.yaml --subresource scale",
    "note: requests to the subresource scale are not admitted by the definition"
)]
fn what_a_server_refuses_is_refused_at_its_place(#[case] arguments: &str, #[case] expected: &str) {
    let (code, _, err) = run(&format!("{arguments} --schema crd.yaml"));
    assert!(err.contains(expected) && (code == 1) != err.contains("note:"), "{code} {err}");
}

/// A note beside the result says which part a command leaves out, or how a server treats the result.
#[rstest]
#[case::update_of_a_go_type(
    "apply --manager m --update unknown.yaml --schema types.go#App",
    0,
    "note: unknown.yaml: a server drops spec.other, which the type lacks"
)]
#[case::status(
    "patch apply --original app.yaml --patch status.json --type merge --schema crd.yaml",
    0,
    "note: status.json: a server ignores status in this request, so that it is not stored"
)]
#[case::value_of_a_built_in_kind(
    "patch apply --original pod.yaml --patch number.json",
    0,
    "note: the patched object: a server refuses spec.containers[0].image, which does not fit its type"
)]
#[case::field_of_a_built_in_kind(
    "patch apply --original pod.yaml --patch misspelt.json",
    0,
    "note: the patched object: a server drops spec.container, which the type lacks"
)]
#[case::missing_object(
    "apply --manager m --config app.yaml --subresource status --schema crd.yaml",
    1,
    "app.yaml: refused (not-found): a request to a subresource does not create the object"
)]
#[case::other_version(
    "apply --manager m --config other-version.yaml --schema crd.yaml#example.com/v1/App",
    2,
    "other-version.yaml: the object is of example.com/v2/App, and --schema names example.com/v1/App"
)]
#[case::unknown_release(
    "apply --manager m --config app.yaml --schema crd.yaml --profile kubernetes-1.99",
    2,
    "unknown release kubernetes-1.99: the newest one that Skewer knows is kubernetes-1.37"
)]
#[case::not_simulated(
    "union validate --new app.yaml --schema not-simulated.yaml",
    0,
    "note: not-simulated.yaml:20: properties.spec.properties.mode.x-kubernetes-validations[0]: "
)]
#[case::old_object(
    "union validate --new app.yaml --old list.yaml --schema crd.yaml",
    1,
    "list.yaml:3:12: refused (undecodable)"
)]
#[case::short_form_of_v1beta1(
    "apply --manager m --update bad.yaml --schema old.yaml",
    1,
    "bad.yaml:4:14: refused (invalid-value)"
)]
fn what_is_left_out_is_said(#[case] arguments: &str, #[case] exit: i32, #[case] message: &str) {
    let (code, _, err) = run(arguments);
    assert!(code == exit && err.contains(message), "{code} {err}");
}

/// Upstream: `ToSchemaFromOpenAPI`, which has an argument for `preserveUnknownFields`.
#[test]
fn fields_that_a_definition_keeps_have_owners() {
    let (code, out, err) = run("apply --manager m --update unknown.yaml --schema keeps.yaml");
    assert!(code == 0 && out.contains("#   .spec.other\n"), "{out}{err}");
}

#[test]
fn a_version_that_is_not_served_is_not_found() {
    let (code, _, err) = run("apply --manager m --config app.yaml --schema unserved.yaml");
    assert!(
        code == 1 && err.contains("refused (not-found): a server does not serve the version v1"),
        "{err}"
    );
}

/// `isIP` came with 1.30, whose servers keep it from new rules.
#[rstest]
#[case::apply("apply --manager m --config app.yaml")]
#[case::patch("patch apply --original app.yaml --patch good.json --type merge")]
#[case::union("union validate --new app.yaml")]
fn a_definition_with_a_rule_of_later_releases_is_refused(#[case] arguments: &str) {
    let with_profile = |release: &str| run(&format!("{arguments} --schema rule.yaml --profile {release}"));
    let (code, _, err) = with_profile("kubernetes-1.30");
    let message = "rule.yaml:20:49: refused (invalid-schema): a server of 1.30 refuses the definition: undeclared reference \
                   to 'isIP' (in container ''): new rules can use it from 1.31";
    assert!(code == 1 && err.starts_with(message), "{code} {err}");
    assert_eq!(with_profile("kubernetes-1.31").0, 0);
}

/// `json-patch` 4.9 removes nulls from lists (up to 1.21). 4.9 and 4.11 cannot read an item by a negative index, and cannot
/// replace the whole document (up to 1.22).
#[rstest]
#[case::nulls_are_removed("merge", "nulls.json", "1.21", Some("- x\n    - z"))]
#[case::nulls_are_kept("merge", "nulls.json", "1.22", Some("- x\n    - null\n    - z"))]
#[case::negative_index_is_refused("json", "last.json", "1.22", None)]
#[case::negative_index_counts_from_the_end("json", "last.json", "1.23", Some("name: d"))]
#[case::whole_document_is_refused("json", "whole.json", "1.22", None)]
#[case::whole_document_is_replaced("json", "whole.json", "1.23", Some("kind: Pod\n"))]
fn a_profile_applies_patches_of_all_types_as_its_release(
    #[case] patch_type: &str,
    #[case] patch: &str,
    #[case] release: &str,
    #[case] expected: Option<&str>,
) {
    let arguments = format!("patch apply --original pod.yaml --patch {patch} --type {patch_type}");
    let (code, out, err) = run(&format!("{arguments} --profile kubernetes-{release}"));
    if let Some(expected) = expected {
        assert!(code == 0 && out.contains(expected), "{out}{err}");
    } else {
        let place = format!("{patch}:1:2: refused (json-patch-failed): replace");
        assert!(code == 1 && err.contains(&place) && err.contains("too old"), "{out}{err}");
    }
}
