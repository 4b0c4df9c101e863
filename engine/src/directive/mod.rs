//! Patch directives. Each directive has its own file and implements [`Directive`]; [`REGISTRY`] lists all directives.
//!
//! A directive is a key of a patch that begins with `$`. It applies to the map that has it (`$patch`), or names a field
//! of that map (`$setElementOrder/ports`). The engine recognizes only the directives in the [`DirectiveSet`] of a
//! party. To a party that does not know a directive, the key is an ordinary field.
//!
//! To add a directive, write a module with the constant `NAME` and a type that implements [`Directive`] and has a function
//! `named`, and add `module::Type` to `registry!`. To try a directive without registering it, pass the directive to
//! [`DirectiveSet::of`].

mod declared;
mod delete_from_primitive_list;
mod patch;
mod patch_merge_key;
mod retain_keys;
mod set_element_order;

pub use self::declared::{InvalidDeclaration, declared};
pub use crate::patch::{
    Directive, DirectiveForm, DirectiveSet, DirectiveSubject, DirectiveValue, Flow, IntroducedIn, ItemRole,
    ListedItems, MapScope, Placement, take_directive_entry, target_field,
};

use crate::schema::{MetadataTags, TagDeclaration};

/// Defines the registry. Each line names the module of a directive and its type.
macro_rules! registry {
    ($($module:ident::$directive:ident,)+) => {
        /// Every registered directive, in the order in which they take effect on a map.
        ///
        /// `$patch` decides whether the map is merged at all. `$retainKeys` clears fields before the merge.
        /// `$setElementOrder` then merges and orders the list that it names, and `$deleteFromPrimitiveList` deletes
        /// items from a list. Upstream: `mergeMap`. `$patchMergeKey` acts on lists only. It precedes
        /// `$setElementOrder`, because both write to the items of a list when a patch is created.
        pub const REGISTRY: &[&dyn Directive] = &[$(&$module::$directive::named($module::NAME)),+];

        /// Creates every registered directive with another name, in the order of the registry. `new_name` maps the
        /// registered name of a directive to its new name.
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
    /// Returns the tags that registered directives declare.
    #[must_use]
    pub fn registered() -> Self {
        DirectiveSet::all().metadata_tags()
    }

    /// Returns the tags of the registered directives that have shipped in a Kubernetes release.
    pub(crate) fn shipped() -> impl Iterator<Item = TagDeclaration> {
        let has_shipped = |d: &&&dyn Directive| d.introduced_in() != IntroducedIn::Proposal;
        REGISTRY.iter().filter(has_shipped).filter_map(|d| d.metadata_tag())
    }
}

impl DirectiveSet {
    /// Returns the set of all registered directives.
    #[must_use]
    pub fn all() -> Self {
        Self::of(REGISTRY.iter().copied())
    }
}
