//! Applying and creating patches.
//!
//! | function | upstream twin |
//! |---|---|
//! | [`apply`] | `strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta` |
//! | [`two_way`] | `CreateTwoWayMergeMapPatchUsingLookupPatchMeta` |
//! | [`three_way`] | `CreateThreeWayMergePatch` |
//! | [`have_conflicts`] | `MergingMapsHaveConflicts` |
//! | [`combine`] | `MergeStrategicMergeMapPatchUsingLookupPatchMeta` |
//! | [`json_merge`] | RFC 7386, `jsonmergepatch` |
//! | [`json_patch`] | RFC 6902, `gopkg.in/evanphx/json-patch.v4` |
//!
//! All of them take documents as values, and those on strategic merge patches a [`Knowledge`]: the types and
//! the directives that the party at work knows. [`bytes`] has the same operations on JSON text.

pub mod bytes;
mod conflict;
mod diff;
mod diff_list;
mod go_sort;
mod go_text;
pub(crate) mod identity;
pub(crate) mod in_order;
pub mod json_merge;
pub mod json_patch;
mod key_index;
mod knowledge;
mod matched;
pub(crate) mod memory;
mod merge;
pub(crate) mod merge_list;
pub(crate) mod order;
mod three_way;

pub use conflict::{find_conflict, have_conflicts};
pub use diff::{Diff, DiffOptions, MapDiff, two_way};
pub use diff_list::ListChange;
pub use identity::MergeKeys;
pub use knowledge::Knowledge;
pub use merge::{Merge, Mode, apply, combine};
pub use merge_list::ListMerge;
pub use three_way::{Overwrite, Precondition, ThreeWay, three_way};
