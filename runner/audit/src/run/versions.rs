//! The audit of all versions of two definitions, with those that the new definition does not have any more.

use std::sync::Arc;

use skewer_admission::Admission;
use skewer_admission::definition::{CustomResourceDefinition, Version};
use skewer_cases::yaml::FileErrors;
use skewer_engine::{Doc, ErrorKind, OwnedDoc};
use skewer_reports::audit::{Audit, AuditFinding, Severity};
use skewer_skew::FinalState;

use super::definitions::{audit_common_versions, live_objects, read_revision};
use super::kept_fields::add_kept_setting;
use super::version_pairs::{add_change_of_storage, audit_new_pairs};
use super::{Names, explore_all, report, schemas};
use crate::cause::{Cause, causes};
use crate::change::changes;
use crate::clients::ClientStyle;
use crate::effect::SkewEffect;
use crate::explore::{ExploreOptions, Observation, World, explore, smallest_object};
use crate::facts::facts_of;
use crate::finding::{example, id_of};
use crate::input::DefinitionFile;
use crate::revision::{Revision, Revisions, Side};
use crate::schema_path::SchemaPath;
use crate::situation::{ClientEdit, SkewSituation, WrittenPart};
use crate::suite;

/// Compares the versions that two definitions have. There is one audit for each version that both have, one for each version
/// that was removed, and one for each new relation of two versions.
///
/// # Errors
///
/// Returns the errors of the types that the reader of definitions does not find.
pub fn audit_definitions(
    old: &DefinitionFile,
    new: &DefinitionFile,
    options: ExploreOptions<'_>,
) -> Result<Vec<Audit>, FileErrors> {
    let mut audits = audit_common_versions(old, new, options)?;
    add_change_of_storage(&mut audits, [old, new], options)?;
    add_kept_setting(&mut audits, old, new);
    audits.extend(audit_removed_versions(old, new, options)?);
    audits.extend(audit_new_pairs(old, new, options)?);
    Ok(audits)
}

/// Audits the versions that only the old definition has. A version that was served is as if it were still there, and no
/// longer served. Whether it was or not, the server remembers it: in the definition and in the owners of objects.
fn audit_removed_versions(
    old: &DefinitionFile,
    new: &DefinitionFile,
    options: ExploreOptions<'_>,
) -> Result<Vec<Audit>, FileErrors> {
    let is_removed =
        |version: &&Version| !new.definition.versions.iter().any(|other| other.name == version.name);
    let removed = old.definition.versions.iter().filter(is_removed);
    removed.map(|version| RemovedVersion { old, new, version, options }.audit()).collect()
}

struct RemovedVersion<'a> {
    old: &'a DefinitionFile,
    new: &'a DefinitionFile,
    version: &'a Version,
    options: ExploreOptions<'a>,
}

impl RemovedVersion<'_> {
    fn audit(&self) -> Result<Audit, FileErrors> {
        let mut audit = self.audit_as_unserved()?;
        let remembered = [self.refused_update(), self.refused_owners()?];
        audit.changes = audit.changes.max(1);
        audit.findings.extend(remembered.into_iter().flatten());
        super::sort(&mut audit.findings);
        Ok(audit)
    }

    /// Audits the version as if it were still there, and not served.
    fn audit_as_unserved(&self) -> Result<Audit, FileErrors> {
        let RemovedVersion { old, new, version, options } = *self;
        let read = read_revision(old, &version.name, options)?;
        let mut unserved = version.clone();
        unserved.served = false;
        let (old_facts, new_facts) = (facts_of(version), facts_of(&unserved));
        let all = changes(&old_facts, &new_facts);
        let unserved_definition = with_served(old, &version.name, false);
        let names = Names {
            definition: old.subject(),
            versions: version.name.clone(),
            old: old.file.name().to_owned(),
            new: new.file.name().to_owned(),
            changes: all.len(),
            schemas: schemas(options, || {
                [&old.document, &unserved_definition]
                    .map(|document| suite::of_definition(old, document, &version.name))
            }),
        };
        let mut admission = Admission::new(unserved);
        if let Ok(definition) = CustomResourceDefinition::read(&unserved_definition) {
            admission = admission.with_definition(Arc::new(definition));
        }
        let admission = Some(Arc::new(admission));
        let revisions = Revisions { new: Revision { admission, ..read.clone() }, old: read };
        let live_objects = live_objects(old, [&version.name, &version.name], options);
        let options = ExploreOptions { live_objects: &live_objects, ..options };
        let explore = |cause: &Cause| explore(&revisions, cause, options).confirmed(&revisions, options);
        let causes = causes(&all, &old_facts, &new_facts, &[]);
        Ok(report(names, &explore_all(causes, &explore), &|_, _| self.place()))
    }

    /// Returns the finding that a server refuses the new definition while it remembers objects in the version. `None` if the
    /// old definition says that objects are stored only in other versions. Upstream:
    /// `ValidateCustomResourceDefinitionStoredVersions`.
    fn refused_update(&self) -> Option<AuditFinding> {
        let name = &self.version.name;
        let stored = &self.old.definition.stored_versions;
        if !stored.is_empty() && !stored.contains(name) {
            return None;
        }
        let remembering = self.old.definition.clone().with_stored_versions(vec![name.clone()]);
        let errors = self.new.definition.check_update(&remembering);
        (!errors.is_empty()).then(|| AuditFinding {
            effects: vec![if self.version.storage {
                format!("the update of the definition is refused: {name} is the version in which objects are stored")
            } else {
                format!(
                    "the update of the definition is refused while status.storedVersions has {name}, even if no object \
                     is stored in it any more"
                )
            }],
            advice: vec![format!(
                "store every object again in another version, and remove {name} from status.storedVersions, before the \
                 version is removed"
            )],
            ..self.finding(&format!("version {name} removed"))
        })
    }

    /// Returns the finding that a server refuses every apply request to an object with an owner in the version.
    fn refused_owners(&self) -> Result<Option<AuditFinding>, FileErrors> {
        let declares_apply =
            self.options.clients.is_none_or(|clients| clients.has(ClientStyle::ServerSideApply));
        let name = &self.version.name;
        // Managers can apply in a version before the change and after it, if both definitions serve it.
        let is_served_before = |version: &Version| {
            self.old.definition.versions.iter().any(|old| old.name == version.name && old.served)
        };
        let served = self.new.definition.versions.iter().filter(|version| version.served);
        let Some(served) = served.max_by_key(|version| (is_served_before(version), version.storage)) else {
            return Ok(None);
        };
        // A version in which objects are stored cannot be removed: no object comes to meet the new definition.
        if !declares_apply || self.version.storage {
            return Ok(None);
        }
        let was_served = with_served(self.old, name, true);
        let errors = |errors: Vec<skewer_engine::Error>| self.old.errors(&errors);
        let revisions = Revisions {
            old: crate::input::revision(&was_served, name).map_err(errors)?,
            new: read_revision(self.new, &served.name, self.options)?,
        };
        let Some(object) = smallest_object(&revisions) else { return Ok(None) };
        let situation = SkewSituation {
            object,
            created: Side::Old,
            server: Side::New,
            client: Side::New,
            style: ClientStyle::ServerSideApply,
            edit: ClientEdit::Label,
            shared: None,
            written: WrittenPart::Main,
        };
        let without_skew = SkewSituation { server: Side::Old, client: Side::Old, ..situation.clone() };
        let (Ok(happened), Ok(expected)) = (situation.run(&revisions), without_skew.run(&revisions)) else {
            return Ok(None);
        };
        let error = match &happened.final_state {
            FinalState::Refused(error) if error.kind() == ErrorKind::ConversionFailed => error.clone(),
            _ => return Ok(None),
        };
        let observation = Observation {
            sample: None,
            world: World::StoredObject,
            situation,
            without_skew,
            effect: SkewEffect::Refused(error),
            happened,
            expected,
            confirmed: None,
        };
        let group = &self.old.definition.group;
        Ok(Some(AuditFinding {
            effects: vec![
                format!(
                    "every server-side apply is refused: stored objects with an owner in {group}/{name} \
                     (metadata.managedFields)"
                ),
                "an update removes all owners (servers until 1.36), or keeps the stale ones (since 1.37): the same objects"
                    .to_owned(),
            ],
            advice: vec![format!(
                "before the version is removed, remove the entries of {group}/{name} from metadata.managedFields{}",
                if is_served_before(served) {
                    format!(
                        "; where their operation is Apply, it is enough that their managers apply in {}",
                        served.name
                    )
                } else {
                    String::new()
                }
            )],
            example: example(&observation, &[name.clone(), name.clone()]),
            ..self.finding(&format!("owners in the removed version {name}"))
        }))
    }

    fn finding(&self, change: &str) -> AuditFinding {
        AuditFinding {
            place: self.place(),
            ..AuditFinding::new(id_of("", change), Severity::Loud, change.to_owned())
        }
    }

    fn place(&self) -> String {
        let line = self.old.line(&self.version.name, &SchemaPath::default());
        format!("{}:{line}", self.old.file.name())
    }
}

fn with_served(file: &DefinitionFile, version: &str, served: bool) -> OwnedDoc {
    let mut changed = file.version(version).cloned().unwrap_or_default();
    if let Some(map) = changed.as_map_mut() {
        map.insert("served".into(), Doc::Bool(served));
    }
    file.with_version(version, &changed)
}
