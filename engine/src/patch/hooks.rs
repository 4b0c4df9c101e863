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

    /// Returns true if this key belongs to the directive. As upstream, every key that begins with the name of a field
    /// directive belongs to it. The directive itself refuses a malformed key.
    fn is_own_key(&self, key: &str) -> bool {
        match self.placement() {
            Placement::Map => key == self.name(),
            Placement::Field => key.starts_with(self.name()),
        }
    }

    /// Acts on a map before the map is merged: removes the directive's own keys from the patch, and changes the live map.
    /// Called only if [`Directive::is_active_in`] returns true.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidDirective`](crate::ErrorKind::InvalidDirective) if the value of the directive is malformed or
    /// contradicts the patch, and the errors of merging.
    fn before_merge_map<'d>(
        &self,
        _merge: &Merge<'_>,
        _live: &mut Map<'d>,
        _patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        Ok(Flow::Continue)
    }

    /// Merges two lists in place of the default merge, whatever their patch strategy. The result is in `live`. Returns
    /// `None` if the directive does not handle these lists.
    fn merge_list<'d>(
        &self,
        _merge: &Merge<'_>,
        _list: ListMerge<'_>,
        _live: &mut Vec<Doc<'d>>,
        _patch: &mut Vec<Doc<'d>>,
    ) -> Option<Result<()>> {
        None
    }

    /// Acts on two lists of maps that are merged by key, before the items are matched: removes the directive's own items
    /// from the patch list, and changes the live list.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidDirective`](crate::ErrorKind::InvalidDirective) with the index of an item whose directive is
    /// malformed, and [`ErrorKind::MissingMergeKey`](crate::ErrorKind::MissingMergeKey).
    fn before_merge_items<'d>(
        &self,
        _list: ListMerge<'_>,
        _live: &mut Vec<Doc<'d>>,
        _patch: &mut Vec<Doc<'d>>,
    ) -> Result<()> {
        Ok(())
    }

    /// Returns the role of an item of a patch list that this directive takes out of the merge. Returns `None` for an item
    /// that is merged, ordered and stored like any other.
    fn item_role(&self, _item: &Map) -> Option<ItemRole> {
        None
    }

    /// Returns true if a map of the patch can be stored in a field that the live object does not have. Upstream:
    /// `removeDirectives`.
    fn is_storable(&self, _added: &Map) -> bool {
        true
    }

    /// Returns true if list items with this directive can be matched, merged and ordered as if the directive were absent.
    /// The list hooks may be skipped for lists of such items.
    fn is_transparent_in_list_items(&self) -> bool {
        false
    }

    /// Removes the directive's keys from a map that is stored in a field that the live object does not have. Upstream
    /// does this for no directive, and stores `$retainKeys` and the list directives. Only directives that never shipped
    /// implement this hook.
    fn strip_own_keys(&self, _added: &mut Map) {}

    /// Compares the values of the directive's own key in two documents that both contain the key as data. Returns the
    /// value that the patch gets, if any. Returns `None` if the key is compared like a field. Upstream:
    /// `handleDirectiveMarker`.
    fn diff_directive_value<'d>(
        &self,
        _original: &Doc<'d>,
        _modified: &Doc<'d>,
    ) -> Option<Result<Option<Doc<'d>>>> {
        None
    }

    /// Adds entries to the patch of a map that was compared. The call may be skipped for list items that did not change,
    /// unless a directive is active in an empty map.
    fn diff_map<'d>(&self, _diff: &Diff<'_>, _map: &MapDiff<'_, 'd>, _patch: &mut Map<'d>) {}

    /// Adds entries to the patch of a list that is merged: to the items of the patch list, or to the map that contains it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidDirective`](crate::ErrorKind::InvalidDirective) if the list cannot be expressed with the
    /// directive.
    fn diff_list<'d>(
        &self,
        _diff: &Diff<'_>,
        _change: &mut ListChange<'_, 'd>,
        _patch: &mut Map<'d>,
    ) -> Result<()> {
        Ok(())
    }

    /// Returns the merge keys that replace the declared merge key of a list. The list is then merged, whatever its patch
    /// strategy.
    fn recommended_merge_keys<'a>(&self, _meta: &'a FieldMeta) -> Option<MergeKeys<'a>> {
        None
    }

    /// Returns the merge keys that an item of a patch list names with the directive. The list is then merged, whatever its
    /// patch strategy.
    fn listed_merge_keys(&self, _item: &Map) -> Option<Vec<OwnedText>> {
        None
    }

    /// Returns true if a party that knows the directive reads several keys in `patchMergeKey`. Other parties read
    /// `port,protocol` as the name of one field.
    fn can_read_multi_field_keys(&self) -> bool {
        false
    }

    /// Returns true if two patches have conflicting values of this map directive. `None` stands for a patch without the
    /// directive. Upstream: `mergingMapFieldsHaveConflicts`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidDirective`](crate::ErrorKind::InvalidDirective) for a value that cannot be compared.
    fn has_conflict(&self, _left: Option<&Doc>, _right: Option<&Doc>) -> Result<bool> {
        Ok(false)
    }
}

/// Returns the field that the key of a field directive names. Returns `None` if the key is malformed.
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
