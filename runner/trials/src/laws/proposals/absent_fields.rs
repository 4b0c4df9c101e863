//! Helpers for proposals that clear the fields that a patch does not contain.

use skewer_engine::directive::{DirectiveSet, target_field};
use skewer_engine::patch::{Diff, MapDiff, Merge};
use skewer_engine::{Doc, Map};

/// Clears the live fields that the patch does not mention, neither as a field nor in a directive for a field.
pub(super) fn clear_absent_fields(merge: &Merge<'_>, live: &mut Map, patch: &Map) {
    live.retain(|key, _| is_mentioned(merge.directives(), patch, key));
}

/// Adds the unchanged fields to a patch, because the server would clear them otherwise.
pub(super) fn add_unchanged_fields<'d>(diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
    for (key, value) in map.modified.iter() {
        if !is_mentioned(diff.directives(), patch, key) {
            patch.insert(key.clone(), value.clone());
        }
    }
}

/// Returns true if the patch contains the field, or a directive for the field.
fn is_mentioned(directives: &DirectiveSet, patch: &Map, field: &str) -> bool {
    patch.contains_key(field)
        || patch.keys().take_while(|key| key.starts_with('$')).any(|key| {
            directives.directive_for_key(key).and_then(|owner| target_field(owner, key)) == Some(field)
        })
}

/// Returns true if the types require that absent fields are cleared. The proposals replace `$retainKeys`, so that
/// they use the word in `patchStrategy` that belongs to `$retainKeys`.
pub(super) fn clears_absent_fields(map: &MapDiff<'_, '_>) -> bool {
    map.meta.has_tag("retainKeys")
}

/// Returns true if the original map has a field that the modified map lacks.
pub(super) fn is_any_field_removed(map: &MapDiff<'_, '_>) -> bool {
    map.original.iter().any(|(key, value)| !value.is_null() && !map.modified.contains_key(key))
}

/// Returns true if the value of a flag directive is `true`.
pub(super) fn is_flag_set(value: &Doc) -> bool {
    *value == Doc::Bool(true)
}
