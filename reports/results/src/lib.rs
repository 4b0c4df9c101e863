//! The results of a run: what a results file says, and the words for it.
//!
//! - [`model`]: the results, cell by cell, [versioned](model::VERSION); [`axes`] and [`vocabulary`] are parts of it;
//! - [`sentence`]: answers and reasons in words; [`owners`]: the readable form of managed fields;
//! - [`json`]: results files, which are written cell by cell, and read back; [`shards`] merges those of one run;
//! - [`mod@file`]: files that replace existing ones only when they are complete;
//! - [`control_characters`]: text from outside, made safe to show.
//!
//! # Scope and limits
//!
//! The crate uses no other crate of Skewer, and judges nothing: whoever runs cells decides what their results are. Equal
//! results give equal bytes.

pub mod axes;
pub mod control_characters;
pub mod file;
pub mod json;
pub mod model;
pub mod owners;
pub mod sentence;
pub mod shards;
#[cfg(test)]
mod test_support;
pub mod vocabulary;

pub use axes::Axes;
pub use model::{
    Answer, AnswerError, AnswerPart, AskedParty, Cell, Deviation, EarlierRequest, ForeignText, LawVerdict,
    Location, OwnedField, Owner, OwnerDifference, PinnedState, Problem, Reason, Reference, RefusedRequest,
    RequestList, Results, RunInfo, RunTarget, Selection, Shard, Source, Step,
};
pub use sentence::difference_text;
pub use vocabulary::{DifferenceKind, Level, Outcome, ProblemKind, Status};
