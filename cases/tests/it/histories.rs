//! Histories, requests that are sent meanwhile, apply configurations and owners.

use rstest::rstest;
use skewer_cases::{CaseOperation, Cell, Corpus, Plan};
use skewer_skew::{Decoding, Request, Scenario};

use crate::support;

const SUITE: &str = r#"suite: demo/histories
about: Requests of several clients.
schema:
  go: |
    type Object struct {
      A   *int `json:"a,omitempty"`
      New *int `json:"new,omitempty"`
    }
  root: Object
axes:
  server:
    old: {without: [Object.new]}
    new: {}
cases:
  - id: two-managers
    axes:
      first:
        none: {}
        update: {history: [{request: update, intent: {set: {a: 3}}}]}
    client: {manager: helm, resource-version: true}
    history:
      - client: {manager: controller, without: [Object.new], unstructured: true, force: true}
        server: {}
        request: server-side-apply
        document: {a: 1, new: 1}
    meanwhile:
      - request: json-merge-patch
        intent: {set: {a: 2}}
    request: server-side-apply
    configuration: {new: 2}
    overlays:
      - when: {server: old}
        client: {force: true}
    expect:
      - when: {server: old}
        error: field-not-declared
      - outcome: refused
        error: conflict
        conflicts: [{manager: controller, path: .new}]
"#;

fn load(text: &str) -> Result<Corpus, String> {
    support::load("demo/histories.yaml", "s.yaml", text)
}

fn scenario(cell: &Cell<'_>) -> Box<Scenario> {
    let Plan::Skew(plan) = cell.plan().unwrap() else { panic!("a skew case") };
    plan
}

fn plan(corpus: &Corpus, id: &str) -> Box<Scenario> {
    scenario(&corpus.cells().find(|cell| cell.id().ends_with(id)).expect("the cell"))
}

#[test]
fn the_plan_has_the_requests_of_all_contributions() {
    let corpus = load(SUITE).unwrap_or_else(|error| panic!("{error}"));
    let plan = plan(&corpus, "[server=old,first=update]");
    assert_eq!((plan.stored.is_null(), plan.request), (true, Request::ServerSideApply));
    assert_eq!(plan.configuration.as_ref().unwrap().to_string(), r#"{"new":2}"#);
    let options = &plan.options;
    assert_eq!((&*options.manager, options.force, options.resource_version), ("helm", true, Some(true)));
    let requests: Vec<Request> = plan.history.iter().map(|other| other.request).collect();
    assert_eq!(requests, [Request::ServerSideApply, Request::Update]);
    let [earlier, update] = plan.history.as_slice() else { panic!("two requests") };
    assert_eq!((&*earlier.options.manager, earlier.options.force), ("controller", true));
    assert_eq!(earlier.client.decoding, Decoding::Unstructured);
    let has_new =
        |context: &skewer_engine::patch::PatchContext| context.schema.field(context.root, "new").is_some();
    // A server of its own is up to date. Without it, the server is that of the cell.
    assert_eq!(
        (has_new(&earlier.client.context), earlier.server.as_ref().map(|of| has_new(&of.context))),
        (false, Some(true))
    );
    assert_eq!((update.server.is_none(), has_new(&plan.server.context)), (true, false));
    assert_eq!((&*update.options.manager, update.document.is_none()), ("client", true));
    assert_eq!(plan.meanwhile.len(), 1);
}

#[test]
fn an_apply_without_intent_is_forced_in_the_ideal() {
    let corpus = load(SUITE).unwrap_or_else(|error| panic!("{error}"));
    let plan = plan(&corpus, "[server=new,first=update]");
    let ideal = plan.ideal();
    assert_eq!((ideal.request, ideal.options.force), (Request::ServerSideApply, true));
    assert_eq!((ideal.history.len(), ideal.meanwhile.len()), (3, 0));
    assert_eq!(ideal.history[2].request, Request::JsonMergePatch);
}

#[test]
fn an_intent_is_an_update_in_the_ideal() {
    let text = SUITE
        .replace("    configuration: {new: 2}\n", "    configuration: {new: 2}\n    intent: {set: {a: 5}}\n");
    let corpus = load(&text).unwrap_or_else(|error| panic!("{error}"));
    let plan = plan(&corpus, "[server=new,first=none]");
    let ideal = plan.ideal();
    assert_eq!((ideal.request, ideal.options.resource_version), (Request::Update, None));
}

/// A `server-side-apply` of a configuration is an operation unless the case has something that only clients have.
#[rstest]
#[case::operation("", "result: {a: 1}", false)]
#[case::outcome("", "outcome: intended", true)]
#[case::owners("", "owners: []", true)]
#[case::client("    client: {manager: m}\n", "result: {a: 1}", true)]
#[case::history("    history: [{request: create, document: {a: 1}}]\n", "result: {a: 1}", true)]
fn a_case_that_applies_a_configuration_can_have_a_client(
    #[case] key: &str,
    #[case] answer: &str,
    #[case] is_skew: bool,
) {
    let head = &SUITE[..SUITE.find("  - id: two").unwrap()];
    let live = if key.contains("history") { "" } else { "    live: {a: 1}\n" };
    let text = format!(
        "{head}  - id: x\n    request: server-side-apply\n{live}    configuration: {{a: 1}}\n{key}    expect: [{{{answer}}}]\n"
    );
    let corpus = load(&text).unwrap_or_else(|error| panic!("{error}"));
    let case = corpus.cells().next().unwrap().case;
    assert_eq!(case.operation == CaseOperation::Skew, is_skew);
}

#[rstest]
#[case::manager_of_a_server(
    "without: [Object.new]}\n    new",
    "without: [Object.new], manager: m}\n    new",
    "s.yaml:12:43: a server has no `manager`",
    "write it in a `client`"
)]
#[case::force_of_a_server(
    "        server: {}\n",
    "        server: {force: true}\n",
    "s.yaml:23:25: a server has no `force`",
    "write it in a `client`"
)]
#[case::negotiating_server(
    "        server: {}\n",
    "        server: {negotiates: true}\n",
    "s.yaml:23:30: a server has no `negotiates`",
    "write it in a `client`"
)]
#[case::force_of_a_webhook(
    "    configuration: {new: 2}\n",
    "    configuration: {new: 2}\n    webhook: {party: {force: true}}\n",
    "a webhook has no `force`",
    "write it in a `client`"
)]
#[case::force_of_an_update(
    "{request: update, intent",
    "{client: {force: true}, request: update, intent",
    "`force` has no effect on the request `update`",
    "remove `force`"
)]
#[case::force_without_apply(
    "request: server-side-apply\n    configuration: {new: 2}\n",
    "request: update\n    intent: {set: {a: 3}}\n",
    "`force` has no effect: no request of the client is a `server-side-apply`",
    "remove `force`"
)]
#[case::client_side_apply(
    "request: json-merge-patch",
    "request: client-side-apply",
    "s.yaml:27:18: `client-side-apply` cannot be the request of another client",
    "write one of create, update, json-merge-patch"
)]
#[case::json_patch(
    "request: json-merge-patch",
    "request: json-patch",
    "`json-patch` cannot be the request",
    "no client creates this request from documents"
)]
#[case::document_of_a_patch(
    "        intent: {set: {a: 2}}\n",
    "        document: {a: 2}\n",
    "s.yaml:28:19: a `json-merge-patch` has no `document`",
    "write the changes as an `intent`"
)]
#[case::nothing_written(
    "        intent: {set: {a: 2}}\n",
    "",
    "s.yaml:27:9: this `json-merge-patch` writes nothing",
    "add an `intent`"
)]
#[case::no_request(
    "      - request: json-merge-patch\n        intent",
    "      - intent",
    "s.yaml:27:9: missing field `request`",
    "request"
)]
#[case::unknown_key(
    "        document: {a: 1, new: 1}",
    "        documents: {a: 1, new: 1}",
    "unknown key `documents`: did you mean `document`?",
    ""
)]
#[case::unknown_field(
    "document: {a: 1, new: 1}",
    "document: {a: 1, newer: 1}",
    "s.yaml:25:26: Object has no field `newer` that any party knows",
    "unknown-fields: [newer]"
)]
#[case::wrong_type(
    "intent: {set: {a: 2}}",
    "intent: {set: {a: x}}",
    "s.yaml:28:27: expected an integer",
    "wrong-types: [a]"
)]
#[case::unknown_field_in_the_configuration(
    "configuration: {new: 2}",
    "configuration: {newer: 2}",
    "Object has no field `newer`",
    "unknown-fields: [newer]"
)]
#[case::unknown_element(
    "manager: controller, without: [Object.new]",
    "manager: controller, without: [Object.old]",
    "the types of the case have no `Object.old`",
    ""
)]
#[case::created_twice(
    "{request: update, intent: {set: {a: 3}}}",
    "{request: create, document: {a: 3}}",
    "another client creates an object that exists in 2 cells of `two-managers`",
    "write `update` or `server-side-apply`"
)]
#[case::no_intent(
    "    request: server-side-apply\n    configuration",
    "    request: json-merge-patch\n    configuration",
    "s.yaml:30:5: `configuration` has no effect: no request of the client is a `server-side-apply`",
    "write `request: server-side-apply`"
)]
#[case::owners_of_a_refusal(
    "        conflicts: [{manager: controller, path: .new}]\n",
    "        owners: []\n",
    "`owners` is for an accepted request",
    "remove `owners`"
)]
#[case::conflicts_of_another_error(
    "        error: conflict\n",
    "        error: wrong-kind\n",
    "`conflicts` is for the error `conflict`",
    "add `error: conflict`"
)]
#[case::conflicts_in_another_notation(
    "path: .new}",
    "path: new}",
    "`new` is not in the notation of field sets: did you mean `.new`?",
    "a path begins with a dot"
)]
#[case::conflicts_with_a_text_that_is_not_json(
    "path: .new}",
    "path: '.items[name=a].new'}",
    "`.items[name=a].new` is not in the notation of field sets: did you mean `.items[name=\"a\"].new`?",
    "a path begins with a dot"
)]
#[case::api_version_of_one_document(
    "document: {a: 1, new: 1}",
    "document: {apiVersion: v1, a: 1, new: 1}",
    "the document has no `apiVersion`, and the one in line 25 has",
    "write `apiVersion` into all documents of a case, or into none"
)]
#[case::manager_of_the_case(
    "    client: {manager: helm, resource-version: true}\n",
    "    manager: helm\n",
    "`manager` does not belong here: in a skew case, it is an option of a client",
    "write it in the `client` of the case"
)]
fn mistakes_are_reported_with_their_position(
    #[case] right: &str,
    #[case] wrong: &str,
    #[case] message: &str,
    #[case] help: &str,
) {
    assert!(SUITE.contains(right), "{right}");
    let error = load(&SUITE.replacen(right, wrong, 1)).expect_err("an error");
    assert!(error.contains(message) && error.contains(help), "{error}");
}

const UPDATE: &str = r"  - id: update
    live: {a: 1}
    request: update
    intent: {set: {a: 2}}
    expect: [{outcome: intended}]
";

#[rstest]
#[case::owners(
    "{outcome: intended}",
    "{outcome: intended, owners: []}",
    "`owners` needs a request that is a `server-side-apply`"
)]
#[case::conflicts(
    "{outcome: intended}",
    "{outcome: refused, error: conflict, conflicts: []}",
    "`conflicts` is for the error of `server-side-apply`"
)]
#[case::no_live("    live: {a: 1}\n", "", "2 cells of `update` have no `live`")]
#[case::history_of_an_update(
    "    live: {a: 1}\n",
    "    history: [{request: update, document: {a: 1}}]\n",
    "2 cells of `update` have no `live`"
)]
#[case::configuration(
    "    live: {a: 1}\n",
    "    live: {a: 1}\n    configuration: {a: 1}\n",
    "`configuration` has no effect: no request of the client is a `server-side-apply`"
)]
#[case::client_of_an_operation(
    "    request: update\n    intent: {set: {a: 2}}\n    expect: [{outcome: intended}]",
    "    patch: {a: 2}\n    client: {resource-version: true}\n    expect: [{result: {a: 2}}]",
    "`resource-version` of a client is for skew cases"
)]
fn parts_of_an_apply_without_an_apply_are_errors(
    #[case] right: &str,
    #[case] wrong: &str,
    #[case] message: &str,
) {
    let head = &SUITE[..SUITE.find("  - id: two").unwrap()];
    let text = |case: &str| format!("{head}{case}");
    assert!(load(&text(UPDATE)).is_ok() && UPDATE.contains(right));
    let error = load(&text(&UPDATE.replace(right, wrong))).expect_err("an error");
    assert!(error.contains(message), "{error}");
}

#[test]
fn without_an_apply_a_manager_only_names_who_acts() {
    let head = &SUITE[..SUITE.find("  - id: two").unwrap()];
    let live = "    live: {a: 1}\n";
    let case = UPDATE.replace(live, &format!("{live}    client: {{manager: m}}\n"));
    assert!(case != UPDATE && load(&format!("{head}{case}")).is_ok());
}

#[test]
fn the_first_request_of_a_history_can_create_the_object() {
    let head = &SUITE[..SUITE.find("  - id: two").unwrap()];
    for (request, document) in [("create", "document: {a: 1}"), ("server-side-apply", "document: {a: 1}")] {
        let history = format!("    history: [{{request: {request}, {document}}}]\n");
        let text = format!("{head}{}", UPDATE.replace("    live: {a: 1}\n", &history));
        let corpus = load(&text).unwrap_or_else(|error| panic!("{error}"));
        assert!(scenario(&corpus.cells().next().unwrap()).stored.is_null());
    }
}

#[test]
fn an_intent_is_needed_only_where_no_configuration_is_applied() {
    let head = &SUITE[..SUITE.find("  - id: two").unwrap()];
    let case = |intent: &str| {
        format!(
            "{head}  - id: x\n    axes: {{request: [update, server-side-apply]}}\n    live: {{a: 1}}\n    \
             configuration: {{a: 2}}\n{intent}    expect: [{{outcome: intended}}]\n"
        )
    };
    let error = load(&case("")).expect_err("an error");
    assert!(error.contains("2 cells of `x` have no `intent`"), "{error}");
    assert!(
        error.contains(
            "only a `server-side-apply` or an `apply-manifest` with a `configuration` needs no intent"
        ),
        "{error}"
    );
    assert!(load(&case("    intent: {set: {a: 2}}\n")).is_ok());
}
