use std::str::FromStr;
use std::sync::Arc;

use skewer_engine::OwnedDoc;
use skewer_engine::patch::{Overwrite, Precondition, ThreeWay};
use skewer_engine::skew::Operation;

use super::generate::Types;

/// The operations that are compared, by their names in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
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

impl Kind {
    /// All of them.
    pub const ALL: &'static [Kind] = &[
        Kind::Apply,
        Kind::TwoWay,
        Kind::ThreeWay,
        Kind::Conflicts,
        Kind::Merge,
        Kind::JsonMergeApply,
        Kind::JsonMergeTwoWay,
        Kind::JsonMergeThreeWay,
        Kind::JsonPatchApply,
    ];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Apply => "apply",
            Kind::TwoWay => "two-way",
            Kind::ThreeWay => "three-way",
            Kind::Conflicts => "conflicts",
            Kind::Merge => "merge",
            Kind::JsonMergeApply => "json-merge-apply",
            Kind::JsonMergeTwoWay => "json-merge-two-way",
            Kind::JsonMergeThreeWay => "json-merge-three-way",
            Kind::JsonPatchApply => "json-patch-apply",
        }
    }

    /// Does it need types?
    #[must_use]
    pub fn is_strategic(self) -> bool {
        matches!(self, Kind::Apply | Kind::TwoWay | Kind::ThreeWay | Kind::Conflicts | Kind::Merge)
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = || Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        Kind::ALL
            .iter()
            .find(|kind| kind.name() == name)
            .copied()
            .ok_or_else(|| format!("there is no operation {name:?}; there are {}", names()))
    }
}

/// One operation on documents of some types.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Which of the trials of its seed.
    pub number: u64,
    /// The operation.
    pub kind: Kind,
    /// The types.
    pub types: Arc<Types>,
    /// The documents, in the order in which the operation names them; three-way: last-applied, modified, live.
    pub documents: Vec<OwnedDoc>,
    /// With three-way: what to do about conflicts.
    pub overwrite: Overwrite,
    /// With three-way patches of both sorts: what the patch must not touch.
    pub preconditions: Vec<Precondition>,
}

impl Trial {
    /// What is asked of an implementation; `None` for a trial with too few documents.
    #[must_use]
    pub fn operation(&self) -> Option<Operation<'_>> {
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
        Some(match self.kind {
            Kind::Apply => Operation::Apply { context, live: first, patch: second()? },
            Kind::TwoWay => Operation::TwoWay { context, original: first, modified: second()? },
            Kind::ThreeWay => Operation::ThreeWay {
                context,
                documents: three()?,
                overwrite: self.overwrite,
                preconditions: &self.preconditions,
            },
            Kind::Conflicts => Operation::Conflicts { context, left: first, right: second()? },
            Kind::Merge => Operation::Merge { context, patches: &self.documents },
            Kind::JsonMergeApply => Operation::JsonMergeApply { live: first, patch: second()? },
            Kind::JsonMergeTwoWay => Operation::JsonMergeTwoWay { original: first, modified: second()? },
            Kind::JsonMergeThreeWay => {
                Operation::JsonMergeThreeWay { documents: three()?, preconditions: &self.preconditions }
            }
            Kind::JsonPatchApply => Operation::JsonPatchApply { live: first, patch: second()? },
        })
    }
}
