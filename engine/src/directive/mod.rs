//! Patch directives: one file each, behind one trait, listed in one registry.
//!
//! A directive is a key of a patch that begins with `$`. It applies to the map that has it (`$patch`), or names a
//! field of that map (`$setElementOrder/ports`). To a party that does not know the directive, the key is an ordinary
//! field: the engine recognizes directives only through the [`DirectiveSet`] of a party.
//!
//! To add a directive, write a module with a type that implements [`Directive`], and add it to [`REGISTRY`]. To try
//! one without registering it, pass it to [`DirectiveSet::of`].

mod delete_from_primitive_list;
mod patch;
mod patch_merge_key;
mod retain_keys;
mod set_element_order;

pub use crate::patch::{
    Directive, DirectiveSet, Flow, IntroducedIn, ItemRole, ListedItems, MapScope, Placement,
    take_directive_entry, target_field,
};

use crate::schema::{MetadataTags, TagDeclaration};

/// Defines the registry. Each line names the module of a directive and its type.
macro_rules! registry {
    ($($module:ident::$directive:ident,)+) => {
        /// Every directive, in the order in which they take effect on a map.
        ///
        /// `$patch` decides whether anything is merged. `$retainKeys` clears fields before the merge. `$setElementOrder`
        /// merges and orders its list, and `$deleteFromPrimitiveList` deletes from the result, as upstream's `mergeMap`
        /// does. `$patchMergeKey` acts on lists only; in the creation of patches it comes before the directives that
        /// write the same items.
        pub const REGISTRY: &[&dyn Directive] = &[$(&$module::$directive::named($module::NAME)),+];

        /// Makes every registered directive under another key, in the order of the registry. `new_name` maps the name
        /// under which it is registered.
        ///
        /// ```
        /// use skewer_engine::directive::renamed_registry;
        ///
        /// let renamed = renamed_registry(|name| if name == "$patch" { "$replaceOrDelete" } else { name });
        /// assert_eq!(renamed[0].name(), "$replaceOrDelete");
        /// ```
        pub fn renamed_registry(new_name: impl Fn(&'static str) -> &'static str) -> Vec<Box<dyn Directive>> {
            vec![$(Box::new($module::$directive::named(new_name($module::NAME)))),+]
        }
    };
}

registry! {
    patch::PatchDirective,
    retain_keys::RetainKeys,
    patch_merge_key::PatchMergeKey,
    set_element_order::SetElementOrder,
    delete_from_primitive_list::DeleteFromPrimitiveList,
}

/// Looks up a registered directive by its name.
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

impl MetadataTags {
    /// The tags that registered directives declare.
    #[must_use]
    pub fn registered() -> Self {
        DirectiveSet::all().metadata_tags()
    }

    /// The tags of registered directives that have shipped.
    pub(crate) fn shipped() -> impl Iterator<Item = TagDeclaration> {
        let has_shipped = |d: &&&dyn Directive| d.introduced_in() != IntroducedIn::Proposal;
        REGISTRY.iter().filter(has_shipped).filter_map(|d| d.metadata_tag())
    }
}

impl DirectiveSet {
    /// Every registered directive.
    #[must_use]
    pub fn all() -> Self {
        Self::of(REGISTRY.iter().copied())
    }
}
