//! The reasons for the status of a cell, as values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{AnswerError, ForeignText};
use crate::vocabulary::DifferenceKind;
use crate::word_enum;

/// A reason for the status of a cell: why it was not run or not asked, or what differs from the expectation and is seen
/// neither in the answers nor in the documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The outcome needed no answer from the target, so that the cell says nothing about it.
    NotAsked {
        /// The part of the target that was not asked.
        party: AskedParty,
        /// The request, if the client sends the whole object in it, and no patch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        whole_object: Option<String>,
    },
    /// The simulation decided on the union that the cell is about, so that the cell says nothing about the target.
    UnionSimulated,
    /// The outcome needed no answer from the target, and is not the expected one: the case or Skewer is wrong.
    NotOfTarget,
    /// The document is as expected, but the outcome or the error is not.
    SameDocument,
    /// The owners of fields are not as expected.
    OwnersDiffer(Vec<OwnerDifference>),
    /// A state is not the one that the case pins.
    PinnedStateDiffers {
        /// The state.
        state: PinnedState,
        /// The pinned error. Absent if a document is pinned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<AnswerError>,
    },
    /// The pinned document cannot be made from its base.
    PinnedDocumentImpossible {
        /// The state.
        state: PinnedState,
        /// The explanation.
        why: ForeignText,
    },
    /// The case cannot be run as it is written.
    InvalidCase(ForeignText),
    /// A request of `history` or `meanwhile` is refused.
    EarlierRequestRefused(RefusedRequest),
    /// The expected outcome is `intended`, but the ideal is a refusal.
    IdealIsRefused {
        /// The error of the ideal.
        error: AnswerError,
        /// Whether the intent sets values in a union, where the other members stay.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sets_member: bool,
    },
    /// The expected outcome is `intended`, but the ideal is another document than the expected result.
    IdealDiffers {
        /// The field paths at which the ideal differs from the expected result.
        paths: Vec<String>,
    },
    /// The target refused a request of `history` or `meanwhile` that the built-in engine accepts.
    TargetRefusedEarlierRequest(AnswerError),
    /// The target does not support the cell.
    Unsupported(ForeignText),
    /// The target crashed, or broke the protocol.
    Crash(ForeignText),
    /// The target did not answer in time.
    TimedOut(ForeignText),
    /// The target was given up before.
    GivenUp(ForeignText),
    /// The code of a target or of Skewer panicked.
    Panic {
        /// Name of the target that panicked. Absent if Skewer did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// The panic, with its place and its calls.
        panic: ForeignText,
    },
    /// The server accepted the request with warnings.
    ServerWarned(Vec<ForeignText>),
    /// The deviation file has another failure of this cell.
    OtherDeviation {
        /// The failure of the file.
        known: ForeignText,
        /// The actual kinds of differences.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        differences: Vec<DifferenceKind>,
        /// The kind of the error with which the request was not refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not_refused: Option<String>,
    },
    /// The deviation file lists a cell that passed.
    ListedAsFailure {
        /// Name of the deviation file.
        file: String,
        /// The failure of the file.
        known: ForeignText,
    },
    /// The verdict on a law is better than the recorded one.
    BetterThanRecorded,
    /// Words of an older results file.
    Told(ForeignText),
}

word_enum! {
    /// A part of a target that is asked for answers.
    "party" AskedParty {
        /// The client.
        Client = "client",
        /// The server.
        Server = "server",
        /// The whole target.
        Target = "target",
    }
}

/// A request of another client that is refused, so that the scenario cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedRequest {
    /// The error.
    #[serde(flatten)]
    pub error: AnswerError,
    /// The request. Absent in older results files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<EarlierRequest>,
}

/// A request of another client in a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct EarlierRequest {
    /// The key of the case that has the request.
    pub list: RequestList,
    /// Position of the request in the list, counted from 1.
    pub number: usize,
    /// Number of requests in the list.
    pub count: usize,
    /// Name of the request, such as `server-side-apply`.
    pub request: String,
    /// Name of the client's field manager.
    pub manager: String,
}

word_enum! {
    /// A key of a case with requests of other clients.
    "list of requests" RequestList {
        /// The requests before the client reads the object.
        History = "history",
        /// The requests between the read and the request of the client.
        Meanwhile = "meanwhile",
    }
}

word_enum! {
    /// A state that a case can pin.
    "pinned state" PinnedState {
        /// The ideal.
        Ideal = "ideal",
        /// The final state of a scenario.
        FinalState = "final state",
        /// The error of an operation.
        Error = "error",
    }
}

/// The fields of a manager that differ from the expected ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnerDifference {
    /// Name of the manager.
    pub manager: String,
    /// Operation with which the manager became an owner: `Apply` or `Update`.
    pub operation: String,
    /// Subresource through which the manager wrote the fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subresource: Option<String>,
    /// The expected fields of each entry of managed fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<Vec<String>>,
    /// The actual fields of each entry of managed fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actual: Vec<Vec<String>>,
}
