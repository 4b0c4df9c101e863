//! Applying and creating patches.
//!
//! | function | upstream |
//! |---|---|
//! | [`apply`] | `strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta` |
//! | [`two_way`] | `CreateTwoWayMergeMapPatchUsingLookupPatchMeta` |
//! | [`three_way`] | `CreateThreeWayMergePatch` |
//! | [`have_conflicts`] | `MergingMapsHaveConflicts` |
//! | [`combine`] | `MergeStrategicMergeMapPatchUsingLookupPatchMeta` |
//! | [`json_merge`] | RFC 7386, `jsonmergepatch` |
//! | [`json_patch`] | RFC 6902, `gopkg.in/evanphx/json-patch.v4` |
//!
//! All functions take parsed documents. The functions for strategic merge patches also take a [`PatchContext`], which
//! contains the types and the directives that one party knows. The module [`bytes`] has the same operations on JSON
//! text.

pub(crate) mod apply;
pub mod bytes;
mod conflict;
mod context;
mod diff;
mod directive_form;
mod directive_set;
pub(crate) mod go_compat;
mod hooks;
pub mod json_merge;
pub mod json_patch;
mod library;
pub(crate) mod list;
mod three_way;

/// Functions on list items, their merge keys and their order. Directives that merge lists themselves need these
/// functions.
pub mod items {
    pub use super::go_compat::equality::ScalarKey;
    pub use super::list::element_order::order_matched_items;
    pub use super::list::identity::{common_kind_of, require_map};
}

pub use apply::{ListMerge, MAX_LISTED_MERGE_KEYS, Merge, MergeMode, apply, apply_owned, combine};
pub use conflict::{find_conflict, have_conflicts};
pub use context::{FieldLookup, PatchContext, SpareCapacity};
pub use diff::{Diff, DiffOptions, ListChange, MapDiff, two_way};
pub use directive_form::{DirectiveForm, DirectiveSubject, DirectiveValue};
pub use directive_set::DirectiveSet;
pub(crate) use go_compat::text::format_go_float;
pub use go_compat::text::format_go_value;
pub use hooks::{
    Directive, Flow, IntroducedIn, ItemRole, ListedItems, MapScope, Placement, take_directive_entry,
    target_field,
};
pub use library::{LibraryChange, PatchLibrary};
pub use list::identity::MergeKeys;
pub use three_way::{Overwrite, Precondition, ThreeWay, three_way};
