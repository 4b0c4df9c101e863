//! The hooks by which a directive takes part in merging, creating and comparing patches.

use std::fmt;

use super::{Diff, ListChange, ListMerge, MapDiff, Merge, MergeKeys};
use crate::document::{Doc, Map, OwnedText, Text};
use crate::error::Result;
use crate::schema::{Declarations, FieldMeta, TagDeclaration, TypeId};

/// The form of a directive's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Placement {
    /// The key is the name: `$retainKeys`. It applies to the map that has it.
    Map,
    /// The key is the name, a slash and a field: `$setElementOrder/ports`. It applies to that field.
    Field,
}

/// The maps to which a directive can apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapScope {
    /// All maps.
    All,
    /// Maps whose type has fields.
    Structs,
    /// Maps whose type has free keys, with values of one type. A party that does not know a directive cannot drop it
    /// there, since the type has every key.
    FreeKeyMaps,
}

/// The meaning of a field directive's value, if it is a list of items of that field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedItems {
    /// The items in the order that the patch asks for.
    ElementOrder,
    /// The items that the patch deletes.
    Deletions,
}

/// The release in which a directive first shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IntroducedIn {
    /// A Kubernetes release, `1.N`.
    Release(u32),
    /// Never shipped: described by a proposal only.
    Proposal,
}

/// The decision of a map hook about the rest of the merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The other directives and the fields are merged.
    Continue,
    /// The live map is complete; the rest of the patch is ignored.
    Done,
}

/// The role of an item of a patch list that carries a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemRole {
    /// Deletes the items that it matches.
    Deletion,
    /// Marks the list as one that replaces the live list. The item itself is not part of it.
    ListReplacement,
    /// Has no meaning in a list: the directive refuses it.
    Invalid,
}

/// A patch directive.
///
/// The hooks come in three groups: merging a patch, creating a patch, comparing patches. Each has a default
/// that does nothing, so that a directive implements only what it changes.
pub trait Directive: Sync + fmt::Debug {
    /// The name, with its dollar sign: `$retainKeys`.
    fn name(&self) -> &'static str;

    /// The form of its key.
    fn placement(&self) -> Placement;

    /// The release in which it first shipped.
    fn introduced_in(&self) -> IntroducedIn;

    /// The maps to which it can apply.
    fn scope(&self) -> MapScope {
        MapScope::All
    }

    /// The meaning of the items in its value. `None` if the value is not a list of items of a field.
    fn listed_items(&self) -> Option<ListedItems> {
        None
    }

    /// The metadata tag that came with it. A party that does not know the directive ignores the tag.
    fn metadata_tag(&self) -> Option<TagDeclaration> {
        None
    }

    /// Adds the metadata that the directive's proposal has for the types of Kubernetes.
    fn add_proposed_metadata(&self, _types: &mut Declarations) {}

    /// Returns true if the directive acts on this patch map. By default, it does if one of the keys is its own.
    fn is_active_in(&self, patch: &Map) -> bool {
        patch.dollar_keys().any(|key| self.is_own_key(key))
    }

    /// Returns true if this key belongs to the directive. As upstream, any key that begins with the name of a field
    /// directive does; a malformed one is refused by the directive itself.
    fn is_own_key(&self, key: &str) -> bool {
        match self.placement() {
            Placement::Map => key == self.name(),
            Placement::Field => key.starts_with(self.name()),
        }
    }

    /// Acts on a map before it is merged: removes its own keys from the patch and changes live. It is called if
    /// [`Directive::is_active_in`] returns true.
    fn before_merge_map<'d>(
        &self,
        _merge: &Merge<'_>,
        _live: &mut Map<'d>,
        _patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        Ok(Flow::Continue)
    }

    /// Takes over the merge of two lists, whatever their strategy, and leaves the result in `live`. `None` if the
    /// directive does not handle them.
    fn merge_list<'d>(
        &self,
        _merge: &Merge<'_>,
        _list: ListMerge<'_>,
        _live: &mut Vec<Doc<'d>>,
        _patch: &mut Vec<Doc<'d>>,
    ) -> Option<Result<()>> {
        None
    }

    /// Acts on two lists of maps that merge by key, before the items are matched: removes its own items from the
    /// patch and changes live.
    fn before_merge_items<'d>(
        &self,
        _list: ListMerge<'_>,
        _live: &mut Vec<Doc<'d>>,
        _patch: &mut Vec<Doc<'d>>,
    ) -> Result<()> {
        Ok(())
    }

    /// Returns the role of an item of a patch list, if this directive takes it out of the merge. `None` for an item that
    /// is merged, ordered and stored like any other.
    fn item_role(&self, _item: &Map) -> Option<ItemRole> {
        None
    }

    /// Returns true if a map of the patch may be stored where live has none. Upstream: `removeDirectives`.
    fn is_storable(&self, _added: &Map) -> bool {
        true
    }

    /// Whether list items that carry this directive can be matched, merged and ordered as if it were absent. The list
    /// hooks may be skipped for lists of such items.
    fn is_transparent_in_list_items(&self) -> bool {
        false
    }

    /// Removes the directive's keys from a map that is stored where live has none. Upstream does so for no directive,
    /// and stores `$retainKeys` and the list directives; a directive that never shipped can do better.
    fn strip_own_keys(&self, _added: &mut Map) {}

    /// Compares the values of the directive's own key, if both documents have it as data. Returns the value for the
    /// patch, if it needs one. `None` treats the key as a field. Upstream: `handleDirectiveMarker`.
    fn diff_directive_value<'d>(
        &self,
        _original: &Doc<'d>,
        _modified: &Doc<'d>,
    ) -> Option<Result<Option<Doc<'d>>>> {
        None
    }

    /// Adds to the patch of a map that was compared. It may be skipped for items of lists that did not change, unless
    /// some directive is active in an empty map.
    fn diff_map<'d>(&self, _diff: &Diff<'_>, _map: &MapDiff<'_, 'd>, _patch: &mut Map<'d>) {}

    /// Adds to the patch of a merging list that was compared: to its items, or to the map that has the list.
    fn diff_list<'d>(
        &self,
        _diff: &Diff<'_>,
        _change: &mut ListChange<'_, 'd>,
        _patch: &mut Map<'d>,
    ) -> Result<()> {
        Ok(())
    }

    /// Returns the merge keys that the directive recommends for a list, in place of the declared one. The list then
    /// merges, whatever its strategy.
    fn recommended_merge_keys<'a>(&self, _meta: &'a FieldMeta) -> Option<MergeKeys<'a>> {
        None
    }

    /// Returns the merge keys that an item of a patch list names with the directive. The list then merges, whatever
    /// its strategy.
    fn listed_merge_keys(&self, _item: &Map) -> Option<Vec<OwnedText>> {
        None
    }

    /// Whether a party that knows the directive reads several keys in `patchMergeKey`. Others read `port,protocol` as
    /// the name of one field.
    fn can_read_multi_field_keys(&self) -> bool {
        false
    }

    /// Returns true if two patches conflict in the values of this map directive. `None` stands for a patch without
    /// it. Upstream: `mergingMapFieldsHaveConflicts`.
    fn has_conflict(&self, _left: Option<&Doc>, _right: Option<&Doc>) -> Result<bool> {
        Ok(false)
    }
}

/// Returns the field that a field directive's key names. `None` if the key is malformed.
#[must_use]
pub fn target_field<'k>(directive: &dyn Directive, key: &'k str) -> Option<&'k str> {
    key.strip_prefix(directive.name())?.strip_prefix('/')
}

/// Removes and returns the first entry of a map whose key belongs to the directive.
pub fn take_directive_entry<'d>(
    directive: &dyn Directive,
    patch: &mut Map<'d>,
) -> Option<(Text<'d>, Doc<'d>)> {
    let key = patch.keys().find(|key| directive.is_own_key(key))?.clone();
    let value = patch.remove(&key)?;
    Some((key, value))
}
