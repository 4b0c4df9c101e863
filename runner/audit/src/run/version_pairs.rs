//! The audit of two versions of one definition, and of how a new definition relates its versions.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use skewer_admission::definition::{Conversion, Version};
use skewer_cases::yaml::FileErrors;
use skewer_reports::audit::{Audit, AuditFinding, Severity};

use super::definitions::{
    ABOUT_INSTALLATION, check_size, live_objects, not_simulated_conversion, read_revision,
};
use super::{Names, attribute, explore_all, report, schemas};
use crate::cause::{Cause, causes};
use crate::change::changes;
use crate::explore::{ExploreOptions, Explored, explore, explore_versions};
use crate::facts::{Facts, Property, facts_of};
use crate::finding::id_of;
use crate::input::DefinitionFile;
use crate::renames::{FieldRename, renames_of_versions};
use crate::revision::Revisions;
use crate::schema_path::SchemaPath;
use crate::suite;

/// Compares two served versions of one definition: what happens to objects that are written in both.
///
/// # Errors
///
/// Returns the errors of the types that the reader of definitions does not find.
pub fn audit_versions(
    file: &DefinitionFile,
    [first, second]: [&str; 2],
    options: ExploreOptions<'_>,
) -> Result<Audit, FileErrors> {
    let pair = VersionPair::of(file, [first, second], options)?;
    let revisions = pair.revisions()?;
    Ok(pair.audit(&revisions, pair.explored(&revisions, pair.causes()), &[]))
}

/// Compares the versions of the new definition with the version in which objects are stored, if the relation of the two is
/// new: a version was added, objects are stored in another version, or a webhook no longer converts them. A difference that
/// the old definition had, too, counts only with the effects that it did not have there.
pub(super) fn audit_new_pairs(
    old: &DefinitionFile,
    new: &DefinitionFile,
    options: ExploreOptions<'_>,
) -> Result<Vec<Audit>, FileErrors> {
    let Some(storage) = stored_version(new) else { return Ok(Vec::new()) };
    let mut audits = Vec::new();
    for version in new.definition.versions.iter().filter(|it| it.served && it.name != storage.name) {
        let names = from_old_to_new([&version.name, &storage.name]);
        let pair = VersionPair::of(new, names, options)?;
        let before = if has_both(old, names) { Some(VersionPair::of(old, names, options)?) } else { None };
        let known = before.as_ref().map(VersionPair::causes).unwrap_or_default();
        // What is in an element that only one version had is lost with it.
        let is_in = |cause: &Cause, other: &Cause| {
            let [inner, outer] = [cause, other].map(|cause| match cause.changes.as_slice() {
                [change] => [change.is_added_field(), change.is_removed_field()],
                _ => [false; 2],
            });
            inner == outer && inner != [false; 2] && cause.path.is_within(&other.path)
        };
        let is_known = |cause: &Cause| known.iter().any(|other| other == cause || is_in(cause, other));
        let (known, added): (Vec<Cause>, Vec<Cause>) = pair.causes().into_iter().partition(is_known);
        let known_count = known.len();
        let before = before.filter(|_| converts_otherwise(old, new));
        if added.is_empty() && before.is_none() {
            continue;
        }
        let revisions = pair.revisions()?;
        let mut explored = pair.explored(&revisions, added);
        if let Some(before) = before {
            explored.extend(pair.explored_otherwise_than(&before, &revisions, known.clone())?);
        }
        if !explored.is_empty() {
            let mut audit = pair.audit(&revisions, explored, &known);
            if known_count > 0 {
                let [first, second] = names;
                let file = new.file.name();
                audit.not_simulated.push(format!(
                    "{known_count} differences of the two versions that the old definition has, too, apart from new effects: \
                     `skewer audit {file}#{first} {file}#{second}` has all"
                ));
            }
            audits.push(audit);
        }
    }
    Ok(audits)
}

/// Returns the version in which a definition stores objects.
fn stored_version(file: &DefinitionFile) -> Option<&Version> {
    file.definition.versions.iter().find(|version| version.storage)
}

/// Returns true if objects could be written in both versions, or stored in one and written in the other one.
fn has_both(file: &DefinitionFile, names: [&str; 2]) -> bool {
    let has =
        |name: &str| file.definition.versions.iter().any(|it| it.name == name && (it.served || it.storage));
    names.into_iter().all(has)
}

/// Returns true if what a server does between two versions is another matter than before: it stores objects in another
/// version, or a webhook does not convert them any more. What a webhook does is not known.
fn converts_otherwise(old: &DefinitionFile, new: &DefinitionFile) -> bool {
    let names = [old, new].map(|file| stored_version(file).map(|version| &version.name));
    new.definition.conversion == Conversion::None
        && (old.definition.conversion == Conversion::Webhook || names[0] != names[1])
}

/// Returns two versions in the order of their age: alpha, beta, and those without either, each by number. Upstream:
/// `CompareKubeAwareVersionStrings` of `k8s.io/apimachinery/pkg/version`.
fn from_old_to_new([first, second]: [&str; 2]) -> [&str; 2] {
    if priority(first) <= priority(second) { [first, second] } else { [second, first] }
}

/// The order of versions. A name of another form is older than all others, and those names have the reverse order of text.
fn priority(name: &str) -> (Option<[u64; 3]>, Reverse<&str>) {
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number > 0);
    let parse = || {
        let rest = name.strip_prefix('v')?;
        for (stability, word) in [(0, "alpha"), (1, "beta")] {
            if let Some((major, minor)) = rest.split_once(word) {
                return Some([stability, number(major)?, number(minor)?]);
            }
        }
        Some([2, number(rest)?, 0])
    };
    (parse(), Reverse(name))
}

/// Adds to the audits of versions what it does that objects are stored in another version. Nothing, if the new definition does
/// not have the version any more in which they were stored: that is another finding.
pub(super) fn add_change_of_storage(
    audits: &mut [Audit],
    [old, new]: [&DefinitionFile; 2],
    options: ExploreOptions<'_>,
) -> Result<(), FileErrors> {
    let Some((before, after)) = stored_version(old).zip(stored_version(new)) else { return Ok(()) };
    let change = StorageChange { old, new, before: &before.name, after: &after.name };
    match audits.iter_mut().find(|audit| audit.versions == before.name) {
        Some(audit) if before.name != after.name => {
            let lost = change.audit(options)?;
            audit.changes += 1;
            // A version without a difference was not read.
            if audit.schemas.is_empty() {
                audit.schemas = lost.schemas;
            }
            audit.situations += lost.situations;
            audit.not_judged += lost.not_judged;
            audit.findings.extend(lost.findings.into_iter().chain([change.finding(options.rollback)]));
            super::sort(&mut audit.findings);
        }
        _ => {}
    }
    Ok(())
}

/// Objects are stored in another version, and the version in which they were stored is still there.
#[derive(Clone, Copy)]
struct StorageChange<'a> {
    old: &'a DefinitionFile,
    new: &'a DefinitionFile,
    before: &'a str,
    after: &'a str,
}

impl StorageChange<'_> {
    /// Audits the objects of the version in which they were stored: whatever a client writes, the server stores only what the
    /// other version has, if no webhook converts it.
    fn audit(self, options: ExploreOptions<'_>) -> Result<Audit, FileErrors> {
        let StorageChange { old, new, before, after } = self;
        if new.definition.conversion == Conversion::Webhook {
            return Ok(Audit::default());
        }
        let read = |file| read_revision(file, before, options);
        let revisions = Revisions { old: read(old)?, new: read(new)?.with_older_objects() };
        let is_stored_otherwise = |cause: &Cause| {
            cause.changes.iter().any(|change| {
                change.is_removed_field()
                    || matches!(change.property, Property::Type | Property::Default | Property::UnknownFields)
            })
        };
        let mut causes = VersionPair::of(new, [before, after], options)?.causes();
        // Declared renames stand for a webhook.
        causes.retain(|cause| is_stored_otherwise(cause) && cause.renamed.is_empty());
        for cause in &mut causes {
            let is_removed = matches!(cause.changes.as_slice(), [change] if change.is_removed_field());
            let difference = if is_removed { "not" } else { &cause.title };
            cause.title = format!("{difference} in {after}, in which objects are stored now");
        }
        let live_objects = live_objects(old, [before, before], options);
        let options = ExploreOptions { live_objects: &live_objects, only_own_effects: true, ..options };
        let mut explored = explore_all(causes, &|cause| {
            let confirmed = ExploreOptions { only_own_effects: false, ..options };
            explore(&revisions, cause, options).confirmed(&revisions, confirmed)
        });
        // The situations have all differences of the two versions at once.
        attribute(&mut explored, &[]);
        let names = Names {
            definition: new.subject(),
            versions: before.to_owned(),
            old: old.file.name().to_owned(),
            new: new.file.name().to_owned(),
            changes: explored.len(),
            schemas: schemas(options, || {
                [old, new].map(|file| suite::of_definition(file, &file.document, before))
            }),
        };
        let mut audit = report(names, &explored, &|cause, rule| new.place_of_rule(before, &cause.path, rule));
        for finding in audit.findings.iter_mut().filter(|finding| finding.severity != Severity::NotJudged) {
            finding.advice = vec![format!(
                "convert objects with a webhook, or give {after} what {before} has; {ABOUT_INSTALLATION}"
            )];
        }
        Ok(audit)
    }

    /// Returns the finding that objects are stored in another version, which the old definition may not have. That is worse if the
    /// change can be reverted.
    fn finding(self, can_be_reverted: bool) -> AuditFinding {
        let StorageChange { old, new, before, after } = self;
        let change = format!("objects are stored in {after} instead of {before}");
        let mut effects = vec![format!(
            "stored objects stay in {before} until they are written; status.storedVersions has both versions"
        )];
        let mut advice = vec![format!(
            "store every object again, and remove {before} from status.storedVersions, before {before} is removed"
        )];
        // The server adds the version to `status.storedVersions` with the update (`PrepareForUpdate` of definitions).
        let installed =
            new.definition.clone().with_stored_versions(vec![before.to_owned(), after.to_owned()]);
        let is_refused = !old.definition.check_update(&installed).is_empty();
        if is_refused {
            effects.push(format!(
                "the old definition cannot be installed again: status.storedVersions has {after}, which it does not have"
            ));
            advice.push(format!(
                "for a way back, serve {after} in one release, and store objects in it in a later one"
            ));
        }
        let severity = if is_refused && can_be_reverted { Severity::Loud } else { Severity::Note };
        let line = new.line_of_version(after, "storage");
        AuditFinding {
            place: format!("{}:{line}", new.file.name()),
            effects,
            advice,
            ..AuditFinding::new(id_of("", &change), severity, change)
        }
    }
}

/// Two versions of one definition.
struct VersionPair<'a> {
    file: &'a DefinitionFile,
    names: [&'a str; 2],
    facts: [BTreeMap<SchemaPath, Facts>; 2],
    /// The declared renames from the first version to the second.
    renames: Vec<FieldRename>,
    options: ExploreOptions<'a>,
}

impl<'a> VersionPair<'a> {
    fn of(
        file: &'a DefinitionFile,
        names: [&'a str; 2],
        options: ExploreOptions<'a>,
    ) -> Result<Self, FileErrors> {
        let versions = names.map(|name| file.definition.versions.iter().find(|version| version.name == name));
        let facts = versions.map(|version| {
            let mut facts = version.map(facts_of).unwrap_or_default();
            // Whether a version is served is no difference of objects.
            for facts in facts.values_mut() {
                facts.remove(&Property::Served);
            }
            facts
        });
        let count = changes(&facts[0], &facts[1]).len();
        check_size(file, count, facts[0].len().max(facts[1].len()))?;
        let renames = match versions {
            [Some(first), Some(second)] => {
                let schemas = [&first.schema, &second.schema];
                renames_of_versions(options.renames, &file.qualified_kind(), schemas)
            }
            _ => Vec::new(),
        };
        Ok(VersionPair { file, names, facts, renames, options })
    }

    fn causes(&self) -> Vec<Cause> {
        let [old, new] = &self.facts;
        causes(&changes(old, new), old, new, &self.renames)
    }

    /// Reads the versions, which takes longer than to compare them: their rules are compiled.
    fn revisions(&self) -> Result<Revisions, FileErrors> {
        let [first, second] = self.names.map(|name| read_revision(self.file, name, self.options));
        Ok(Revisions { old: first?, new: second? })
    }

    /// Runs the situations of differences.
    fn explored(&self, revisions: &Revisions, causes: Vec<Cause>) -> Vec<(Cause, Explored)> {
        let live_objects = live_objects(self.file, self.names, self.options);
        let options = ExploreOptions { live_objects: &live_objects, ..self.options };
        explore_all(causes, &|cause| explore_versions(revisions, cause, options))
    }

    /// Runs the situations of differences that the old definition had, too, and keeps the effects that it did not have.
    fn explored_otherwise_than(
        &self,
        before: &VersionPair<'_>,
        revisions: &Revisions,
        causes: Vec<Cause>,
    ) -> Result<Vec<(Cause, Explored)>, FileErrors> {
        let mut explored = self.explored(revisions, causes);
        // As if a webhook had lost nothing.
        if before.file.definition.conversion == Conversion::None {
            let before = before.revisions()?;
            for (cause, explored) in &mut explored {
                explored.leave_out_effects_between(&before, cause);
                // What a limit refuses, it refused before.
                explored.refuses_nothing = true;
            }
        }
        // What is left of a difference can be the effect of another one.
        attribute(&mut explored, &[]);
        explored.retain(|(_, explored)| !explored.observations.is_empty());
        Ok(explored)
    }

    /// Reports what was explored. The differences that were there before, and were not explored, are `known`.
    fn audit(&self, revisions: &Revisions, mut explored: Vec<(Cause, Explored)>, known: &[Cause]) -> Audit {
        let VersionPair { file, names: [first, second], options, .. } = *self;
        let names = Names {
            definition: file.subject(),
            versions: format!("{first} and {second}"),
            old: format!("{}#{first}", file.file.name()),
            new: format!("{}#{second}", file.file.name()),
            changes: explored.iter().map(|(cause, _)| cause.changes.len()).sum(),
            schemas: schemas(options, || {
                [first, second].map(|version| suite::of_definition(file, &file.document, version))
            }),
        };
        let place = |cause: &Cause, rule: Option<&str>| {
            let version = if cause.changes[0].is_removed_field() { first } else { second };
            file.place_of_rule(version, &cause.path, rule)
        };
        attribute(&mut explored, known);
        let mut audit = report(names, &explored, &place);
        audit.not_simulated.extend(not_simulated_conversion(file, revisions, options));
        audit
    }
}
