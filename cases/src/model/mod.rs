//! The case model: suites and cases in which every name was checked and replaced by what it refers to.

mod case;
mod final_state;

pub(crate) use case::{AllowedValues, Condition, KepRow, Overlay};
pub use case::{
    Axis, Case, CaseOperation, Citation, CompatibilityPromise, ConditionalFinalState, Expectation,
    ExpectedAnswer, ExpectedConflict, PatchOperation, PatchOptions, Point, Suite, SuiteLine,
};
pub use final_state::{BaseDocument, EditedDocument, PinnedError, PinnedFinalState};
