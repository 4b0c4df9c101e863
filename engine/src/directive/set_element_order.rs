//! `$setElementOrder/<field>`: the relative order of a list's items.

use super::{Directive, Flow, IntroducedIn, Placement, field_of, take_own};
use crate::document::{Doc, Kind, Map, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::go_compat::slice_aliasing::left_behind;
use crate::patch::list::ordered_merge::InOrder;
use crate::patch::list::{element_order, identity};
use crate::patch::{Diff, ListChange, ListMerge, Merge, MergeMode};
use crate::schema::{PatchStrategy, TypeId};

const NAME: &str = "$setElementOrder";

/// `$setElementOrder/finalizers: [b, a]`, `$setElementOrder/containers: [{name: b}, {name: a}]`.
///
/// Source: strategic-merge-patch, "setElementOrder Directive". Upstream: `mergePatchIntoOriginal`,
/// `validatePatchWithSetOrderList`, `diffLists`.
#[derive(Debug)]
pub(super) struct SetElementOrder;

impl Directive for SetElementOrder {
    fn name(&self) -> &'static str {
        NAME
    }

    fn placement(&self) -> Placement {
        Placement::Field
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Release(7)
    }

    fn merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        ty: TypeId,
    ) -> Result<Flow> {
        while let Some((key, wanted)) = take_own(self, patch) {
            let combines = merge.mode() == MergeMode::Combine;
            if combines {
                must_agree(live, &key, &wanted)?;
            }
            let Doc::List(wanted) = wanted else {
                return Err(Error::new(
                    ErrorKind::WrongKind,
                    format!("expected a list, found {}", wanted.kind().described()),
                )
                .at(&key));
            };
            let field = field_of(self, &key).ok_or_else(|| {
                Error::new(
                    ErrorKind::BadSetElementOrder,
                    format!("{key:?} names no field: expected {NAME}/<field>"),
                )
            })?;
            merge_in_order(merge, live, patch, (field, &wanted), ty).map_err(|e| e.at(&key))?;
            if combines {
                live.insert(key, Doc::List(wanted));
            }
        }
        Ok(Flow::Continue)
    }

    fn stays_inside(&self) -> bool {
        true
    }

    fn diff_list<'d>(
        &self,
        diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        if !diff.options().set_element_order || !change.wants_order {
            return Ok(());
        }
        let order = if change.of_maps {
            change.modified.iter().map(|item| identity::only_keys(change.keys, item)).collect()
        } else {
            change.modified.to_vec()
        };
        // An empty order says nothing, and upstream leaves it out.
        if !order.is_empty() {
            patch.insert(Text::from(format!("{NAME}/{}", change.key)), Doc::List(order));
        }
        Ok(())
    }
}

/// Patches that are merged keep the order for later: they must want the same.
fn must_agree(combined: &Map, key: &str, wanted: &Doc) -> Result<()> {
    match combined.get(key) {
        Some(held) if held != wanted => Err(Error::new(
            ErrorKind::BadSetElementOrder,
            format!("the patches want different orders, {held} and {wanted}"),
        )
        .at(key)),
        _ => Ok(()),
    }
}

/// Merges the field's lists, if both or one are there, and brings the result into the wanted order.
fn merge_in_order<'d>(
    merge: &Merge<'_>,
    live: &mut Map<'d>,
    patch: &mut Map<'d>,
    (field, wanted): (&str, &[Doc<'d>]),
    ty: TypeId,
) -> Result<()> {
    for (side, map) in [("live", &*live), ("the patch", &*patch)] {
        if let Some(other) = map.get(field).filter(|v| v.kind() != Kind::List) {
            return Err(Error::new(
                ErrorKind::WrongKind,
                format!("{field} is {} in {side}, and only a list has an order", other.kind().described()),
            ));
        }
    }
    let merged_by = merge.list(ty, field)?;
    // An order can name more keys than the items are found by: those are for the order alone.
    let patched = patch.remove(field).and_then(into_list);
    let listed = merged_by.listed_keys(patched.as_deref().unwrap_or_default())?;
    let list = merged_by.ordered_by(wanted, listed.as_deref());
    if let Some(Doc::List(held)) = live.get_mut(field)
        && list.field.meta.strategy == PatchStrategy::Merge
        && list.keys == merged_by.keys
        && let Some(order) =
            InOrder::of(merge, list.keys, (held, patched.as_deref().unwrap_or_default()), wanted)
    {
        return order.merge(merge, list, held, patched.unwrap_or_default());
    }
    if let Some(patched) = &patched {
        validate(list, patched, wanted)?;
    }
    let had_live = live.contains_key(field);
    if !had_live && patched.is_none() {
        return Ok(());
    }
    let mut merged = live.remove(field).and_then(into_list).unwrap_or_default();
    let left = patched.as_ref().filter(|_| had_live).and_then(|patched| left_behind(&list, &merged, patched));
    let orders = element_order::Orders {
        wanted: identity::Positions::of(list.keys, wanted),
        live: identity::Positions::of(list.keys, left.as_deref().unwrap_or(&merged)),
        kind: identity::common_kind([merged.as_slice(), patched.as_deref().unwrap_or_default()]),
    };
    match patched {
        Some(patched) if had_live => merge.merge_lists(merged_by, &mut merged, patched)?,
        // Nothing in live to merge with: stored as it came, less what may not be stored. Upstream stores nulls; one
        // for a listed key is the lack of it.
        Some(patched) if listed.is_some() => {
            merged = patched.into_iter().filter_map(|item| merge.storable(item)).collect();
        }
        Some(patched) => merged = merge.storable_items(patched),
        None => {}
    }
    merged = element_order::normalize(merged, orders, list.keys)?;
    live.insert(Text::from(field), Doc::List(merged));
    Ok(())
}

fn into_list(value: Doc<'_>) -> Option<Vec<Doc<'_>>> {
    match value {
        Doc::List(items) => Some(items),
        _ => None,
    }
}

/// The patch's items must be a subsequence of the wanted order. Deletions are not counted; other items with a
/// `$patch` are passed over as long as the order lasts, as upstream does.
fn validate(list: ListMerge<'_>, patched: &[Doc], wanted: &[Doc]) -> Result<()> {
    if wanted.is_empty() || patched.is_empty() {
        return Ok(());
    }
    if !list.keys.is_empty() {
        for (index, item) in patched.iter().enumerate() {
            identity::as_map(item).map_err(|e| e.at_index(index))?;
        }
    }
    let counted = patched.iter().filter(|item| list.keys.is_empty() || !element_order::is_deletion(item));
    let mut items = counted.map(|item| (item, list.directives.listed_keys(item))).peekable();
    let mut wanted = wanted.iter();
    while let Some(item) = items.peek() {
        let Some(candidate) = wanted.next() else {
            let item = item.0;
            return Err(Error::new(
                ErrorKind::ElementOrderMismatch,
                format!(
                    "the patch has {item} where the order has it not: every item of the patch list must be in \
                     $setElementOrder, in the same order"
                ),
            ));
        };
        while items.next_if(|(item, _)| !list.is_storable(item)).is_some() {}
        if let Some((item, listed)) = items.peek()
            && list.is_meant((item, listed.as_deref()), candidate)?
        {
            items.next();
        }
    }
    Ok(())
}
