//! Patch directives: one file each, behind one trait, listed in one registry.
//!
//! A directive is a key of a patch that begins with `$`. It stands for itself (`$patch`) or names a field
//! (`$setElementOrder/ports`). To a party that does not know it, it is an ordinary field: nothing in the
//! engine looks at a `$` except through the [`DirectiveSet`] of the party at work.
//!
//! To add one: write a module with a type that implements [`Directive`], and add it to [`REGISTRY`]. To try one
//! without adding it, hand it to [`DirectiveSet::of`]: whoever has that set knows it, and nobody else does.

mod delete_from_primitive_list;
mod patch;
mod patch_merge_key;
mod retain_keys;
mod set_element_order;

pub use crate::patch::{Directive, DirectiveSet, Flow, IntroducedIn, Placement, field_of, take_own};

/// Every directive there is, in the order in which they take effect on a map.
///
/// `$patch` decides whether there is anything to merge; `$retainKeys` clears before the merge;
/// `$setElementOrder` merges and orders its list, and `$deleteFromPrimitiveList` deletes from the result, as
/// upstream's `mergeMap` does. `$patchMergeKey` acts on lists only; when creating patches it comes before
/// those that write about the same items.
pub const REGISTRY: &[&dyn Directive] = &[
    &patch::Patch,
    &retain_keys::RetainKeys,
    &patch_merge_key::PatchMergeKey,
    &set_element_order::SetElementOrder,
    &delete_from_primitive_list::DeleteFromPrimitiveList,
];

/// The registered directive with this name.
///
/// ```
/// use skewer_engine::directive::{self, IntroducedIn};
///
/// let directive = directive::by_name("$patchMergeKey").expect("it is in the registry");
/// assert!(matches!(directive.introduced_in(), IntroducedIn::Proposal));
/// ```
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Directive> {
    REGISTRY.iter().copied().find(|d| d.name() == name)
}

impl DirectiveSet {
    /// Every registered directive.
    #[must_use]
    pub fn all() -> Self {
        Self::of(REGISTRY.iter().copied())
    }
}
