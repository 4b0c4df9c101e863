//! The hooks by which a directive takes part in merging, creating and comparing patches.

use std::fmt;

use super::{Diff, ListChange, ListMerge, MapDiff, Merge, MergeKeys};
use crate::document::{Doc, Map, OwnedText, Text};
use crate::error::Result;
use crate::schema::{Declarations, FieldMeta, MetadataTag, TypeId};

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
pub enum IntroducedIn {
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
    fn introduced_in(&self) -> IntroducedIn;

    /// The metadata that came with it: the tag means nothing to a party that does not know the directive.
    fn tag(&self) -> Option<MetadataTag> {
        None
    }

    /// Gives the types of a release of Kubernetes the metadata that the directive's proposal has for them.
    fn amend(&self, _types: &mut Declarations) {}

    /// Does this patch map ask for the directive? The default is: one of its keys is the directive's.
    fn is_asked(&self, patch: &Map) -> bool {
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
        _live: &mut Map<'d>,
        _patch: &mut Map<'d>,
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
    fn is_storable(&self, _added: &Map) -> bool {
        true
    }

    /// Does it leave the item of a list in which it stands what it is, so that the item is found, merged and ordered
    /// like one without it? The list hooks are not called for lists of such items alone.
    fn stays_inside(&self) -> bool {
        false
    }

    /// Takes the directive's keys out of a map that is stored as it is. Upstream does so for no directive,
    /// and stores `$retainKeys` and the list directives; a directive that never shipped can do better.
    fn strip(&self, _added: &mut Map) {}

    /// What the patch says of the directive's own key when both documents hold it as data: `None` treats the
    /// key as a field. Upstream: `handleDirectiveMarker`.
    fn diff_own_key<'d>(&self, _original: &Doc<'d>, _modified: &Doc<'d>) -> Option<Result<Option<Doc<'d>>>> {
        None
    }

    /// Adds to the patch of a map that was compared. It is not called for items of lists that did not change, unless
    /// some directive is asked by an empty map.
    fn diff_map<'d>(&self, _diff: &Diff<'_>, _map: &MapDiff<'_, 'd>, _patch: &mut Map<'d>) {}

    /// Adds to the patch of a merging list that was compared: to its items, or to the map around it.
    fn diff_list<'d>(
        &self,
        _diff: &Diff<'_>,
        _change: &mut ListChange<'_, 'd>,
        _patch: &mut Map<'d>,
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
    fn listed_keys(&self, _item: &Map) -> Option<Vec<OwnedText>> {
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
pub fn take_own<'d>(directive: &dyn Directive, patch: &mut Map<'d>) -> Option<(Text<'d>, Doc<'d>)> {
    let key = patch.keys().find(|key| directive.owns(key))?.clone();
    let value = patch.remove(&key)?;
    Some((key, value))
}
