//! `$deleteFromPrimitiveList/<field>`: items to delete from a list of scalars.

use super::{Directive, Flow, IntroducedIn, Placement, field_of, take_own};
use crate::document::{Doc, Kind, Map, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::list::identity;
use crate::patch::{Diff, ListChange, Merge, MergeMode};
use crate::schema::TypeId;

const NAME: &str = "$deleteFromPrimitiveList";

/// `$deleteFromPrimitiveList/finalizers: [b, c]`.
///
/// Source: strategic-merge-patch, "deleteFromPrimitiveList Directive". Upstream:
/// `preprocessDeletionListForMerging`, `mergeSlice`, `deleteFromSlice`.
#[derive(Debug)]
pub(super) struct DeleteFromPrimitiveList;

impl Directive for DeleteFromPrimitiveList {
    fn name(&self) -> &'static str {
        NAME
    }

    fn placement(&self) -> Placement {
        Placement::Field
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Release(6)
    }

    fn merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        ty: TypeId,
    ) -> Result<Flow> {
        // Upstream deletes before or after it merges the field's own list, by the order of a Go map. Deletion
        // first is our choice of the two; it is the order of the sorted keys.
        while let Some((key, listed)) = take_own(self, patch) {
            if merge.mode() == MergeMode::Combine {
                live.insert(key, listed);
                continue;
            }
            let field = field_of(self, &key).ok_or_else(|| {
                Error::new(
                    ErrorKind::BadDeleteFromPrimitiveList,
                    format!("{key:?} names no field: expected {NAME}/<field>"),
                )
            })?;
            if listed.is_null() {
                // Upstream has stripped the prefix by the time it meets the null, and deletes the field.
                live.remove(field);
                continue;
            }
            delete(merge, live, field, listed, ty).map_err(|e| e.at(&key))?;
        }
        Ok(Flow::Continue)
    }

    fn diff_list<'d>(
        &self,
        _diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        if !change.of_maps && !change.deletions.is_empty() {
            let key = Text::from(format!("{NAME}/{}", change.key));
            patch.insert(key, Doc::List(std::mem::take(&mut change.deletions)));
        }
        Ok(())
    }
}

fn delete<'d>(merge: &Merge<'_>, live: &mut Map<'d>, field: &str, listed: Doc<'d>, ty: TypeId) -> Result<()> {
    let (items, listed) = match (live.get_mut(field), listed) {
        (Some(Doc::List(items)), Doc::List(listed)) => (items, listed),
        // Upstream has forgotten by then that this is no ordinary field, and only lists are deleted from.
        (Some(held), other) if held.kind() == other.kind() => {
            if !merge.merge_field(held, other, (field, ty))? {
                live.remove(field);
            }
            return Ok(());
        }
        _ => return Ok(()),
    };
    let list = merge.list(ty, field)?;
    if items.is_empty() && listed.is_empty() {
        return Ok(());
    }
    if identity::common_kind([items.as_slice(), listed.as_slice()])? == Kind::Map {
        // Whatever the field's strategy: upstream merges a directive that holds maps as if it were the list.
        return merge.merge_keyed(list, items, listed);
    }
    let listed: identity::ScalarSet = listed.iter().filter_map(identity::ScalarKey::of).collect();
    items.retain(|item| identity::ScalarKey::of(item).is_none_or(|key| !listed.contains(&key)));
    Ok(())
}
