//! Sample objects: objects of the kinds of an audit, as users write them.

use std::collections::BTreeMap;
use std::sync::Arc;

use skewer_admission::Admission;
use skewer_cases::yaml::{Diagnostic, FileErrors, ParsedFile};
use skewer_engine::{Doc, Error, FieldPath, OwnedDoc, PathSegment};

use super::documents::parsed_documents;
use super::source::SourceFile;
use super::{DefinitionFile, file_errors, joined, revision};
use crate::renames::DeclaredRename;

/// Maximum number of sample objects. Every cause tries each object of its kind once.
pub const MAX_SAMPLES: usize = 1000;

/// A sample object.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SampleObject {
    /// The file, for the lines of messages.
    file: Arc<ParsedFile>,
    /// The path of the object in the file. It is not empty if the file contains a list of objects.
    base: FieldPath,
    /// The group, such as `certs.example.com`. Empty for the core group.
    group: String,
    version: String,
    kind: String,
    /// The object, without what a server writes and without `apiVersion` and `kind`.
    object: OwnedDoc,
}

impl SampleObject {
    fn of(file: &Arc<ParsedFile>, base: FieldPath, object: &OwnedDoc) -> Self {
        let text = |key: &str| {
            object.as_map().and_then(|map| map.get(key)).and_then(Doc::as_str).unwrap_or_default().to_owned()
        };
        let api_version = text("apiVersion");
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", &api_version));
        SampleObject {
            file: Arc::clone(file),
            base,
            group: group.to_owned(),
            version: version.to_owned(),
            kind: text("kind"),
            object: as_written(object),
        }
    }

    /// Returns the kind with its group, such as `certs.example.com/Issuer`.
    #[must_use]
    pub fn qualified_kind(&self) -> String {
        match (self.group.as_str(), self.kind.as_str()) {
            (_, "") => "no kind".to_owned(),
            ("", kind) => kind.to_owned(),
            (group, kind) => format!("{group}/{kind}"),
        }
    }

    /// Returns the version in which the object is written.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the file and the line of the object, such as `samples/issuer.yaml:12`.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}:{}", self.file.name(), self.file.position(self.file.root().span_at(&self.base)).line)
    }

    fn error(&self, key: &str, message: &str) -> FileErrors {
        let mut path = self.base.clone();
        path.push(PathSegment::Key(key.to_owned().into()));
        let diagnostic = Diagnostic::new(self.file.root().span_at(&path), message);
        FileErrors::new(self.file.name(), self.file.text().into(), vec![diagnostic])
    }
}

/// The admission of the versions of a definition.
struct Versions<'f> {
    file: &'f DefinitionFile,
    renames: &'f [DeclaredRename],
    read: BTreeMap<String, Option<Arc<Admission>>>,
}

impl<'f> Versions<'f> {
    fn of(file: &'f DefinitionFile, renames: &'f [DeclaredRename]) -> Self {
        Versions { file, renames, read: BTreeMap::new() }
    }

    fn has(&self, version: &str) -> bool {
        self.file.definition.versions.iter().any(|known| known.name == version)
    }

    /// Returns the admission of a version. `None` if the types of the version are not valid, which the audit reports.
    fn admission(&mut self, version: &str) -> Option<Arc<Admission>> {
        if let Some(known) = self.read.get(version) {
            return known.clone();
        }
        let revision = revision(&self.file.document, version).ok();
        let kind = self.file.qualified_kind();
        let admission = revision.and_then(|revision| revision.with_renames(self.renames, &kind).admission);
        self.read.insert(version.to_owned(), admission.clone());
        admission
    }
}

/// Checks that a server with the definition before the change creates each of the objects. An object of a version that
/// only the definition after the change has is checked with that one.
///
/// # Errors
///
/// Returns what the server refuses, with the lines of the samples.
pub fn check_samples(
    samples: &[&SampleObject],
    old: &DefinitionFile,
    new: &DefinitionFile,
) -> Result<(), Vec<FileErrors>> {
    let mut definitions = [Versions::of(old, &[]), Versions::of(new, &[])];
    let errors: Vec<FileErrors> = samples
        .iter()
        .filter_map(|sample| {
            if let Some(versions) = definitions.iter_mut().find(|versions| versions.has(&sample.version)) {
                return check(sample, versions).err();
            }
            let names: Vec<&str> = old.definition.versions.iter().map(|v| v.name.as_str()).collect();
            let (place, names) = (old.place(), names.join(", "));
            let message = format!("{place} has no version {:?} (it has {names})", sample.version);
            Some(sample.error("apiVersion", &message))
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn check(sample: &SampleObject, versions: &mut Versions<'_>) -> Result<(), FileErrors> {
    let Some(admission) = versions.admission(&sample.version) else { return Ok(()) };
    let place = versions.file.place();
    if !admission.version.served {
        let message = format!("{place} does not serve version {}", sample.version);
        return Err(sample.error("apiVersion", &message));
    }
    let (step, errors) = match admission.decode(&sample.object, false) {
        Err(error) => ("decodes", vec![error]),
        Ok(decoded) => ("validates", admission.review(None, decoded).errors),
    };
    if errors.is_empty() {
        return Ok(());
    }
    let errors: Vec<Error> = errors.iter().map(|error| refusal(error, &place, step)).collect();
    Err(file_errors(&sample.file, &sample.base, &errors))
}

/// Returns the objects in a version of a definition, as a server returns them, with their samples. Objects of versions
/// that the definition does not have are left out.
#[must_use]
pub fn samples_in_version<'s>(
    samples: &'s [SampleObject],
    file: &DefinitionFile,
    version: &str,
    renames: &[DeclaredRename],
) -> Vec<(&'s SampleObject, OwnedDoc)> {
    let mut versions = Versions::of(file, renames);
    let kind = file.qualified_kind();
    let mut convert = |sample: &SampleObject| {
        if sample.version == version {
            return Some(sample.object.clone());
        }
        let own = versions.admission(&sample.version)?;
        let stored = own.to_storage(own.decode(&sample.object, false).ok()?);
        versions.admission(version)?.read(&stored).ok()
    };
    let of_kind = samples.iter().filter(|sample| sample.qualified_kind() == kind);
    of_kind.filter_map(|sample| Some((sample, convert(sample)?))).collect()
}

/// Returns the error of a sample that a server refuses.
fn refusal(error: &Error, definition: &str, step: &str) -> Error {
    let message = format!("a server with {definition} refuses the object when it {step} it: {error}");
    let mut refusal = Error::new(error.kind(), message);
    for segment in error.path().segments().iter().rev() {
        refusal = match segment {
            PathSegment::Key(key) => refusal.at(key),
            PathSegment::Index(index) => refusal.at_index(*index),
        };
    }
    refusal
}

/// Returns an object without what a server or `kubectl apply` writes.
fn as_written(object: &OwnedDoc) -> OwnedDoc {
    const OF_SERVERS: [&str; 6] =
        ["creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"];
    const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let mut object = object.clone();
    let Some(map) = object.as_map_mut() else { return object };
    map.remove("apiVersion");
    map.remove("kind");
    if let Some(metadata) = map.get_mut("metadata").and_then(Doc::as_map_mut) {
        for name in OF_SERVERS {
            metadata.remove(name);
        }
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Doc::as_map_mut) {
            annotations.remove(LAST_APPLIED);
        }
    }
    object
}

/// Reads the objects of files, in the order of the files.
///
/// # Errors
///
/// Returns all errors of the first document with errors, and an error if there are more than [`MAX_SAMPLES`] objects.
pub fn read_samples(files: &[SourceFile]) -> Result<Vec<SampleObject>, FileErrors> {
    let mut samples = Vec::new();
    for file in files {
        for file in parsed_documents(&file.name, &file.bytes)? {
            let root = file.root().to_doc();
            add_objects(&file, &FieldPath::root(), &root, &mut samples);
            if let Some(sample) = samples.get(MAX_SAMPLES) {
                let message = format!("more than {MAX_SAMPLES} sample objects: name a smaller folder");
                return Err(sample.error("kind", &message));
            }
        }
    }
    Ok(samples)
}

/// Adds an object, or the objects of a list such as that of `kubectl get -o yaml`.
fn add_objects(file: &Arc<ParsedFile>, base: &FieldPath, object: &OwnedDoc, samples: &mut Vec<SampleObject>) {
    let value = |key: &str| object.as_map().and_then(|map| map.get(key));
    let is_list = value("kind").and_then(Doc::as_str).is_some_and(|kind| kind.ends_with("List"));
    match value("items").and_then(Doc::as_list).filter(|_| is_list && base.segments().is_empty()) {
        None => samples.push(SampleObject::of(file, base.clone(), object)),
        Some(items) => {
            for (index, item) in items.iter().enumerate() {
                let mut path = FieldPath::root();
                path.push(PathSegment::Key("items".into()));
                path.push(PathSegment::Index(index));
                add_objects(file, &joined(base, &path), item, samples);
            }
        }
    }
}

/// Counts the objects of each kind, such as `2 of apps/Deployment`, sorted by kind.
#[must_use]
pub fn count_kinds<'s>(samples: impl Iterator<Item = &'s SampleObject>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for sample in samples {
        *counts.entry(sample.qualified_kind()).or_default() += 1;
    }
    counts.into_iter().map(|(kind, count)| format!("{count} of {kind}")).collect()
}
