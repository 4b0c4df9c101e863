//! `$itemOrder/<field>`: the order of a merging list, which no patch of such a list may do without.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 1.: "Must not require new data
//! or elements to be present that was not required before". It does; otherwise it is `$setElementOrder`.

use skewer_engine::directive::{Directive, Flow, IntroducedIn, Placement, by_name};
use skewer_engine::patch::{Diff, ListChange, Merge, MergeMode};
use skewer_engine::schema::{PatchStrategy, TypeId};
use skewer_engine::{Doc, Error, ErrorKind, Map, Result, Text};

use super::super::subject::Subject;
use super::EXAMPLES;

const NAME: &str = "$itemOrder";
const MODEL: &str = "$setElementOrder";

pub(super) fn subject() -> Subject {
    Subject {
        name: "$itemOrder, required",
        instead_of: &[MODEL],
        among: EXAMPLES.to_vec(),
        ..Subject::proposed(
            &ItemOrder,
            "a patch of a merging list is refused without $itemOrder/<list>: a directive that needs new data",
        )
    }
}

#[derive(Debug)]
struct ItemOrder;

impl Directive for ItemOrder {
    fn name(&self) -> &'static str {
        NAME
    }

    fn placement(&self) -> Placement {
        Placement::Field
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

    /// Its absence is noticed.
    fn is_active_in(&self, _patch: &Map) -> bool {
        true
    }

    fn merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        ty: TypeId,
    ) -> Result<Flow> {
        if merge.mode() == MergeMode::Apply {
            require(merge, live, patch, ty)?;
        }
        let Some(model) = by_name(MODEL) else { return Ok(Flow::Continue) };
        // Where the model's own keys are, they are fields.
        let fields = (take(live, MODEL), take(patch, MODEL));
        rename(live, NAME, MODEL);
        rename(patch, NAME, MODEL);
        let flow =
            if model.is_active_in(patch) { model.merge_map(merge, live, patch, ty)? } else { Flow::Continue };
        rename(live, MODEL, NAME);
        put(live, fields.0);
        put(patch, fields.1);
        Ok(flow)
    }

    fn diff_list<'d>(
        &self,
        diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        if let Some(model) = by_name(MODEL) {
            model.diff_list(diff, change, patch)?;
            rename(patch, MODEL, NAME);
        }
        Ok(())
    }
}

/// Refuses a patch that has a list to be merged with a live one, and not its order.
fn require(merge: &Merge<'_>, live: &Map, patch: &Map, ty: TypeId) -> Result<()> {
    for (key, value) in patch.iter().filter(|(_, value)| value.as_list().is_some()) {
        let merges = live.get(key).and_then(Doc::as_list).is_some()
            && merge
                .list_of_field(ty, key)
                .is_ok_and(|list| list.field.meta.strategy == PatchStrategy::Merge);
        if merges && !patch.contains_key(&format!("{NAME}/{key}")) {
            let message =
                format!("the patch has the list {value}, and not its order: {NAME}/{key} is required");
            return Err(Error::new(ErrorKind::BadSetElementOrder, message).at(key));
        }
    }
    Ok(())
}

/// Takes the entries whose keys begin so.
fn take<'d>(map: &mut Map<'d>, from: &str) -> Vec<(Text<'d>, Doc<'d>)> {
    let keys: Vec<Text<'d>> = map.keys().filter(|key| key.starts_with(from)).cloned().collect();
    keys.into_iter().filter_map(|key| map.remove(&key).map(|value| (key, value))).collect()
}

fn put<'d>(map: &mut Map<'d>, entries: Vec<(Text<'d>, Doc<'d>)>) {
    for (key, value) in entries {
        map.insert(key, value);
    }
}

fn rename(map: &mut Map, from: &str, to: &str) {
    let taken = take(map, from);
    put(map, taken.into_iter().map(|(key, value)| (Text::from(key.replacen(from, to, 1)), value)).collect());
}
