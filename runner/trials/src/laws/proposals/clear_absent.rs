//! Proposal `$clearAbsent: true`: clears the fields that the map in the patch does not contain.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 2., the good example, taken
//! literally. retain-keys suggests the same as a fix for its first alternative: "a different key, e.g. retainKeys:
//! true".

use skewer_engine::directive::{Directive, Flow, MapScope};
use skewer_engine::patch::{Diff, MapDiff, Merge, MergeMode};
use skewer_engine::schema::TypeId;
use skewer_engine::{Doc, Error, Map, Result, Text};

use super::absent_fields::{
    add_unchanged_fields, clear_absent_fields, clears_absent_fields, is_any_field_removed, is_flag_set,
};
use crate::laws::format_change::FormatChange;

const NAME: &str = "$clearAbsent";

pub(super) fn format_change() -> FormatChange {
    FormatChange {
        replaces: &["$retainKeys"],
        ..FormatChange::proposed(
            &ClearAbsent,
            "a map with $clearAbsent clears the fields that it does not contain, so that it must contain the \
             unmodified fields: the document's good example of a new directive, taken literally",
        )
    }
}

#[derive(Debug)]
struct ClearAbsent;

impl Directive for ClearAbsent {
    proposed_directive!(NAME, Map);

    fn scope(&self) -> MapScope {
        MapScope::Structs
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        if merge.mode() == MergeMode::Combine {
            return Ok(Flow::Continue);
        }
        match patch.remove(NAME) {
            Some(value) if is_flag_set(&value) => clear_absent_fields(merge, live, patch),
            Some(value) => {
                let message = format!("expected true, found {value}");
                return Err(Error::invalid_directive(NAME, message).at(NAME));
            }
            None => {}
        }
        Ok(Flow::Continue)
    }

    fn strip_own_keys(&self, added: &mut Map) {
        added.remove(NAME);
    }

    fn diff_map<'d>(&self, diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        let has_effect = !patch.is_empty() || is_any_field_removed(map);
        if clears_absent_fields(map) && has_effect && !diff.options().ignore_changes_and_additions {
            add_unchanged_fields(diff, map, patch);
            patch.insert(Text::from_static(NAME), Doc::Bool(true));
        }
    }
}
