//! The audit of declared types: those of two Kubernetes releases, or of two files with Go types or an `OpenAPI` document.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use rayon::prelude::*;
use skewer_admission::structural::StructuralSchema;
use skewer_engine::patch::PatchContext;
use skewer_engine::{Error, ErrorKind, Result};
use skewer_reports::audit::Audit;

use super::{Names, attribute, explore_all, report};
use crate::cause::{Cause, causes};
use crate::change::changes;
use crate::declared::{DeclaredTypes, MAX_FIELDS, declared_types};
use crate::explore::{ExploreOptions, explore};
use crate::facts::Property;
use crate::input::AuditedTypes;
use crate::renames::{ComparedTypes, renames_between};
use crate::revision::{Revision, Revisions};
use crate::suite;

/// The causes that were reported: the type that declares the field, the field, and the title.
type Reported = BTreeSet<(String, String, String)>;

/// Compares the types of one kind, or another type, such as `ServiceSpec`.
///
/// # Errors
///
/// Fails if one of the two has no such type.
pub fn audit_kind(
    old: &AuditedTypes,
    new: &AuditedTypes,
    kind: &str,
    options: ExploreOptions<'_>,
) -> Result<Audit> {
    let (old_type, new_type) = (TypeAudit::of(old, kind)?, TypeAudit::of(new, kind)?);
    Ok(TypeAudits { options, reported: Reported::new() }.compare(&old_type, &new_type, kind))
}

/// Compares the types of all kinds that both have. A change of a type that several kinds contain is reported for the
/// smallest of them.
///
/// # Errors
///
/// Fails if they have no kind in common, or if the types of a kind cannot be compiled.
pub fn audit_kinds(
    old: &AuditedTypes,
    new: &AuditedTypes,
    options: ExploreOptions<'_>,
) -> Result<Vec<Audit>> {
    let common = new.types.kinds().sorted().into_iter().map(|(kind, _)| kind);
    let common: Vec<_> = common.filter(|kind| old.types.kinds().look_up(kind).is_some()).collect();
    let read = common.into_par_iter().map(|kind| {
        let (old_type, new_type) = (TypeAudit::of(old, kind)?, TypeAudit::of(new, kind)?);
        Ok((new_type.declared.facts.len(), kind, old_type, new_type))
    });
    let mut kinds = read.collect::<Result<Vec<_>>>()?;
    // A list of objects is no object of its own.
    kinds.retain(|(.., new_type)| new_type.is_object());
    if kinds.is_empty() {
        return Err(no_object_in_common(old, new));
    }
    kinds.sort_by_key(|(size, kind, ..)| (*size, *kind));
    let mut compared = TypeAudits { options, reported: Reported::new() };
    let audits = kinds.iter().map(|(_, kind, old, new)| compared.compare(old, new, kind));
    let mut audits: Vec<Audit> = audits.filter(|audit| audit.changes > 0).collect();
    audits.sort_by(|a, b| a.definition.cmp(&b.definition));
    Ok(audits)
}

/// Returns the error for types of which no common one has the metadata of whole objects.
fn no_object_in_common(old: &AuditedTypes, new: &AuditedTypes) -> Error {
    const MAX_NAMES: usize = 10;
    let names = new.types.schema().names();
    let common: Vec<&str> =
        names.into_iter().filter(|name| old.types.schema().named(name).is_some()).collect();
    let mut message = format!("{} and {} have no type of whole objects in common", old.name, new.name);
    if !common.is_empty() {
        let more = if common.len() > MAX_NAMES { ", …" } else { "" };
        let listed = common[..common.len().min(MAX_NAMES)].join(", ");
        let _ = write!(
            message,
            " (with metadata of the type ObjectMeta): choose a type with --kind ({listed}{more})"
        );
    }
    Error::new(ErrorKind::NotFound, message)
}

/// The types of a kind that an audit compares.
#[derive(Debug)]
pub struct ComparedKind {
    kind: String,
    names: [String; 2],
    schemas: [StructuralSchema; 2],
}

impl ComparedKind {
    /// Returns the types.
    #[must_use]
    pub fn types(&self) -> ComparedTypes<'_> {
        let [old, new] = &self.schemas;
        ComparedTypes {
            kind: self.kind.clone(),
            names: self.names.clone(),
            schemas: [old, new],
            are_versions: false,
        }
    }
}

/// Returns the types of one kind, or of all kinds that both have.
///
/// # Errors
///
/// Fails if one of the two has no such type.
pub fn compared_kinds(
    old: &AuditedTypes,
    new: &AuditedTypes,
    kind: Option<&str>,
) -> Result<Vec<ComparedKind>> {
    let kinds: Vec<&str> = match kind {
        Some(kind) => vec![kind],
        None => new.types.kinds().sorted().into_iter().map(|(kind, _)| kind).collect(),
    };
    let common = kinds.into_iter().filter(|name| kind.is_some() || old.types.kinds().look_up(name).is_some());
    let compared = common.map(|kind| {
        let schemas = [TypeAudit::of(old, kind)?.declared.schema, TypeAudit::of(new, kind)?.declared.schema];
        Ok(ComparedKind { kind: kind.to_owned(), names: [old.name.clone(), new.name.clone()], schemas })
    });
    compared.collect()
}

struct TypeAudit<'a> {
    source: &'a AuditedTypes,
    context: PatchContext,
    declared: DeclaredTypes,
}

impl<'a> TypeAudit<'a> {
    fn of(source: &'a AuditedTypes, kind: &str) -> Result<Self> {
        let context = source.types.context(kind)?;
        let declared = declared_types(&context).ok_or_else(|| {
            let message = format!(
                "{}: {kind} has more than {MAX_FIELDS} fields, with those of the types that it contains; types that \
                 contain each other are the usual reason",
                source.name
            );
            Error::new(ErrorKind::InvalidSchema, message)
        })?;
        Ok(TypeAudit { source, context, declared })
    }

    fn is_object(&self) -> bool {
        let properties = &self.declared.schema.properties;
        let metadata = properties.get("metadata");
        metadata.is_some_and(|metadata| metadata.properties.contains_key("managedFields"))
    }

    fn revision(&self) -> Revision {
        Revision {
            name: self.source.name.clone(),
            schema: Arc::new(self.declared.schema.clone()),
            admission: None,
            is_object: self.is_object(),
            context: self.context.clone(),
            client_context: self.context.clone(),
        }
    }

    /// Returns what identifies a cause in all kinds that contain the type.
    fn key(&self, cause: &Cause) -> (String, String, String) {
        let fields = cause.path.steps().len();
        let mut path = cause.path.clone();
        // The items of a list belong to the field with the list.
        while path.field_name().is_none() {
            let Some(parent) = path.parent() else { break };
            path = parent;
        }
        let owner = self.declared.owners.get(&path).cloned().unwrap_or_default();
        let name = format!("{}{}", path.field_name().unwrap_or_default(), fields - path.steps().len());
        (owner, name, cause.title.clone())
    }
}

/// The audits of some kinds. A cause is reported once.
struct TypeAudits<'o> {
    options: ExploreOptions<'o>,
    reported: Reported,
}

impl TypeAudits<'_> {
    fn compare(&mut self, old: &TypeAudit<'_>, new: &TypeAudit<'_>, kind: &str) -> Audit {
        let mut all = changes(&old.declared.facts, &new.declared.facts);
        // Servers validated the values of most enums, and the required fields of built-in kinds, before their types listed
        // them (`+enum`, since 1.23).
        let is_release = new.source.text.is_none();
        all.retain(|change| match change.property {
            Property::Enum => change.old.is_some() && change.new.is_some(),
            Property::Required => !is_release,
            _ => true,
        });
        let renames =
            renames_between(self.options.renames, kind, [&old.declared.schema, &new.declared.schema]);
        let mut causes = causes(&all, &old.declared.facts, &new.declared.facts, &renames);
        causes.retain(|cause| {
            let side = if cause.changes[0].is_removed_field() { old } else { new };
            self.reported.insert(side.key(cause))
        });
        let names = Names {
            definition: kind.to_owned(),
            versions: String::new(),
            old: old.source.name.clone(),
            new: new.source.name.clone(),
            changes: causes.iter().map(|cause| cause.changes.len()).sum(),
            schemas: if self.options.cases {
                [old, new].map(|side| suite::of_types(side.source, kind)).to_vec()
            } else {
                Vec::new()
            },
        };
        let revisions = Revisions { old: old.revision(), new: new.revision() };
        let options = ExploreOptions { only_own_effects: true, ..self.options };
        let explore = |cause: &Cause| explore(&revisions, cause, options).confirmed(&revisions, options);
        let mut explored = explore_all(causes, &explore);
        attribute(&mut explored, &[]);
        report(names, &explored, &|cause, _| {
            let side = if cause.changes[0].is_removed_field() { old } else { new };
            side.declared.owners.get(&cause.path).cloned().unwrap_or_default()
        })
    }
}
