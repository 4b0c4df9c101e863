//! Apply and update on typed objects: the merged object, and the fields of each manager. Upstream: `merge.Updater`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::compare::FieldComparison;
use super::conflict::Refusal;
use super::field_set::{FieldSet, equals};
use super::field_set_of::field_set_of;
use super::managers::{ManagerId, Managers, OwnedFields};
use super::merge::merge;
use super::reconcile::reconcile;
use super::remove::remove;
use super::resource::{Resource, ResourceVersion, version_of};
use super::topology::TypePosition;
use crate::document::{Doc, OwnedText};
use crate::error::{ManagerOperation, Result};
use crate::patch::{LibraryChange, PatchLibrary};

/// An object in a version, with this version.
type Converted<'a, 'd> = (&'a ResourceVersion, Cow<'d, Doc<'d>>);

/// Whether a request takes fields that other managers own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    Yes,
    No,
}

/// The manager of a request, and whether it takes fields that other managers own.
#[derive(Clone, Copy)]
pub(super) struct Claim<'m> {
    pub(super) manager: &'m ManagerId,
    pub(super) force: Force,
}

/// A write to an object in one version.
#[derive(Clone, Copy)]
pub(super) struct Updater<'a> {
    pub(super) resource: &'a Resource,
    /// The version of the request. The objects have this version.
    pub(super) version: &'a ResourceVersion,
    pub(super) library: PatchLibrary,
}

#[derive(Clone, Copy)]
struct MergedObject<'m, 'f> {
    object: &'m Doc<'m>,
    fields: &'f FieldSet<'f>,
}

/// The result of an apply request.
pub(super) struct Applied<'a> {
    /// The merged object. `None` if it equals the live object.
    pub(super) object: Option<Doc<'a>>,
    pub(super) managers: Managers<'a>,
}

impl<'a> Updater<'a> {
    /// Records the changes between two objects as changes of a manager. Upstream: `Updater.Update`.
    pub(super) fn update(
        &self,
        live: &'a Doc<'_>,
        new: &'a Doc<'_>,
        managers: Managers<'a>,
        id: &ManagerId,
    ) -> Result<Managers<'a>> {
        let managers = self.reconciled(live, managers)?;
        let claim = Claim { manager: id, force: Force::Yes };
        let (mut managers, changes) = self.take_changed_fields(live, new, managers, claim)?;
        let owned = managers.remove(id).map(|owned| owned.fields).unwrap_or_default();
        let fields = owned.difference(&changes.removed).union(changes.set);
        let fields = fields.recursive_difference(&self.version.reset_field_set());
        if !fields.is_empty() {
            managers.insert(id.clone(), self.owned(fields));
        }
        Ok(managers)
    }

    /// Applies a configuration to a live object. Upstream: `Updater.Apply`.
    pub(super) fn apply(
        &self,
        live: &'a Doc<'_>,
        configuration: &'a Doc<'_>,
        managers: Managers<'a>,
        claim: Claim<'_>,
    ) -> Result<Applied<'a>, Refusal> {
        let mut managers = self.reconciled(live, managers)?;
        let place = self.version.place_in(self.library);
        let merged = merge(place, live, configuration)?;
        let fields = field_set_of(place, configuration)?;
        let fields = fields.recursive_difference(&self.version.reset_field_set());
        let last = managers.insert(claim.manager.clone(), self.owned(fields));
        let merged = match last {
            Some(last) if !last.fields.is_empty() => self.pruned(merged, &managers, last)?,
            _ => merged,
        };
        let (managers, _) = self.take_changed_fields(live, &merged, managers, claim)?;
        Ok(Applied { object: (!equals(live, &merged)).then_some(merged), managers })
    }

    /// Converts an object as [`Resource::convert`] does.
    fn convert<'d>(&self, object: &'d Doc<'_>, to: &str) -> Result<Option<Converted<'a, 'd>>> {
        self.resource.convert(object, to, self.library)
    }

    fn owned<'f>(&self, fields: FieldSet<'f>) -> OwnedFields<'f> {
        OwnedFields { fields, api_version: self.version.api_version.clone() }
    }

    /// Returns the managers with their fields reconciled with the topology of the schema. Managers of versions that do
    /// not exist any more are left out. Upstream: `reconcileManagedFieldsWithSchemaChanges`.
    fn reconciled(&self, live: &Doc<'_>, managers: Managers<'a>) -> Result<Managers<'a>> {
        let mut reconciled = Managers::new();
        let mut versions: BTreeMap<OwnedText, Option<&ResourceVersion>> = BTreeMap::new();
        for (id, mut owned) in managers {
            let version = if let Some(version) = versions.get(&owned.api_version) {
                *version
            } else {
                let version = self.convert(live, &owned.api_version)?.map(|(version, _)| version);
                versions.insert(owned.api_version.clone(), version);
                version
            };
            let Some(version) = version else { continue };
            reconcile(&mut owned.fields, version.place_in(self.library));
            reconciled.insert(id, owned);
        }
        Ok(reconciled)
    }

    /// Takes the fields that differ between two objects from all managers but one. Returns the managers that still own
    /// fields, and the changed fields. Upstream: `Updater.update`.
    ///
    /// # Errors
    ///
    /// [`Refusal::Conflicts`] if another manager owns an added or modified field, unless the request is forced.
    fn take_changed_fields<'f, 'm>(
        &self,
        before: &'f Doc<'_>,
        after: &'f Doc<'_>,
        managers: Managers<'m>,
        claim: Claim<'_>,
    ) -> Result<(Managers<'m>, ChangedFields<'f>), Refusal>
    where
        'a: 'f,
    {
        let changes = ChangedFields::between(self.version, self.library, before, after)?;
        let mut in_other_versions: BTreeMap<OwnedText, Option<ChangedFields<'static>>> = BTreeMap::new();
        let mut remaining = Managers::new();
        let mut conflicts = Vec::new();
        for (other, owned) in managers {
            if other == *claim.manager {
                remaining.insert(other, owned);
                continue;
            }
            let changes = if owned.api_version == self.version.api_version {
                &changes
            } else {
                if !in_other_versions.contains_key(&owned.api_version) {
                    let changes = self.changes_in_version(before, after, &owned.api_version)?;
                    in_other_versions.insert(owned.api_version.clone(), changes);
                }
                // The version does not exist any more, so that its managers own nothing.
                let Some(Some(changes)) = in_other_versions.get(&owned.api_version) else { continue };
                changes
            };
            let conflict = owned.fields.intersection(&changes.set);
            let fields = owned.fields.difference(&conflict).difference(&changes.removed);
            if !conflict.is_empty() {
                conflicts.push((other.clone(), conflict.to_static()));
            }
            remaining.insert(other, OwnedFields { fields, api_version: owned.api_version });
        }
        if claim.force == Force::No && !conflicts.is_empty() {
            return Err(Refusal::Conflicts(conflicts));
        }
        remaining.retain(|_, owned| !owned.fields.is_empty());
        Ok((remaining, changes))
    }

    /// Compares two objects in another version. Returns `None` if the version does not exist any more.
    fn changes_in_version(
        &self,
        before: &Doc<'_>,
        after: &Doc<'_>,
        api_version: &str,
    ) -> Result<Option<ChangedFields<'static>>> {
        let Some((version, before)) = self.convert(before, api_version)? else { return Ok(None) };
        let Some((_, after)) = self.convert(after, api_version)? else { return Ok(None) };
        ChangedFields::between(version, self.library, &before, &after)
            .map(|changes| Some(changes.to_static()))
    }

    /// Removes the fields that the manager applied last time and that nobody owns now. Upstream: `Updater.prune`.
    fn pruned<'m>(&self, merged: Doc<'m>, managers: &Managers<'_>, last: OwnedFields<'_>) -> Result<Doc<'m>> {
        let Some((version, merged_in_last)) = self.convert(&merged, &last.api_version)? else {
            return Ok(merged);
        };
        let place = version.place_in(self.library);
        let last_fields = last.fields.with_declared_fields(Some(place));
        let before = field_set_of(place, &merged_in_last)?.with_declared_fields(Some(place));
        let mut pruned = merged_in_last.borrowed();
        remove(Some(place), &mut pruned, &last_fields);
        let merged_object = MergedObject { object: &merged_in_last, fields: &before };
        let pruned = self.with_owned_fields(merged_object, pruned, managers, &last.api_version)?;
        let Some((_, pruned)) = self.convert(&pruned, &last.api_version)? else {
            return Ok(merged);
        };
        // What was not the manager's own remains, even if it was below a field that is removed.
        let after = field_set_of(place, &pruned)?.with_declared_fields(Some(place));
        let removed = before.difference(&after).intersection(&last_fields).to_static();
        drop(pruned);
        if let Cow::Owned(converted) = merged_in_last {
            let mut result = converted.to_static();
            remove(Some(place), &mut result, &removed);
            let converted = self.convert(&result, &self.version.api_version)?;
            return Ok(converted.map_or_else(|| result.to_static(), |(_, converted)| converted.to_static()));
        }
        let mut result = merged;
        remove(Some(place), &mut result, &removed);
        Ok(result)
    }

    /// Returns the pruned object with those fields of the merged object that somebody owns. The field set is that of the
    /// merged object, which has the version of the last request. Upstream: `addBackOwnedItems`.
    fn with_owned_fields<'m>(
        &self,
        merged: MergedObject<'m, '_>,
        mut pruned: Doc<'m>,
        managers: &Managers<'_>,
        last: &OwnedText,
    ) -> Result<Doc<'m>> {
        let MergedObject { object: merged, fields } = merged;
        let keeps_for_all = self.library.has(LibraryChange::UpdatersKeepFields);
        let keeps = |id: &ManagerId| keeps_for_all || id.operation == ManagerOperation::Apply;
        let fields_owned_in = |api_version: &OwnedText, place: TypePosition<'_>| {
            let of_version =
                managers.iter().filter(|(id, owned)| owned.api_version == *api_version && keeps(id));
            let owned = of_version.fold(FieldSet::new(), |all, (_, owned)| all.union(owned.fields.clone()));
            owned.with_declared_fields(Some(place))
        };
        // The version of the pruned object is the first, so that no field is missing that a conversion needs.
        if managers.iter().any(|(id, owned)| owned.api_version == *last && keeps(id))
            && let Some(version) = self.resource.version(version_of(merged).unwrap_or(last))
        {
            // Fails if the manager owned the API version.
            let kept = self.resource.convert_unchecked(&pruned, version)?;
            let place = version.place_in(self.library);
            let kept = field_set_of(place, &kept)?.with_declared_fields(Some(place));
            let unowned = fields.clone().difference(&kept).difference(&fields_owned_in(last, place));
            pruned = merged.borrowed();
            remove(Some(place), &mut pruned, &unowned);
        }
        let others = managers.iter().filter(|(id, _)| keeps(id)).map(|(_, owned)| &owned.api_version);
        let others = others.filter(|version| *version != last);
        let others: BTreeSet<&OwnedText> = others.collect();
        for api_version in others {
            let Some((version, merged)) = self.convert(merged, api_version)? else { continue };
            let Some((_, converted)) = self.convert(&pruned, api_version)? else { continue };
            let place = version.place_in(self.library);
            let in_merged = field_set_of(place, &merged)?.with_declared_fields(Some(place));
            let in_pruned = field_set_of(place, &converted)?.with_declared_fields(Some(place));
            let unowned = in_merged.difference(&in_pruned).difference(&fields_owned_in(api_version, place));
            let mut result = merged.to_static();
            remove(Some(place), &mut result, &unowned);
            pruned = result;
        }
        Ok(pruned)
    }
}

/// The fields that a write has changed in an object, in one version. The reset fields of the version are not among them.
struct ChangedFields<'a> {
    /// The fields that only the object before has.
    removed: FieldSet<'a>,
    /// The fields that are new or have another value.
    set: FieldSet<'a>,
}

impl<'a> ChangedFields<'a> {
    fn between(
        version: &'a ResourceVersion,
        library: PatchLibrary,
        before: &'a Doc<'_>,
        after: &'a Doc<'_>,
    ) -> Result<Self> {
        let changes = FieldComparison::new(version.place_in(library), before, after)?;
        let reset = version.reset_field_set();
        Ok(ChangedFields {
            removed: changes.removed.recursive_difference(&reset),
            set: changes.modified.union(changes.added).recursive_difference(&reset),
        })
    }

    /// Copies the fields into sets that borrow nothing.
    fn to_static(&self) -> ChangedFields<'static> {
        ChangedFields { removed: self.removed.to_static(), set: self.set.to_static() }
    }
}
