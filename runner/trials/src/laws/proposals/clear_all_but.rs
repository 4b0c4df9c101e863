//! Proposal `$clearAllBut: [field, …]`: clears all fields that the directive does not list.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 2., the good example, in the form of
//! retain-keys: "a new patch will have the same content as the old patch and an additional new directive".

use skewer_engine::directive::{Directive, Flow, MapScope};
use skewer_engine::patch::{Diff, MapDiff, Merge, MergeMode};
use skewer_engine::schema::TypeId;
use skewer_engine::{Doc, Error, Map, Result, Text};

use super::absent_fields::{clears_absent_fields, is_any_field_removed};
use crate::laws::format_change::FormatChange;

const NAME: &str = "$clearAllBut";

pub(super) fn format_change() -> FormatChange {
    FormatChange {
        replaces: &["$retainKeys"],
        ..FormatChange::proposed(
            &ClearAllBut,
            "$clearAllBut clears the fields that it does not list: the document's good example of a new directive, \
             with the names of the unmodified fields instead of the fields",
        )
    }
}

#[derive(Debug)]
struct ClearAllBut;

impl Directive for ClearAllBut {
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
            Some(Doc::List(retained)) => {
                live.retain(|key, _| retained.iter().any(|name| name.as_str() == Some(key.as_str())));
            }
            Some(value) => {
                let message =
                    format!("expected a list of field names, found {}", value.kind().with_article());
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
            let retained = map.modified.keys().map(|key| Doc::String(key.clone())).collect();
            patch.insert(Text::from_static(NAME), Doc::List(retained));
        }
    }
}
