//! What a scenario asks of an implementation of patches.

use crate::error::{Error, Result};
use crate::patch::{self, Knowledge, Overwrite, Precondition, ThreeWay, json_merge, json_patch};
use crate::value::Value;

/// One operation on documents, with all that it needs. What a target of the runner is asked.
#[derive(Clone, Debug)]
pub enum Operation<'a> {
    /// Apply a strategic merge patch.
    Apply {
        /// Of the party that applies.
        knowledge: &'a Knowledge,
        /// The object.
        live: &'a Value,
        /// The patch.
        patch: &'a Value,
    },
    /// Create a strategic merge patch from two documents.
    TwoWay {
        /// Of the party that creates it.
        knowledge: &'a Knowledge,
        /// Before.
        original: &'a Value,
        /// After.
        modified: &'a Value,
    },
    /// Create a strategic merge patch from three documents.
    ThreeWay {
        /// Of the party that creates it.
        knowledge: &'a Knowledge,
        /// The documents.
        documents: ThreeWay<'a, 'static>,
        /// What to do about conflicts.
        overwrite: Overwrite,
        /// What must not change.
        preconditions: &'a [Precondition],
    },
    /// Do two strategic merge patches conflict? The result is a boolean.
    Conflicts {
        /// Of the party that asks.
        knowledge: &'a Knowledge,
        /// One patch.
        left: &'a Value,
        /// The other.
        right: &'a Value,
    },
    /// Merge strategic merge patches into one.
    Merge {
        /// Of the party that merges.
        knowledge: &'a Knowledge,
        /// The patches, in order.
        patches: &'a [Value],
    },
    /// Apply a JSON merge patch.
    JsonMergeApply {
        /// The object.
        live: &'a Value,
        /// The patch.
        patch: &'a Value,
    },
    /// Create a JSON merge patch from two documents.
    JsonMergeTwoWay {
        /// Before.
        original: &'a Value,
        /// After.
        modified: &'a Value,
    },
    /// Create a JSON merge patch from three documents.
    JsonMergeThreeWay {
        /// The documents.
        documents: ThreeWay<'a, 'static>,
        /// What must not change.
        preconditions: &'a [Precondition],
    },
    /// Apply a JSON patch.
    JsonPatchApply {
        /// The object.
        live: &'a Value,
        /// The patch: a list of operations.
        patch: &'a Value,
    },
}

impl<'a> Operation<'a> {
    /// What the party at work knows; `None` for JSON merge patches, which need nothing.
    #[must_use]
    pub fn knowledge(&self) -> Option<&'a Knowledge> {
        match self {
            Operation::Apply { knowledge, .. }
            | Operation::TwoWay { knowledge, .. }
            | Operation::ThreeWay { knowledge, .. }
            | Operation::Conflicts { knowledge, .. }
            | Operation::Merge { knowledge, .. } => Some(knowledge),
            Operation::JsonMergeApply { .. }
            | Operation::JsonMergeTwoWay { .. }
            | Operation::JsonMergeThreeWay { .. }
            | Operation::JsonPatchApply { .. } => None,
        }
    }
}

/// Why an operation has no result.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The implementation refused the documents.
    Refused(Error),
    /// The implementation did not do the operation at all.
    NotDone(NotDone),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Refused(error)
    }
}

/// An implementation did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotDone {
    /// In what way.
    pub kind: NotDoneKind,
    /// In words.
    pub why: String,
}

/// The ways of not doing an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotDoneKind {
    /// The implementation says that it cannot.
    Unsupported,
    /// It went away.
    Crash,
    /// It did not answer in time.
    TimeOut,
}

/// An implementation of the operations.
pub trait Operations {
    /// Does one operation.
    fn perform(&self, operation: &Operation<'_>) -> Result<Value, Failure>;
}

/// The engine of this crate.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl Operations for BuiltIn {
    fn perform(&self, operation: &Operation<'_>) -> Result<Value, Failure> {
        let result = match operation {
            Operation::Apply { knowledge, live, patch } => patch::apply(knowledge, live, patch),
            Operation::TwoWay { knowledge, original, modified } => {
                patch::two_way(knowledge, original, modified)
            }
            Operation::ThreeWay { knowledge, documents, overwrite, preconditions } => {
                patch::three_way(knowledge, *documents, *overwrite, preconditions)
            }
            Operation::Conflicts { knowledge, left, right } => {
                patch::have_conflicts(knowledge, left, right).map(Value::Bool)
            }
            Operation::Merge { knowledge, patches } => patch::combine(knowledge, patches),
            Operation::JsonMergeApply { live, patch } => json_merge::apply(live, patch),
            Operation::JsonMergeTwoWay { original, modified } => json_merge::two_way(original, modified),
            Operation::JsonMergeThreeWay { documents, preconditions } => {
                json_merge::three_way(*documents, preconditions)
            }
            Operation::JsonPatchApply { live, patch } => json_patch::apply(live, patch),
        };
        result.map_err(Failure::Refused)
    }
}
