//! Documents and paths that do not fit the types of their case, by mistake or deliberately.

use rstest::rstest;

use crate::support;

/// A suite with every kind of document. Each test replaces `PATCH`, `LIVE`, `INTENT` and `MORE`.
const SUITE: &str = r#"suite: demo/types
about: A Deployment, in small.
schema:
  go: |
    type Deployment struct {
      Spec Spec `json:"spec"`
    }
    type Spec struct {
      Replicas int32             `json:"replicas,omitempty"`
      Surge    intstr.IntOrString `json:"surge,omitempty"`
      Labels   map[string]string `json:"labels,omitempty"`
      Extra    runtime.RawExtension `json:"extra,omitempty"`
      Ports    []Port            `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port"`
      Strategy Strategy          `json:"strategy,omitempty" patchStrategy:"retainKeys"`
    }
    type Port struct {
      Port int32  `json:"port"`
      Name string `json:"name,omitempty"`
    }
    type Strategy struct {
      Type string `json:"type,omitempty"`
    }
  root: Deployment
cases:
"#;

const SKEW: &str = r"  - id: skew
    client: {}
    server: {without: [Spec.labels]}
    live: {spec: {replicas: 1}}
    intent: {set: {spec: {replicas: 2}}}
    request: update
    MORE: true
    expect: [{outcome: intended}]
";

const PATCH: &str = r"  - id: patch
    live: {spec: {replicas: 1}}
    patch: {spec: {replicas: 2}}
    MORE: true
    expect: [{result: {spec: {replicas: 2}}}]
";

fn load(case: &str, (from, to): (&str, &str), more: &str) -> Result<usize, String> {
    assert!(case.contains(from), "{from}");
    let text = format!("{SUITE}{case}").replacen(from, to, 1).replacen("    MORE: true\n", more, 1);
    support::load("demo/types.yaml", "t.yaml", &text).map(|corpus| corpus.cells().count())
}

#[rstest]
#[case::live(
    ("live: {spec: {replicas: 1}}", "live: {spec: {replcias: 1}}"),
    "t.yaml:28:19: Spec has no field `replcias` that any party knows: did you mean `replicas`?"
)]
#[case::set(
    ("set: {spec: {replicas: 2}}", "set: {spec: {replcias: 2}}"),
    "t.yaml:29:27: Spec has no field `replcias` that any party knows: did you mean `replicas`?"
)]
#[case::choose(
    ("set: {spec: {replicas: 2}}", "choose: [{at: spec.stragety, fields: {type: Recreate}}]"),
    "t.yaml:29:28: Spec has no field `stragety` that any party knows: did you mean `strategy`?"
)]
#[case::choose_fields(
    ("set: {spec: {replicas: 2}}", "choose: [{at: spec.strategy, fields: {tpye: Recreate}}]"),
    "t.yaml:29:52: Strategy has no field `tpye` that any party knows: did you mean `type`?"
)]
#[case::select(
    ("set: {spec: {replicas: 2}}", "select: [{at: spec.strategy, member: recreat, value: {}}]"),
    "t.yaml:29:51: Strategy has no field `recreat` that any party knows"
)]
#[case::add(
    ("set: {spec: {replicas: 2}}", "add: [{at: spec.ports, item: {port: 1, nmae: a}}]"),
    "t.yaml:29:53: Port has no field `nmae` that any party knows: did you mean `name`?"
)]
#[case::select_of_no_union(
    ("set: {spec: {replicas: 2}}", "select: [{at: spec.strategy, member: type, value: x}]"),
    "t.yaml:29:51: Strategy has no union with a member `type`"
)]
#[case::clear_of_no_union(
    ("set: {spec: {replicas: 2}}", "clear: [spec.strategy]"),
    "t.yaml:29:22: Strategy has no union"
)]
#[case::item_for_what_is_no_list(
    ("set: {spec: {replicas: 2}}", "add: [{at: spec.strategy, item: {a: 1}}]"),
    "t.yaml:29:25: the path selects a Strategy, which is a map, but this edit needs a list"
)]
#[case::remove(
    ("set: {spec: {replicas: 2}}", "remove: ['spec.ports[prot=1]']"),
    "t.yaml:29:23: Port has no field `prot` that any party knows: did you mean `port`?"
)]
#[case::remove_an_item_of_no_list(
    ("set: {spec: {replicas: 2}}", "remove: [example.com/x]"),
    "t.yaml:29:23: Deployment has no field `example` that any party knows"
)]
#[case::order(
    ("set: {spec: {replicas: 2}}", "order: [{at: spec.prots, as: []}]"),
    "t.yaml:29:27: Spec has no field `prots` that any party knows: did you mean `ports`?"
)]
#[case::increment(
    ("set: {spec: {replicas: 2}}", "increment: [{at: spec.replica, by: 1}]"),
    "t.yaml:29:31: Spec has no field `replica` that any party knows: did you mean `replicas`?"
)]
#[case::remove_an_item_that_no_document_has(
    ("set: {spec: {replicas: 2}}", "remove: ['spec.ports[port=80]']"),
    "t.yaml:29:23: the edit changes nothing: no document of the case has an item `[port=80]`"
)]
#[case::remove_an_item_with_an_index_that_no_list_has(
    ("set: {spec: {replicas: 2}}", "remove: ['spec.ports[7]']"),
    "t.yaml:29:23: the edit changes nothing: no document of the case has an item `[7]`"
)]
#[case::order_of_an_item_that_no_document_has(
    ("set: {spec: {replicas: 2}}", "order: [{at: spec.ports, as: [80]}]"),
    "t.yaml:29:27: the edit changes nothing: no document of the case has an item `80`"
)]
#[case::set_nothing(
    ("set: {spec: {replicas: 2}}", "set: {}"),
    "t.yaml:29:19: the edit changes nothing: it sets no field"
)]
#[case::remove_the_object(
    ("set: {spec: {replicas: 2}}", "remove: [.]"),
    "t.yaml:29:23: the edit changes nothing: a client cannot remove the whole object"
)]
#[case::increment_by_zero(
    ("set: {spec: {replicas: 2}}", "increment: [{at: spec.replicas, by: 0}]"),
    "t.yaml:29:31: the edit changes nothing: the number to add is 0"
)]
#[case::choose_at_a_list(
    ("set: {spec: {replicas: 2}}", "choose: [{at: spec.ports, fields: {type: a}}]"),
    "t.yaml:29:28: the path selects a list, but `choose` needs a map"
)]
#[case::increment_of_a_text(
    ("set: {spec: {replicas: 2}}", "increment: [{at: spec.strategy.type, by: 1}]"),
    "t.yaml:29:31: the path selects a string, but `increment` needs an integer"
)]
#[case::wide_integer(
    ("live: {spec: {replicas: 1}}", "live: {spec: {replicas: 3000000000}}"),
    "t.yaml:28:29: expected an integer of 32 bits, found 3000000000"
)]
#[case::last_applied(
    ("request: update", "request: client-side-apply\n    last-applied: {spce: {}}"),
    "t.yaml:31:20: Deployment has no field `spce` that any party knows: did you mean `spec`?"
)]
#[case::wrong_type_in_live(
    ("live: {spec: {replicas: 1}}", "live: {spec: {replicas: one}}"),
    "t.yaml:28:29: expected an integer, found a string"
)]
#[case::wrong_type_of_a_value_to_set(
    ("set: {spec: {replicas: 2}}", "set: {spec: {ports: {port: 1}}}"),
    "t.yaml:29:34: expected a list, found a map"
)]
#[case::wrong_type_in_a_selector(
    ("set: {spec: {replicas: 2}}", "remove: ['spec.ports[port=http]']"),
    "t.yaml:29:23: expected an integer, found a string"
)]
#[case::path_into_a_scalar(
    ("set: {spec: {replicas: 2}}", "remove: [spec.replicas.x]"),
    "t.yaml:29:23: expected an integer, but the path selects a field `x`"
)]
#[case::item_of_what_is_no_list(
    ("set: {spec: {replicas: 2}}", "remove: ['spec.strategy[0]']"),
    "t.yaml:29:23: expected a Strategy, which is a map, but the path selects an item of a list"
)]
#[case::result(
    ("{outcome: intended}", "{outcome: intended, result: {spec: {replcias: 2}}}"),
    "t.yaml:31:50: Spec has no field `replcias` that any party knows: did you mean `replicas`?"
)]
#[case::axis(
    ("    MORE", "    axes: {live: {one: {live: {spec: {replcias: 2}}}}}\n    MORE"),
    "t.yaml:31:39: Spec has no field `replcias` that any party knows: did you mean `replicas`?"
)]
fn a_typo_in_a_skew_case_is_an_error(#[case] change: (&str, &str), #[case] expected: &str) {
    let message = load(SKEW, change, "").expect_err("an error");
    assert!(message.contains(expected), "{message}");
    assert_eq!(message.matches("t.yaml:").count(), 1, "{message}");
}

#[rstest]
#[case::patch(
    "{spec: {replcias: 2}}",
    "Spec has no field `replcias` that any party knows: did you mean `replicas`?"
)]
#[case::directive(
    "{spec: {strategy: {$retainKey: [type]}}}",
    "no directive has the key `$retainKey`: did you mean `$retainKeys`?"
)]
#[case::directive_with_a_field(
    "{spec: {$setElementOder/ports: []}}",
    "no directive has the key `$setElementOder/ports`: did you mean `$setElementOrder/ports`?"
)]
#[case::field_of_a_directive(
    "{spec: {$setElementOrder/prots: []}}",
    "Spec has no field `prots` that any party knows: did you mean `ports`?: `$setElementOrder/prots`"
)]
#[case::item("{spec: {ports: [{port: 1, $patch: delete, nmae: a}]}}", "Port has no field `nmae`")]
#[case::wrong_type("{spec: {replicas: '2'}}", "expected an integer, found a string")]
#[case::map_for_a_scalar("{spec: {replicas: {a: 1}}}", "expected an integer, found a map")]
fn a_typo_in_a_patch_is_an_error(#[case] patch: &str, #[case] expected: &str) {
    let message = load(PATCH, ("{spec: {replicas: 2}}", patch), "").expect_err("an error");
    assert!(message.contains(expected), "{message}");
    assert_eq!(message.matches("t.yaml:").count(), 1, "{message}");
}

#[rstest]
#[case::string_where_text_or_a_number_can_be("{spec: {surge: 25%}}")]
#[case::number_where_text_or_a_number_can_be("{spec: {surge: 1}}")]
#[case::map_with_free_keys("{spec: {labels: {any: key}}}")]
#[case::anything_at_all("{spec: {extra: {any: [{thing: 1}]}}}")]
#[case::null("{spec: {replicas: null}}")]
#[case::directives(
    "{spec: {strategy: {$retainKeys: [type]}, ports: [{$patch: replace}], $setElementOrder/ports: []}}"
)]
#[case::directive_in_a_map_with_free_keys("{spec: {labels: {$patch: replace}}}")]
#[case::directive_for_a_whole_value("{spec: {ports: {$patch: replace}}}")]
#[case::field_that_the_server_lacks("{spec: {labels: {a: b}}}")]
fn a_field_that_some_party_knows_is_no_typo(#[case] patch: &str) {
    let loaded = load(PATCH, ("{spec: {replicas: 2}}", patch), "    server: {without: [Spec.labels]}\n");
    assert_eq!(loaded, Ok(1));
}

#[rstest]
#[case::unknown_field("{spec: {foo: 1}}", "unknown-fields: [spec.foo]")]
#[case::unknown_field_of_an_item(
    "{spec: {ports: [{port: 1, foo: 1}]}}",
    "unknown-fields: ['spec.ports[].foo']"
)]
#[case::unknown_directive("{spec: {$foo: 1}}", "unknown-fields: [spec.$foo]")]
#[case::wrong_type("{spec: {replicas: many}}", "wrong-types: [spec.replicas]")]
#[case::wrong_type_of_an_item("{spec: {ports: [a]}}", "wrong-types: ['spec.ports[]']")]
fn a_case_can_list_deliberate_findings(#[case] patch: &str, #[case] marker: &str) {
    let change = ("{spec: {replicas: 2}}", patch);
    let message = load(PATCH, change, "").expect_err("an error");
    assert!(
        message.contains(&format!("= help: if it is deliberate, add to the case: `{marker}`")),
        "{message}"
    );
    assert_eq!(load(PATCH, change, &format!("    {marker}\n")), Ok(1));
}

#[rstest]
#[case::known("unknown-fields: [spec.replicas]", "the types of the case have the field `spec.replicas`")]
#[case::nowhere("unknown-fields: [spec.foo]", "no document of the case has the field `spec.foo`")]
#[case::right_type(
    "wrong-types: [spec.replicas]",
    "no document of the case has a value of the wrong type at `spec.replicas`"
)]
#[case::no_field("wrong-types: [spec.foo]", "the types of the case have no field `spec.foo`")]
fn a_listed_path_without_a_finding_is_an_error(#[case] marker: &str, #[case] expected: &str) {
    let message = load(PATCH, ("live", "live"), &format!("    {marker}\n")).expect_err("an error");
    assert!(message.contains(expected), "{message}");
    assert!(message.starts_with("t.yaml:28:"), "{message}");
}

#[test]
fn a_field_of_another_release_is_known_to_its_party() {
    // The field was removed in Kubernetes 1.24.
    let suite = "suite: demo/types\nabout: a\nschema: {builtin: newest, root: Pod}\ncases:\n  - id: a\n    client: \
                 CLIENT\n    server: {}\n    live: {metadata: {clusterName: a}}\n    intent: {}\n    request: update\n    \
                 expect: [{outcome: intended}]\n";
    let load =
        |client| support::load("demo/types.yaml", "t.yaml", &suite.replace("CLIENT", client)).map(|_| ());
    assert_eq!(load("{release: kubernetes-1.17}"), Ok(()));
    let message = load("{}").expect_err("an error");
    assert!(message.contains("t.yaml:8:23: meta/v1.ObjectMeta has no field `clusterName`"), "{message}");
}

#[test]
fn json_patches_are_checked_by_their_pointers() {
    let case = |operation: &str| {
        format!(
            "{SUITE}  - id: a\n    live: {{spec: {{}}}}\n    request: json-patch\n    patch: [{operation}]\n    expect: \
             [{{result: {{spec: {{}}}}}}]\n"
        )
    };
    let load = |operation: &str| support::load("demo/types.yaml", "t.yaml", &case(operation)).map(|_| ());
    assert_eq!(load("{op: add, path: /spec/ports/-, value: {port: 1}}"), Ok(()));
    assert_eq!(load("{op: add, path: /spec/labels/a~1b, value: c}"), Ok(()));
    let message = load("{op: add, path: /spec/replcias, value: 1}").expect_err("an error");
    assert!(message.contains("did you mean `replicas`?"), "{message}");
    let message = load("{op: add, path: /spec/replicas, value: one}").expect_err("an error");
    assert!(message.contains("expected an integer, found a string"), "{message}");
}

#[rstest]
#[case::union(
    "select: [{at: spec.strategy, member: type, value: x}]",
    "declare one: +unionDiscriminator and +unionMember"
)]
#[case::member("select: [{at: spec.strategy, member: recreat, value: {}}]", "write the name of a member")]
#[case::path_of_a_union(
    "select: [{at: spec.stategy, member: type, value: x}]",
    "correct the path: the types must have the union"
)]
#[case::wrong_type(
    "set: {spec: {replicas: two}}",
    "correct the path or the value: only an `unstructured` client"
)]
#[case::wrong_type_of_an_item("add: [{at: spec.ports, item: 1}]", "correct the path or the value")]
#[case::item(
    "remove: [example.com/x]",
    "an item of a list of texts is removed with `finalizers[=example.com/x]`"
)]
fn a_path_of_an_edit_cannot_be_deliberate(#[case] edit: &str, #[case] help: &str) {
    let message = load(SKEW, ("set: {spec: {replicas: 2}}", edit), "").expect_err("an error");
    assert!(message.contains(&format!("= help: {help}")), "{message}");
    assert!(!message.contains("if it is deliberate"), "{message}");
}

#[rstest]
#[case::item("add: [{at: spec.ports, item: {port: 1, foo: 1}}]", "unknown-fields: ['spec.ports[].foo']")]
#[case::set_item("set: {spec: {ports: [{port: 1, foo: 1}]}}", "unknown-fields: ['spec.ports[].foo']")]
fn an_edit_can_have_a_deliberate_finding(#[case] edit: &str, #[case] marker: &str) {
    let change = ("set: {spec: {replicas: 2}}", edit);
    let message = load(SKEW, change, "").expect_err("an error");
    assert!(
        message.contains(&format!("= help: if it is deliberate, add to the case: `{marker}`")),
        "{message}"
    );
    assert_eq!(load(SKEW, change, &format!("    {marker}\n")), Ok(1));
}

#[rstest]
#[case::stored("remove: ['spec.ports[port=80]']", "live: {spec: {replicas: 1, ports: [{port: 80}]}}")]
#[case::ordered(
    "order: [{at: spec.ports, as: [80, {port: 81}]}]",
    "live: {spec: {ports: [{port: 80}, {port: 81}]}}"
)]
#[case::added("add: [{at: spec.ports, item: {port: 80}}], remove: ['spec.ports[port=80]']", "live: {}")]
#[case::set("set: {spec: {ports: [{port: 80}]}}, remove: ['spec.ports[port=80]']", "live: {}")]
fn an_edit_of_an_item_of_any_document_can_change_something(#[case] edit: &str, #[case] live: &str) {
    let case = SKEW.replace("live: {spec: {replicas: 1}}", live);
    assert_eq!(load(&case, ("set: {spec: {replicas: 2}}", edit), ""), Ok(1));
}

#[test]
fn an_unstructured_client_can_write_a_value_of_the_wrong_type() {
    let edit = ("set: {spec: {replicas: 2}}", "set: {spec: {replicas: two}}");
    let listed = "    wrong-types: [spec.replicas]\n";
    let message = load(SKEW, edit, listed).expect_err("a client with types cannot");
    assert!(message.contains("expected an integer, found a string"), "{message}");
    let unstructured = SKEW.replace("client: {}", "client: {unstructured: true}");
    assert_eq!(load(&unstructured, edit, listed), Ok(1));
}

#[rstest]
#[case::field_with_the_name_of_another_type("Deployment.labels", "did you mean `Spec.labels`?")]
#[case::field_with_its_path("Deployment.spec.strategy.type", "did you mean `Strategy.type`?")]
#[case::misspelt_field("Spec.label", "did you mean `Spec.labels`?")]
#[case::value_with_the_field("Strategy.mode=Fast", "did you mean `Mode=Fast`?")]
#[case::value_with_another_type("Strategy=Fast", "did you mean `Mode=Fast`?")]
#[case::misspelt_value("Mode=Fats", "did you mean `Mode=Fast`?")]
fn the_types_suggest_what_a_party_lacks(#[case] element: &str, #[case] hint: &str) {
    let mode = "Mode Mode `json:\"mode,omitempty\"`\n    }\n    // +enum\n    type Mode string\n    const (\n      Fast Mode = \"Fast\"\n      Slow Mode = \"Slow\"\n    )\n  root";
    let suite = SUITE.replace("}\n  root", mode);
    let text = format!("{suite}{}", SKEW.replace("    MORE: true\n", "").replace("Spec.labels", element));
    let message = support::load("demo/types.yaml", "t.yaml", &text).map(|_| ()).expect_err("an error");
    assert!(message.contains(&format!("the types of the case have no `{element}`: {hint}")), "{message}");
}

#[test]
fn a_path_with_brackets_in_a_flow_list_is_quoted() {
    let message =
        load(SKEW, ("set: {spec: {replicas: 2}}", "remove: [spec.ports[0]]"), "").expect_err("an error");
    assert!(message.contains("= help: quote a path with brackets"), "{message}");
    let message = load(SKEW, ("set: {spec: {replicas: 2}}", "remove: [a] b"), "").expect_err("an error");
    assert!(!message.contains("quote a path"), "{message}");
}
