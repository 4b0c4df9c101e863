//! A scenario's steps, with the document of each.

use rstest::rstest;

use std::sync::Arc;

use super::*;
use crate::document::OwnedDoc;
use crate::error::{Error, ErrorKind};
use crate::skew::{
    BuiltIn, Client, Decoding, Edit, FinalState, Intent, Operation, OperationError, Operations, Request,
    Scenario, Server, StepName, run,
};
use crate::union::policy;

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

/// Parties that know everything, but for what the tests take from them.
struct World {
    client: Client,
    server: Server,
    request: Request,
    stored: OwnedDoc,
    last_applied: Option<OwnedDoc>,
    intent: Intent,
}

fn world(request: Request) -> World {
    let everything = context_of(TYPES, "Root");
    World {
        client: Client { context: everything.clone(), decoding: Decoding::Structured },
        server: Server { context: everything, strict: false, policy: policy::NONE },
        request,
        stored: json(r#"{"a":1,"b":2,"items":[{"name":"n","x":1}]}"#),
        last_applied: None,
        intent: Intent(vec![Edit::Set(json(r#"{"a":3}"#)), Edit::Remove("b".parse().unwrap())]),
    }
}

fn without(context: &mut PatchContext, elements: &[&str]) {
    let elements: Vec<_> = elements.iter().map(|element| element.parse().unwrap()).collect();
    context.schema = Arc::new(context.schema.without(&elements).unwrap());
}

/// The failure of an implementation to answer.
#[derive(Debug, PartialEq)]
struct NoAnswer;

type RunResult = Result<FinalState, OperationError<NoAnswer>>;

impl World {
    fn run_on(&self, operations: &dyn Operations<NoAnswer>) -> (RunResult, Vec<(StepName, String)>) {
        let everything = context_of(TYPES, "Root");
        let scenario = Scenario {
            stored: &self.stored,
            last_applied: self.last_applied.as_ref(),
            intent: &self.intent,
            full_context: &everything,
            client: &self.client,
            server: &self.server,
            request: self.request,
        };
        let mut steps = Vec::new();
        let end = run(&scenario, operations, &mut |name, document| steps.push((name, document.to_string())));
        (end, steps)
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
    let (end, steps) = world(request).run();
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
    assert_eq!(end, Ok(FinalState::Stored(json(result))));
}

#[test]
fn apply_edits_what_was_applied_last() {
    let mut world = world(Request::Apply);
    world.last_applied = Some(json(r#"{"b":2}"#));
    let (end, steps) = world.run();
    let step = |wanted| steps.iter().find(|(name, _)| *name == wanted).unwrap().1.as_str();
    assert_eq!(step(StepName::Edited), r#"{"a":3}"#);
    assert_eq!(step(StepName::Request), r#"{"a":3,"b":null}"#);
    assert_eq!(end, Ok(FinalState::Stored(json(r#"{"a":3,"items":[{"name":"n","x":1}]}"#))));
}

#[test]
fn apply_is_nothing_without_what_was_applied_last() {
    let Err(OperationError::Refused(error)) = world(Request::Apply).run().0 else { panic!("it ran") };
    assert_eq!(error.kind(), ErrorKind::InvalidIntent);
    assert_eq!(error.to_string(), "apply needs what was last applied");
}

/// What kubectl sends for a custom resource is a JSON merge patch: lists are replaced.
#[rstest]
#[case::a_custom_resource(true, r#"{"items":[{"name":"n","x":5}]}"#)]
#[case::a_built_in_type(false, r#"{"$setElementOrder/items":[{"name":"n"}],"items":[{"name":"n","x":5}]}"#)]
fn apply_sends_what_the_client_can_make(#[case] custom_resource: bool, #[case] sent: &str) {
    let mut world = world(Request::Apply);
    world.client.context.custom_resource = custom_resource;
    world.server.context.custom_resource = custom_resource;
    world.last_applied = Some(json(r#"{"items":[{"name":"n","x":1}]}"#));
    world.intent = Intent(vec![Edit::Set(json(r#"{"items":[{"name":"n","x":5}]}"#))]);
    let (end, steps) = world.run();
    assert!(steps.contains(&(StepName::Request, sent.to_owned())), "{steps:?}");
    assert_eq!(end, Ok(FinalState::Stored(json(r#"{"a":1,"b":2,"items":[{"name":"n","x":5}]}"#))));
}

/// A strategic merge patch says of a list only what changed.
#[test]
fn a_server_applies_the_patch_that_the_client_made() {
    let mut world = world(Request::StrategicMergePatch);
    world.stored = json(r#"{"items":[{"name":"m","x":1},{"name":"n","x":1}]}"#);
    world.intent = Intent(vec![Edit::Set(json(r#"{"items":[{"name":"n","x":5}]}"#))]);
    let (end, _) = world.run();
    assert_eq!(end, Ok(FinalState::Stored(json(r#"{"items":[{"name":"m","x":1},{"name":"n","x":5}]}"#))));
}

#[rstest]
#[case::structured(Decoding::Structured, r#"{"a":1,"items":[{"name":"n","x":1}]}"#)]
#[case::unstructured(Decoding::Unstructured, r#"{"a":1,"b":2,"items":[{"name":"n","x":1}]}"#)]
fn a_client_holds_what_it_knows_unless_it_holds_maps(#[case] decoding: Decoding, #[case] held: &str) {
    let mut world = world(Request::Update);
    world.client.decoding = decoding;
    without(&mut world.client.context, &["Root.b"]);
    world.intent = Intent::default();
    let (end, steps) = world.run();
    assert!(steps.contains(&(StepName::Decoded, held.to_owned())), "{steps:?}");
    assert_eq!(end, Ok(FinalState::Stored(json(held))));
}

#[test]
fn a_server_neither_sends_nor_stores_what_it_does_not_know() {
    let mut world = world(Request::StrategicMergePatch);
    without(&mut world.server.context, &["Root.a"]);
    let (end, steps) = world.run();
    let read = r#"{"b":2,"items":[{"name":"n","x":1}]}"#;
    assert!(steps.contains(&(StepName::Read, read.to_owned())), "{steps:?}");
    assert_eq!(end, Ok(FinalState::Stored(json(r#"{"items":[{"name":"n","x":1}]}"#))));
}

#[test]
fn a_strict_server_refuses_what_it_does_not_know() {
    let mut world = world(Request::StrategicMergePatch);
    without(&mut world.server.context, &["Root.a"]);
    world.server.strict = true;
    assert_eq!(world.refused().kind(), ErrorKind::StrictUnknownField);
}

#[rstest]
#[case::a_field(r#"{"kind":"C"}"#, r#"kind: "C" is no value of Kind: expected A, B"#)]
#[case::an_item(r#"{"kinds":["A","C"]}"#, r#"kinds[1]: "C" is no value of Kind: expected A, B"#)]
#[case::a_value_of_a_map(r#"{"byKey":{"x":"C"}}"#, r#"byKey.x: "C" is no value of Kind: expected A, B"#)]
fn a_value_that_an_enum_does_not_have_is_refused(#[case] values: &str, #[case] message: &str) {
    let mut world = world(Request::Update);
    world.intent = Intent(vec![Edit::Set(json(values))]);
    let error = world.refused();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::UnknownEnumValue, message));
}

#[rstest]
#[case::its_values(r#"{"byKey":{"x":"B"},"kind":"A","kinds":["A","B"]}"#)]
#[case::of_an_open_enum(r#"{"open":"anything"}"#)]
// The discriminator is the union policy's; `none` looks at no union.
#[case::of_a_discriminator(r#"{"union":{"type":"Second"}}"#)]
fn other_values_are_stored(#[case] values: &str) {
    let mut world = world(Request::Update);
    world.stored = json("{}");
    world.intent = Intent(vec![Edit::Set(json(values))]);
    assert_eq!(world.run().0, Ok(FinalState::Stored(json(values))));
}

/// `deduce` writes the discriminator of the only member that is set.
#[rstest]
#[case::something(Intent(vec![Edit::Remove("union.type".parse().unwrap())]), Some(r#"{"union":{"first":1,"type":"First"}}"#))]
#[case::nothing(Intent::default(), None)]
fn what_a_policy_makes_of_a_union_is_a_step_of_its_own(
    #[case] intent: Intent,
    #[case] normalized: Option<&str>,
) {
    let mut world = world(Request::Update);
    world.server.policy = policy::by_name("deduce").unwrap();
    world.stored = json(r#"{"union":{"first":1,"type":"First"}}"#);
    world.intent = intent;
    let (end, steps) = world.run();
    let step = steps.iter().find(|(name, _)| *name == StepName::Normalized);
    assert_eq!(step.map(|(_, document)| document.as_str()), normalized);
    assert_eq!(end, Ok(FinalState::Stored(world.stored)));
}

/// To `kep-1027-ratcheting`, what was wrong before may stay so on update, and is refused on creation.
#[rstest]
#[case::stored_before(Request::Update, true)]
#[case::new(Request::Create, false)]
fn only_an_update_has_something_stored_before(#[case] request: Request, #[case] is_stored: bool) {
    let mut world = world(request);
    world.server.policy = policy::by_name("kep-1027-ratcheting").unwrap();
    world.stored = json(r#"{"union":{"first":1,"type":"Second"}}"#);
    world.intent = Intent::default();
    let (end, _) = world.run();
    assert_eq!(matches!(end, Ok(FinalState::Stored(_))), is_stored, "{end:?}");
}

/// An implementation that does not answer.
struct Gone;

impl Operations<NoAnswer> for Gone {
    fn perform(&self, _: &Operation<'_>) -> Result<OwnedDoc, OperationError<NoAnswer>> {
        Err(OperationError::NoAnswer(NoAnswer))
    }
}

/// An implementation that refuses everything.
struct Refusing;

impl<F> Operations<F> for Refusing {
    fn perform(&self, _: &Operation<'_>) -> Result<OwnedDoc, OperationError<F>> {
        Err(Error::new(ErrorKind::Conflict, "no").into())
    }
}

#[test]
fn a_missing_answer_is_no_refusal() {
    let world = world(Request::StrategicMergePatch);
    assert_eq!(world.run_on(&Gone).0, Err(OperationError::NoAnswer(NoAnswer)));
    let refused = Error::new(ErrorKind::Conflict, "no");
    assert_eq!(world.run_on(&Refusing).0, Ok(FinalState::Refused(refused)));
}

#[test]
fn requests_and_steps_have_the_names_of_cases_and_reports() {
    let names = ["create", "update", "json-merge-patch", "strategic-merge-patch", "apply"];
    assert_eq!(Request::ALL.map(Request::name), names);
    let steps = [
        (StepName::Stored, "stored"),
        (StepName::LastApplied, "last-applied"),
        (StepName::Read, "read"),
        (StepName::Decoded, "decoded"),
        (StepName::Edited, "edited"),
        (StepName::Request, "request"),
        (StepName::Merged, "merged"),
        (StepName::Normalized, "normalized"),
        (StepName::Result, "result"),
    ];
    let mut sentences: Vec<_> = steps.iter().map(|(step, _)| step.about()).collect();
    for (step, name) in steps {
        assert_eq!(step.name(), name);
    }
    sentences.sort_unstable();
    sentences.dedup();
    assert_eq!(sentences.len(), steps.len(), "every step has a sentence of its own");
}
