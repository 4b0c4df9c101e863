//! `$keepAbsent: true`: fields that a patch does not have are cleared unless the directive is there.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 2., the bad example.

use skewer_engine::directive::{Directive, Flow, IntroducedIn, Placement};
use skewer_engine::patch::{Diff, MapDiff, Merge, MergeMode};
use skewer_engine::schema::TypeId;
use skewer_engine::{Doc, Map, Result, Text};

use super::super::subject::{Scope, Subject};
use super::{EXAMPLES, clear_absent, is_true};

const NAME: &str = "$keepAbsent";

pub(super) fn subject() -> Subject {
    Subject {
        instead_of: &["$retainKeys"],
        scope: Scope::Structs,
        among: EXAMPLES.to_vec(),
        ..Subject::proposed(
            &KeepAbsent,
            "fields that a patch does not have are cleared unless $keepAbsent is there: the document's bad example \
             of a new directive",
        )
    }
}

#[derive(Debug)]
struct KeepAbsent;

impl Directive for KeepAbsent {
    fn name(&self) -> &'static str {
        NAME
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

    /// Its absence means something.
    fn is_active_in(&self, _patch: &Map) -> bool {
        true
    }

    fn merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        if merge.mode() == MergeMode::Apply && !patch.remove(NAME).is_some_and(|value| is_true(&value)) {
            clear_absent(merge, live, patch);
        }
        Ok(Flow::Continue)
    }

    fn strip_from_stored(&self, added: &mut Map) {
        added.remove(NAME);
    }

    fn diff_map<'d>(&self, diff: &Diff<'_>, _map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        if !diff.options().ignore_changes_and_additions {
            patch.insert(Text::from_static(NAME), Doc::Bool(true));
        }
    }
}
