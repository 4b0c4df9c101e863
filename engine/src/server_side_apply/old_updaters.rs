//! The limit for updaters in managed fields. Upstream: `capManagersManager`.

use std::collections::BTreeMap;

use super::managed_fields::ManagedFields;
use super::managers::ManagerId;
use crate::document::{OwnedText, Text};
use crate::error::ManagerOperation;

const MAX_UPDATERS: usize = 10;

/// The name of the updater that owns the fields of those that were merged.
const ANCIENT_CHANGES: &str = "ancient-changes";

/// Merges the oldest updaters of each version into one, until there are at most [`MAX_UPDATERS`].
pub(super) fn merge_old_updaters(managed: &mut ManagedFields<'_>) {
    let is_updater = |id: &&ManagerId| id.operation == ManagerOperation::Update;
    let mut updaters: Vec<ManagerId> = managed.managers.keys().filter(is_updater).cloned().collect();
    let mut count = updaters.len();
    updaters.sort_by_cached_key(|id| (managed.seconds(id), id.sort_key()));
    let mut first_of_version: BTreeMap<OwnedText, ManagerId> = BTreeMap::new();
    for id in updaters {
        if count <= MAX_UPDATERS {
            return;
        }
        let Some(api_version) = managed.managers.get(&id).map(|owned| owned.api_version.clone()) else {
            continue;
        };
        let Some(first) = first_of_version.get(&api_version) else {
            first_of_version.insert(api_version, id);
            continue;
        };
        let merged = ManagerId {
            manager: Text::from_static(ANCIENT_CHANGES),
            operation: ManagerOperation::Update,
            api_version,
            subresource: OwnedText::default(),
        };
        if !managed.managers.contains_key(&merged)
            && let Some(owned) = managed.managers.remove(first)
        {
            managed.managers.insert(merged.clone(), owned);
        }
        let time = managed.times.get(&id).cloned().unwrap_or_default();
        let Some(newer) = managed.managers.remove(&id) else { continue };
        // The updater can be the merged one itself, if it is among the oldest. Upstream merges it into itself and then deletes
        // it, so that its fields have no owner any more.
        if let Some(older) = managed.managers.get_mut(&merged) {
            older.fields = newer.fields.union(std::mem::take(&mut older.fields));
        }
        count -= 1;
        managed.times.insert(merged, time);
    }
}
