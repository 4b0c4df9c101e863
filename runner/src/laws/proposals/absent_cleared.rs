//! Fields that a patch does not have are cleared, and nothing in the patch says so.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 1., the bad example.

use skewer_engine::directive::{Directive, Flow, IntroducedIn, Placement};
use skewer_engine::patch::{Diff, MapDiff, Merge, MergeMode};
use skewer_engine::schema::TypeId;
use skewer_engine::{Map, Result};

use super::super::subject::Subject;
use super::{EXAMPLES, add_unchanged, clear_absent};

pub(super) fn subject() -> Subject {
    Subject {
        name: "absent fields cleared",
        instead_of: &["$retainKeys"],
        among: EXAMPLES.to_vec(),
        ..Subject::proposed(
            &AbsentCleared,
            "fields that a patch does not have are cleared, without a directive: the document's bad example of a \
             new meaning",
        )
    }
}

#[derive(Debug)]
struct AbsentCleared;

impl Directive for AbsentCleared {
    fn name(&self) -> &'static str {
        "$absentCleared"
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

    /// Every patch means it.
    fn is_active_in(&self, _patch: &Map) -> bool {
        true
    }

    fn is_own_key(&self, _key: &str) -> bool {
        false
    }

    fn merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        if merge.mode() == MergeMode::Apply {
            clear_absent(merge, live, patch);
        }
        Ok(Flow::Continue)
    }

    /// "Unmodified fields … are required in patch request."
    fn diff_map<'d>(&self, diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        if !diff.options().ignore_changes_and_additions {
            add_unchanged(diff, map, patch);
        }
    }
}
