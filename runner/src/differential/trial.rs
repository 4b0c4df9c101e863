//! One operation on random documents.

use std::str::FromStr;
use std::sync::Arc;

use skewer_engine::OwnedDoc;
use skewer_engine::patch::{Overwrite, Precondition, ThreeWay};
use skewer_engine::skew::Operation;

use super::types::TrialTypes;

/// The operations that are compared, with their names in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TrialOperation {
    /// `apply`.
    Apply,
    /// `two-way`.
    TwoWay,
    /// `three-way`.
    ThreeWay,
    /// `conflicts`.
    Conflicts,
    /// `merge`.
    Merge,
    /// `json-merge-apply`.
    JsonMergeApply,
    /// `json-merge-two-way`.
    JsonMergeTwoWay,
    /// `json-merge-three-way`.
    JsonMergeThreeWay,
    /// `json-patch-apply`.
    JsonPatchApply,
}

impl TrialOperation {
    /// All operations.
    pub const ALL: &'static [TrialOperation] = &[
        TrialOperation::Apply,
        TrialOperation::TwoWay,
        TrialOperation::ThreeWay,
        TrialOperation::Conflicts,
        TrialOperation::Merge,
        TrialOperation::JsonMergeApply,
        TrialOperation::JsonMergeTwoWay,
        TrialOperation::JsonMergeThreeWay,
        TrialOperation::JsonPatchApply,
    ];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TrialOperation::Apply => "apply",
            TrialOperation::TwoWay => "two-way",
            TrialOperation::ThreeWay => "three-way",
            TrialOperation::Conflicts => "conflicts",
            TrialOperation::Merge => "merge",
            TrialOperation::JsonMergeApply => "json-merge-apply",
            TrialOperation::JsonMergeTwoWay => "json-merge-two-way",
            TrialOperation::JsonMergeThreeWay => "json-merge-three-way",
            TrialOperation::JsonPatchApply => "json-patch-apply",
        }
    }

    /// Returns true for the operations of strategic merge patches, which need types.
    #[must_use]
    pub fn is_strategic(self) -> bool {
        matches!(
            self,
            TrialOperation::Apply
                | TrialOperation::TwoWay
                | TrialOperation::ThreeWay
                | TrialOperation::Conflicts
                | TrialOperation::Merge
        )
    }
}

impl FromStr for TrialOperation {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names =
            || TrialOperation::ALL.iter().map(|operation| operation.name()).collect::<Vec<_>>().join(", ");
        TrialOperation::ALL
            .iter()
            .find(|operation| operation.name() == name)
            .copied()
            .ok_or_else(|| format!("there is no operation {name:?}; there are {}", names()))
    }
}

/// One operation on documents of some types.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Number of the trial among those of its seed.
    pub number: u64,
    /// The operation.
    pub operation: TrialOperation,
    /// The types.
    pub types: Arc<TrialTypes>,
    /// The documents, in the order in which the operation names them; three-way: last-applied, modified, live.
    pub documents: Vec<OwnedDoc>,
    /// Treatment of conflicts, in three-way patches.
    pub overwrite: Overwrite,
    /// Preconditions of three-way patches, strategic or JSON.
    pub preconditions: Vec<Precondition>,
}

impl Trial {
    /// Returns the operation that the implementations perform; `None` if the trial has too few documents.
    #[must_use]
    pub fn engine_operation(&self) -> Option<Operation<'_>> {
        let context = &self.types.context;
        let first = self.documents.first()?;
        let second = || self.documents.get(1);
        let three = || {
            Some(ThreeWay {
                last_applied: first,
                modified: self.documents.get(1)?,
                live: self.documents.get(2)?,
            })
        };
        Some(match self.operation {
            TrialOperation::Apply => Operation::Apply { context, live: first, patch: second()? },
            TrialOperation::TwoWay => Operation::TwoWay { context, original: first, modified: second()? },
            TrialOperation::ThreeWay => Operation::ThreeWay {
                context,
                documents: three()?,
                overwrite: self.overwrite,
                preconditions: &self.preconditions,
            },
            TrialOperation::Conflicts => Operation::Conflicts { context, left: first, right: second()? },
            TrialOperation::Merge => Operation::Merge { context, patches: &self.documents },
            TrialOperation::JsonMergeApply => Operation::JsonMergeApply { live: first, patch: second()? },
            TrialOperation::JsonMergeTwoWay => {
                Operation::JsonMergeTwoWay { original: first, modified: second()? }
            }
            TrialOperation::JsonMergeThreeWay => {
                Operation::JsonMergeThreeWay { documents: three()?, preconditions: &self.preconditions }
            }
            TrialOperation::JsonPatchApply => Operation::JsonPatchApply { live: first, patch: second()? },
        })
    }
}
