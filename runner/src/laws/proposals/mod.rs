//! Changes of the patch format that were never made, each as a directive outside the registry: one file each.
//!
//! The documents say of most of them whether they are good, and the laws have to find the same.

mod absent_cleared;
mod clear_absent;
mod clear_all_but;
mod item_order;
mod keep_absent;
mod order_of_items;
mod patch_retain_keys;

use skewer_engine::directive::{REGISTRY, target_field};
use skewer_engine::patch::{Diff, MapDiff, Merge};
use skewer_engine::profile::Profile;
use skewer_engine::{Doc, Map};

use super::subject::{Scope, Subject};

/// Beside what the examples of the documents stand: what there is, and what there was when retain-keys was written.
/// `$patchMergeKey` came after them.
const EXAMPLES: [Profile; 2] = [Profile::Today, Profile::Release(6)];

/// Every subject there is: the directives of the registry, then the proposals.
#[must_use]
pub fn all() -> Vec<Subject> {
    let mut subjects: Vec<Subject> =
        REGISTRY.iter().map(|directive| Subject::registered(*directive)).collect();
    if let Some(retain_keys) = skewer_engine::directive::by_name("$retainKeys") {
        subjects.push(Subject {
            name: "$retainKeys on free keys",
            about: "$retainKeys for a map with free keys, map[string]string, which the proposal's scope leaves out",
            scope: Scope::FreeKeys,
            ..Subject::registered(retain_keys)
        });
    }
    subjects.extend([
        patch_retain_keys::subject(),
        absent_cleared::subject(),
        keep_absent::subject(),
        item_order::subject(),
        order_of_items::subject(),
        clear_absent::subject(),
        clear_all_but::subject(),
    ]);
    subjects
}

/// Clears the live fields of which the patch does not speak, itself or by a directive for a field.
fn clear_absent(merge: &Merge<'_>, live: &mut Map, patch: &Map) {
    live.retain(|key, _| speaks_of(merge.directives(), patch, key));
}

/// Adds the fields that did not change: where what is absent is cleared, all that stays has to be present.
fn add_unchanged<'d>(diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
    for (key, value) in map.modified.iter() {
        if !speaks_of(diff.directives(), patch, key) {
            patch.insert(key.clone(), value.clone());
        }
    }
}

fn speaks_of(directives: &skewer_engine::directive::DirectiveSet, patch: &Map, field: &str) -> bool {
    patch.contains_key(field)
        || patch.keys().take_while(|key| key.starts_with('$')).any(|key| {
            directives.directive_for_key(key).and_then(|owner| target_field(owner, key)) == Some(field)
        })
}

/// Would something of the original go if what is absent from the modified map was cleared?
fn clears(map: &MapDiff<'_, '_>) -> bool {
    map.original.iter().any(|(key, value)| !value.is_null() && !map.modified.contains_key(key))
}

/// Is this the value of a directive that is either there or not?
fn is_true(value: &Doc) -> bool {
    *value == Doc::Bool(true)
}
