//! Implementations that decide on the unions of an object that a simulated server stores.

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::union::UnionRequest;
use skewer_engine::union::policy::{self, Violation};

use super::*;
use crate::{
    BuiltIn, Edit, FinalState, Intent, Operation, OperationError, Operations, Request, Scenario, StepName,
    run,
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

/// The answer of an implementation to both questions.
#[derive(Clone, Copy)]
enum Answer {
    /// The struct is accepted, and normalized to this one.
    Accepted(&'static str),
    /// The struct is refused.
    Refused,
    /// There is no answer.
    None,
    /// The engine decides.
    LeftToEngine,
}

struct Implementation(Answer);

#[derive(Debug, PartialEq)]
struct NoAnswer;

fn map(text: &str) -> OwnedMap {
    match json(text) {
        Doc::Map(map) => map,
        other => panic!("{other}"),
    }
}

impl Operations<NoAnswer> for Implementation {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError<NoAnswer>> {
        BuiltIn.perform(operation)
    }

    fn normalize_union(
        &self,
        request: &UnionRequest<'_>,
    ) -> Option<Result<OwnedMap, OperationError<NoAnswer>>> {
        assert_eq!(request.path.to_string(), "union");
        match self.0 {
            Answer::Accepted(normalized) => Some(Ok(map(normalized))),
            Answer::Refused => Some(Err(Error::new(ErrorKind::Conflict, "no").at("first").into())),
            Answer::None => Some(Err(OperationError::NoAnswer(NoAnswer))),
            Answer::LeftToEngine => None,
        }
    }

    fn validate_union(
        &self,
        request: &UnionRequest<'_>,
    ) -> Option<Result<Vec<Violation>, OperationError<NoAnswer>>> {
        let refused = Violation::new(ErrorKind::Conflict, Some("first".into()), "no".to_owned());
        self.normalize_union(request).map(|answer| match answer {
            Ok(_) => Ok(Vec::new()),
            Err(OperationError::Refused(_)) => Ok(vec![refused]),
            Err(no_answer) => Err(no_answer),
        })
    }
}

/// Changes the discriminator of the object `{"union":{"type":"First","first":1}}` and leaves the member.
fn final_state(
    policy: &str,
    request: Request,
    answer: Answer,
    value: &str,
) -> (Result<FinalState, OperationError<NoAnswer>>, bool) {
    let stored = json(r#"{"union":{"type":"First","first":1}}"#);
    let intent = Intent(vec![Edit::Set(json(&format!(r#"{{"union":{{"type":"{value}"}}}}"#)))]);
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
    Answer::Accepted(r#"{"type":"Other","first":7}"#),
    true,
    Ok(r#"{"union":{"first":7,"type":"Other"}}"#)
)]
#[case::unchanged(Answer::Accepted(r#"{"type":"Last","first":1}"#), false, Ok(UNCHANGED))]
#[case::refused(Answer::Refused, false, Err((ErrorKind::Conflict, "union.first")))]
#[case::left_to_the_engine(Answer::LeftToEngine, true, Ok(BY_ENGINE))]
fn an_implementation_normalizes_instead_of_the_policy(
    #[values(Request::Update, Request::JsonMergePatch, Request::StrategicMergePatch)] request: Request,
    #[case] answer: Answer,
    #[case] changes: bool,
    #[case] expected: Result<&str, (ErrorKind, &str)>,
) {
    let (state, is_normalized) = final_state("structured-merge-diff", request, answer, "Last");
    let expected = expected.map(str::to_owned).map_err(|(kind, path)| refusal(kind, path));
    assert_eq!((outcome(state), is_normalized), (expected, changes));
}

#[rstest]
#[case::accepted(Answer::Accepted("{}"), "Last", Ok(UNCHANGED))]
#[case::refused(Answer::Refused, "Last", Err((ErrorKind::Conflict, "union.first")))]
#[case::left_to_the_engine(
    Answer::LeftToEngine,
    "Last",
    Err((ErrorKind::UnionUnselectedMemberSet, "union.first"))
)]
#[case::the_engine_validates_the_value(
    Answer::Accepted("{}"),
    "Unknown",
    Err((ErrorKind::UnknownEnumValue, "union.type"))
)]
fn an_implementation_validates_the_membership_instead_of_the_policy(
    #[case] answer: Answer,
    #[case] value: &str,
    #[case] expected: Result<&str, (ErrorKind, &str)>,
) {
    let (state, is_normalized) = final_state("declarative", Request::Update, answer, value);
    let expected = expected.map(str::to_owned).map_err(|(kind, path)| refusal(kind, path));
    assert_eq!((outcome(state), is_normalized), (expected, false));
}

#[rstest]
fn without_an_answer_there_is_no_final_state(#[values("structured-merge-diff", "declarative")] policy: &str) {
    let (state, _) = final_state(policy, Request::Update, Answer::None, "Last");
    assert_eq!(state, Err(OperationError::NoAnswer(NoAnswer)));
}

#[rstest]
fn a_policy_without_an_operation_is_simulated(
    #[values("none", "legacy", "deduce", "kep-1027", "kep-1027-ratcheting", "discriminator-defaulting")]
    policy: &str,
) {
    let of = |answer| outcome(final_state(policy, Request::Update, answer, "Last").0);
    assert_eq!(of(Answer::None), of(Answer::LeftToEngine));
}
