//! `$patch: retainKeys`: fields that the patch does not have are cleared, said by a new value of an old key.
//!
//! Source: retain-keys, "1. Use directive `$patch: retainKeys` in the patch". "If we add new value to this
//! directive, the old server will reject the new patch", and "the patch has to include the entire struct".

use skewer_engine::directive::{Directive, Flow, IntroducedIn, Placement, by_name};
use skewer_engine::patch::{Diff, ListChange, ListMerge, MapDiff, Merge, MergeMode};
use skewer_engine::schema::TypeId;
use skewer_engine::{Doc, Map, Result, Text};

use super::super::subject::{Scope, Subject};
use super::{EXAMPLES, add_unchanged, clear_absent, clears};

const NAME: &str = "$patch";
const VALUE: &str = "retainKeys";
/// What stands for it while the registered `$patch` reads the items of a list, which would refuse it.
const ASIDE: &str = "$patch, set aside";

pub(super) fn subject() -> Subject {
    Subject {
        name: "$patch: retainKeys",
        instead_of: &["$retainKeys"],
        is_own: |_, value| value.as_str() == Some(VALUE),
        scope: Scope::Structs,
        among: EXAMPLES.to_vec(),
        ..Subject::proposed(
            &PatchRetainKeys,
            "fields that a patch does not have are cleared where it says $patch: retainKeys, a new value of an old \
             key: the first alternative of retain-keys",
        )
    }
}

/// `$patch` with one more value; all else is the registered directive's.
#[derive(Debug)]
struct PatchRetainKeys;

fn known() -> &'static dyn Directive {
    // The registry has it: a test of the engine's says so.
    by_name(NAME).unwrap_or(&PatchRetainKeys)
}

fn is_new(map: &Map) -> bool {
    map.get(NAME).and_then(Doc::as_str) == Some(VALUE)
}

fn rename(items: &mut [Doc], which: impl Fn(&Map) -> bool, (from, to): (&str, &'static str)) {
    for map in items.iter_mut().filter_map(Doc::as_map_mut).filter(|map| which(map)) {
        if let Some(value) = map.remove(from) {
            map.insert(Text::from_static(to), value);
        }
    }
}

impl Directive for PatchRetainKeys {
    fn name(&self) -> &'static str {
        NAME
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

    fn merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        ty: TypeId,
    ) -> Result<Flow> {
        if !is_new(patch) {
            return known().merge_map(merge, live, patch, ty);
        }
        if merge.mode() == MergeMode::Apply {
            patch.remove(NAME);
            clear_absent(merge, live, patch);
        }
        Ok(Flow::Continue)
    }

    fn merge_items<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: &mut Vec<Doc<'d>>,
    ) -> Result<()> {
        rename(patch, is_new, (NAME, ASIDE));
        known().merge_items(list, live, patch)?;
        for items in [live, patch] {
            rename(items, |map| map.contains_key(ASIDE), (ASIDE, NAME));
        }
        Ok(())
    }

    fn is_storable(&self, added: &Map) -> bool {
        is_new(added) || known().is_storable(added)
    }

    fn strip_from_stored(&self, added: &mut Map) {
        if is_new(added) {
            added.remove(NAME);
        }
    }

    fn diff_directive_value<'d>(
        &self,
        original: &Doc<'d>,
        modified: &Doc<'d>,
    ) -> Option<Result<Option<Doc<'d>>>> {
        known().diff_directive_value(original, modified)
    }

    fn diff_map<'d>(&self, diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        let says_something = !patch.is_empty() || clears(map);
        if map.retain_keys && says_something && !diff.options().ignore_changes_and_additions {
            add_unchanged(diff, map, patch);
            patch.insert(Text::from_static(NAME), Doc::from(VALUE));
        }
    }

    fn diff_list<'d>(
        &self,
        diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        patch: &mut Map<'d>,
    ) -> Result<()> {
        known().diff_list(diff, change, patch)
    }

    fn has_conflict(&self, left: Option<&Doc>, right: Option<&Doc>) -> Result<bool> {
        known().has_conflict(left, right)
    }
}
