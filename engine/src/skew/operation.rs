//! Operations on patches, which a scenario asks of an implementation.

use std::fmt;
use std::str::FromStr;

use crate::document::{Doc, OwnedDoc};
use crate::error::{Error, Result};
use crate::patch::{self, Overwrite, PatchContext, Precondition, ThreeWay, json_merge, json_patch};

/// A kind of operation. This is the one list of them: the protocol of targets, `skewer serve` and the differential run take
/// their names from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OperationKind {
    /// [`Operation::Apply`].
    Apply,
    /// [`Operation::TwoWay`].
    TwoWay,
    /// [`Operation::ThreeWay`].
    ThreeWay,
    /// [`Operation::Conflicts`].
    Conflicts,
    /// [`Operation::Merge`].
    Merge,
    /// [`Operation::JsonMergeApply`].
    JsonMergeApply,
    /// [`Operation::JsonMergeTwoWay`].
    JsonMergeTwoWay,
    /// [`Operation::JsonMergeThreeWay`].
    JsonMergeThreeWay,
    /// [`Operation::JsonPatchApply`].
    JsonPatchApply,
}

impl OperationKind {
    /// All kinds of operations.
    pub const ALL: &'static [OperationKind] = &[
        OperationKind::Apply,
        OperationKind::TwoWay,
        OperationKind::ThreeWay,
        OperationKind::Conflicts,
        OperationKind::Merge,
        OperationKind::JsonMergeApply,
        OperationKind::JsonMergeTwoWay,
        OperationKind::JsonMergeThreeWay,
        OperationKind::JsonPatchApply,
    ];

    /// Returns the name, for example `json-merge-apply`.
    ///
    /// ```
    /// use skewer_engine::skew::OperationKind;
    ///
    /// assert_eq!(OperationKind::TwoWay.name(), "two-way");
    /// assert_eq!("two-way".parse(), Ok(OperationKind::TwoWay));
    /// assert!("apply-twice".parse::<OperationKind>().is_err());
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            OperationKind::Apply => "apply",
            OperationKind::TwoWay => "two-way",
            OperationKind::ThreeWay => "three-way",
            OperationKind::Conflicts => "conflicts",
            OperationKind::Merge => "merge",
            OperationKind::JsonMergeApply => "json-merge-apply",
            OperationKind::JsonMergeTwoWay => "json-merge-two-way",
            OperationKind::JsonMergeThreeWay => "json-merge-three-way",
            OperationKind::JsonPatchApply => "json-patch-apply",
        }
    }

    /// Returns true for the operations of strategic merge patches, which need types.
    #[must_use]
    pub const fn is_strategic(self) -> bool {
        match self {
            OperationKind::Apply
            | OperationKind::TwoWay
            | OperationKind::ThreeWay
            | OperationKind::Conflicts
            | OperationKind::Merge => true,
            OperationKind::JsonMergeApply
            | OperationKind::JsonMergeTwoWay
            | OperationKind::JsonMergeThreeWay
            | OperationKind::JsonPatchApply => false,
        }
    }
}

/// Displays as the name.
impl fmt::Display for OperationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for OperationKind {
    type Err = UnknownOperation;

    fn from_str(name: &str) -> std::result::Result<Self, UnknownOperation> {
        let kind = OperationKind::ALL.iter().copied().find(|kind| kind.name() == name);
        kind.ok_or_else(|| UnknownOperation(name.to_owned()))
    }
}

/// A name that is not the name of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownOperation(String);

impl fmt::Display for UnknownOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = OperationKind::ALL.iter().map(|kind| kind.name()).collect();
        write!(f, "there is no operation {:?}; there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownOperation {}

/// One operation on documents, with its operands, which a target of the runner performs.
#[derive(Clone, Debug)]
pub enum Operation<'a> {
    /// Apply a strategic merge patch.
    Apply {
        /// Of the party that applies.
        context: &'a PatchContext,
        /// The object.
        live: &'a OwnedDoc,
        /// The patch.
        patch: &'a OwnedDoc,
    },
    /// Create a strategic merge patch from two documents.
    TwoWay {
        /// Of the party that creates it.
        context: &'a PatchContext,
        /// Before.
        original: &'a OwnedDoc,
        /// After.
        modified: &'a OwnedDoc,
    },
    /// Create a strategic merge patch from three documents.
    ThreeWay {
        /// Of the party that creates it.
        context: &'a PatchContext,
        /// The documents.
        documents: ThreeWay<'a, 'static>,
        /// What to do about conflicts.
        overwrite: Overwrite,
        /// What must not change.
        preconditions: &'a [Precondition],
    },
    /// Find out whether two strategic merge patches conflict. The result is a boolean.
    Conflicts {
        /// Of the party that asks.
        context: &'a PatchContext,
        /// One patch.
        left: &'a OwnedDoc,
        /// The other.
        right: &'a OwnedDoc,
    },
    /// Merge strategic merge patches into one.
    Merge {
        /// Of the party that merges.
        context: &'a PatchContext,
        /// The patches, in order.
        patches: &'a [OwnedDoc],
    },
    /// Apply a JSON merge patch.
    JsonMergeApply {
        /// The object.
        live: &'a OwnedDoc,
        /// The patch.
        patch: &'a OwnedDoc,
    },
    /// Create a JSON merge patch from two documents.
    JsonMergeTwoWay {
        /// Before.
        original: &'a OwnedDoc,
        /// After.
        modified: &'a OwnedDoc,
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
        live: &'a OwnedDoc,
        /// The patch: a list of operations.
        patch: &'a OwnedDoc,
    },
}

impl<'a> Operation<'a> {
    /// Returns the kind of the operation.
    #[must_use]
    pub const fn kind(&self) -> OperationKind {
        match self {
            Operation::Apply { .. } => OperationKind::Apply,
            Operation::TwoWay { .. } => OperationKind::TwoWay,
            Operation::ThreeWay { .. } => OperationKind::ThreeWay,
            Operation::Conflicts { .. } => OperationKind::Conflicts,
            Operation::Merge { .. } => OperationKind::Merge,
            Operation::JsonMergeApply { .. } => OperationKind::JsonMergeApply,
            Operation::JsonMergeTwoWay { .. } => OperationKind::JsonMergeTwoWay,
            Operation::JsonMergeThreeWay { .. } => OperationKind::JsonMergeThreeWay,
            Operation::JsonPatchApply { .. } => OperationKind::JsonPatchApply,
        }
    }

    /// Makes an operation of documents in the order of its fields: live before patch, original before modified, last-applied
    /// before modified before live. Returns `None` if there are too few.
    #[must_use]
    pub fn of_documents(
        kind: OperationKind,
        context: &'a PatchContext,
        documents: &'a [OwnedDoc],
        (overwrite, preconditions): (Overwrite, &'a [Precondition]),
    ) -> Option<Self> {
        let first = documents.first()?;
        let second = || documents.get(1);
        let three = || Some(ThreeWay { last_applied: first, modified: second()?, live: documents.get(2)? });
        Some(match kind {
            OperationKind::Apply => Operation::Apply { context, live: first, patch: second()? },
            OperationKind::TwoWay => Operation::TwoWay { context, original: first, modified: second()? },
            OperationKind::ThreeWay => {
                Operation::ThreeWay { context, documents: three()?, overwrite, preconditions }
            }
            OperationKind::Conflicts => Operation::Conflicts { context, left: first, right: second()? },
            OperationKind::Merge => Operation::Merge { context, patches: documents },
            OperationKind::JsonMergeApply => Operation::JsonMergeApply { live: first, patch: second()? },
            OperationKind::JsonMergeTwoWay => {
                Operation::JsonMergeTwoWay { original: first, modified: second()? }
            }
            OperationKind::JsonMergeThreeWay => {
                Operation::JsonMergeThreeWay { documents: three()?, preconditions }
            }
            OperationKind::JsonPatchApply => Operation::JsonPatchApply { live: first, patch: second()? },
        })
    }

    /// Returns the context of the party; `None` for JSON merge patches and JSON patches, which need none.
    #[must_use]
    pub fn context(&self) -> Option<&'a PatchContext> {
        match self {
            Operation::Apply { context, .. }
            | Operation::TwoWay { context, .. }
            | Operation::ThreeWay { context, .. }
            | Operation::Conflicts { context, .. }
            | Operation::Merge { context, .. } => Some(context),
            Operation::JsonMergeApply { .. }
            | Operation::JsonMergeTwoWay { .. }
            | Operation::JsonMergeThreeWay { .. }
            | Operation::JsonPatchApply { .. } => None,
        }
    }
}

/// The reason for which an operation has no result.
#[derive(Clone, Debug, PartialEq)]
pub enum OperationError {
    /// The implementation refused the documents.
    Refused(Error),
    /// The implementation did not perform the operation.
    TargetFailed(TargetFailure),
}

impl From<Error> for OperationError {
    fn from(error: Error) -> Self {
        OperationError::Refused(error)
    }
}

impl From<TargetFailure> for OperationError {
    fn from(target_failure: TargetFailure) -> Self {
        OperationError::TargetFailed(target_failure)
    }
}

/// A failure of an implementation to perform an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFailure {
    /// The kind of failure.
    pub kind: TargetFailureKind,
    /// A description.
    pub why: String,
}

/// The kinds of failures of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetFailureKind {
    /// The implementation does not support the operation.
    Unsupported,
    /// It crashed.
    Crash,
    /// It did not answer in time.
    TimeOut,
    /// It was given up after earlier failures, and was not asked.
    GivenUp,
}

/// An implementation of the operations.
pub trait Operations {
    /// Performs one operation.
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError>;
}

/// The engine of this crate.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl Operations for BuiltIn {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let result = match operation {
            Operation::Apply { context, live, patch } => patch::apply(context, live, patch),
            Operation::TwoWay { context, original, modified } => patch::two_way(context, original, modified),
            Operation::ThreeWay { context, documents, overwrite, preconditions } => {
                patch::three_way(context, *documents, *overwrite, preconditions)
            }
            Operation::Conflicts { context, left, right } => {
                patch::have_conflicts(context, left, right).map(Doc::Bool)
            }
            Operation::Merge { context, patches } => patch::combine(context, patches),
            Operation::JsonMergeApply { live, patch } => json_merge::apply(live, patch),
            Operation::JsonMergeTwoWay { original, modified } => json_merge::two_way(original, modified),
            Operation::JsonMergeThreeWay { documents, preconditions } => {
                json_merge::three_way(*documents, preconditions)
            }
            Operation::JsonPatchApply { live, patch } => json_patch::apply(live, patch),
        };
        result.map_err(OperationError::Refused)
    }
}
