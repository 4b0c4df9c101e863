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
mod set;
mod set_element_order;

use std::fmt;

use crate::error::Result;
use crate::patch::{Diff, ListChange, ListMerge, MapDiff, Merge, MergeKeys};
use crate::schema::{Declarations, FieldMeta, MetadataTag, TypeId};
use crate::value::{Doc, DocMap, Str, Text};

pub use set::DirectiveSet;

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
/// use skewer_engine::directive::{self, Since};
///
/// let directive = directive::by_name("$patchMergeKey").expect("it is in the registry");
/// assert!(matches!(directive.since(), Since::Proposal));
/// ```
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Directive> {
    REGISTRY.iter().copied().find(|d| d.name() == name)
}

/// Where a directive's key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The key is the name: `$retainKeys`. It speaks of the map that it is in.
    Map,
    /// The key is the name, a slash and a field: `$setElementOrder/ports`. It speaks of that field.
    Field,
}

/// Since when a directive is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// A Kubernetes release, `1.N`.
    Release(u32),
    /// Never shipped: described by a proposal only.
    Proposal,
}

/// What a map hook says of the rest of the merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on with the other directives and the fields.
    Continue,
    /// The live map is as it should be; leave the rest of the patch alone.
    Done,
}

/// A patch directive.
///
/// The hooks come in three groups: merging a patch, creating a patch, comparing patches. Each has a default
/// that does nothing, so that a directive is written as what it changes.
pub trait Directive: Sync + fmt::Debug {
    /// The name, with its dollar sign: `$retainKeys`.
    fn name(&self) -> &'static str;

    /// Where its key stands.
    fn placement(&self) -> Placement;

    /// Since when it is known.
    fn since(&self) -> Since;

    /// The metadata that came with it: the tag means nothing to a party that does not know the directive.
    fn tag(&self) -> Option<MetadataTag> {
        None
    }

    /// Gives the types of a release of Kubernetes the metadata that the directive's proposal has for them.
    fn amend(&self, _types: &mut Declarations) {}

    /// Does this patch map ask for the directive? The default is: one of its keys is the directive's.
    fn is_asked(&self, patch: &DocMap) -> bool {
        patch.dollar_keys().any(|key| self.owns(key))
    }

    /// Is this key the directive's? As upstream, a key that only begins with a field directive's name counts,
    /// and is refused by the directive itself.
    fn owns(&self, key: &str) -> bool {
        match self.placement() {
            Placement::Map => key == self.name(),
            Placement::Field => key.starts_with(self.name()),
        }
    }

    /// Acts on a map that is about to be merged: takes its own keys out of the patch and changes live.
    /// Called when [`Directive::is_asked`].
    fn merge_map<'d>(
        &self,
        _merge: &Merge<'_>,
        _live: &mut DocMap<'d>,
        _patch: &mut DocMap<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        Ok(Flow::Continue)
    }

    /// May take over the merge of two lists, whatever their strategy: `None` when it does not care.
    /// On `Some(Ok(()))` the live list is the result.
    fn merge_list<'d>(
        &self,
        _merge: &Merge<'_>,
        _list: ListMerge<'_>,
        _live: &mut Vec<Doc<'d>>,
        _patch: &mut Vec<Doc<'d>>,
    ) -> Option<Result<()>> {
        None
    }

    /// Acts on the items of two lists of maps that merge by key, before they are matched: takes its own items
    /// out of the patch and changes live.
    fn merge_items<'d>(
        &self,
        _list: ListMerge<'_>,
        _live: &mut Vec<Doc<'d>>,
        _patch: &mut Vec<Doc<'d>>,
    ) -> Result<()> {
        Ok(())
    }

    /// May a map of the patch be stored where live has nothing? Upstream: `removeDirectives`.
    fn is_storable(&self, _added: &DocMap) -> bool {
        true
    }

    /// Does it leave the item of a list in which it stands what it is, so that the item is found, merged and ordered
    /// like one without it? The list hooks are not called for lists of such items alone.
    fn stays_inside(&self) -> bool {
        false
    }

    /// Takes the directive's keys out of a map that is stored as it is. Upstream does so for no directive,
    /// and stores `$retainKeys` and the list directives; a directive that never shipped can do better.
    fn strip(&self, _added: &mut DocMap) {}

    /// What the patch says of the directive's own key when both documents hold it as data: `None` treats the
    /// key as a field. Upstream: `handleDirectiveMarker`.
    fn diff_own_key<'d>(&self, _original: &Doc<'d>, _modified: &Doc<'d>) -> Option<Result<Option<Doc<'d>>>> {
        None
    }

    /// Adds to the patch of a map that was compared. It is not called for items of lists that did not change, unless
    /// some directive is asked by an empty map.
    fn diff_map<'d>(&self, _diff: &Diff<'_>, _map: &MapDiff<'_, 'd>, _patch: &mut DocMap<'d>) {}

    /// Adds to the patch of a merging list that was compared: to its items, or to the map around it.
    fn diff_list<'d>(
        &self,
        _diff: &Diff<'_>,
        _change: &mut ListChange<'_, 'd>,
        _patch: &mut DocMap<'d>,
    ) -> Result<()> {
        Ok(())
    }

    /// The keys by which a list's items are told apart, where the directive changes that. The list then
    /// merges, whatever its strategy.
    fn identity<'a>(&self, _meta: &'a FieldMeta) -> Option<MergeKeys<'a>> {
        None
    }

    /// The keys that an item of a patch list says it is found by, where the directive lets it say so. The list then
    /// merges, whatever its strategy.
    fn listed_keys(&self, _item: &DocMap) -> Option<Vec<Str>> {
        None
    }

    /// Does somebody who knows the directive read several keys in `patchMergeKey`? To others `port,protocol` is the
    /// name of one field.
    fn reads_multi_field_keys(&self) -> bool {
        false
    }

    /// Are two patches in conflict because of what this map directive says in them? `None`: it says nothing.
    /// Upstream: `mergingMapFieldsHaveConflicts`.
    fn conflicts(&self, _left: Option<&Doc>, _right: Option<&Doc>) -> Result<bool> {
        Ok(false)
    }
}

/// The field that a field directive's key names; `None` when the key is only like the directive's name.
#[must_use]
pub fn field_of<'k>(directive: &dyn Directive, key: &'k str) -> Option<&'k str> {
    key.strip_prefix(directive.name())?.strip_prefix('/')
}

/// Takes the next entry of a map that is the directive's.
pub fn take_own<'d>(directive: &dyn Directive, patch: &mut DocMap<'d>) -> Option<(Text<'d>, Doc<'d>)> {
    let key = patch.keys().find(|key| directive.owns(key))?.clone();
    let value = patch.remove(&key)?;
    Some((key, value))
}
