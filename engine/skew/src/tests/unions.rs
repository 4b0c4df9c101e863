//! Implementations that decide on the unions of an object that a simulated server stores.

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::document::OwnedDoc;
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::union::Admitted;
use skewer_engine::union::policy;

use super::*;
use crate::{
    BuiltIn, Edit, FinalState, Intent, Operation, OperationError, Operations, Request, RequestType, Scenario,
    StepName, UnionWrite, run,
};

const TYPES: &str = r#"
type Root struct {
  Union Union `json:"union,omitempty"`
}
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
const (
  First UnionType = "First"
  Last  UnionType = "Last"
)
"#;

/// The answer of an implementation.
#[derive(Clone, Copy)]
enum Answer {
    /// The object is accepted, and normalized to this one.
    Accepted(&'static str),
    /// The object is refused.
    Refused,
    /// There is no answer.
    None,
    /// The engine decides.
    LeftToEngine,
}

struct Implementation(Answer);

#[derive(Debug, PartialEq)]
struct NoAnswer;

impl Operations<NoAnswer> for Implementation {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError<NoAnswer>> {
        BuiltIn.perform(operation)
    }

    fn admit_unions(&self, write: &UnionWrite<'_>) -> Option<Result<Admitted, OperationError<NoAnswer>>> {
        assert!(write.has_unions() && write.old.is_some(), "{write:?}");
        assert_ne!(write.request_type, RequestType::Create);
        match self.0 {
            Answer::Accepted(object) => Some(Ok(Admitted::by_implementation(write.new, json(object)))),
            Answer::Refused => {
                Some(Err(Error::new(ErrorKind::Conflict, "no").at("first").at("union").into()))
            }
            Answer::None => Some(Err(OperationError::NoAnswer(NoAnswer))),
            Answer::LeftToEngine => None,
        }
    }
}

/// Changes the discriminator of the object `{"union":{"type":"First","first":1}}` and leaves the member.
fn final_state(
    policy: &str,
    request: Request,
    answer: Answer,
) -> (Result<FinalState, OperationError<NoAnswer>>, bool) {
    let stored = json(r#"{"union":{"type":"First","first":1}}"#);
    let intent = Intent(vec![Edit::Set(json(r#"{"union":{"type":"Last"}}"#))]);
    let mut scenario = Scenario::up_to_date(Arc::new(stored), context_of(TYPES, "Root"));
    scenario.intent = Arc::new(intent);
    scenario.server.policy = policy::by_name(policy).unwrap();
    scenario.request = request;
    let mut is_normalized = false;
    let state = run(&scenario, &Implementation(answer), &mut |step, _| {
        is_normalized |= step == StepName::Normalized;
    });
    (state, is_normalized)
}

fn refusal(kind: ErrorKind, path: &str) -> (ErrorKind, String) {
    (kind, path.to_owned())
}

/// Returns the stored object, or the kind and the path of the error.
fn outcome(state: Result<FinalState, OperationError<NoAnswer>>) -> Result<String, (ErrorKind, String)> {
    match state.unwrap() {
        FinalState::Stored(object) => Ok(object.to_string()),
        FinalState::Refused(error) => Err(refusal(error.kind(), &error.path().to_string())),
    }
}

const BY_ENGINE: &str = r#"{"union":{"type":"Last"}}"#;
const UNCHANGED: &str = r#"{"union":{"first":1,"type":"Last"}}"#;

#[rstest]
#[case::normalized(
    Answer::Accepted(r#"{"union":{"type":"Last","first":7}}"#),
    true,
    Ok(r#"{"union":{"first":7,"type":"Last"}}"#)
)]
#[case::unchanged(Answer::Accepted(UNCHANGED), false, Ok(UNCHANGED))]
#[case::refused(Answer::Refused, false, Err((ErrorKind::Conflict, "union.first")))]
#[case::left_to_the_engine(Answer::LeftToEngine, true, Ok(BY_ENGINE))]
fn an_implementation_decides_instead_of_the_policy(
    #[values(Request::Update, Request::JsonMergePatch, Request::StrategicMergePatch)] request: Request,
    #[values("structured-merge-diff", "kep-1027")] policy: &str,
    #[case] answer: Answer,
    #[case] changes: bool,
    #[case] expected: Result<&str, (ErrorKind, &str)>,
) {
    let (state, is_normalized) = final_state(policy, request, answer);
    let expected = expected.map(str::to_owned).map_err(|(kind, path)| refusal(kind, path));
    assert_eq!((outcome(state), is_normalized), (expected, changes));
}

#[test]
fn without_an_answer_there_is_no_final_state() {
    let (state, _) = final_state("kep-1027", Request::Update, Answer::None);
    assert_eq!(state, Err(OperationError::NoAnswer(NoAnswer)));
}

#[test]
fn an_object_without_a_union_has_none() {
    let context = context_of(TYPES, "Root");
    let policy = policy::by_name("kep-1027").unwrap();
    let has_unions = |object: &str| {
        let new = json(object);
        let write =
            UnionWrite { context: &context, policy, request_type: RequestType::Update, old: None, new: &new };
        write.has_unions()
    };
    assert_eq!([has_unions("{}"), has_unions(r#"{"union":{}}"#)], [false, true]);
}
