//! The trait [`Directive`], with the hooks that merging, creating and comparing patches call.

use std::fmt;

use super::{Diff, DirectiveForm, ListChange, ListMerge, MapDiff, Merge, MergeKeys};
use crate::document::{Doc, Map, OwnedText, Text};
use crate::error::Result;
use crate::schema::{Declarations, FieldMeta, TagDeclaration, TypeId};

/// The form of a directive's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Placement {
    /// The key is the name of the directive, such as `$retainKeys`. The directive applies to the map that contains the
    /// key.
    Map,
    /// The key is the name of the directive, a slash and a field name, such as `$setElementOrder/ports`. The directive
    /// applies to that field.
    Field,
}

/// The maps to which a directive can apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapScope {
    /// All maps.
    All,
    /// Maps of a struct type, which declares fields.
    Structs,
    /// Maps of a type with arbitrary keys and one value type. In such a map, a party that does not know a directive
    /// keeps it, because every key is allowed.
    FreeKeyMaps,
}

/// The meaning of the value of a field directive, if this value lists items of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedItems {
    /// The value lists items in the order that the patch requests.
    ElementOrder,
    /// The value lists the items that the patch deletes.
    Deletions,
}

/// The release in which a directive first shipped, if it shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IntroducedIn {
    /// The Kubernetes release 1.N; the number is N.
    Release(u32),
    /// The directive never shipped. Only a proposal describes it.
    Proposal,
    /// The engine does not have the directive. Only its form is declared, and another implementation has it.
    Declaration,
}

/// The decision of [`Directive::before_merge_map`] about the rest of the merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The other directives and the fields of the patch are processed.
    Continue,
    /// The live map is complete; the rest of the patch is ignored.
    Done,
}

/// The role of a patch list item that is not merged, because it has a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemRole {
    /// The item deletes the live items that it matches.
    Deletion,
    /// The item means that the patch list replaces the live list. The item itself is not stored.
    ListReplacement,
    /// The directive is not allowed in list items and refuses the patch.
    Invalid,
}

/// A patch directive.
///
/// There are hooks for merging a patch, for creating a patch and for comparing patches. Every hook has a default
/// implementation that does nothing. A directive implements only the hooks that it needs.
pub trait Directive: Sync + fmt::Debug {
    /// The name of the directive with its dollar sign, such as `$retainKeys`.
    fn name(&self) -> &'static str;

    /// The effect of the directive in one line, without its name. Every directive of the registry has a text.
    fn about(&self) -> &'static str {
        ""
    }

    /// The form of the directive's key.
    fn placement(&self) -> Placement;

    /// The release in which the directive first shipped.
    fn introduced_in(&self) -> IntroducedIn;

    /// The form of a directive that is only declared. `None` for a directive that the engine has.
    fn form(&self) -> Option<DirectiveForm> {
        None
    }

    /// The maps to which the directive can apply.
    fn scope(&self) -> MapScope {
        MapScope::All
    }

    /// The meaning of the items that the value of the directive lists, or `None` if the value does not list items of a
    /// field.
    fn listed_items(&self) -> Option<ListedItems> {
        None
    }

    /// The metadata tag that was introduced with the directive. A party that does not know the directive ignores the
    /// tag.
    fn metadata_tag(&self) -> Option<TagDeclaration> {
        None
    }

    /// Adds the patch metadata that the proposal of the directive defines for the types of Kubernetes.
    fn add_proposed_metadata(&self, _types: &mut Declarations) {}

    /// Returns true if the directive acts on this patch map. The default implementation returns true if one of the keys
    /// belongs to the directive.
    fn is_active_in(&self, patch: &Map) -> bool {
        patch.dollar_keys().any(|key| self.is_own_key(key))
    }

    /// Returns true if this key belongs to the directive. Like upstream, a field directive claims every key that begins
    /// with its name, and then refuses a malformed key.
    fn is_own_key(&self, key: &str) -> bool {
        match self.placement() {
            Placement::Map => key == self.name(),
            Placement::Field => key.starts_with(self.name()),
        }
    }

    /// Processes the directive before a patch map is merged into a live map. Removes the keys of the directive from the
    /// patch, and can change the live map. The hook is called only if [`Directive::is_active_in`] returns true.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidDirective`](crate::ErrorKind::InvalidDirective) if the value of the directive is malformed
    /// or contradicts the rest of the patch. If the directive merges values itself, the errors of [`Merge::merge_map`].
    fn before_merge_map<'d>(
        &self,
        _merge: &Merge<'_>,
        _live: &mut Map<'d>,
        _patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        Ok(Flow::Continue)
    }

    /// Merges a patch list into a live list, instead of the default merge and whatever the patch strategy of the field.
    /// Writes the result to `live`. Returns `None` if the directive does not handle these lists.
    fn merge_list<'d>(
        &self,
        _merge: &Merge<'_>,
        _list: ListMerge<'_>,
        _live: &mut Vec<Doc<'d>>,
        _patch: &mut Vec<Doc<'d>>,
    ) -> Option<Result<()>> {
        None
    }

    /// Processes the directive in a list of maps that are merged by key, before the items are matched. Removes the
    /// items that belong to the directive from the patch list, and can change the live list.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidDirective`](crate::ErrorKind::InvalidDirective) if the directive of an item is malformed;
    /// the path then has the index of the item. [`ErrorKind::MissingMergeKey`](crate::ErrorKind::MissingMergeKey) if an
    /// item lacks a merge key.
    fn before_merge_items<'d>(
        &self,
        _list: ListMerge<'_>,
        _live: &mut Vec<Doc<'d>>,
        _patch: &mut Vec<Doc<'d>>,
    ) -> Result<()> {
        Ok(())
    }

    /// Returns the role of a patch list item that is not merged because of this directive. Returns `None` if the item
    /// is merged, ordered and stored normally.
    fn item_role(&self, _item: &Map) -> Option<ItemRole> {
        None
    }

    /// Returns true if a map of the patch can be stored in a field that the live object does not have. Upstream:
    /// `removeDirectives`.
    fn is_storable(&self, _added: &Map) -> bool {
        true
    }

    /// Returns true if list items with this directive can be matched, merged and ordered as if the directive were
    /// absent. The list hooks may be skipped for lists of such items.
    fn is_transparent_in_list_items(&self) -> bool {
        false
    }

    /// Removes the directive's keys from a map that is stored in a field that the live object does not have. Upstream
    /// does this for no directive, and stores `$retainKeys` and the list directives. Only directives that never shipped
    /// implement this hook.
    fn strip_own_keys(&self, _added: &mut Map) {}

    /// Compares the values of the directive's key in two documents that both contain this key as data. Returns the
    /// value for the patch, or `Some(Ok(None))` if the patch does not need the key. Returns `None` if the key is to be
    /// compared like a field. Upstream: `handleDirectiveMarker`.
    fn diff_directive_value<'d>(
        &self,
        _original: &Doc<'d>,
        _modified: &Doc<'d>,
    ) -> Option<Result<Option<Doc<'d>>>> {
        None
    }

    /// Adds entries of the directive to the patch of a map after the fields of the map were compared. The call may be
    /// skipped for list items that did not change, unless the set has a directive that is active even in an empty map.
    fn diff_map<'d>(&self, _diff: &Diff<'_>, _map: &MapDiff<'_, 'd>, _patch: &mut Map<'d>) {}

    /// Adds entries of the directive to the patch of a merging list: either to the items of the patch list, or to the
    /// patch map that contains the list.
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

    /// Returns the merge keys that replace the declared merge key of a list, if the directive recommends any. A list
    /// with recommended merge keys is merged, whatever its patch strategy.
    fn recommended_merge_keys<'a>(&self, _meta: &'a FieldMeta) -> Option<MergeKeys<'a>> {
        None
    }

    /// Returns the merge keys that a patch list item names with the directive, if it has the directive. Such a list is
    /// merged, whatever its patch strategy.
    fn listed_merge_keys(&self, _item: &Map) -> Option<Vec<OwnedText>> {
        None
    }

    /// Returns true if a party that knows the directive reads several keys in `patchMergeKey`. Other parties read
    /// `port,protocol` as the name of one field.
    fn can_read_multi_field_keys(&self) -> bool {
        false
    }

    /// Returns true if two patches have conflicting values of this map directive. An argument is `None` if that patch
    /// does not have the directive. Upstream: `mergingMapFieldsHaveConflicts`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidDirective`](crate::ErrorKind::InvalidDirective) if a value cannot be compared.
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
