//! Every operation of the engine can be written as a case, and its documents are in the JSON Schema.

use std::fmt::Write;

use rstest::rstest;
use skewer_cases::{Corpus, Plan, format};
use skewer_engine::Doc;
use skewer_engine::patch::Overwrite;
use skewer_skew::{
    BuiltIn, FieldManagerOptions, OperandDeclaration, OperationKind, PatchFormat, Presence, Request,
    RequestType, ResultKind, Role,
};

use crate::support;

const SUITE: &str = r#"suite: all
about: One case for each operation.
schema:
  go: |
    type Holder struct {
      APIVersion string `json:"apiVersion,omitempty"`
      Kind       string `json:"kind,omitempty"`
      Name       string `json:"name,omitempty"`
    }
  root: Holder
cases:
"#;

/// Returns the key under which a case has the operand.
fn key(kind: OperationKind, operand: &OperandDeclaration) -> &'static str {
    if operand.role.declaration().is_list { kind.name() } else { operand.role.name() }
}

/// Returns a document, or a list of documents, that every operation accepts as this operand.
fn value(kind: OperationKind, operand: &OperandDeclaration) -> String {
    let is_json_patch = kind.declaration().format == PatchFormat::JsonPatch && operand.role == Role::Patch;
    match operand.role.declaration().is_list {
        true => format!("[{}]", vec!["{name: x}"; operand.length.unwrap_or(3)].join(", ")),
        false if is_json_patch => "[{op: remove, path: /name}]".to_owned(),
        false => "{apiVersion: example.com/v1, kind: Holder, name: x}".to_owned(),
    }
}

fn case(kind: OperationKind, is_written: impl Fn(&OperandDeclaration) -> bool) -> String {
    let format = kind.declaration().format;
    let request = if format == PatchFormat::OfRequest { RequestType::Update.name() } else { format.name() };
    let mut case = format!("  - id: {kind}\n    request: {request}\n");
    for operand in kind.declaration().operands.iter().filter(|operand| is_written(operand)) {
        writeln!(case, "    {}: {}", key(kind, operand), value(kind, operand)).unwrap();
    }
    if kind.declaration().takes_field_manager {
        case.push_str("    manager: m\n    subresource: scale\n");
    }
    if kind.declaration().takes_force() {
        case.push_str("    force: true\n");
    }
    if kind.declaration().takes_csa_managers() {
        case.push_str("    csa-managers: [c]\n");
    }
    if kind.declaration().takes_versions() {
        case.push_str("    versions: [{api-version: example.com/v1}]\n");
    }
    if kind.declaration().takes_preconditions {
        let overwrite = if kind.declaration().takes_overwrite { "overwrite: true, " } else { "" };
        writeln!(case, "    three-way: {{{overwrite}keys-unchanged: [kind]}}").unwrap();
    }
    case.push_str("    expect: [{error: conflict}]\n");
    case
}

fn load(cases: &str) -> Result<Corpus, String> {
    support::load("all.yaml", "all.yaml", &format!("{SUITE}{cases}"))
}

#[test]
fn every_operation_can_be_written_and_planned() {
    let cases: String = OperationKind::ALL.iter().map(|kind| case(*kind, |_| true)).collect();
    let corpus = load(&cases).unwrap_or_else(|error| panic!("{error}"));
    let cells: Vec<_> = corpus.cells().collect();
    assert_eq!(cells.len(), OperationKind::ALL.len());
    for (cell, kind) in cells.iter().zip(OperationKind::ALL) {
        let Plan::Patch(plan) = cell.plan().unwrap() else { panic!("{kind} is no operation on patches") };
        let declaration = kind.declaration();
        assert_eq!((plan.operation.kind, plan.context.is_some()), (*kind, declaration.needs_types()));
        let operation = plan.operation().unwrap();
        let options = operation.options();
        let has_options = (options.overwrite == Overwrite::Yes, !options.preconditions.is_empty());
        assert_eq!(has_options, (declaration.takes_overwrite, declaration.takes_preconditions), "{kind}");
        let FieldManagerOptions { manager, force, subresource, csa_managers, resource, .. } =
            options.field_manager;
        assert_eq!(csa_managers == ["c"], declaration.takes_csa_managers(), "{kind}");
        assert_eq!(resource.is_some(), declaration.takes_versions(), "{kind}");
        let expected = if declaration.takes_field_manager { ("m", "scale") } else { ("", "") };
        assert_eq!(((manager, subresource), force), (expected, declaration.takes_force()), "{kind}");
        assert_eq!(operation.operands().count(), declaration.operands.len(), "{kind}");
        let result = BuiltIn::execute(&operation).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(matches!(result, Doc::Bool(_)), declaration.result == ResultKind::Boolean, "{kind}");
    }
}

#[test]
fn a_case_without_a_document_of_its_operation_is_an_error() {
    for kind in OperationKind::ALL {
        for operand in kind.declaration().operands {
            let error = load(&case(*kind, |other| other != operand)).expect_err("an error");
            let expected = match operand.presence {
                Presence::Required => format!("the case `{kind}` does nothing"),
                // Without this document, the case has another operation, which does not have the live object.
                Presence::Distinctive => {
                    "`live` has no effect: a case that creates a patch from two".to_owned()
                }
                Presence::Optional => format!("the case `{kind}` has no `{}`", operand.role),
            };
            assert!(error.contains(&expected), "{error}");
        }
    }
}

#[test]
fn a_list_with_another_length_than_the_operation_needs_is_an_error() {
    for kind in OperationKind::ALL {
        let Some(length) = kind.declaration().list_operand().and_then(|operand| operand.length) else {
            continue;
        };
        for wrong in [length - 1, length + 1] {
            let list = vec!["{}"; wrong].join(", ");
            let error = load(&format!("  - id: x\n    {kind}: [{list}]\n    expect: [{{result: true}}]\n"));
            let error = error.expect_err("an error");
            assert!(error.contains(&format!("all.yaml:12:9: `{kind}` needs exactly {length} ")), "{error}");
        }
    }
}

#[rstest]
#[case::manager("manager: m", "    patch: {}\n", "14:14: `manager` does not belong here")]
#[case::force("force: true", "    new: {}\n", "14:12: `force` does not belong here")]
fn an_option_of_a_field_manager_in_another_case_is_an_error(
    #[case] option: &str,
    #[case] documents: &str,
    #[case] expected: &str,
) {
    let case =
        format!("  - id: x\n    live: {{}}\n    {option}\n{documents}    expect: [{{result: {{}}}}]\n");
    let error = load(&case).expect_err("an error");
    assert!(error.contains(&format!("all.yaml:{expected}")), "{error}");
    assert!(error.contains("is for `server-side-apply`"), "{error}");
}

#[rstest]
#[case::another_operation(
    "patch: {}",
    "error: conflict",
    "`conflicts` is for the error of `server-side-apply`"
)]
#[case::another_error("configuration: {}", "error: wrong-kind", "`conflicts` is for the error `conflict`")]
#[case::a_result("configuration: {}", "result: {}", "`conflicts` is for the error `conflict`")]
fn conflicts_of_another_answer_are_an_error(
    #[case] document: &str,
    #[case] answer: &str,
    #[case] expected: &str,
) {
    let conflicts = "conflicts: [{manager: m, path: .name}]";
    let case =
        format!("  - id: x\n    live: {{}}\n    {document}\n    expect: [{{{answer}, {conflicts}}}]\n");
    let error = load(&case).expect_err("an error");
    assert!(error.contains(&format!("all.yaml:15:{}: {expected}", 28 + answer.len())), "{error}");
}

#[test]
fn objects_of_a_field_manager_have_metadata_without_a_declaration() {
    let object = "{apiVersion: v1, kind: Holder, metadata: {name: x, managedFields: [{manager: m}]}}";
    let case = |field: &str| {
        format!(
            "  - id: x\n    live: {object}\n    new: {{{field}: x}}\n    expect: [{{result: {object}}}]\n"
        )
    };
    assert!(load(&case("name")).is_ok());
    let error = load(&case("names")).expect_err("an unknown field");
    assert!(error.contains("Holder has no field `names`"), "{error}");
    assert!(!error.contains("metadata"), "{error}");
}

#[test]
fn a_skew_case_cannot_have_the_request_of_an_operation() {
    let case = "  - id: x\n    request: managed-update\n    live: {}\n    intent: {set: {name: y}}\n    \
                expect: [{outcome: intended}]\n";
    let error = load(case).expect_err("an error");
    assert!(error.contains("`managed-update` is not a request that the skew case `x` can have"), "{error}");
    assert!(error.contains("write it in a case with `live` and `new`"), "{error}");
}

#[rstest]
#[case::of_an_axis("axes: {format: {json: {request: json-merge-patch}, strategic: {}}}")]
#[case::of_the_axis_of_requests("axes: {request: [json-merge-patch, strategic-merge-patch]}")]
#[case::of_an_overlay("overlays: [{when: {}, request: json-merge-patch}]")]
fn a_patch_case_has_one_patch_format(#[case] contribution: &str) {
    let case = format!(
        "  - id: x\n    {contribution}\n    live: {{}}\n    patch: {{name: y}}\n    expect: [{{result: {{name: y}}}}]\n"
    );
    let error = load(&case).expect_err("an error");
    let expected =
        "an axis or an overlay of the patch case `x` has a `request`, but its cells have one patch format";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn every_request_and_every_patch_format_has_a_name_in_cases() {
    let schema = serde_json::to_value(format::json_schema()).unwrap();
    let variants = schema["$defs"]["RequestName"]["oneOf"].as_array().unwrap();
    let requests = Request::ALL.map(Request::name);
    let formats = PatchFormat::ALL.iter().filter(|format| **format != PatchFormat::OfRequest);
    let formats = formats.map(|format| format.name());
    for name in requests.into_iter().chain(formats) {
        let in_schema = variants.iter().filter(|variant| variant["const"] == name);
        let descriptions: Vec<_> = in_schema.map(|variant| variant["description"].as_str()).collect();
        assert!(
            matches!(descriptions[..], [Some(about)] if about.ends_with('.')),
            "{name}: {descriptions:?}"
        );
        let case = |name: &str| format!("  - id: x\n    request: {name}\n    expect: [{{result: {{}}}}]\n");
        let error = load(&case(name)).expect_err("it has no documents");
        assert!(error.contains("the case `x` does nothing"), "{error}");
        let error = load(&case(&format!("{name}s"))).expect_err("an unknown name");
        assert!(error.contains(&format!("unknown value `{name}s`: did you mean `{name}`?")), "{error}");
    }
}

#[rstest]
#[case::in_a_case("CaseFile", true)]
#[case::in_a_value_of_an_axis("SettingFile", false)]
fn every_document_is_in_the_json_schema(#[case] definition: &str, #[case] has_lists: bool) {
    let schema = serde_json::to_value(format::json_schema()).unwrap();
    let properties = &schema["$defs"][definition]["properties"];
    for kind in OperationKind::ALL {
        for operand in kind.declaration().operands {
            let is_list = operand.role.declaration().is_list;
            let property = &properties[key(*kind, operand)];
            assert_eq!(property.is_object(), !is_list || has_lists, "{kind}, {operand:?}");
            let description = property["description"].as_str().unwrap_or_default();
            assert!(is_list || !has_lists || description.contains(&format!("`{kind}`")), "{description}");
            if is_list && has_lists {
                let limits = [&property["minItems"], &property["maxItems"]];
                assert!(
                    limits.iter().all(|limit| limit.as_u64() == operand.length.map(|n| n as u64)),
                    "{property}"
                );
            }
        }
    }
}

const VERSIONS: &str = "    live: {apiVersion: v1, kind: Holder}
    configuration: {apiVersion: v1, kind: Holder}
    manager: m
    versions:
      - {api-version: v1, reset-fields: [kind]}
      - {api-version: v2, renames: [{hub: name, version: kind}]}
    expect: [{error: conflict}]
";

fn load_versions(text: &str) -> Result<Corpus, String> {
    load(&format!("  - id: x\n    request: server-side-apply\n{text}"))
}

#[test]
fn the_versions_of_a_case_are_those_of_the_resource() {
    let corpus = load_versions(VERSIONS).unwrap_or_else(|error| panic!("{error}"));
    let Plan::Patch(plan) = corpus.cells().next().unwrap().plan().unwrap() else { panic!() };
    let resource = plan.operation().unwrap().options().field_manager.resource.unwrap();
    let names: Vec<&str> = resource.versions.iter().map(|version| version.api_version.as_str()).collect();
    assert_eq!(names, ["v1", "v2"]);
    assert_eq!(resource.versions[0].reset_fields, [["kind"]]);
    assert_eq!(
        (&resource.versions[1].renames[0].hub[0], &resource.versions[1].renames[0].version[0]),
        (&"name".into(), &"kind".into())
    );
}

#[rstest]
#[case::no_version(
    "versions:\n      - {api-version: v1, reset-fields: [kind]}\n      - {api-version: v2, renames: [{hub: name, version: kind}]}\n",
    "versions: []\n",
    "17:15: the resource has no version"
)]
#[case::twice("api-version: v2", "api-version: v1", "19:23: the version `v1` is declared twice")]
#[case::no_api_version("api-version: v2", "api-version: a/b/c", "19:23: `a/b/c` is no API version")]
#[case::empty_group("api-version: v2", "api-version: /v2", "19:23: `/v2` is no API version")]
#[case::list_items("hub: name", "hub: 'name[0]'", "19:43: `name[0]` is not a path of field names")]
#[case::empty_name("[kind]", "[kind.]", "18:42: `kind.` is not a path of field names")]
#[case::unknown_hub("hub: name", "hub: nam", "19:43: objects of the other versions have no field `nam`")]
#[case::unknown_in_version("version: kind", "version: kid", "19:58: objects of v2 have no field `kid`")]
#[case::unknown_reset_field("[kind]", "[kid]", "18:42: objects of v1 have no field `kid`")]
#[case::root(
    "api-version: v2,",
    "api-version: v2, root: Holdr,",
    "19:33: the schema has no type `Holdr`: did you mean"
)]
#[case::sent_version(
    "configuration: {apiVersion: v1",
    "configuration: {apiVersion: v3",
    "the `configuration` has the version `v3`, which the resource does not have"
)]
#[case::csa_managers(
    "    manager: m\n",
    "    manager: m\n    csa-managers: [c]\n",
    "17:5: the case `x` does several things: `csa-managers` does not go with `configuration`"
)]
fn versions_with_an_error_have_a_position_and_advice(
    #[case] valid: &str,
    #[case] invalid: &str,
    #[case] expected: &str,
) {
    assert!(VERSIONS.contains(valid));
    let error = load_versions(&VERSIONS.replace(valid, invalid)).expect_err("an error");
    assert!(error.contains(expected), "{error}");
    assert!(error.contains("= help: ") || error.contains("did you mean"), "{error}");
}
