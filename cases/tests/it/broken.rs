//! The messages for suites with errors. Each message has a position and advice.

use rstest::rstest;
use skewer_cases::Corpus;

use crate::support;

const SUITE: &str = r#"suite: demo/ports
about: Ports merge by their key.
source: {document: patch-merge-key, section: Goal}
level: required
schema:
  go: |
    type Service struct {
      Ports []Port `json:"ports" patchStrategy:"merge" patchMergeKey:"port"`
    }
    type Port struct {
      Port int `json:"port"`
      Protocol string `json:"protocol,omitempty"`
    }
  root: Service
cases:
  - id: add
    live: {ports: [{port: 53, protocol: TCP}]}
    axes: {server: {old: {}, new: {}}}
    patch: {ports: [{port: 80}]}
    expect:
      - result: {ports: [{port: 80}, {port: 53, protocol: TCP}]}
"#;

fn load(text: &str) -> Result<Corpus, String> {
    support::load("demo/ports.yaml", "s.yaml", text)
}

#[test]
fn the_suite_without_errors_loads() {
    let corpus = load(SUITE).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(corpus.cells().count(), 2);
}

/// A newer version can have keys that are unknown here. The version is the only error then.
#[test]
fn a_suite_of_another_version_of_the_format_is_refused() {
    let with = |version: &str| SUITE.replacen("level:", &format!("format-version: {version}\nlevels:"), 1);
    let expected = "s.yaml:4:17: the file has version 2 of the case format, expected 1\n";
    let newer = load(&with("2")).unwrap_err();
    assert!(newer.starts_with(expected) && newer.contains("help: use a newer version of Skewer"), "{newer}");
    assert!(!newer.contains("levels"), "{newer}");
    let zero = load(&with("0")).unwrap_err();
    assert!(zero.contains("the file has version 0 of the case format, expected 1"), "{zero}");
    assert!(!zero.contains("help:"), "{zero}");
    let current = load(&with("1").replace("levels:", "level:"));
    assert_eq!(current.unwrap_or_else(|error| panic!("{error}")).cells().count(), 2);
}

#[rstest]
#[case::misspelt_key("live:", "life:", "s.yaml:17:5: unknown key `life`: did you mean `live`?")]
#[case::key_left_out(
    "    live: {ports: [{port: 53, protocol: TCP}]}\n",
    "",
    "s.yaml:16:9: the case `add` has no `live`"
)]
#[case::indentation("    patch:", "   patch:", "s.yaml:19:4: not valid YAML")]
#[case::tab("    patch:", "\tpatch:", "not valid YAML")]
#[case::tab_below_a_text(
    "    live: {ports: [{port: 53, protocol: TCP}]}\n",
    "\tlive: {}\n",
    "= help: indent with spaces"
)]
#[case::colon_in_a_text(
    "result: {ports: [{port: 80}, {port: 53, protocol: TCP}]}",
    "because: the server: drops it",
    "= help: quote a text that contains a colon and a space"
)]
#[case::key_twice(
    "level: required\n",
    "level: required\nlevel: erratum\n",
    "s.yaml:5:1: the map has the key `level` twice"
)]
#[case::level(
    "level: required",
    "level: requird",
    "s.yaml:4:8: unknown value `requird`: did you mean `required`?"
)]
#[case::document("patch-merge-key", "merge-keys", "s.yaml:3:20: there is no document `merge-keys`")]
#[case::section(
    "section: Goal",
    "section: Goals",
    "s.yaml:3:46: there is no section of patch-merge-key `Goals`: did you mean `Goal`?"
)]
#[case::type_of_the_root(
    "root: Service",
    "root: Servise",
    "s.yaml:14:9: the schema has no type `Servise`: did you mean `Service`?"
)]
#[case::type_in_go(
    "[]Port",
    "[]Prt",
    "s.yaml:8:15: in the Go text: the type `Prt` is not declared: did you mean `Port`?"
)]
#[case::no_cases("cases:", "case:", "unknown key `case`: did you mean `cases`?")]
#[case::nothing_expected(
    "result: {ports: [{port: 80}, {port: 53, protocol: TCP}]}",
    "because: so",
    "s.yaml:21:9: the expectation expects nothing"
)]
#[case::outcome_of_a_patch(
    "result: {ports: [{port: 80}, {port: 53, protocol: TCP}]}",
    "outcome: lost",
    "s.yaml:21:9: `outcome` is for skew cases: expected a `result` or an `error`"
)]
#[case::kind_of_error(
    "result: {ports: [{port: 80}, {port: 53, protocol: TCP}]}",
    "error: conflct",
    "s.yaml:21:16: there is no kind of error `conflct`: did you mean `conflict`?"
)]
#[case::directive_that_is_refused(
    "result: {ports: [{port: 80}, {port: 53, protocol: TCP}]}",
    "{error: invalid-directive, directive: $pach}",
    "s.yaml:21:47: there is no directive `$pach`: did you mean `$patch`?"
)]
#[case::directive_of_another_error(
    "result: {ports: [{port: 80}, {port: 53, protocol: TCP}]}",
    "{error: conflict, directive: $patch}",
    "s.yaml:21:38: `directive` is for the error `invalid-directive`"
)]
#[case::not_total(
    "- result",
    "- when: {server: old}\n        result",
    "s.yaml:16:9: no expectation covers 1 cell of `add`: demo/ports/add[server=new]"
)]
#[case::value_of_an_axis("- result", "- when: {server: older}\n        result", "s.yaml:21:24: ")]
#[case::no_axis("- result", "- when: {servers: old}\n        result", "s.yaml:21:16: ")]
#[case::never_reached("    expect:\n", "    expect:\n      - {when: {}, error: conflict}\n", "s.yaml:22:9: ")]
#[case::not_the_name_of_its_file(
    "suite: demo/ports",
    "suite: demo/port",
    "s.yaml:1:8: the suite is named `demo/port`, but its file is named `demo/ports`"
)]
#[case::directive_that_a_party_lacks(
    "server: {old: {}",
    "server: {old: {without: [$retainKey]}",
    "s.yaml:18:37: there is no directive `$retainKey`: did you mean `$retainKeys`?"
)]
#[case::answer_beside_any_of(
    "result: {ports: [{port: 80}, {port: 53, protocol: TCP}]}",
    "{any-of: [{error: conflict}], error: conflict, at: ports}",
    "s.yaml:21:9: `any-of` stands alone: move `error`, `at` into its answers"
)]
#[case::result_and_error(
    "result: {ports: [{port: 80}, {port: 53, protocol: TCP}]}",
    "{error: conflict, result: {}}",
    "s.yaml:21:9: no cell can meet the expectation: it has a `result` and an `error`"
)]
#[case::result_with_a_pinned_error(
    "result: {ports: [{port: 80}, {port: 53, protocol: TCP}]}",
    "{result: {}, final-states: [{error: conflict}], because: so}",
    "s.yaml:21:9: no cell can meet the expectation: an object is stored, but a final state is an error"
)]
#[case::empty_reason(
    "result: {ports: [{port: 80}, {port: 53, protocol: TCP}]}",
    "{error: conflict, because: ''}",
    "s.yaml:21:9: the `because` of the expectation is empty"
)]
#[case::empty_subject(
    "about: Ports merge by their key.",
    "about: ''",
    "s.yaml:1:8: the `about` of the suite"
)]
#[case::request_of_another_operation(
    "    patch:",
    "    request: server-side-apply\n    patch:",
    "s.yaml:19:14: `server-side-apply` does not belong here: a case with `live` and `patch` has the request \
     `strategic-merge-patch`, `json-merge-patch` or `json-patch`"
)]
#[case::request_of_a_client(
    "    patch:",
    "    request: update\n    patch:",
    "s.yaml:19:14: `update` does not belong here"
)]
#[case::request_of_other_documents(
    "    live: {ports: [{port: 53, protocol: TCP}]}\n    axes: {server: {old: {}, new: {}}}\n    patch: {ports: [{port: 80}]}",
    "    request: json-patch\n    merge: [{}, {}]",
    "s.yaml:17:14: `json-patch` does not belong here: a case with `merge` has the request `strategic-merge-patch`"
)]
#[case::document_of_another_operation(
    "    patch:",
    "    original: {}\n    patch:",
    "s.yaml:19:5: `original` has no effect: a case that applies a patch has `live` and `patch`"
)]
#[case::live_object_of_two_documents(
    "    patch: {ports: [{port: 80}]}",
    "    original: {}\n    modified: {}",
    "s.yaml:17:5: `live` has no effect: a case that creates a patch from two documents has `original` and `modified`"
)]
#[case::several_things(
    "    patch:",
    "    modified: {}\n    patch:",
    "s.yaml:20:5: the case `add` does several things: `patch` does not go with `modified`"
)]
#[case::options_of_another_operation(
    "    patch:",
    "    three-way: {overwrite: true}\n    patch:",
    "s.yaml:19:5: `three-way` has no effect"
)]
#[case::webhook_of_a_patch(
    "    patch:",
    "    webhook: {intent: {remove: [ports]}}\n    patch:",
    "s.yaml:19:5: `webhook` is for skew cases"
)]
#[case::policy_of_a_patch(
    "server: {old: {}",
    "server: {old: {policy: none}",
    "s.yaml:18:35: `policy` of a server is for skew cases"
)]
#[case::ideal_of_a_patch(
    "    patch:",
    "    ideals: [{of: live}]\n    patch:",
    "s.yaml:19:14: `ideals` is for skew"
)]
#[case::row_of_the_kep(
    "    patch:",
    "    kep: [40]\n    patch:",
    "s.yaml:19:10: the KEP's test matrix has no row 40"
)]
#[case::no_issue("    patch:", "    issue: [39188]\n    patch:", "s.yaml:19:13: expected a string")]
#[case::issue_without_a_repository(
    "    patch:",
    "    issue: ['#39188']\n    patch:",
    "s.yaml:19:12: `#39188` is no issue"
)]
#[case::release_that_does_not_exist(
    "level: required",
    "profile: kubernetes-1.999",
    "s.yaml:4:10: there is no profile `kubernetes-1.999`: the newest release is "
)]
#[case::two_sources_of_types(
    "  root: Service",
    "  root: Service\n  openapi: {}",
    "s.yaml:6:3: the schema has `go` and `openapi`: expected one of them"
)]
#[case::wrong_source_of_types("  go: |", "  goo: |", "s.yaml:6:3: unknown key `goo`: did you mean `go`?")]
#[case::misspelt_marker(
    "      Protocol string",
    "      // +union-member\n      Protocol string",
    "s.yaml:12:7: in the Go text: unknown marker `+union-member`: did you mean `+unionMember`?"
)]
#[case::marker_in_other_letters(
    "      Protocol string",
    "      // +k8s:unionmember\n      Protocol string",
    "s.yaml:12:7: in the Go text: unknown marker `+k8s:unionmember`: did you mean `+k8s:unionMember`?"
)]
#[case::list_without_its_key(
    "      Ports []Port",
    "      // +listType=map\n      Ports []Port",
    "s.yaml:8:7: in the Go text: +listType=map needs +listMapKey=FIELD"
)]
#[case::key_without_its_list(
    "      Ports []Port",
    "      // +listMapKey=port\n      Ports []Port",
    "s.yaml:8:7: in the Go text: +listMapKey needs +listType=map"
)]
#[case::list_of_one_item(
    "    patch:",
    "    kep: 1\n    patch:",
    "s.yaml:19:10: expected a list, found an integer, `1`"
)]
#[case::does_nothing("    patch: {ports: [{port: 80}]}\n", "", "s.yaml:16:9: the case `add` does nothing")]
fn an_error_is_reported_once_at_its_position(
    #[case] right: &str,
    #[case] wrong: &str,
    #[case] expected: &str,
) {
    assert!(SUITE.contains(right));
    let message = load(&SUITE.replacen(right, wrong, 1)).expect_err("an error");
    assert!(message.contains(expected), "{message}");
    assert_eq!(message.matches("s.yaml:").count(), 1, "{message}");
}

/// A skew case in which each request needs other documents.
const REQUESTS: &str = r#"suite: demo/ports
about: Requests and what they need.
schema: {go: "type Object struct {\n A string `json:\"a,omitempty\"`\n}", root: Object}
axes:
  request: [create, update, apply]
cases:
  - id: change
    client: {}
    server: {}
    DOCUMENTS
    intent: {set: {a: x}}
    expect: [{outcome: intended}]
"#;

#[rstest]
#[case::apply(
    "live: {a: y}",
    "s.yaml:7:9: 1 cell of `change` has no `last-applied`: demo/ports/change[request=client-side-apply]",
    "help: the request `client-side-apply` is made from the last-applied document: add `last-applied` to the case, to the values of the axes, or to an overlay"
)]
#[case::update(
    "last-applied: {a: y}",
    "s.yaml:7:9: 2 cells of `change` have no `live`: demo/ports/change[request=update], demo/ports/change[request=client-side-apply]",
    "help: any request but `create`, `server-side-apply` and `apply-manifest` changes a stored object"
)]
fn a_missing_document_is_reported_once(#[case] documents: &str, #[case] expected: &str, #[case] help: &str) {
    let message = load(&REQUESTS.replace("DOCUMENTS", documents)).expect_err("an error");
    assert!(message.contains(expected) && message.contains(help), "{message}");
    assert_eq!(message.matches("s.yaml:").count(), 1, "{message}");
    assert!(load(&REQUESTS.replace("DOCUMENTS", "live: {a: y}\n    last-applied: {a: y}")).is_ok());
}

#[test]
fn cells_of_all_cases_together_are_limited() {
    let values: Vec<String> = (0..10).map(|value| format!("v{value}: {{}}")).collect();
    let axes: Vec<String> = (0..7).map(|axis| format!("  a{axis}: {{{}}}\n", values.join(", "))).collect();
    let axes = axes.concat();
    let mut text = SUITE.replace("cases:\n", &format!("axes:\n{axes}cases:\n"));
    let case = &SUITE[SUITE.find("  - id: add").expect("a case")..];
    for number in 0..999 {
        text.push_str(&case.replace("id: add", &format!("id: add-{number}")));
    }
    let message = load(&text.replace("    axes: {server: {old: {}, new: {}}}\n", "")).expect_err("an error");
    assert_eq!(
        message,
        "the corpus has 10000000000 cells, but at most 10000000 can be run\nthe largest cases:\n  \
         s.yaml:24: demo/ports/add: 10000000 cells\n  s.yaml:29: demo/ports/add-0: 10000000 cells\n  s.yaml:34: \
         demo/ports/add-1: 10000000 cells\n  s.yaml:39: demo/ports/add-2: 10000000 cells\n  s.yaml:44: \
         demo/ports/add-3: 10000000 cells\nhelp: remove axes or values from \
         these cases, or load fewer suites at a time (--corpus)"
    );
}

#[test]
fn all_errors_are_reported_at_once() {
    let text = SUITE.replacen("required", "requird", 1).replacen("root: Service", "root: Servise", 1);
    let message = load(&text).expect_err("two errors");
    assert_eq!(message.matches("s.yaml:").count(), 2, "{message}");
}

#[test]
fn a_case_that_is_written_twice_names_the_first_one() {
    let (_, cases) = SUITE.split_once("cases:\n").expect("a suite has cases");
    let message = load(&format!("{SUITE}{cases}")).expect_err("an error");
    assert!(
        message.contains(" is in the suite twice") && message.contains("the first one is at line "),
        "{message}"
    );
}

/// A suite in which most parts depend on the axes and on other keys of the suite.
const DEPENDENT: &str = r#"suite: demo/ports
about: A change by old and new clients.
level: required
schema: {go: "type Object struct {\n A string `json:\"a,omitempty\"`\n}", root: Object}
axes:
  client: {old: {}, new: {}}
  server: {old: {}, new: {}}
before: {client: old, server: old}
overlays:
  - {when: {client: old}, live: {a: y}}
exclude:
  - {when: {client: new, server: old}, because: it is impossible}
kep-rows:
  - {first: 1, when: {client: old}, rows: [{server: new}]}
cases:
  - id: change
    axes: {request: [update, json-merge-patch]}
    live: {a: z}
    intent: {set: {a: x}}
    expect:
      - {when: {client: old, request: update}, outcome: intended}
      - {outcome: intended}
"#;

#[rstest]
#[case::axes("\naxes:", "\naxis:", "s.yaml:5:1: unknown key `axis`: did you mean `axes`?")]
#[case::axes_without_a_similar_key("\naxes:", "\ndimensions:", "s.yaml:5:1: unknown key `dimensions`")]
#[case::schema("\nschema:", "\nshema:", "s.yaml:4:1: unknown key `shema`: did you mean `schema`?")]
#[case::overlays("\noverlays:", "\noverlay:", "s.yaml:9:1: unknown key `overlay`: did you mean `overlays`?")]
#[case::level("\nlevel:", "\nlevels:", "s.yaml:3:1: unknown key `levels`: did you mean `level`?")]
#[case::name("suite: ", "siute: ", "s.yaml:1:1: unknown key `siute`: did you mean `suite`?")]
#[case::cases("\ncases:", "\ncase:", "s.yaml:15:1: unknown key `case`: did you mean `cases`?")]
#[case::axes_of_a_case("    axes:", "    axis:", "s.yaml:17:5: unknown key `axis`: did you mean `axes`?")]
#[case::intent_of_a_case(
    "    intent:",
    "    intend:",
    "s.yaml:19:5: unknown key `intend`: did you mean `intent`?"
)]
#[case::expectations(
    "    expect:",
    "    expects:",
    "s.yaml:20:5: unknown key `expects`: did you mean `expect`?"
)]
fn a_misspelt_key_is_one_error(#[case] right: &str, #[case] wrong: &str, #[case] expected: &str) {
    assert!(load(DEPENDENT).is_ok());
    assert!(DEPENDENT.contains(right));
    let message = load(&DEPENDENT.replacen(right, wrong, 1)).expect_err("an error");
    assert!(message.contains(expected), "{message}");
    assert_eq!(message.matches("s.yaml:").count(), 1, "{message}");
}

#[rstest]
#[case::value_twice(
    "[update, json-merge-patch]",
    "[update, update]",
    "s.yaml:17:30: the axis `request` has the value `update` twice"
)]
#[case::policy_of_a_client(
    "client: {old: {}",
    "client: {old: {policy: none}",
    "s.yaml:6:26: a client has no `policy`"
)]
#[case::strict_client(
    "client: {old: {}",
    "client: {old: {strict: true}",
    "s.yaml:6:26: a client has no `strict`"
)]
#[case::defaults_of_a_client(
    "client: {old: {}",
    "client: {old: {defaults: true}",
    "s.yaml:6:28: a client has no `defaults`"
)]
#[case::unstructured_server(
    "server: {old: {}",
    "server: {old: {unstructured: true}",
    "s.yaml:7:32: a server has no `unstructured`"
)]
#[case::policy_of_a_webhook(
    "    live:",
    "    webhook: {party: {policy: none}}\n    live:",
    "s.yaml:18:31: a webhook has no `policy`"
)]
#[case::webhook_without_an_effect(
    "    live:",
    "    webhook: {}\n    live:",
    "s.yaml:18:14: the webhook does nothing"
)]
#[case::last_applied_of_an_update(
    "    live:",
    "    last-applied: {}\n    live:",
    "s.yaml:18:5: `last-applied` has no effect"
)]
#[case::configuration_of_an_update(
    "    live:",
    "    configuration: {}\n    live:",
    "s.yaml:18:5: `configuration` has no effect"
)]
#[case::options_of_a_patch(
    "    live:",
    "    three-way: {overwrite: true}\n    live:",
    "s.yaml:18:5: `three-way` has no effect"
)]
#[case::several_things(
    "    intent:",
    "    patch: {a: b}\n    intent:",
    "s.yaml:20:5: the case `change` does several things: `intent` does not go with `patch`"
)]
#[case::error_of_a_stored_object(
    "      - {outcome: intended}",
    "      - {outcome: intended, error: conflict}",
    "s.yaml:22:9: no cell can meet the expectation: with the outcome `intended`, an object is stored"
)]
#[case::result_of_a_refusal(
    "      - {outcome: intended}",
    "      - {outcome: refused, result: {a: x}}",
    "s.yaml:22:9: no cell can meet the expectation: with the outcome `refused`, no object is stored"
)]
#[case::document_of_a_refusal(
    "      - {outcome: intended}",
    "      - {outcome: rejected, final-states: [{of: live}], because: so}",
    "s.yaml:22:9: no cell can meet the expectation: the request is refused, but a final state is a document"
)]
#[case::no_promise(
    "before: {client: old, server: old}\noverlays:\n  - {when: {client: old}, live: {a: y}}\nexclude:\n  - {when: {client: new, server: old}, because: it is impossible}\nkep-rows:\n  - {first: 1, when: {client: old}, rows: [{server: new}]}\ncases:\n  - id: change\n    axes: {request: [update, json-merge-patch]}\n    live: {a: z}\n    intent: {set: {a: x}}\n    expect:\n      - {when: {client: old, request: update}, outcome: intended}\n",
    "cases:\n  - id: change\n    live: {a: z}\n    request: update\n    intent: {set: {a: x}}\n    expect:\n      - {when: {client: old}, outcome: as-before}\n",
    "s.yaml:14:9: no cell can meet the expectation: the outcome `as-before` needs a promise"
)]
#[case::manifest_without_a_tool(
    "    axes: {request: [update, json-merge-patch]}\n    live:",
    "    axes: {request: [update, apply-manifest]}\n    configuration: {a: x}\n    live:",
    "s.yaml:16:9: 3 cells of `change` have no `tool`"
)]
#[case::tool_without_a_manifest(
    "    axes: {request: [update, json-merge-patch]}\n    live:",
    "    axes: {request: [update, apply-manifest]}\n    client: {tool: kubectl}\n    live:",
    "s.yaml:16:9: 3 cells of `change` have no `configuration`"
)]
#[case::condition_of_the_suite_on_an_axis_of_no_case(
    "{when: {client: new, server: old}, because",
    "{when: {client: new, colour: old}, because",
    "s.yaml:12:26: the case `change` has no axis `colour`"
)]
#[case::case_that_is_not_above(
    "    live:",
    "    no-worse-than: change\n    live:",
    "s.yaml:18:20: no case above this one is named `change`"
)]
#[case::field_of_an_ideal(
    "    live:",
    "    ideals: [{result: {b: 1}}]\n    live:",
    "s.yaml:18:24: Object has no field `b`"
)]
#[case::field_of_a_final_state(
    "      - {outcome: intended}",
    "      - {outcome: lost, final-states: [{of: ideal, set: {b: 1}}], because: so}",
    "s.yaml:22:58: Object has no field `b`"
)]
#[case::path_of_a_final_state(
    "      - {outcome: intended}",
    "      - {outcome: lost, final-states: [{of: ideal, remove: [b]}], because: so}",
    "s.yaml:22:61: Object has no field `b`"
)]
#[case::metadata(
    "    live: {a: z}",
    "    live: {metadata: {name: x}}",
    "embed `metav1.TypeMeta` and `metav1.ObjectMeta`"
)]
#[case::old_schema_of_one_schema(
    "client: {old: {}",
    "client: {old: {schema: old}",
    "s.yaml:6:26: a party with `schema: old` needs a schema that consists of `old` and `new`"
)]
fn an_error_in_a_skew_case_is_reported_once_at_its_position(
    #[case] right: &str,
    #[case] wrong: &str,
    #[case] expected: &str,
) {
    assert!(DEPENDENT.contains(right));
    let message = load(&DEPENDENT.replacen(right, wrong, 1)).expect_err("an error");
    assert!(message.contains(expected), "{message}");
    assert_eq!(message.matches("s.yaml:").count(), 1, "{message}");
}

#[rstest]
#[case::manifest(
    "apiVersion: v1\nkind: ConfigMap\n",
    "this is a Kubernetes manifest of kind ConfigMap, and no case file"
)]
#[case::several_manifests(
    "apiVersion: v1\nkind: ConfigMap\n---\napiVersion: v1\nkind: Secret\n",
    "this is a Kubernetes manifest of kind ConfigMap, and no case file"
)]
#[case::definition(
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
    "help: a suite names the definition (`schema: {crd: FILE}`), and `skewer audit OLD NEW`"
)]
#[case::json_manifest(
    r#"{"apiVersion": "v1", "kind": "ConfigMap"}"#,
    "this is a Kubernetes manifest of kind ConfigMap, and no case file"
)]
#[case::list(
    "- {apiVersion: v1, kind: A}\n- {apiVersion: v1, kind: B}\n",
    "this is a list of 2 Kubernetes manifests"
)]
#[case::list_of_anything("- 1\n- 2\n", "this is a list of 2 items, and no case file")]
#[case::kustomization("resources: [a.yaml]\nnamePrefix: x\n", "this is a kustomization, and no case file")]
#[case::results(r#"{"version": 1, "run": {}, "cells": []}"#, "this is a results file, and no case file")]
#[case::deviations("target: t\ndeviations: []\n", "this is a deviation file, and no case file")]
#[case::values(
    "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n",
    "this is a map with `a`, `b`, `c`, `d`, …, and no case file"
)]
#[case::text("some text\n", "this is a string, `some text`, and no case file")]
fn a_file_that_is_no_case_file_is_one_error(#[case] text: &str, #[case] expected: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("any.yaml");
    std::fs::write(&path, text).expect("a file");
    let message = Corpus::from_path(&path).expect_err("an error").to_string();
    assert!(message.contains(expected), "{message}");
    assert!(message.contains("expected a map with the keys `suite`, `about` and `cases`"), "{message}");
    assert_eq!(message.matches("any.yaml:1:").count(), 1, "{message}");
}

#[test]
fn errors_in_the_text_of_a_file_that_is_no_case_file_are_reported() {
    let message = load("a: 1e400\n").expect_err("an error");
    assert!(message.starts_with("s.yaml:1:4: "), "{message}");
    assert!(!message.contains("no case file"), "{message}");
}

#[test]
fn manifests_in_a_folder_are_for_suites_and_no_suites() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("map.yaml"), "apiVersion: v1\nkind: ConfigMap\n").expect("a file");
    let message = Corpus::from_path(folder.path()).expect_err("an error").to_string();
    assert!(message.contains(": 1 YAML file, all of them Kubernetes manifests"), "{message}");
    std::fs::create_dir(folder.path().join("demo")).expect("a folder");
    std::fs::write(folder.path().join("demo/ports.yaml"), SUITE).expect("a file");
    assert!(Corpus::from_path(folder.path()).is_ok());
}

#[test]
fn a_document_on_the_web_is_cited_by_its_address() {
    let text = SUITE.replacen("patch-merge-key", "'https://example.com/kep'", 1);
    let corpus = load(&text).unwrap_or_else(|error| panic!("{error}"));
    let source = corpus.cells().next().and_then(|cell| cell.case.source.clone()).expect("a source");
    assert_eq!((&*source.document, &*source.section), ("https://example.com/kep", "Goal"));
}

#[test]
fn a_single_file_is_a_corpus_whatever_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("any.yml");
    std::fs::write(&path, SUITE).expect("a file");
    let corpus = Corpus::from_path(&path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(corpus.suites[0].name, "demo/ports");
    assert!(Corpus::from_path(&folder.path().join("none.yaml")).is_err());
}
