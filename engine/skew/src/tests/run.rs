//! Runs of scenarios: the documents of the steps, and the final state.

use std::cell::RefCell;
use std::sync::Arc;

use rstest::rstest;
use skewer_engine::document::OwnedDoc;
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::union::policy;

use super::*;
use crate::{
    BuiltIn, Client, Decoding, Edit, FinalState, Intent, Operation, OperationError, OperationKind,
    Operations, Request, Role, Scenario, Server, StepName, run,
};

const TYPES: &str = r#"
type Root struct {
  A     *int              `json:"a,omitempty"`
  B     *int              `json:"b,omitempty"`
  Items []Item            `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Kind  Kind              `json:"kind,omitempty"`
  Kinds []Kind            `json:"kinds,omitempty"`
  ByKey map[string]Kind   `json:"byKey,omitempty"`
  Open  Open              `json:"open,omitempty"`
  Union *Union            `json:"union,omitempty"`
}
type Item struct {
  Name string `json:"name"`
  X    *int   `json:"x,omitempty"`
}
// +enum
type Kind string
const (
  KindA Kind = "A"
  KindB Kind = "B"
)
type Open string
// +union
type Union struct {
  // +unionDiscriminator
  // +required
  Type UnionType `json:"type"`
  // +unionMember
  // +optional
  First *int `json:"first,omitempty"`
}
// +enum
type UnionType string
const First UnionType = "First"
"#;

/// The parts of a scenario. Both parties know all types and directives; the tests then restrict them.
struct Setup {
    client: Client,
    server: Server,
    request: Request,
    stored: OwnedDoc,
    last_applied: Option<OwnedDoc>,
    intent: Intent,
}

fn setup(request: Request) -> Setup {
    let full_context = context_of(TYPES, "Root");
    Setup {
        client: Client::new(full_context.clone(), Decoding::Structured),
        server: Server {
            context: full_context,
            strict: false,
            policy: policy::NONE,
            admission: None,
            defaults: crate::BuiltInDefaults::NotSimulated,
        },
        request,
        stored: json(r#"{"a":1,"b":2,"items":[{"name":"n","x":1}]}"#),
        last_applied: None,
        intent: Intent(vec![Edit::Set(json(r#"{"a":3}"#)), Edit::Remove("b".parse().unwrap())]),
    }
}

fn remove_from_schema(context: &mut PatchContext, elements: &[&str]) {
    let elements: Vec<_> = elements.iter().map(|element| element.parse().unwrap()).collect();
    context.schema = Arc::new(context.schema.without(&elements).unwrap());
}

/// The failure of an implementation to answer.
#[derive(Debug, PartialEq)]
struct NoAnswer;

type RunResult = Result<FinalState, OperationError<NoAnswer>>;

impl Setup {
    fn run_on(&self, operations: &dyn Operations<NoAnswer>) -> (RunResult, Vec<(StepName, String)>) {
        let scenario = Scenario {
            last_applied: self.last_applied.clone().map(Arc::new),
            intent: Arc::new(self.intent.clone()),
            client: self.client.clone(),
            server: self.server.clone(),
            request: self.request,
            ..Scenario::up_to_date(Arc::new(self.stored.clone()), context_of(TYPES, "Root"))
        };
        let mut steps = Vec::new();
        let final_state =
            run(&scenario, operations, &mut |name, document| steps.push((name, document.to_string())));
        (final_state, steps)
    }

    fn run(&self) -> (RunResult, Vec<(StepName, String)>) {
        self.run_on(&BuiltIn)
    }

    #[track_caller]
    fn refused(&self) -> Error {
        match self.run().0 {
            Ok(FinalState::Refused(error)) => error,
            other => panic!("{other:?}"),
        }
    }
}

#[rstest]
#[case::update(Request::Update, r#"{"a":3,"items":[{"name":"n","x":1}]}"#)]
#[case::json_merge_patch(Request::JsonMergePatch, r#"{"a":3,"b":null}"#)]
#[case::strategic_merge_patch(Request::StrategicMergePatch, r#"{"a":3,"b":null}"#)]
#[case::create(Request::Create, r#"{"a":3,"items":[{"name":"n","x":1}]}"#)]
fn the_steps_come_in_order_with_their_documents(#[case] request: Request, #[case] sent: &str) {
    let (final_state, steps) = setup(request).run();
    let stored = r#"{"a":1,"b":2,"items":[{"name":"n","x":1}]}"#;
    let result = r#"{"a":3,"items":[{"name":"n","x":1}]}"#;
    let expected = [
        (StepName::Stored, stored),
        (StepName::Read, stored),
        (StepName::Decoded, stored),
        (StepName::Edited, result),
        (StepName::Request, sent),
        (StepName::Merged, result),
        (StepName::Result, result),
    ];
    assert_eq!(steps, expected.map(|(name, document)| (name, document.to_owned())));
    assert_eq!(final_state, Ok(FinalState::Stored(json(result))));
}

#[test]
fn apply_makes_the_edits_on_the_last_applied_object() {
    let mut setup = setup(Request::ClientSideApply);
    setup.last_applied = Some(json(r#"{"b":2}"#));
    let (final_state, steps) = setup.run();
    let document = |step| steps.iter().find(|(name, _)| *name == step).unwrap().1.as_str();
    assert_eq!(document(StepName::Edited), r#"{"a":3}"#);
    assert_eq!(document(StepName::Request), r#"{"a":3,"b":null}"#);
    assert_eq!(final_state, Ok(FinalState::Stored(json(r#"{"a":3,"items":[{"name":"n","x":1}]}"#))));
}

#[test]
fn apply_needs_a_last_applied_object() {
    let Err(OperationError::Refused(error)) = setup(Request::ClientSideApply).run().0 else {
        panic!("the scenario ran without a last-applied object")
    };
    assert_eq!(error.kind(), ErrorKind::InvalidIntent);
    assert_eq!(error.to_string(), "request client-side-apply: expected a last-applied object");
}

/// For a custom resource kubectl sends a JSON merge patch, which replaces lists.
#[rstest]
#[case::custom_resource(true, r#"{"items":[{"name":"n","x":5}]}"#)]
#[case::built_in_type(false, r#"{"$setElementOrder/items":[{"name":"n"}],"items":[{"name":"n","x":5}]}"#)]
fn apply_sends_the_kind_of_patch_that_the_type_supports(#[case] custom_resource: bool, #[case] sent: &str) {
    let mut setup = setup(Request::ClientSideApply);
    setup.client.context.custom_resource = custom_resource;
    setup.server.context.custom_resource = custom_resource;
    setup.last_applied = Some(json(r#"{"items":[{"name":"n","x":1}]}"#));
    setup.intent = Intent(vec![Edit::Set(json(r#"{"items":[{"name":"n","x":5}]}"#))]);
    let (final_state, steps) = setup.run();
    assert!(steps.contains(&(StepName::Request, sent.to_owned())), "{steps:?}");
    assert_eq!(final_state, Ok(FinalState::Stored(json(r#"{"a":1,"b":2,"items":[{"name":"n","x":5}]}"#))));
}

/// A strategic merge patch contains only the changed items of a list.
#[test]
fn a_strategic_merge_patch_keeps_unchanged_list_items() {
    let mut setup = setup(Request::StrategicMergePatch);
    setup.stored = json(r#"{"items":[{"name":"m","x":1},{"name":"n","x":1}]}"#);
    setup.intent = Intent(vec![Edit::Set(json(r#"{"items":[{"name":"n","x":5}]}"#))]);
    let (final_state, _) = setup.run();
    assert_eq!(
        final_state,
        Ok(FinalState::Stored(json(r#"{"items":[{"name":"m","x":1},{"name":"n","x":5}]}"#)))
    );
}

#[rstest]
#[case::structured(Decoding::Structured, r#"{"a":1,"items":[{"name":"n","x":1}]}"#)]
#[case::unstructured(Decoding::Unstructured, r#"{"a":1,"b":2,"items":[{"name":"n","x":1}]}"#)]
fn a_structured_client_drops_unknown_fields(#[case] decoding: Decoding, #[case] decoded: &str) {
    let mut setup = setup(Request::Update);
    setup.client.decoding = decoding;
    remove_from_schema(&mut setup.client.context, &["Root.b"]);
    setup.intent = Intent::default();
    let (final_state, steps) = setup.run();
    assert!(steps.contains(&(StepName::Decoded, decoded.to_owned())), "{steps:?}");
    assert_eq!(final_state, Ok(FinalState::Stored(json(decoded))));
}

#[test]
fn a_server_neither_returns_nor_stores_unknown_fields() {
    let mut setup = setup(Request::StrategicMergePatch);
    remove_from_schema(&mut setup.server.context, &["Root.a"]);
    let (final_state, steps) = setup.run();
    let read = r#"{"b":2,"items":[{"name":"n","x":1}]}"#;
    assert!(steps.contains(&(StepName::Read, read.to_owned())), "{steps:?}");
    assert_eq!(final_state, Ok(FinalState::Stored(json(r#"{"items":[{"name":"n","x":1}]}"#))));
}

#[test]
fn a_strict_server_refuses_unknown_fields() {
    let mut setup = setup(Request::StrategicMergePatch);
    remove_from_schema(&mut setup.server.context, &["Root.a"]);
    setup.server.strict = true;
    assert_eq!(setup.refused().kind(), ErrorKind::StrictUnknownField);
}

#[rstest]
#[case::field(r#"{"kind":"C"}"#, r#"kind: "C" is not a value of Kind (expected "A", "B")"#)]
#[case::list_item(r#"{"kinds":["A","C"]}"#, r#"kinds[1]: "C" is not a value of Kind (expected "A", "B")"#)]
#[case::map_value(r#"{"byKey":{"x":"C"}}"#, r#"byKey.x: "C" is not a value of Kind (expected "A", "B")"#)]
fn a_value_that_a_closed_enum_does_not_have_is_refused(#[case] values: &str, #[case] message: &str) {
    let mut setup = setup(Request::Update);
    setup.intent = Intent(vec![Edit::Set(json(values))]);
    let error = setup.refused();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::UnknownEnumValue, message));
}

#[rstest]
#[case::values_of_a_closed_enum(r#"{"byKey":{"x":"B"},"kind":"A","kinds":["A","B"]}"#)]
#[case::value_of_an_open_enum(r#"{"open":"anything"}"#)]
// Only the union policy decides on discriminators, and the policy `none` accepts all.
#[case::unknown_value_of_a_discriminator(r#"{"union":{"type":"Second"}}"#)]
fn other_enum_values_are_stored(#[case] values: &str) {
    let mut setup = setup(Request::Update);
    setup.stored = json("{}");
    setup.intent = Intent(vec![Edit::Set(json(values))]);
    assert_eq!(setup.run().0, Ok(FinalState::Stored(json(values))));
}

/// The policy `deduce` sets the discriminator if exactly one member is set.
#[rstest]
#[case::changed_by_normalization(Intent(vec![Edit::Remove("union.type".parse().unwrap())]), Some(r#"{"union":{"first":1,"type":"First"}}"#))]
#[case::unchanged_by_normalization(Intent::default(), None)]
fn normalization_is_recorded_as_a_step_if_it_changes_the_object(
    #[case] intent: Intent,
    #[case] normalized: Option<&str>,
) {
    let mut setup = setup(Request::Update);
    setup.server.policy = policy::by_name("deduce").unwrap();
    setup.stored = json(r#"{"union":{"first":1,"type":"First"}}"#);
    setup.intent = intent;
    let (final_state, steps) = setup.run();
    let step = steps.iter().find(|(name, _)| *name == StepName::Normalized);
    assert_eq!(step.map(|(_, document)| document.as_str()), normalized);
    assert_eq!(final_state, Ok(FinalState::Stored(setup.stored)));
}

/// With `kep-1027-ratcheting`, an update may keep the errors of the stored object. A create request has no stored
/// object.
#[rstest]
#[case::update(Request::Update, true)]
#[case::create(Request::Create, false)]
fn the_policy_sees_the_stored_object_only_on_update(#[case] request: Request, #[case] is_stored: bool) {
    let mut setup = setup(request);
    setup.server.policy = policy::by_name("kep-1027-ratcheting").unwrap();
    setup.stored = json(r#"{"union":{"first":1,"type":"Second"}}"#);
    setup.intent = Intent::default();
    let (final_state, _) = setup.run();
    assert_eq!(matches!(final_state, Ok(FinalState::Stored(_))), is_stored, "{final_state:?}");
}

/// A target that crashes on every operation.
struct SilentTarget;

impl Operations<NoAnswer> for SilentTarget {
    fn perform(&self, _: &Operation<'_>) -> Result<OwnedDoc, OperationError<NoAnswer>> {
        Err(OperationError::NoAnswer(NoAnswer))
    }
}

/// A target that refuses every operation.
struct RefusingTarget;

impl<F> Operations<F> for RefusingTarget {
    fn perform(&self, _: &Operation<'_>) -> Result<OwnedDoc, OperationError<F>> {
        Err(Error::new(ErrorKind::Conflict, "no").into())
    }
}

#[test]
fn a_missing_answer_is_an_error_and_a_refusal_is_a_final_state() {
    let setup = setup(Request::StrategicMergePatch);
    assert_eq!(setup.run_on(&SilentTarget).0, Err(OperationError::NoAnswer(NoAnswer)));
    let refused = Error::new(ErrorKind::Conflict, "no");
    assert_eq!(setup.run_on(&RefusingTarget).0, Ok(FinalState::Refused(refused)));
}

#[test]
fn the_names_of_requests_and_steps_are_stable() {
    let names = [
        "create",
        "update",
        "json-merge-patch",
        "strategic-merge-patch",
        "client-side-apply",
        "server-side-apply",
        "apply-manifest",
    ];
    assert_eq!(Request::ALL.map(Request::name), names);
    let steps = [
        (StepName::Earlier, "earlier"),
        (StepName::Stored, "stored"),
        (StepName::LastApplied, "last-applied"),
        (StepName::Read, "read"),
        (StepName::Decoded, "decoded"),
        (StepName::Edited, "edited"),
        (StepName::Meanwhile, "meanwhile"),
        (StepName::Request, "request"),
        (StepName::Merged, "merged"),
        (StepName::Normalized, "normalized"),
        (StepName::Result, "result"),
    ];
    let mut descriptions: Vec<_> = steps.iter().map(|(step, _)| step.about()).collect();
    for (step, name) in steps {
        assert_eq!(step.name(), name);
    }
    descriptions.sort_unstable();
    descriptions.dedup();
    assert_eq!(descriptions.len(), steps.len(), "two steps have the same description");
}

#[rstest]
#[case::known_fields(r#"{"a":1}"#, true)]
#[case::a_null(r#"{"a":1,"b":null}"#, true)]
#[case::an_unknown_field(r#"{"a":1,"b":2}"#, false)]
#[case::another_type(r#"{"a":"x"}"#, false)]
fn a_server_can_hold_an_object_of_which_it_drops_nothing(#[case] object: &str, #[case] expected: bool) {
    let mut server = setup(Request::Update).server;
    let full_context = server.context.clone();
    remove_from_schema(&mut server.context, &["Root.b"]);
    assert_eq!(server.can_hold(&json(object), &full_context), expected);
}

/// An API server that stores the body of each request, and records the live objects that it gets.
struct ApiServer(RefCell<Vec<OwnedDoc>>);

impl Operations<NoAnswer> for ApiServer {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError<NoAnswer>> {
        if operation.kind() != OperationKind::Request {
            return BuiltIn.perform(operation);
        }
        self.0.borrow_mut().push(operation.document(Role::Live).clone());
        Ok(operation.document(Role::Body).clone())
    }

    fn is_api_server(&self) -> bool {
        true
    }
}

#[rstest]
#[case::update(Request::Update, r#"{"a":1,"b":2,"items":[{"name":"n","x":1}]}"#)]
#[case::create(Request::Create, "null")]
fn an_api_server_gets_the_live_object_unless_it_creates_one(#[case] request: Request, #[case] live: &str) {
    let server = ApiServer(RefCell::default());
    let (final_state, _) = setup(request).run_on(&server);
    assert_eq!(final_state, Ok(FinalState::Stored(json(r#"{"a":3,"items":[{"name":"n","x":1}]}"#))));
    assert_eq!(server.0.into_inner(), [json(live)]);
}
