//! `$setElementOrder/<field>`: requests a relative order for the items of a list.

mod aliased_live_list;
mod single_pass;

use super::{Directive, Flow, IntroducedIn, ListedItems, Placement, take_directive_entry, target_field};
use crate::document::{Doc, DocKind, Map, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::list::{element_order, identity};
use crate::patch::{Diff, ListChange, ListMerge, Merge, MergeMode};
use crate::schema::{PatchStrategy, TypeId};

use aliased_live_list::live_list_after_merge;
use single_pass::SinglePassMerge;

/// Name of the directive, as it shipped.
pub(super) const NAME: &str = "$setElementOrder";

/// `$setElementOrder/finalizers: [b, a]`, `$setElementOrder/containers: [{name: b}, {name: a}]`.
///
/// Source: strategic-merge-patch, "setElementOrder Directive". Upstream: `mergePatchIntoOriginal`,
/// `validatePatchWithSetOrderList`, `diffLists`.
#[derive(Debug)]
pub(super) struct SetElementOrder {
    name: &'static str,
}

/// A field whose items a patch puts into an order.
#[derive(Clone, Copy)]
struct OrderedField<'o, 'd> {
    name: &'o str,
    requested_order: &'o [Doc<'d>],
    struct_type: TypeId,
}

impl Directive for SetElementOrder {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        "requests a relative order for the items of a list"
    }

    fn placement(&self) -> Placement {
        Placement::Field
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Release(7)
    }

    fn listed_items(&self) -> Option<ListedItems> {
        Some(ListedItems::ElementOrder)
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        ty: TypeId,
    ) -> Result<Flow> {
        while let Some((key, order)) = take_directive_entry(self, patch) {
            let is_combining = merge.mode() == MergeMode::Combine;
            if is_combining {
                self.refuse_different_orders(live, &key, &order)?;
            }
            let Doc::List(order) = order else {
                return Err(Error::new(
                    ErrorKind::WrongKind,
                    format!("expected a list, found {}", order.kind().with_article()),
                )
                .at(&key));
            };
            let field = target_field(self, &key).ok_or_else(|| {
                Error::invalid_directive(
                    self.name,
                    format!("{key:?} names no field: expected {}/<field>", self.name),
                )
            })?;
            let ordered = OrderedField { name: field, requested_order: &order, struct_type: ty };
            self.merge_in_order(merge, live, patch, ordered).map_err(|e| e.at(&key))?;
            if is_combining {
                live.insert(key, Doc::List(order));
            }
        }
        Ok(Flow::Continue)
    }

    fn is_transparent_in_list_items(&self) -> bool {
        true
    }

    fn diff_list<'d>(
        &self,
        diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        if !diff.options().set_element_order || !change.needs_element_order {
            return Ok(());
        }
        let order = if change.is_list_of_maps {
            change
                .modified
                .iter()
                .map(|item| identity::project_to_merge_keys(change.merge_keys, item))
                .collect()
        } else {
            change.modified.to_vec()
        };
        // Like upstream, the engine does not write an empty order into the patch.
        if !order.is_empty() {
            patch.insert(Text::from([self.name, "/", change.document_key].concat()), Doc::List(order));
        }
        Ok(())
    }
}

impl SetElementOrder {
    /// Creates the directive with another name, or with [`NAME`].
    pub(super) const fn named(name: &'static str) -> Self {
        SetElementOrder { name }
    }

    /// Refuses to combine two patches that request different orders for a list.
    fn refuse_different_orders(&self, combined: &Map, key: &str, order: &Doc) -> Result<()> {
        match combined.get(key) {
            Some(other) if other != order => Err(Error::invalid_directive(
                self.name,
                format!("the patches request different orders: {other} and {order}"),
            )
            .at(key)),
            _ => Ok(()),
        }
    }

    /// Merges the patch list of a field into its live list, and puts the result into the requested order. Either list
    /// can be absent.
    fn merge_in_order<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        ordered: OrderedField<'_, 'd>,
    ) -> Result<()> {
        let OrderedField { name: field, requested_order, struct_type } = ordered;
        for (side, map) in [("the live object", &*live), ("the patch", &*patch)] {
            if let Some(other) = map.get(field).filter(|v| v.kind() != DocKind::List) {
                return Err(Error::new(
                    ErrorKind::WrongKind,
                    format!("{field} is {} in {side}: expected a list", other.kind().with_article()),
                ));
            }
        }
        let list_by_merge_keys = merge.list_of_field(struct_type, field)?;
        // The items of the order can have more merge keys than the merge uses. The additional keys are used only for
        // ordering.
        let patch_items = patch.remove(field).and_then(Doc::into_list);
        let listed_keys = list_by_merge_keys.listed_merge_keys(patch_items.as_deref().unwrap_or_default())?;
        let list = list_by_merge_keys.with_order_keys(requested_order, listed_keys.as_deref());
        let is_merged_by_order_keys = list.field.meta.strategy == PatchStrategy::Merge
            && list.merge_keys == list_by_merge_keys.merge_keys;
        if let Some(Doc::List(live_items)) = live.get_mut(field).filter(|_| is_merged_by_order_keys) {
            let items = patch_items.as_deref().unwrap_or_default();
            let plan = SinglePassMerge::plan(merge, list.merge_keys, live_items, items, requested_order);
            if let Some(single_pass) = plan {
                return single_pass.execute(merge, list, live_items, patch_items.unwrap_or_default());
            }
        }
        if let Some(patch_items) = &patch_items {
            self.validate_item_order(list, patch_items, requested_order)?;
        }
        let had_live = live.contains_key(field);
        if !had_live && patch_items.is_none() {
            return Ok(());
        }
        let mut merged = live.remove(field).and_then(Doc::into_list).unwrap_or_default();
        let aliased_live = patch_items
            .as_ref()
            .filter(|_| had_live)
            .and_then(|items| live_list_after_merge(&list, &merged, items));
        let order = element_order::MergeOrder {
            requested: identity::KeyPositions::of(list.merge_keys, requested_order),
            live: identity::KeyPositions::of(list.merge_keys, aliased_live.as_deref().unwrap_or(&merged)),
            item_kind: identity::common_kind_of(&merged, patch_items.as_deref().unwrap_or_default()),
        };
        match patch_items {
            Some(patch_items) if had_live => {
                merge.merge_lists_by_strategy(list_by_merge_keys, &mut merged, patch_items)?;
            }
            // Without a live list, the patch items that can be stored are stored unchanged. Upstream stores their nulls
            // too. If the items list their own merge keys, a null key counts as a missing key.
            Some(patch_items) if listed_keys.is_some() => {
                merged = patch_items.into_iter().filter_map(|item| merge.prepare_new_value(item)).collect();
            }
            Some(patch_items) => merged = merge.prepare_new_list(patch_items),
            None => {}
        }
        merged = element_order::normalize_element_order(merged, order, list.merge_keys, merge.directives())?;
        live.insert(Text::from(field), Doc::List(merged));
        Ok(())
    }

    /// Checks that the items of the patch are a subsequence of the requested order. Deletions are ignored. Like
    /// upstream, the check skips the other items that cannot be stored, up to the end of the order.
    fn validate_item_order(
        &self,
        list: ListMerge<'_>,
        patch_items: &[Doc],
        requested_order: &[Doc],
    ) -> Result<()> {
        if requested_order.is_empty() || patch_items.is_empty() {
            return Ok(());
        }
        if !list.merge_keys.is_empty() {
            for (index, item) in patch_items.iter().enumerate() {
                identity::require_map(item).map_err(|e| e.at_index(index))?;
            }
        }
        let counted = patch_items
            .iter()
            .filter(|item| list.merge_keys.is_empty() || !list.directives.is_deletion(item));
        let mut items = counted.map(|item| (item, list.directives.listed_merge_keys(item))).peekable();
        let mut order_items = requested_order.iter();
        while let Some(item) = items.peek() {
            let Some(order_item) = order_items.next() else {
                let item = item.0;
                return Err(Error::invalid_directive(
                    self.name,
                    format!(
                        "{item} of the patch list is missing or out of order in {}: expected every item of the list, \
                         in the same order",
                        self.name
                    ),
                ));
            };
            while items.next_if(|(item, _)| !list.is_storable(item)).is_some() {}
            let is_next = match items.peek() {
                Some((item, listed_keys)) => list.is_named_by(item, listed_keys.as_deref(), order_item)?,
                None => false,
            };
            if is_next {
                items.next();
            }
        }
        Ok(())
    }
}
