//! Proposal `$keepAbsent: true`: a patch clears the fields that it does not contain, unless it has this directive.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 2., the bad example.

use skewer_engine::directive::{Directive, Flow, MapScope};
use skewer_engine::patch::{Diff, MapDiff, Merge, MergeMode};
use skewer_engine::schema::TypeId;
use skewer_engine::{Doc, Map, Result, Text};

use super::absent_fields::{clear_absent_fields, is_flag_set};
use crate::laws::format_change::FormatChange;

const NAME: &str = "$keepAbsent";

pub(super) fn format_change() -> FormatChange {
    FormatChange {
        replaces: &["$retainKeys"],
        ..FormatChange::proposed(
            &KeepAbsent,
            "a patch clears the fields that it does not contain, unless it has $keepAbsent: the document's bad example \
             of a new directive",
        )
    }
}

#[derive(Debug)]
struct KeepAbsent;

impl Directive for KeepAbsent {
    proposed_directive!(NAME, Map);

    fn scope(&self) -> MapScope {
        MapScope::Structs
    }

    /// The directive also affects patches that do not contain it.
    fn is_active_in(&self, _patch: &Map) -> bool {
        true
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        if merge.mode() == MergeMode::Apply && !patch.remove(NAME).is_some_and(|value| is_flag_set(&value)) {
            clear_absent_fields(merge, live, patch);
        }
        Ok(Flow::Continue)
    }

    fn strip_own_keys(&self, added: &mut Map) {
        added.remove(NAME);
    }

    fn diff_map<'d>(&self, diff: &Diff<'_>, _map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        if !diff.options().ignore_changes_and_additions {
            patch.insert(Text::from_static(NAME), Doc::Bool(true));
        }
    }
}
