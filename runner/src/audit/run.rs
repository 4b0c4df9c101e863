//! The audit of a `CustomResourceDefinition` that changed.

use rayon::prelude::*;
use skewer_cases::yaml::FileErrors;
use skewer_engine::{Doc, OwnedDoc};
use skewer_reports::audit::{Audit, Finding};

use super::cause::{Cause, causes};
use super::change::{Change, changes};
use super::explore::{ExploreOptions, Explored, explore};
use super::facts::{Property, facts_of};
use super::finding::{finding, is_plain_addition, note_on_additions};
use super::input::{DefinitionFile, revision};
use super::isolate::with_changes;
use super::revision::{Revision, Revisions};

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
            revision(&file.document, self.version).map_err(|errors| file.errors(&errors))
        };
        let (old_revision, new_revision) = (read(self.old)?, read(self.new)?);
        let (old_facts, new_facts) =
            (facts_of(&old_revision.admission.version), facts_of(&new_revision.admission.version));
        let all = changes(&old_facts, &new_facts);
        let causes = causes(&all, &old_facts, &new_facts);
        let explored: Vec<(Cause, Explored)> = causes
            .into_par_iter()
            .map(|cause| {
                let explored = self.explore(&cause, &old_revision, &new_revision);
                (cause, explored)
            })
            .collect();
        let (plain, others): (Vec<_>, Vec<_>) =
            explored.iter().partition(|(cause, explored)| is_plain_addition(cause, explored));
        let mut findings: Vec<Finding> = others
            .iter()
            .filter_map(|(cause, explored)| finding(cause, explored, self.place(cause)))
            .collect();
        let additions: Vec<&Cause> = plain.iter().map(|(cause, _)| cause).collect();
        findings.extend(note_on_additions(&additions));
        findings.sort_by(|a, b| (a.severity, &a.path, &a.change).cmp(&(b.severity, &b.path, &b.change)));
        let definition = &self.new.definition;
        Ok(Audit {
            subject: format!("{} {}/{}", definition.kind, definition.group, self.version),
            old: self.old.file.name().to_owned(),
            new: self.new.file.name().to_owned(),
            changes: all.len(),
            situations: explored.iter().map(|(_, explored)| explored.situations).sum(),
            findings,
            not_simulated: explored
                .iter()
                .flat_map(|(cause, explored)| self.not_simulated(cause, explored))
                .collect(),
        })
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

    /// Lists the changes of a cause on which the simulated server does not act, and the rules for which no object was found
    /// that breaks them.
    fn not_simulated(&self, cause: &Cause, explored: &Explored) -> Vec<String> {
        let describe = |change: &Change| {
            format!("{} of {} ({})", change.property.name(), change.path, self.place(cause))
        };
        let is_untried = |change: &&Change| {
            matches!(change.property, Property::Rules | Property::Pattern | Property::Format)
                && explored.observations.is_empty()
        };
        let unsimulated = cause.changes.iter().filter(|change| !change.property.is_simulated());
        let untried = cause.changes.iter().filter(is_untried);
        unsimulated
            .map(describe)
            .chain(
                untried.map(|change| format!("{}: no object was found that breaks them", describe(change))),
            )
            .collect()
    }

    /// Returns the place of the change in the new file, or in the old one if the new file does not have the element.
    fn place(&self, cause: &Cause) -> String {
        let file = if cause.changes[0].is_removed_field() { self.old } else { self.new };
        format!("{}:{}", file.file.name(), file.line(self.version, &cause.path))
    }
}
