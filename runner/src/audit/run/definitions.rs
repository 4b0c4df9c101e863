//! The audit of a `CustomResourceDefinition` that changed.

use skewer_cases::yaml::FileErrors;
use skewer_engine::{Doc, OwnedDoc};
use skewer_reports::audit::Audit;

use super::{Names, audit};
use crate::audit::cause::{Cause, causes};
use crate::audit::change::changes;
use crate::audit::explore::{ExploreOptions, Explored, explore};
use crate::audit::facts::facts_of;
use crate::audit::input::{DefinitionFile, revision};
use crate::audit::isolate::with_changes;
use crate::audit::revision::{Revision, Revisions};

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
    common.map(|name| VersionAudit { old, new, version: name, options }.run()).collect()
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
        let new = revision(&only_this, self.version).unwrap_or_else(|_| new.clone());
        explore(&Revisions { old: old.clone(), new }, cause, self.options)
    }

    /// Returns the place of the change in the new file, or in the old one if the new file does not have the element.
    fn place(&self, cause: &Cause) -> String {
        let file = if cause.changes[0].is_removed_field() { self.old } else { self.new };
        format!("{}:{}", file.file.name(), file.line(self.version, &cause.path))
    }
}
