//! The audit of a `CustomResourceDefinition` that changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use skewer_cases::yaml::FileErrors;
use skewer_engine::admission::Admission;
use skewer_engine::admission::definition::Version;
use skewer_engine::{Doc, OwnedDoc};
use skewer_reports::audit::{Audit, SuiteSchema};

use super::{Names, audit};
use crate::audit::cause::{Cause, causes};
use crate::audit::change::changes;
use crate::audit::explore::{ExploreOptions, Explored, explore, explore_versions};
use crate::audit::facts::{Facts, Property, facts_of};
use crate::audit::input::{DefinitionFile, revision};
use crate::audit::isolate::with_changes;
use crate::audit::revision::{Revision, Revisions};
use crate::audit::schema_path::SchemaPath;
use crate::audit::suite;

/// Compares the versions that two definitions have in common. There is one audit for each of them.
///
/// # Errors
///
/// Returns the errors of the types that the reader of definitions does not find.
pub fn audit_definitions(
    old: &DefinitionFile,
    new: &DefinitionFile,
    options: ExploreOptions,
) -> Result<Vec<Audit>, FileErrors> {
    let names = old.definition.versions.iter().map(|version| version.name.as_str());
    let common = names.filter(|name| new.definition.versions.iter().any(|version| version.name == *name));
    let mut audits = common
        .map(|name| VersionAudit { old, new, version: name, options }.run())
        .collect::<Result<Vec<Audit>, FileErrors>>()?;
    audits.extend(audit_removed_versions(old, new, options)?);
    audits.extend(audit_new_pairs(old, new, options)?);
    Ok(audits)
}

/// Compares one version of two definitions.
///
/// # Errors
///
/// Returns the errors of the types that the reader of definitions does not find.
pub fn audit_version(
    old: &DefinitionFile,
    new: &DefinitionFile,
    version: &str,
    options: ExploreOptions,
) -> Result<Audit, FileErrors> {
    VersionAudit { old, new, version, options }.run()
}

/// Compares two served versions of one definition: what happens to objects that are written in both.
///
/// # Errors
///
/// Returns the errors of the types that the reader of definitions does not find.
pub fn audit_versions(
    file: &DefinitionFile,
    [first, second]: [&str; 2],
    options: ExploreOptions,
) -> Result<Audit, FileErrors> {
    let pair = VersionPair::of(file, first, second)?;
    Ok(pair.audit(file, pair.causes(), options))
}

/// Audits versions that only the old definition serves: it is as if they were still there, and no longer served.
fn audit_removed_versions(
    old: &DefinitionFile,
    new: &DefinitionFile,
    options: ExploreOptions,
) -> Result<Vec<Audit>, FileErrors> {
    let is_removed = |version: &&Version| {
        version.served && !new.definition.versions.iter().any(|v| v.name == version.name)
    };
    let mut audits = Vec::new();
    for version in old.definition.versions.iter().filter(is_removed) {
        let read = revision(&old.document, &version.name).map_err(|errors| old.errors(&errors))?;
        let mut unserved = version.clone();
        unserved.served = false;
        let (old_facts, new_facts) = (facts_of(version), facts_of(&unserved));
        let all = changes(&old_facts, &new_facts);
        let names = Names {
            subject: format!("{} {}/{}", old.definition.kind, old.definition.group, version.name),
            old: old.file.name().to_owned(),
            new: new.file.name().to_owned(),
            changes: all.len(),
            schemas: schemas(options, || {
                let unserved = with_served(old, &version.name, false);
                [
                    suite::of_definition(old, &old.document, &version.name),
                    suite::of_definition(old, &unserved, &version.name),
                ]
            }),
        };
        let admission = Some(Arc::new(Admission::new(unserved)));
        let revisions = Revisions { new: Revision { admission, ..read.clone() }, old: read };
        let place = format!("{}:{}", old.file.name(), old.line(&version.name, &SchemaPath::default()));
        let explore = |cause: &Cause| explore(&revisions, cause, options);
        audits.push(audit(names, causes(&all, &old_facts, &new_facts), &explore, &|_| place.clone()));
    }
    Ok(audits)
}

/// Compares the versions of the new definition with the version in which objects are stored, if the relation of the two is
/// new: a version was added, or objects are stored in another version. Only differences that the old definition did not have
/// count.
fn audit_new_pairs(
    old: &DefinitionFile,
    new: &DefinitionFile,
    options: ExploreOptions,
) -> Result<Vec<Audit>, FileErrors> {
    let stored_in = |file: &DefinitionFile| {
        file.definition.versions.iter().find(|version| version.storage).map(|version| version.name.clone())
    };
    let Some(storage) = stored_in(new) else { return Ok(Vec::new()) };
    let has_pair = |file: &DefinitionFile, version: &str| {
        let has = |name: &str| file.definition.versions.iter().any(|v| v.name == name && v.served);
        stored_in(file).as_deref() == Some(storage.as_str()) && has(version) && has(&storage)
    };
    let mut audits = Vec::new();
    for version in new.definition.versions.iter().filter(|version| version.served && version.name != storage)
    {
        let pair = VersionPair::of(new, &version.name, &storage)?;
        let mut causes = pair.causes();
        if has_pair(old, &version.name) {
            let known = VersionPair::of(old, &version.name, &storage)?.causes();
            causes.retain(|cause| !known.contains(cause));
        }
        if !causes.is_empty() {
            audits.push(pair.audit(new, causes, options));
        }
    }
    Ok(audits)
}

/// Returns the types of the cases of findings, if there are cases.
fn schemas(options: ExploreOptions, schemas: impl FnOnce() -> [SuiteSchema; 2]) -> Vec<SuiteSchema> {
    if options.cases { schemas().to_vec() } else { Vec::new() }
}

/// Returns a definition in which a version is served, or not.
fn with_served(file: &DefinitionFile, version: &str, served: bool) -> OwnedDoc {
    let mut changed = file.version(version).cloned().unwrap_or_default();
    if let Some(map) = changed.as_map_mut() {
        map.insert("served".into(), Doc::Bool(served));
    }
    file.with_version(version, changed)
}

/// Two versions of one definition.
struct VersionPair {
    revisions: Revisions,
    facts: [BTreeMap<SchemaPath, Facts>; 2],
}

impl VersionPair {
    fn of(file: &DefinitionFile, first: &str, second: &str) -> Result<Self, FileErrors> {
        let read = |name: &str| {
            let revision = revision(&file.document, name).map_err(|errors| file.errors(&errors))?;
            let version = file.definition.versions.iter().find(|version| version.name == name);
            let mut facts = version.map(facts_of).unwrap_or_default();
            // Whether a version is served is no difference of objects.
            for facts in facts.values_mut() {
                facts.remove(&Property::Served);
            }
            Ok((revision, facts))
        };
        let ((old, old_facts), (new, new_facts)) = (read(first)?, read(second)?);
        Ok(VersionPair { revisions: Revisions { old, new }, facts: [old_facts, new_facts] })
    }

    fn causes(&self) -> Vec<Cause> {
        let [old, new] = &self.facts;
        causes(&changes(old, new), old, new)
    }

    fn audit(&self, file: &DefinitionFile, causes: Vec<Cause>, options: ExploreOptions) -> Audit {
        let (first, second) = (&self.revisions.old.name, &self.revisions.new.name);
        let definition = &file.definition;
        let names = Names {
            subject: format!("{} {}/{first} and {second}", definition.kind, definition.group),
            old: format!("{}#{first}", file.file.name()),
            new: format!("{}#{second}", file.file.name()),
            changes: causes.iter().map(|cause| cause.changes.len()).sum(),
            schemas: schemas(options, || {
                [first, second].map(|version| suite::of_definition(file, &file.document, version))
            }),
        };
        let place = |cause: &Cause| {
            let version = if cause.changes[0].is_removed_field() { first } else { second };
            format!("{}:{}", file.file.name(), file.line(version, &cause.path))
        };
        audit(names, causes, &|cause| explore_versions(&self.revisions, cause, options), &place)
    }
}

/// The audit of one version.
struct VersionAudit<'a> {
    old: &'a DefinitionFile,
    new: &'a DefinitionFile,
    version: &'a str,
    options: ExploreOptions,
}

impl VersionAudit<'_> {
    fn run(&self) -> Result<Audit, FileErrors> {
        let read = |file: &DefinitionFile| {
            let revision = revision(&file.document, self.version).map_err(|errors| file.errors(&errors))?;
            let version = file.definition.versions.iter().find(|version| version.name == self.version);
            Ok((revision, version.map(facts_of).unwrap_or_default()))
        };
        let ((old, old_facts), (new, new_facts)) = (read(self.old)?, read(self.new)?);
        let all = changes(&old_facts, &new_facts);
        let definition = &self.new.definition;
        let names = Names {
            subject: format!("{} {}/{}", definition.kind, definition.group, self.version),
            old: self.old.file.name().to_owned(),
            new: self.new.file.name().to_owned(),
            changes: all.len(),
            schemas: schemas(self.options, || {
                [self.old, self.new].map(|file| suite::of_definition(file, &file.document, self.version))
            }),
        };
        let causes = causes(&all, &old_facts, &new_facts);
        let explore = |cause: &Cause| self.explore(cause, &old, &new);
        Ok(audit(names, causes, &explore, &|cause| self.place(cause)))
    }

    /// Runs the situations of a cause: with only this change if that gives a valid definition, else with all changes.
    fn explore(&self, cause: &Cause, old: &Revision, new: &Revision) -> Explored {
        let empty = Doc::Null;
        let versions = (
            self.old.version(self.version).unwrap_or(&empty),
            self.new.version(self.version).unwrap_or(&empty),
        );
        let only_this: OwnedDoc =
            self.old.with_version(self.version, with_changes(versions.0, versions.1, cause));
        let isolated = revision(&only_this, self.version).unwrap_or_else(|_| new.clone());
        let mut explored = explore(&Revisions { old: old.clone(), new: isolated }, cause, self.options);
        if self.options.cases && only_this != self.new.document {
            let all = Revisions { old: old.clone(), new: new.clone() };
            let options = ExploreOptions { only_own_effects: true, ..self.options };
            explored.with_all_changes = Some(Box::new(explore(&all, cause, options)));
            explored.schemas = vec![
                suite::of_definition(self.old, &self.old.document, self.version),
                suite::of_definition(self.new, &only_this, self.version),
            ];
        }
        explored
    }

    /// Returns the place of the change in the new file, or in the old one if the new file does not have the element.
    fn place(&self, cause: &Cause) -> String {
        let file = if cause.changes[0].is_removed_field() { self.old } else { self.new };
        format!("{}:{}", file.file.name(), file.line(self.version, &cause.path))
    }
}
