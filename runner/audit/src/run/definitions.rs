//! The audit of a `CustomResourceDefinition` that changed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use skewer_admission::definition::Conversion;
use skewer_cases::yaml::FileErrors;
use skewer_engine::{Doc, Error, ErrorKind, FieldPath, OwnedDoc, PathSegment};
use skewer_reports::audit::{Audit, AuditFinding, Severity};

use super::{Names, explore_all, report, schemas};
use crate::cause::{Cause, causes};
use crate::change::changes;
use crate::explore::{ExploreOptions, Explored, LiveObject, explore};
use crate::facts::facts_of;
use crate::finding::id_of;
use crate::input::samples::{SampleObject, samples_in_version};
use crate::input::{DefinitionFile, revision};
use crate::isolate::with_changes;
use crate::reduce::reduced;
use crate::renames::renames_between;
use crate::revision::{Revision, Revisions, Side};
use crate::schema_path::SchemaPath;
use crate::suite;

/// Compares the versions that two definitions have in common. There is one audit for each of them. The versions that only
/// the old definition has are another matter.
///
/// # Errors
///
/// Returns the errors of the types that the reader of definitions does not find.
pub(super) fn audit_common_versions(
    old: &DefinitionFile,
    new: &DefinitionFile,
    options: ExploreOptions<'_>,
) -> Result<Vec<Audit>, FileErrors> {
    let names = old.definition.versions.iter().map(|version| version.name.as_str());
    let common = names.filter(|name| new.definition.versions.iter().any(|version| version.name == *name));
    common.map(|name| VersionAudit { old, new, version: name, options }.run()).collect()
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
    options: ExploreOptions<'_>,
) -> Result<Audit, FileErrors> {
    VersionAudit { old, new, version, options }.run()
}

/// Reads a version of a definition, with the conversion that declared renames stand for.
pub(super) fn read_revision(
    file: &DefinitionFile,
    version: &str,
    options: ExploreOptions<'_>,
) -> Result<Revision, FileErrors> {
    let revision = revision(&file.document, version).map_err(|errors| file.errors(&errors))?;
    Ok(on_server(revision, file, options))
}

/// Returns a revision on the simulated server: of its release, and with the conversion that declared renames stand for.
fn on_server(revision: Revision, file: &DefinitionFile, options: ExploreOptions<'_>) -> Revision {
    let revision = match options.release {
        Some(minor) => revision.on_release(minor),
        None => revision,
    };
    revision.with_renames(options.renames, &file.qualified_kind())
}

/// Returns the sample objects of a definition, in the first of two versions. Samples that are written in the second one
/// stay in it.
pub(super) fn live_objects(
    file: &DefinitionFile,
    [first, second]: [&str; 2],
    options: ExploreOptions<'_>,
) -> Vec<LiveObject> {
    let read = |side, version, is_wanted: &dyn Fn(&SampleObject) -> bool| -> Vec<LiveObject> {
        let objects = samples_in_version(options.samples, file, version, options.renames).into_iter();
        let wanted = objects.filter(|(sample, _)| is_wanted(sample));
        wanted.map(|(sample, object)| LiveObject::new(side, object, sample.place())).collect()
    };
    if first == second {
        return read(Side::Old, first, &|_| true);
    }
    let mut objects = read(Side::Old, first, &|sample| sample.version() != second);
    objects.extend(read(Side::New, second, &|sample| sample.version() == second));
    objects
}

/// Returns the errors of the rules because of which servers of the release refuse the definition.
fn refused_rules(revision: &Revision) -> &[Error] {
    revision.admission.as_ref().map_or(&[], |admission| admission.refused_rules())
}

/// Returns true if the objects of a version are stored in another one.
pub(super) fn is_converted(revision: &Revision) -> bool {
    revision.admission.as_ref().is_some_and(|admission| admission.storage_version().is_some())
}

/// The advice for a definition that is not installed as the file has it.
pub(super) const ABOUT_INSTALLATION: &str =
    "if the installation adds spec.conversion (kustomize, Helm), audit what is installed";

/// Names the conversion webhook of a definition, with its place.
pub(super) fn webhook(file: &DefinitionFile) -> String {
    let mut at = FieldPath::root();
    for key in ["spec", "conversion"] {
        at.push(PathSegment::Key(key.into()));
    }
    format!("conversion webhook ({}:{})", file.file.name(), file.line_of(&at))
}

/// Says what the simulated conversion between versions leaves out, if there is one.
pub(super) fn not_simulated_conversion(
    file: &DefinitionFile,
    revisions: &Revisions,
    options: ExploreOptions<'_>,
) -> Option<String> {
    let both = [&revisions.old, &revisions.new];
    if !both.into_iter().any(is_converted) {
        return None;
    }
    let is_pair = revisions.old.name != revisions.new.name;
    let kind = file.qualified_kind();
    let fields: BTreeSet<String> = both
        .iter()
        .flat_map(|revision| revision.renames_to_storage(options.renames, &kind))
        .map(|field| format!("{} = {}", field.from.clone().min(field.to.clone()), field.from.max(field.to)))
        .collect();
    let fields = fields.into_iter().collect::<Vec<_>>().join(", ");
    match (file.definition.conversion, fields.is_empty()) {
        // Files of a release often have no webhook, and the installation adds one.
        (Conversion::None, true) if is_pair => Some(format!(
            "a conversion webhook, which {} does not have: the server drops the fields that only one of the versions has; \
             {ABOUT_INSTALLATION}",
            file.place()
        )),
        (Conversion::None, true) => None,
        (Conversion::None, false) => Some(format!(
            "conversion: declared as renames ({fields}), not run; without a webhook, which {} does not have, a \
             server drops these fields",
            file.place()
        )),
        (Conversion::Webhook, is_undeclared) => {
            let webhook = webhook(file);
            Some(if is_undeclared {
                format!("{webhook}: fields with other names are taken for lost; --rename declares them")
            } else {
                format!("{webhook}: declared as renames ({fields}), not run")
            })
        }
    }
}

/// Maximum product of the number of changes and the number of elements of a schema. An audit of this size takes about a
/// minute: each change is tried with a definition of its own.
const MAX_SIZE: usize = 10_000_000;

pub(super) fn check_size(file: &DefinitionFile, changes: usize, elements: usize) -> Result<(), FileErrors> {
    if changes.saturating_mul(elements) <= MAX_SIZE {
        return Ok(());
    }
    let message = format!(
        "{changes} changes in a schema with {elements} elements: at most {} changes can be audited in a schema of this size",
        MAX_SIZE / elements
    );
    Err(file.errors(&[Error::new(ErrorKind::InvalidSchema, message)]))
}

struct VersionAudit<'a> {
    old: &'a DefinitionFile,
    new: &'a DefinitionFile,
    version: &'a str,
    options: ExploreOptions<'a>,
}

impl VersionAudit<'_> {
    fn run(&self) -> Result<Audit, FileErrors> {
        let [old_facts, new_facts] = [self.old, self.new].map(|file| {
            let version = file.definition.versions.iter().find(|version| version.name == self.version);
            version.map(facts_of).unwrap_or_default()
        });
        let all = changes(&old_facts, &new_facts);
        if all.is_empty() {
            return Ok(self.audit_without_situations(0));
        }
        if self.is_unused() {
            return Ok(self.audit_of_unused(all.len()));
        }
        let read = |file: &DefinitionFile| read_revision(file, self.version, self.options);
        let (old, new) = (read(self.old)?, read(self.new)?);
        let is_lossless = self.has_lossless_conversion([&old, &new]);
        check_size(self.new, all.len(), old_facts.len().max(new_facts.len()))?;
        if let ([error, others @ ..], []) = (refused_rules(&new), refused_rules(&old)) {
            return Ok(self.audit_of_refused(all.len(), error, others.len()));
        }
        let names = Names {
            definition: self.new.subject(),
            versions: self.version.to_owned(),
            old: self.old.file.name().to_owned(),
            new: self.new.file.name().to_owned(),
            changes: all.len(),
            schemas: schemas(self.options, || {
                [self.old, self.new].map(|file| suite::of_definition(file, &file.document, self.version))
            }),
        };
        let kind = self.new.qualified_kind();
        let renames = renames_between(self.options.renames, &kind, [old.schema(), new.schema()]);
        let causes = causes(&all, &old_facts, &new_facts, &renames);
        // Requests in a version that is not served any more are refused, whatever else changed in it.
        let is_removed = causes.iter().any(Cause::ends_serving);
        let (causes, unused): (Vec<Cause>, Vec<Cause>) =
            causes.into_iter().partition(|cause| !is_removed || cause.ends_serving());
        let live_objects = live_objects(self.old, [self.version, self.version], self.options);
        let options = ExploreOptions { live_objects: &live_objects, ..self.options };
        let all = Revisions { old, new };
        let is_conversion_left_out = AtomicBool::new(false);
        let explore = |cause: &Cause| {
            let explored = self.explore(cause, &all, is_lossless, options);
            is_conversion_left_out.fetch_or(explored.is_without_conversion, Ordering::Relaxed);
            explored
        };
        let mut audit = report(names, &explore_all(causes, &explore), &|cause, rule| self.place(cause, rule));
        if !unused.is_empty() {
            let changes = unused.iter().map(|cause| cause.changes.len()).sum();
            audit.findings.push(self.note_on_unused(changes));
        }
        audit.not_simulated.extend(if is_lossless {
            Some(format!("{}: not run, as if it lost nothing", webhook(self.new)))
        } else {
            not_simulated_conversion(self.new, &all, self.options)
        });
        if is_conversion_left_out.into_inner() {
            audit.not_simulated.push(
                "conversion: it hides changes, because it drops fields; these changes were tried as if a webhook lost \
                 nothing"
                    .to_owned(),
            );
        }
        Ok(audit)
    }

    /// Returns true if a webhook converts the objects of the version, and no rename says what it does. The audit of one
    /// version then has the objects as clients write them: what two versions lose is another audit. The cases of a suite
    /// have the whole definition, whose conversion loses the fields that the stored version does not have.
    fn has_lossless_conversion(&self, revisions: [&Revision; 2]) -> bool {
        let kind = self.new.qualified_kind();
        revisions.into_iter().any(is_converted)
            && self.new.definition.conversion == Conversion::Webhook
            && revisions.iter().all(|it| it.renames_to_storage(self.options.renames, &kind).is_empty())
            && !self.options.cases
    }

    /// Returns true if no request uses the version, and no object is stored in it, before the change and after it.
    fn is_unused(&self) -> bool {
        [self.old, self.new].iter().all(|file| {
            let version = file.definition.versions.iter().find(|version| version.name == self.version);
            version.is_some_and(|version| !version.served && !version.storage)
        })
    }

    /// Returns the audit of a definition that servers of the release refuse, for an error and a number of others.
    fn audit_of_refused(&self, changes: usize, error: &Error, others: usize) -> Audit {
        let others = match others {
            0 => String::new(),
            1 => "; 1 more rule is refused".to_owned(),
            _ => format!("; {others} more rules are refused"),
        };
        let finding = AuditFinding {
            place: self.place_of_version(),
            effects: vec![format!(
                "the update of the definition is refused ({}): {error}{others}",
                error.describe_kind()
            )],
            ..AuditFinding::new(
                id_of("", "definition refused"),
                Severity::Loud,
                "definition refused".to_owned(),
            )
        };
        Audit { findings: vec![finding], ..self.audit_without_situations(changes) }
    }

    fn audit_without_situations(&self, changes: usize) -> Audit {
        Audit {
            definition: self.new.subject(),
            versions: self.version.to_owned(),
            old: self.old.file.name().to_owned(),
            new: self.new.file.name().to_owned(),
            changes,
            ..Audit::default()
        }
    }

    /// Returns the audit of a version that is not used: its changes are no matter of objects or clients.
    fn audit_of_unused(&self, changes: usize) -> Audit {
        Audit { findings: vec![self.note_on_unused(changes)], ..self.audit_without_situations(changes) }
    }

    fn place_of_version(&self) -> String {
        format!("{}:{}", self.new.file.name(), self.new.line(self.version, &SchemaPath::default()))
    }

    fn note_on_unused(&self, changes: usize) -> AuditFinding {
        let noun = if changes == 1 { "change" } else { "changes" };
        AuditFinding {
            place: self.place_of_version(),
            effects: vec![
                "no request uses the types of the version, and no new object is stored in it".to_owned(),
            ],
            ..AuditFinding::new(
                id_of("", "version that is not served"),
                Severity::Note,
                format!("{changes} {noun} in a version that is not served"),
            )
        }
    }

    /// Runs the situations of a cause: with only this change if that gives a valid definition, else with all changes.
    fn explore(
        &self,
        cause: &Cause,
        all: &Revisions,
        is_lossless: bool,
        options: ExploreOptions<'_>,
    ) -> Explored {
        let empty = Doc::Null;
        let [old, new] = [self.old, self.new].map(|file| file.version(self.version).unwrap_or(&empty));
        // The cases of a suite have whole definitions, and samples can have any field.
        let is_reduced = !options.cases && options.live_objects.is_empty();
        let needed = |version: &OwnedDoc| if is_reduced { reduced(version, cause) } else { version.clone() };
        let changed = with_changes(&needed(old), &needed(new), cause);
        let only_this = self.old.with_versions(|name, version| match self.new.version(name) {
            _ if name == self.version => changed.clone(),
            // The same change of another version: the conversion between the two does not hide it.
            Some(new) if !cause.is_of_whole_version() => with_changes(&needed(version), &needed(new), cause),
            _ => needed(version),
        });
        let isolated =
            revision(&only_this, self.version).map(|isolated| on_server(isolated, self.new, self.options));
        // A rule can read a field that was added with it.
        let isolated = isolated.ok().filter(|isolated| refused_rules(isolated).is_empty());
        let is_isolated = isolated.is_some() && only_this != self.new.document;
        let only_own_effects = isolated.is_none();
        let options = ExploreOptions { only_own_effects, ..options };
        let isolated = isolated.unwrap_or_else(|| all.new.clone());
        let isolated = Revisions { old: all.old.clone(), new: isolated };
        let of_version = |revisions: &Revisions| {
            if is_lossless { revisions.without_conversion() } else { revisions.clone() }
        };
        let (isolated, whole) = (of_version(&isolated), of_version(all));
        let mut explored = explore(&isolated, cause, options);
        if explored.observations.is_empty() && !is_lossless && is_converted(&all.old) {
            // The conversion hides the change: it drops the element, or the server refuses what it leaves.
            let [isolated, whole] = [&isolated, &whole].map(Revisions::without_conversion);
            let mut unconverted = explore(&isolated, cause, options);
            if is_isolated {
                unconverted.retain_effects_between(&whole, cause);
            }
            if !unconverted.observations.is_empty() {
                unconverted.is_without_conversion = true;
                return unconverted;
            }
        }
        let is_untouched = !explored.is_touched && explored.observations.is_empty();
        let is_impossible = is_isolated && explored.is_impossible_between(&whole);
        if is_untouched || is_impossible {
            // The change alone can make an object invalid that is valid with the others, such as a new field that the
            // version in which objects are stored does not have yet. It can also make one valid that the others refuse.
            let mut with_all = explore(&whole, cause, ExploreOptions { only_own_effects: true, ..options });
            if with_all.is_touched {
                if is_impossible {
                    with_all.retain_effects_like(&explored);
                }
                return with_all.confirmed(all, options);
            }
        }
        if is_isolated {
            explored.retain_effects_between(&whole, cause);
        }
        if is_lossless {
            explored.leave_out_what_a_webhook_decides();
        }
        explored = explored.confirmed(all, options);
        if options.cases && only_this != self.new.document {
            let options = ExploreOptions { only_own_effects: true, ..options };
            explored.with_all_changes = Some(Box::new(explore(&whole, cause, options)));
            explored.schemas = vec![
                suite::of_definition(self.old, &self.old.document, self.version),
                suite::of_definition(self.new, &only_this, self.version),
            ];
        }
        explored
    }

    /// Returns the place of the change in the new file, or in the old one if the new file does not have the element.
    fn place(&self, cause: &Cause, rule: Option<&str>) -> String {
        let file = if cause.changes[0].is_removed_field() { self.old } else { self.new };
        file.place_of_rule(self.version, &cause.path, rule)
    }
}
