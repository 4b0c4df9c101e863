//! Proposal `$patch: retainKeys`: a new value of an existing directive, which clears the fields that the patch does not
//! contain.
//!
//! Source: retain-keys, "1. Use directive `$patch: retainKeys` in the patch". "If we add new value to this
//! directive, the old server will reject the new patch", and "the patch has to include the entire struct".

use skewer_engine::directive::{Directive, Flow, ItemRole, MapScope, by_name};
use skewer_engine::patch::{Diff, ListChange, ListMerge, MapDiff, Merge, MergeMode};
use skewer_engine::schema::TypeId;
use skewer_engine::{Doc, Map, Result, Text};

use super::clearing::{add_unchanged_fields, clear_absent_fields, needs_clearing};
use crate::laws::format_change::FormatChange;

const NAME: &str = "$patch";
const NEW_VALUE: &str = "retainKeys";
/// Key that temporarily replaces `$patch`, so that the registered directive does not refuse the new value in list
/// items.
const SET_ASIDE_KEY: &str = "$patch, set aside";

pub(super) fn format_change() -> FormatChange {
    FormatChange {
        name: "$patch: retainKeys",
        replaces: &["$retainKeys"],
        entry_filter: |_, value| value.as_str() == Some(NEW_VALUE),
        ..FormatChange::proposed(
            &PatchRetainKeys,
            "a map with $patch: retainKeys, a new value of an existing directive, clears the fields that it does not \
             contain: the first alternative of retain-keys",
        )
    }
}

/// `$patch` with an additional value. All other values are handled by the registered directive.
#[derive(Debug)]
struct PatchRetainKeys;

fn registered_patch_directive() -> &'static dyn Directive {
    // The fallback is never used: a test of the engine checks that the registry contains `$patch`.
    by_name(NAME).unwrap_or(&PatchRetainKeys)
}

fn has_new_value(map: &Map) -> bool {
    map.get(NAME).and_then(Doc::as_str) == Some(NEW_VALUE)
}

fn rename_key(items: &mut [Doc], is_affected: impl Fn(&Map) -> bool, from: &str, to: &'static str) {
    for map in items.iter_mut().filter_map(Doc::as_map_mut).filter(|map| is_affected(map)) {
        if let Some(value) = map.remove(from) {
            map.insert(Text::from_static(to), value);
        }
    }
}

impl Directive for PatchRetainKeys {
    proposed_directive!(NAME, Map);

    fn scope(&self) -> MapScope {
        MapScope::Structs
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        ty: TypeId,
    ) -> Result<Flow> {
        if !has_new_value(patch) {
            return registered_patch_directive().before_merge_map(merge, live, patch, ty);
        }
        if merge.mode() == MergeMode::Apply {
            patch.remove(NAME);
            clear_absent_fields(merge, live, patch);
        }
        Ok(Flow::Continue)
    }

    fn before_merge_items<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: &mut Vec<Doc<'d>>,
    ) -> Result<()> {
        rename_key(patch, has_new_value, NAME, SET_ASIDE_KEY);
        registered_patch_directive().before_merge_items(list, live, patch)?;
        for items in [live, patch] {
            rename_key(items, |map| map.contains_key(SET_ASIDE_KEY), SET_ASIDE_KEY, NAME);
        }
        Ok(())
    }

    fn item_role(&self, item: &Map) -> Option<ItemRole> {
        if has_new_value(item) { None } else { registered_patch_directive().item_role(item) }
    }

    fn is_storable(&self, added: &Map) -> bool {
        has_new_value(added) || registered_patch_directive().is_storable(added)
    }

    fn strip_own_keys(&self, added: &mut Map) {
        if has_new_value(added) {
            added.remove(NAME);
        }
    }

    fn diff_directive_value<'d>(
        &self,
        original: &Doc<'d>,
        modified: &Doc<'d>,
    ) -> Option<Result<Option<Doc<'d>>>> {
        registered_patch_directive().diff_directive_value(original, modified)
    }

    fn diff_map<'d>(&self, diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        if needs_clearing(map, patch) && !diff.options().ignore_changes_and_additions {
            add_unchanged_fields(diff, map, patch);
            patch.insert(Text::from_static(NAME), Doc::from(NEW_VALUE));
        }
    }

    fn diff_list<'d>(
        &self,
        diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        registered_patch_directive().diff_list(diff, change, patch)
    }

    fn has_conflict(&self, left: Option<&Doc>, right: Option<&Doc>) -> Result<bool> {
        registered_patch_directive().has_conflict(left, right)
    }
}
