//! `skewer apply`: its output and exit codes. `skewer show` of cells with managed fields.

use rstest::rstest;
use tempfile::TempDir;

use crate::helpers::{folder_with, skewer_with_input, split_output};

const LIVE: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  managedFields:
  - {manager: helm, operation: Apply, apiVersion: apps/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:replicas": {}}}}
  - {manager: hpa, operation: Update, apiVersion: apps/v1, subresource: scale, fieldsType: FieldsV1,
     fieldsV1: {"f:spec": {"f:replicas": {}}}}
  - {manager: editor, operation: Update, apiVersion: apps/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:paused": {}}}}
spec:
  replicas: 3
  paused: true
"#;

const CONFIG: &str = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 5}}";

const PORTS: &str = "\
apiVersion: v1
kind: Service
spec: {ports: [{port: 443}, {port: 80}]}
";

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
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: integer}}}}}}
    - name: v2
      served: true
      storage: false
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: integer}}}}}}
";

/// The hints after the lines of a conflict that kubectl prints, too.
const HINTS: &str = "Other managers own these fields. There are three ways to resolve the conflict:\n* ";

fn folder() -> TempDir {
    folder_with(&[
        ("live.yaml", LIVE),
        ("config.yaml", CONFIG),
        ("paused.yaml", &CONFIG.replace("replicas: 5", "paused: false")),
        ("typo.yaml", &CONFIG.replace("replicas", "replica")),
        ("bad-live.yaml", &LIVE.replace("  replicas: 3", "  replica: 3")),
        ("bad-fields.yaml", &LIVE.replace(r#""f:paused""#, r#""paused""#)),
        (
            "old-version.yaml",
            &LIVE.replace("apiVersion: apps/v1, fields", "apiVersion: apps/v1beta1, fields"),
        ),
        ("no-version.yaml", &CONFIG.replace("apiVersion: apps/v1, ", "")),
        ("pod.yaml", "{apiVersion: v1, kind: Pod}"),
        ("ports.yaml", PORTS),
        ("crd.yaml", RESOURCE),
        ("tab1.yaml", "{apiVersion: example.com/v1, kind: Tab, spec: {a: 1}}"),
        ("tab2.yaml", "{apiVersion: example.com/v2, kind: Tab, spec: {a: 2}}"),
        ("list.yaml", "[1]"),
        ("scaler.yaml", "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {metrics: []}}"),
        (
            "scaler1.yaml",
            "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, spec: {maxReplicas: 3}}",
        ),
    ])
}

/// Runs the program in a folder, and returns the exit code, standard output and standard error.
fn run_in(folder: &TempDir, arguments: &str, input: &str) -> (i32, String, String) {
    let (code, out, err) = split_output(&skewer_with_input(folder.path(), arguments, input));
    (code.unwrap(), out, err)
}

fn apply(arguments: &str, input: &str) -> (i32, String, String) {
    run_in(&folder(), &format!("apply --manager me {arguments}"), input)
}

const OBJECT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n";

#[rstest]
#[case::created(
    "--config config.yaml",
    "",
    "  replicas: 5\n# owners:\n# me (Apply, apps/v1)\n#   .spec.replicas\n"
)]
#[case::forced(
    "--live live.yaml --config - --force",
    CONFIG,
    "  paused: true\n  replicas: 5\n# owners:\n# me (Apply, apps/v1)\n#   .spec.replicas\n# editor (Update, \
     apps/v1)\n#   .spec.paused\n"
)]
#[case::updated(
    "--live live.yaml --update config.yaml",
    "",
    "  replicas: 5\n# owners:\n# me (Update, apps/v1)\n#   .spec.replicas\n"
)]
#[case::updated_without_owners(
    "--live paused.yaml --update config.yaml",
    "",
    "  replicas: 5\n# no field has an owner\n"
)]
fn the_object_is_printed_with_its_owners(
    #[case] arguments: &str,
    #[case] input: &str,
    #[case] expected: &str,
) {
    let (code, out, err) = apply(arguments, input);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out, format!("{OBJECT}{expected}"));
}

/// `deploymentStatusStrategy` restores the spec and the labels, and `deploymentStrategy` the status.
#[rstest]
#[case::to_the_main_resource(
    "--config all.yaml --force",
    "replicas: 7|a: b|observedGeneration: 2",
    "replicas: 4"
)]
#[case::to_the_status(
    "--config all.yaml --force --subresource status",
    "replicas: 1|a: a|replicas: 4|observedGeneration: 2",
    "replicas: 7"
)]
#[case::update_of_the_status(
    "--update all.yaml --subresource status",
    "replicas: 1|a: a|replicas: 4|image: i",
    "replicas: 7"
)]
fn a_built_in_kind_keeps_what_a_request_cannot_change(
    #[case] arguments: &str,
    #[case] expected: &str,
    #[case] unexpected: &str,
) {
    let head = "apiVersion: apps/v1\nkind: Deployment\n";
    let live = "metadata: {name: d, labels: {a: a}}\nspec: {replicas: 1, template: {spec: {containers: [{name: c, image: \
                i}]}}}\nstatus: {observedGeneration: 2}\n";
    let all = "metadata: {name: d, labels: {a: b}}\nspec: {replicas: 7}\nstatus: {replicas: 4}\n";
    let folder =
        folder_with(&[("live.yaml", &format!("{head}{live}")), ("all.yaml", &format!("{head}{all}"))]);
    let (code, out, err) = run_in(&folder, &format!("apply --manager me --live live.yaml {arguments}"), "");
    assert_eq!((code, out.contains(unexpected)), (0, false), "{out}{err}");
    assert!(expected.split('|').all(|part| out.contains(part)), "{out}{err}");
    assert!(err.contains("note: all.yaml: a server ignores "), "{err}");
}

#[test]
fn a_subresource_that_is_not_simulated_is_noted() {
    let (code, out, err) = apply("--live - --config config.yaml --force --subresource scale", LIVE);
    assert!(err.starts_with("note: requests to the subresource scale are not simulated: "), "{err}");
    assert!(code == 0 && out.contains("# me (Apply, apps/v1, subresource scale)\n"), "{out}");
}

#[test]
fn a_kind_without_status_has_no_such_subresource() {
    let folder = folder_with(&[("map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: d}}")]);
    let request = "apply --manager me --live map.yaml --config map.yaml --subresource status";
    let (code, out, err) = run_in(&folder, request, "");
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.starts_with("refused (not-found): the kind has no subresource status"), "{err}");
}

/// Upstream: `FieldManager.UpdateNoErrors`, and servers of 1.36.
#[rstest]
#[case::version_that_the_definition_lacks(
    "--schema crd.yaml --live gone.yaml --update tab1.yaml",
    "gone.yaml: request to convert CR to an invalid group/version: example.com/v0"
)]
#[case::field_that_another_version_lacks(
    "--schema crd.yaml --live tab.yaml --update only2.yaml",
    "only2.yaml: spec.b: field not declared in schema"
)]
#[case::repeated_items(
    "--live pod.yaml --update pod.yaml",
    "pod.yaml: spec.containers[0].env[1]: duplicate entries"
)]
fn an_update_whose_owners_cannot_be_computed_is_accepted(#[case] arguments: &str, #[case] expected: &str) {
    let tab = |version: &str, of_owner: &str, spec: &str| {
        format!(
            "apiVersion: example.com/{version}\nkind: Tab\nmetadata: {{managedFields: [{{manager: b, operation: Apply, \
             apiVersion: example.com/{of_owner}, fieldsType: FieldsV1, fieldsV1: {{'f:spec': {{'f:a': {{}}}}}}}}]}}\nspec: \
             {spec}\n"
        )
    };
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {managedFields: [{manager: b, operation: Apply, apiVersion: v1, fieldsType: \
               FieldsV1, fieldsV1: {'f:spec': {'f:hostname': {}}}}]}\nspec: {hostname: h, containers: [{name: c, env: [{name: \
               A}, {name: A}]}]}\n";
    let (before, last) = RESOURCE.rsplit_once("{a: {type: integer}").unwrap();
    let folder = folder_with(&[
        ("crd.yaml", &format!("{before}{{a: {{type: integer}}, b: {{type: string}}{last}")),
        ("gone.yaml", &tab("v1", "v0", "{a: 1}")),
        ("tab.yaml", &tab("v1", "v1", "{a: 1}")),
        ("tab1.yaml", "{apiVersion: example.com/v1, kind: Tab, spec: {a: 2}}"),
        ("only2.yaml", "{apiVersion: example.com/v2, kind: Tab, spec: {a: 1, b: x}}"),
        ("pod.yaml", pod),
    ]);
    let update = |minor: u32| {
        run_in(&folder, &format!("apply --manager me {arguments} --profile kubernetes-1.{minor}"), "")
    };
    let (code, out, err) = update(28);
    assert!(
        err.contains(expected) && err.contains(": a server accepts the update, and removes all owners;"),
        "{err}"
    );
    assert!(code == 0 && out.ends_with("# no field has an owner\n"), "{code} {out}");
    // Since 1.29, repeated items have owners.
    if !arguments.contains("pod.yaml") {
        let (code, out, err) = update(37);
        assert!(err.contains("accepts the update, and keeps the owners as they are;"), "{err}");
        assert!(code == 0 && out.contains("# owners:\n# b (Apply, example.com/"), "{code} {out}");
    }
}

#[test]
fn json_output_has_the_object_and_the_owners() {
    let (code, out, err) = apply("--config config.yaml -o json", "");
    assert_eq!(code, 0, "{err}");
    let expected = serde_json::json!({
        "object": {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 5},
        },
        "owners": [
            {"manager": "me", "operation": "Apply", "api_version": "apps/v1", "fields": [".spec.replicas"]},
        ],
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap(), expected);
}

/// Port 80 comes before port 443 in a field set, but after it in the alphabet.
#[rstest]
#[case::yaml("yaml", "    fieldsV1: {")]
#[case::json("json", "        \"fieldsV1\": {")]
fn raw_output_keeps_the_order_of_field_sets(#[case] format: &str, #[case] start: &str) {
    let folder = folder();
    let arguments = format!("apply --manager me --config ports.yaml --raw -o {format}");
    let (code, out, err) = run_in(&folder, &arguments, "");
    assert_eq!(code, 0, "{err}");
    let fields = r#""f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}},"k:{\"port\":443,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}"#;
    assert!(out.contains(&format!("{start}{fields}")), "{out}");
    // The output is a live object of the next request.
    let (code, out, err) = run_in(&folder, "apply --manager other --config ports.yaml --live -", &out);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("# me (Apply, v1)\n#   .spec.ports[port=80,protocol=\"TCP\"]\n"), "{out}");
}

/// A server reads and writes a built-in kind as its Go type. An empty text is not stored, so that the next applier adds it, which is
/// a conflict.
#[test]
fn an_empty_text_of_a_built_in_kind_is_not_stored() {
    let folder = folder_with(&[(
        "pod.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, env: [{name: E, value: ''}]}]}\n",
    )]);
    let (code, stored, err) = run_in(&folder, "apply --manager a --config pod.yaml --raw", "");
    assert_eq!(
        (code, stored.contains("- name: E\n") && !stored.contains("value:")),
        (0, true),
        "{stored}{err}"
    );
    let again = "apply --manager b --config pod.yaml --live -";
    let (code, _, err) = run_in(&folder, again, &stored);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains(r#"conflict with "a": .spec.containers[name="c"].env[name="E"].value"#), "{err}");
    let merged = run_in(&folder, "apply --manager a --config pod.yaml --no-admission", "").1;
    assert!(merged.contains("value: ''"), "{merged}");
}

/// Servers up to 1.28 refuse an apply to an object with repeated items, whoever owns them.
#[test]
fn a_profile_applies_as_the_field_manager_of_its_release() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n";
    let folder = folder_with(&[
        ("pod.yaml", &format!("{pod}spec: {{containers: [{{name: c, env: [{{name: E}}, {{name: E}}]}}]}}\n")),
        ("config.yaml", &format!("{pod}spec: {{hostname: h}}\n")),
    ]);
    let apply = |profile: &str| {
        let arguments = format!("apply --manager a --live pod.yaml --config config.yaml --profile {profile}");
        run_in(&folder, &arguments, "")
    };
    let (code, out, err) = apply("kubernetes-1.29");
    assert_eq!((code, out.contains("hostname: h")), (0, true), "{err}");
    let (code, _, err) = apply("kubernetes-1.28");
    assert!(code == 1 && err.contains("refused (duplicate-list-item)"), "{err}");
}

#[test]
fn a_field_of_the_live_object_that_a_server_drops_is_noted() {
    let (code, out, err) = apply("--live bad-live.yaml --config config.yaml --force", "");
    assert_eq!((code, out.contains("replica:")), (0, false), "{err}");
    assert!(
        err.starts_with("note: bad-live.yaml: a server drops spec.replica, which the type lacks\n"),
        "{err}"
    );
}

/// The first lines are those of `kubectl apply --server-side`.
#[rstest]
#[case::one(
    "--live live.yaml --config paused.yaml",
    "error: Apply failed with 1 conflict: conflict with \"editor\" using apps/v1: .spec.paused\n"
)]
#[case::several(
    "--live live.yaml --config config.yaml",
    "error: Apply failed with 2 conflicts: conflicts with \"helm\":\n- .spec.replicas\n\
     conflicts with \"hpa\" with subresource \"scale\" using apps/v1:\n- .spec.replicas\n"
)]
fn a_conflict_is_printed_as_kubectl_prints_it(#[case] arguments: &str, #[case] expected: &str) {
    let (code, out, err) = apply(arguments, "");
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.starts_with(&format!("{expected}{HINTS}")), "{err}");
}

#[rstest]
#[case::undeclared_field(
    "--config typo.yaml",
    "typo.yaml:1:80: refused (field-not-declared): field not declared in schema\n"
)]
#[case::undeclared_field_of_the_live_object(
    "--live bad-live.yaml --config config.yaml --no-admission",
    "bad-live.yaml:11:12: refused (field-not-declared): field not declared in schema\n"
)]
#[case::unreadable_managed_fields(
    "--live bad-fields.yaml --config config.yaml",
    "bad-fields.yaml:9:85: refused (invalid-managed-fields): the key \"paused\" is no path element"
)]
#[case::managed_fields_in_a_configuration(
    "--config live.yaml",
    "live.yaml:5:3: refused (invalid-managed-fields): "
)]
#[case::another_kind("--live live.yaml --config pod.yaml", "pod.yaml: refused (wrong-api-version): ")]
#[case::no_object(
    "--live list.yaml --config config.yaml",
    "list.yaml: refused (invalid-document): expected an object, found a list\n"
)]
fn a_refused_request_exits_with_1_and_names_the_document(#[case] arguments: &str, #[case] expected: &str) {
    let (code, out, err) = apply(arguments, "");
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.starts_with(expected), "{err}");
}

#[rstest]
#[case::no_file("--live nope --config config.yaml", "cannot read nope: ")]
#[case::no_version(
    "--config no-version.yaml",
    "no-version.yaml has no apiVersion and kind, which every request must have\n"
)]
#[case::no_version_of_a_named_type(
    "--config no-version.yaml --schema #apps/v1/Deployment",
    "no-version.yaml has no apiVersion and kind, which every request must have\n"
)]
#[case::unknown_kind(
    "--config tab1.yaml",
    "tab1.yaml: kubernetes-1.37 has no type example.com/v1/Tab\nhelp: read the type from a file (--schema FILE#TYPE), or \
     apply without types (--untyped)\n"
)]
#[case::live_object_of_another_version(
    "--live scaler.yaml --config scaler1.yaml",
    "scaler.yaml: the object is of autoscaling/v2, and the request of autoscaling/v1: the conversion of built-in kinds is not \
     simulated\nhelp: read the live object in the version of the request: kubectl get \
     horizontalpodautoscaler.v1.autoscaling NAME "
)]
#[case::no_request(
    "--live live.yaml",
    "error: the following required arguments were not provided:\n  <--config"
)]
#[case::two_requests(
    "--config config.yaml --update config.yaml",
    "error: the argument '--config <FILE>' cannot be used"
)]
#[case::forced_update("--update config.yaml --force", "error: the argument '--update <FILE>' cannot be used")]
#[case::both_from_standard_input("--live - --config -", "only one document can come from standard input (-)")]
fn an_impossible_request_exits_with_2(#[case] arguments: &str, #[case] expected: &str) {
    let (code, out, err) = apply(arguments, "");
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.starts_with(expected), "{err}");
}

#[test]
fn a_custom_resource_is_applied_without_types() {
    let (code, out, err) = apply("--config tab1.yaml --untyped", "");
    assert_eq!(code, 0, "{err}");
    assert!(
        out.ends_with("spec:\n  a: 1\n# owners:\n# me (Apply, example.com/v1)\n#   .spec\n#   .spec.a\n"),
        "{out}"
    );
}

#[test]
fn owners_in_another_version_of_a_custom_resource_are_converted() {
    let folder = folder();
    let create = "apply --manager one --config tab1.yaml --schema crd.yaml --raw";
    let (_, live, _) = run_in(&folder, create, "");
    let request = "apply --manager me --config tab2.yaml --live - --schema crd.yaml#v2";
    let (code, _, err) = run_in(&folder, request, &live);
    assert_eq!(code, 1, "{err}");
    assert!(
        err.starts_with("error: Apply failed with 1 conflict: conflict with \"one\": .spec.a\n"),
        "{err}"
    );
}

/// `Convert_v1_HorizontalPodAutoscalerSpec_To_autoscaling_HorizontalPodAutoscalerSpec` keeps the number.
#[test]
fn owners_in_another_version_of_a_built_in_kind_are_compared_by_paths() {
    let head = |version: &str| format!("apiVersion: autoscaling/{version}\nkind: HorizontalPodAutoscaler\n");
    let folder = folder_with(&[
        ("v2.yaml", &format!("{}spec: {{maxReplicas: 5}}\n", head("v2"))),
        ("v1.yaml", &format!("{}spec: {{maxReplicas: 6}}\n", head("v1"))),
    ]);
    let (_, live, _) = run_in(&folder, "apply --manager one --config v2.yaml --raw", "");
    let live = live.replacen("autoscaling/v2", "autoscaling/v1", 1);
    let (code, _, err) = run_in(&folder, "apply --manager me --config v1.yaml --live -", &live);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("conflict with \"one\": .spec.maxReplicas\n"), "{err}");
}

#[test]
fn owners_in_an_unknown_version_cause_a_note() {
    let (code, _, err) = apply("--config paused.yaml --force --live old-version.yaml", "");
    let note = |owner: &str| {
        format!(
            "note: old-version.yaml: {owner} loses its fields, because the resource has no version apps/v1beta1\n"
        )
    };
    let expected = note("helm (Apply, apps/v1beta1)") + &note("editor (Update, apps/v1beta1)");
    assert_eq!((code, err), (0, expected));
}

const HISTORY: &str = r"suite: history
about: Requests of several clients.
schema:
  go: |
    type Object struct {
      A *int `json:'a,omitempty'`
      B *int `json:'b,omitempty'`
    }
  root: Object
cases:
  - id: conflict
    client: {manager: helm}
    history:
      - {client: {manager: controller}, request: create, document: {a: 1, b: 1}}
    meanwhile:
      - {client: {manager: hpa, force: true}, request: server-side-apply, document: {b: 5}}
    request: server-side-apply
    configuration: {a: 2, b: 3}
    expect:
      - outcome: refused
        error: conflict
        conflicts: [{manager: controller, path: .a}, {manager: hpa, path: .b}]
";

fn show(arguments: &str) -> String {
    let folder = folder_with(&[("history.yaml", &HISTORY.replace('\'', "\""))]);
    let (code, out, err) = run_in(&folder, &format!("show history/conflict --corpus . {arguments}"), "");
    assert_eq!(code, 0, "{out}{err}");
    out
}

#[test]
fn show_lists_owners_below_documents_and_the_conflicts_at_the_end() {
    let text = show("");
    for part in [
        "── earlier: the stored object after request 1 of 1: create by \"controller\"\n   a: 1\n   b: 1\n   \
         owners:\n     controller (Update, v1)\n       .a\n       .b\n",
        "── meanwhile: the stored object after request 1 of 1: server-side-apply by \"hpa\", with force\n   a: 1\n   \
         b: 5\n   owners:\n     hpa (Apply, v1)\n       .b\n     controller (Update, v1)\n       .a\n",
        "── ideal: final state with up-to-date parties; the client sends the same apply, with force: the case has a \
         configuration and no intent, so that the ideal is the request itself\n   a: 2\n   b: 3\n   owners:\n     helm (Apply, v1)\n       .a\n       .b\n",
        "write it as the intent of the case, for example {set: {\"a\":2,\"b\":3}}",
        "  conflicts with:\n    controller (Update, v1)\n      .a\n    hpa (Apply)\n      .b\n  expected:",
    ] {
        assert!(text.contains(part), "{part}\n\n{text}");
    }
    assert!(!text.contains("managedFields"), "{text}");
}

#[test]
fn show_prints_raw_managed_fields_on_request() {
    let text = show("--raw");
    let raw = "       fieldsV1: '{\"f:a\":{},\"f:b\":{}}'\n       manager: controller\n";
    assert!(text.contains(raw), "{text}");
    let (steps, _) = text.split_once("── ideal").unwrap();
    assert!(!steps.contains("owners:"), "{text}");
}
