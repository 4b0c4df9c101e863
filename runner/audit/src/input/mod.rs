//! The two versions of a `CustomResourceDefinition`, or the two sets of types, that an audit compares.

use std::sync::Arc;

use skewer_admission::AdmissionOptions;
use skewer_admission::definition::CustomResourceDefinition;
use skewer_cases::yaml::{self, FileErrors, ParsedFile};
use skewer_cases::{CustomResourceVersion, Types};
use skewer_engine::{Doc, Error, FieldPath, Map, OwnedDoc, OwnedMap, PathSegment};

use super::revision::Revision;
use super::schema_path::{SchemaPath, SchemaStep};

pub mod documents;
pub mod pairs;
pub mod samples;
pub mod source;

/// The member of the specification because of which a server keeps all unknown fields. Definitions of `v1beta1` have it unless told
/// otherwise.
pub(crate) const PRESERVE_UNKNOWN_FIELDS: &str = "preserveUnknownFields";

/// One of the two sets of types that an audit compares.
#[derive(Debug)]
pub struct AuditedTypes {
    /// The name in reports: a file, or a release.
    pub name: String,
    /// The types.
    pub types: Types,
    /// The text of the file, if the types come from one.
    pub text: Option<String>,
}

/// A file with a `CustomResourceDefinition`.
#[derive(Debug)]
pub struct DefinitionFile {
    /// The file, for the lines of messages.
    pub file: Arc<ParsedFile>,
    /// The path of the definition in the file. It is not empty if the file contains a list of definitions.
    pub base: FieldPath,
    /// The document.
    pub document: OwnedDoc,
    /// The definition.
    pub definition: CustomResourceDefinition,
    /// Whether all unknown fields are kept (`spec.preserveUnknownFields`). The document and the definition then say so for each
    /// object, and not as a whole.
    pub keeps_unknown_fields: bool,
}

impl DefinitionFile {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Returns all errors of the file, with their lines.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, FileErrors> {
        let file = yaml::parse_manifest(name, bytes)?;
        let document = file.root().to_doc();
        DefinitionFile::of(Arc::new(file), FieldPath::root(), &document)
    }

    /// Reads a definition that is part of a file.
    ///
    /// # Errors
    ///
    /// Returns all errors of the definition, with their lines.
    fn of(file: Arc<ParsedFile>, base: FieldPath, document: &OwnedDoc) -> Result<Self, FileErrors> {
        let read = CustomResourceDefinition::read;
        let of_keywords = |definition: CustomResourceDefinition| {
            let keeps_unknown_fields = definition.preserve_unknown_fields;
            let is_old = definition.is_old;
            let mut definition =
                if keeps_unknown_fields { read(&with_keywords(definition.document()))? } else { definition };
            definition.is_old = is_old;
            Ok((definition, keeps_unknown_fields))
        };
        match read(document).and_then(of_keywords) {
            Ok((definition, keeps_unknown_fields)) => {
                let document = definition.document().clone();
                Ok(DefinitionFile { file, base, document, definition, keeps_unknown_fields })
            }
            Err(errors) => Err(file_errors(&file, &base, &errors)),
        }
    }

    /// Returns the errors because of which an API server refuses the definition: as an update of another one, or as a new one. A version
    /// in which objects are stored and that the definition lacks is another matter.
    ///
    /// Labels and annotations are left out. Objects and clients do not depend on them, and the files of a chart have templates
    /// there.
    #[must_use]
    pub fn refusals(&self, update_of: Option<&CustomResourceDefinition>) -> Vec<Error> {
        let is_about_labels = |error: &Error| match error.path().segments() {
            [PathSegment::Key(first), PathSegment::Key(second), ..] => {
                first.as_str() == "metadata" && ["labels", "annotations"].contains(&second.as_str())
            }
            _ => false,
        };
        let errors = match update_of {
            Some(old) => {
                let storage = self.definition.versions.iter().filter(|version| version.storage);
                let stored = storage.map(|version| version.name.clone()).collect();
                self.definition.check_update(&old.clone().with_stored_versions(stored))
            }
            None => self.definition.check(),
        };
        errors.into_iter().filter(|error| !is_about_labels(error)).collect()
    }

    /// Returns the file and the line of the definition, such as `crd.yaml:12`.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}:{}", self.file.name(), self.line_of(&FieldPath::root()))
    }

    /// Returns true if the file has a member of the definition, and no reader has set it.
    #[must_use]
    pub(crate) fn mentions(&self, keys: &[&str]) -> bool {
        let mut path = self.base.clone();
        for key in keys {
            path.push(PathSegment::Key((*key).into()));
        }
        super::effect::value_at(&self.file.root().to_doc(), &path).is_some()
    }

    /// Returns the kind and the group, such as `Issuer certs.example.com`.
    #[must_use]
    pub fn subject(&self) -> String {
        format!("{} {}", self.definition.kind, self.definition.group)
    }

    /// Returns the kind with its group, such as `certs.example.com/Issuer`.
    #[must_use]
    pub fn qualified_kind(&self) -> String {
        format!("{}/{}", self.definition.group, self.definition.kind)
    }

    /// Returns errors of the document with their lines.
    #[must_use]
    pub fn errors(&self, errors: &[Error]) -> FileErrors {
        file_errors(&self.file, &self.base, errors)
    }

    /// Returns the line of an element of a version, counted from 1.
    #[must_use]
    pub fn line(&self, version: &str, path: &SchemaPath) -> usize {
        self.line_of(&self.document_path(version, path))
    }

    /// Returns the line of a member of a version, or of the version, counted from 1.
    #[must_use]
    pub(crate) fn line_of_version(&self, version: &str, member: &str) -> usize {
        let mut path = self.version_path(version);
        path.push(PathSegment::Key(member.into()));
        self.line_of(&path)
    }

    /// Returns the file and the line of a rule of an element of a version, such as `crd.yaml:12`, or those of the element if it
    /// does not have the rule.
    #[must_use]
    pub fn place_of_rule(&self, version: &str, element: &SchemaPath, rule: Option<&str>) -> String {
        let mut path = self.document_path(version, element);
        path.push(PathSegment::Key("x-kubernetes-validations".into()));
        let rules = super::effect::value_at(&self.document, &path).and_then(Doc::as_list).unwrap_or_default();
        let text = |rule: &OwnedDoc| rule.as_map()?.get("rule")?.as_str().map(|text| text.trim().to_owned());
        let index =
            rules.iter().position(|known| rule.is_some() && text(known).as_deref() == rule.map(str::trim));
        let line = match index {
            Some(index) => {
                path.push(PathSegment::Index(index));
                self.line_of(&path)
            }
            None => self.line(version, element),
        };
        format!("{}:{line}", self.file.name())
    }

    /// Returns the line of a value of the document, counted from 1.
    #[must_use]
    pub fn line_of(&self, path: &FieldPath) -> usize {
        self.file.position(self.file.root().span_at(&joined(&self.base, path))).line
    }

    /// Returns a version (an item of `spec.versions`).
    #[must_use]
    pub fn version(&self, version: &str) -> Option<&OwnedDoc> {
        super::effect::value_at(&self.document, &self.version_path(version))
    }

    /// Returns the definition with another version of the same name.
    #[must_use]
    pub fn with_version(&self, name: &str, version: &OwnedDoc) -> OwnedDoc {
        self.with_versions(|other, unchanged| if other == name { version.clone() } else { unchanged.clone() })
    }

    /// Returns the definition with other versions. `version` is given the name and each item of `spec.versions`.
    #[must_use]
    pub fn with_versions(&self, version: impl Fn(&str, &OwnedDoc) -> OwnedDoc) -> OwnedDoc {
        let names = self.definition.versions.iter().map(|version| version.name.as_str());
        let of_list = |list: &OwnedDoc| {
            let versions = names.clone().zip(list.as_list().unwrap_or_default());
            Doc::List(versions.map(|(name, unchanged)| version(name, unchanged)).collect())
        };
        with_value(&self.document, "spec", |spec| with_value(spec, "versions", of_list))
    }

    fn version_path(&self, version: &str) -> FieldPath {
        let index = self.definition.versions.iter().position(|v| v.name == version).unwrap_or_default();
        let mut path = FieldPath::root();
        path.push(PathSegment::Key("spec".into()));
        path.push(PathSegment::Key("versions".into()));
        path.push(PathSegment::Index(index));
        path
    }

    /// Returns the place of an element of a version in the document.
    #[must_use]
    pub fn document_path(&self, version: &str, path: &SchemaPath) -> FieldPath {
        let mut document_path = self.version_path(version);
        let mut key = |key: &str| document_path.push(PathSegment::Key(key.into()));
        key("schema");
        key("openAPIV3Schema");
        for step in path.steps() {
            match step {
                SchemaStep::Field(name) => {
                    key("properties");
                    key(name);
                }
                SchemaStep::Items => key("items"),
                SchemaStep::Values => key("additionalProperties"),
            }
        }
        document_path
    }
}

/// Returns a map with another value of one of its keys.
fn with_value(map: &OwnedDoc, key: &str, change: impl Fn(&OwnedDoc) -> OwnedDoc) -> OwnedDoc {
    let entries = map.as_map().into_iter().flat_map(Map::iter);
    let changed = entries.map(|(name, value)| {
        (name.clone(), if name.as_str() == key { change(value) } else { value.clone() })
    });
    Doc::Map(changed.collect())
}

/// Returns a definition in which each object keeps its unknown fields by a keyword of its own: a server stores the same objects.
fn with_keywords(document: &OwnedDoc) -> OwnedDoc {
    let mut document = document.clone();
    let spec = document.as_map_mut().and_then(|map| map.get_mut("spec")).and_then(Doc::as_map_mut);
    let Some(spec) = spec else { return document };
    spec.remove(PRESERVE_UNKNOWN_FIELDS);
    let versions = spec.get_mut("versions").and_then(Doc::as_list_mut).into_iter().flatten();
    for version in versions.filter_map(Doc::as_map_mut) {
        let schema = version.get_mut("schema").and_then(Doc::as_map_mut);
        if let Some(schema) = schema.and_then(|schema| schema.get_mut("openAPIV3Schema")) {
            keep_unknown_fields(schema, true);
        }
    }
    document
}

fn keep_unknown_fields(schema: &mut OwnedDoc, is_root: bool) {
    let Some(schema) = schema.as_map_mut() else { return };
    // Servers know all metadata, and permit no such keyword there.
    let has_metadata = is_root || schema.contains_key("x-kubernetes-embedded-resource");
    let is_object = schema.get("type").and_then(Doc::as_str) == Some("object");
    if is_object && !schema.contains_key("additionalProperties") {
        schema.insert("x-kubernetes-preserve-unknown-fields".into(), Doc::Bool(true));
    }
    let fields = schema.get_mut("properties").and_then(Doc::as_map_mut);
    for (name, field) in fields.into_iter().flat_map(OwnedMap::iter_mut) {
        if !has_metadata || name.as_str() != "metadata" {
            keep_unknown_fields(field, false);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(key) {
            keep_unknown_fields(inner, false);
        }
    }
}

fn file_errors(file: &ParsedFile, base: &FieldPath, errors: &[Error]) -> FileErrors {
    let diagnostics = errors.iter().map(|error| diagnostic(error, file, base)).collect();
    FileErrors::new(file.name(), file.text().into(), diagnostics)
}

fn diagnostic(error: &Error, file: &ParsedFile, base: &FieldPath) -> yaml::Diagnostic {
    let path = joined(base, error.path());
    let mut diagnostic = yaml::Diagnostic::new(file.root().span_at(&path), error.message());
    diagnostic.path = path;
    diagnostic
}

fn joined(base: &FieldPath, path: &FieldPath) -> FieldPath {
    let mut joined = base.clone();
    for segment in path.segments() {
        joined.push(segment.clone());
    }
    joined
}

/// Returns a version of a definition as a party knows it.
///
/// # Errors
///
/// Returns the errors of the types, which the reader of the definition did not find.
pub fn revision(document: &OwnedDoc, version: &str) -> Result<Revision, Vec<Error>> {
    let resource = CustomResourceVersion::read(document, version)?;
    Ok(Revision {
        name: version.to_owned(),
        schema: Arc::new(resource.schema().clone()),
        admission: Some(Arc::new(resource.admission(AdmissionOptions::NEWEST, &[]))),
        is_object: true,
        context: resource.server_context().clone(),
        client_context: resource.client_context().clone(),
    })
}

/// Returns true if a document is a `CustomResourceDefinition`.
#[must_use]
pub fn is_definition(document: &OwnedDoc) -> bool {
    document.as_map().and_then(|map| map.get("kind")).and_then(Doc::as_str)
        == Some("CustomResourceDefinition")
}
