//! Proposal: every patch clears the fields that it does not contain, without a directive.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 1., the bad example.

use skewer_engine::directive::{Directive, Flow};
use skewer_engine::patch::{Diff, MapDiff, Merge, MergeMode};
use skewer_engine::schema::TypeId;
use skewer_engine::{Map, Result};

use super::absent_fields::{add_unchanged_fields, clear_absent_fields};
use crate::laws::format_change::FormatChange;

pub(super) fn format_change() -> FormatChange {
    FormatChange {
        name: "absent fields cleared",
        replaces: &["$retainKeys"],
        ..FormatChange::proposed(
            &AbsentCleared,
            "every patch clears the fields that it does not contain, without a directive: the document's bad example \
             of a new meaning",
        )
    }
}

#[derive(Debug)]
struct AbsentCleared;

impl Directive for AbsentCleared {
    proposed_directive!("$absentCleared", Map);

    /// Every patch has the new meaning.
    fn is_active_in(&self, _patch: &Map) -> bool {
        true
    }

    fn is_own_key(&self, _key: &str) -> bool {
        false
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        if merge.mode() == MergeMode::Apply {
            clear_absent_fields(merge, live, patch);
        }
        Ok(Flow::Continue)
    }

    /// "Unmodified fields … are required in patch request."
    fn diff_map<'d>(&self, diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        if !diff.options().ignore_changes_and_additions {
            add_unchanged_fields(diff, map, patch);
        }
    }
}
