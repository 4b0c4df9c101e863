//! `$deleteFromPrimitiveList/<field>`: lists the items that the patch deletes from a list of scalars.

use super::{Directive, Flow, IntroducedIn, ListedItems, Placement, take_directive_entry, target_field};
use crate::document::{Doc, DocKind, Map, Text};
use crate::error::{Error, Result};
use crate::patch::go_compat::equality::{ScalarKey, ScalarSet};
use crate::patch::list::identity;
use crate::patch::{Diff, LibraryChange, ListChange, Merge, MergeMode};
use crate::schema::{PatchStrategy, TypeId};

/// Name of the directive, as it shipped.
pub(super) const NAME: &str = "$deleteFromPrimitiveList";

/// `$deleteFromPrimitiveList/finalizers: [b, c]`.
///
/// Source: strategic-merge-patch, "deleteFromPrimitiveList Directive". Upstream:
/// `preprocessDeletionListForMerging`, `mergeSlice`, `deleteFromSlice`.
#[derive(Debug)]
pub(super) struct DeleteFromPrimitiveList {
    name: &'static str,
}

impl DeleteFromPrimitiveList {
    /// Creates the directive with another name, or with [`NAME`].
    pub(super) const fn named(name: &'static str) -> Self {
        DeleteFromPrimitiveList { name }
    }
}

impl Directive for DeleteFromPrimitiveList {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        "lists the items that the patch deletes from a list of scalars"
    }

    fn placement(&self) -> Placement {
        Placement::Field
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Release(6)
    }

    fn listed_items(&self) -> Option<ListedItems> {
        Some(ListedItems::Deletions)
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        ty: TypeId,
    ) -> Result<Flow> {
        // Upstream processes the keys of the patch in the order of a Go map, which is random. It can therefore delete
        // from the list of a field before or after it merges that list. The engine deletes first, because the key of
        // the directive sorts before the name of the field.
        while let Some((key, listed)) = take_directive_entry(self, patch) {
            if merge.mode() == MergeMode::Combine {
                live.insert(key, listed);
                continue;
            }
            let field = target_field(self, &key).ok_or_else(|| {
                Error::invalid_directive(
                    self.name,
                    format!("{key:?} names no field: expected {}/<field>", self.name),
                )
            })?;
            // If the part of the key after the slash is empty, upstream takes the whole key as the field name.
            let field = if field.is_empty() { key.as_str() } else { field };
            if listed.is_null() {
                // Upstream reduces the key to the field name before it looks at the value. A null therefore deletes the
                // field.
                live.remove(field);
                continue;
            }
            delete_listed(merge, live, field, listed, ty).map_err(|e| e.at(&key))?;
        }
        Ok(Flow::Continue)
    }

    fn diff_list<'d>(
        &self,
        _diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        if !change.is_list_of_maps && !change.deletions.is_empty() {
            let key = Text::from(format!("{}/{}", self.name, change.document_key));
            patch.insert(key, Doc::List(std::mem::take(&mut change.deletions)));
        }
        Ok(())
    }
}

/// Deletes the listed scalars from the list in `field` of the live object. The libraries of old releases store the listed
/// scalars instead if there is no list, or if the list is not merged: [`LibraryChange::AbsentListsIgnored`],
/// [`LibraryChange::AtomicListsDeletedFrom`].
fn delete_listed<'d>(
    merge: &Merge<'_>,
    live: &mut Map<'d>,
    field: &str,
    listed: Doc<'d>,
    ty: TypeId,
) -> Result<()> {
    let (items, listed) = match (live.get_mut(field), listed) {
        (Some(Doc::List(items)), Doc::List(listed)) => (items, listed),
        // Upstream reduces the key to the field name before it looks at the value. A value that is not a list is
        // therefore merged like the value of that field.
        (Some(live_value), other) if live_value.kind() == other.kind() => {
            if !merge.merge_field(live_value, other, field, ty)? {
                live.remove(field);
            }
            return Ok(());
        }
        (_, listed) => {
            if !merge.library().has(LibraryChange::AbsentListsIgnored) {
                live.insert(Text::from(field), listed);
            }
            return Ok(());
        }
    };
    let list = merge.list_of_field(ty, field)?;
    let is_merged = list.field.meta.strategy == PatchStrategy::Merge;
    if !is_merged && !merge.library().has(LibraryChange::AtomicListsDeletedFrom) {
        *items = listed;
        return Ok(());
    }
    if items.is_empty() && listed.is_empty() {
        return Ok(());
    }
    if identity::common_kind_of(items, &listed)? == DocKind::Map {
        // If the directive lists maps, upstream merges them into the list, whatever the patch strategy of the field.
        return merge.merge_list_items(list, items, listed);
    }
    let listed: ScalarSet = listed.iter().filter_map(ScalarKey::of).collect();
    items.retain(|item| ScalarKey::of(item).is_none_or(|key| !listed.contains(&key)));
    Ok(())
}
