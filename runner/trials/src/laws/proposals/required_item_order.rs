//! Proposal `$itemOrder/<field>`: like `$setElementOrder`, but required in every patch of a merging list.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 1.: "Must not require new data or
//! elements to be present that was not required before". The proposal violates this rule on purpose.

use skewer_engine::directive::{Directive, Flow, by_name};
use skewer_engine::patch::{Diff, ListChange, Merge, MergeMode};
use skewer_engine::schema::{PatchStrategy, TypeId};
use skewer_engine::{Doc, Error, Map, Result, Text};

use crate::laws::format_change::FormatChange;

const NAME: &str = "$itemOrder";
const MODEL_NAME: &str = "$setElementOrder";

pub(super) fn format_change() -> FormatChange {
    FormatChange {
        name: "$itemOrder, required",
        replaces: &[MODEL_NAME],
        ..FormatChange::proposed(
            &RequiredItemOrder,
            "a patch of a merging list must have $itemOrder/<list>, or it is refused: the proposal \
         requires data that old clients do not send",
        )
    }
}

#[derive(Debug)]
struct RequiredItemOrder;

impl Directive for RequiredItemOrder {
    proposed_directive!(NAME, Field);

    /// The directive also affects patches that do not contain it: its absence is an error.
    fn is_active_in(&self, _patch: &Map) -> bool {
        true
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        ty: TypeId,
    ) -> Result<Flow> {
        if merge.mode() == MergeMode::Apply {
            require_item_orders(merge, live, patch, ty)?;
        }
        let Some(model) = by_name(MODEL_NAME) else { return Ok(Flow::Continue) };
        // In this proposal, keys of `$setElementOrder` are ordinary fields. The registered `$setElementOrder`, which
        // applies the order here, must not see them.
        let model_entries = (take_entries(live, MODEL_NAME), take_entries(patch, MODEL_NAME));
        rename_entries(live, NAME, MODEL_NAME);
        rename_entries(patch, NAME, MODEL_NAME);
        let flow = if model.is_active_in(patch) {
            model.before_merge_map(merge, live, patch, ty)?
        } else {
            Flow::Continue
        };
        rename_entries(live, MODEL_NAME, NAME);
        put_entries(live, model_entries.0);
        put_entries(patch, model_entries.1);
        Ok(flow)
    }

    fn diff_list<'d>(
        &self,
        diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        if let Some(model) = by_name(MODEL_NAME) {
            model.diff_list(diff, change, patch)?;
            rename_entries(patch, MODEL_NAME, NAME);
        }
        Ok(())
    }
}

/// Refuses a patch that merges a list without `$itemOrder` for the list.
fn require_item_orders(merge: &Merge<'_>, live: &Map, patch: &Map, ty: TypeId) -> Result<()> {
    for (key, _) in patch.iter().filter(|(_, value)| value.as_list().is_some()) {
        let merges = live.get(key).and_then(Doc::as_list).is_some()
            && merge
                .list_of_field(ty, key)
                .is_ok_and(|list| list.field.meta.strategy == PatchStrategy::Merge);
        if merges && !patch.contains_key(&format!("{NAME}/{key}")) {
            let message = format!("the patch changes the list without its order: expected {NAME}/{key}");
            return Err(Error::invalid_directive(NAME, message).at(key));
        }
    }
    Ok(())
}

/// Removes and returns the entries whose keys start with `prefix`.
fn take_entries<'d>(map: &mut Map<'d>, prefix: &str) -> Vec<(Text<'d>, Doc<'d>)> {
    let keys: Vec<Text<'d>> = map.keys().filter(|key| key.starts_with(prefix)).cloned().collect();
    keys.into_iter().filter_map(|key| map.remove(&key).map(|value| (key, value))).collect()
}

fn put_entries<'d>(map: &mut Map<'d>, entries: Vec<(Text<'d>, Doc<'d>)>) {
    for (key, value) in entries {
        map.insert(key, value);
    }
}

fn rename_entries(map: &mut Map, from: &str, to: &str) {
    let entries = take_entries(map, from);
    put_entries(
        map,
        entries.into_iter().map(|(key, value)| (Text::from(key.replacen(from, to, 1)), value)).collect(),
    );
}
