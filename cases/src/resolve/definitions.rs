//! Reads the definitions of custom resources of a case.

use std::collections::HashMap;
use std::sync::Arc;

use skewer_admission::definition::CustomResourceDefinition;
use skewer_engine::{Doc, Error, OwnedDoc};
use skewer_yaml::{self as yaml, Diagnostic, Diagnostics, ParsedFile, Position, Span, Spanned};

use super::type_reader::{DISPLAY_NAME, TypeReader};
use crate::case_files::CorpusFile;
use crate::references::References;
use crate::types::{CustomResourceVersion, RootTypes, Types, document_diagnostic};

/// The definitions of a suite file. Each is read once, no matter how many cases use it.
pub(super) struct Definitions<'a> {
    suite: &'a CorpusFile,
    references: &'a References,
    by_span: HashMap<Span, Option<Definition>>,
    /// The versions that were read, by the name of the type.
    versions: HashMap<(Span, String), Option<Arc<CustomResourceVersion>>>,
    /// Hints for the author of a definition, each with its place: parts that are not simulated, and keys that Kubernetes reads
    /// otherwise than they are written.
    pub(super) hints: Vec<String>,
    /// The hints about keys, which can be the cause of errors.
    pub(super) warnings: Vec<Diagnostic>,
}

/// A definition, as the case refers to it.
#[derive(Clone)]
struct Definition {
    document: OwnedDoc,
    types: Types,
    /// The file of the definition, if it is not part of the suite file.
    file: Option<Arc<ParsedFile>>,
    /// The kind with its group and the version that the case names. Without a version, only the kind.
    kind: String,
}

impl<'a> Definitions<'a> {
    pub(super) fn new(suite: &'a CorpusFile, references: &'a References) -> Self {
        Definitions {
            suite,
            references,
            by_span: HashMap::new(),
            versions: HashMap::new(),
            hints: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Reads a definition, and returns the types of objects of the type `root`, or else of its kind. Returns `None` after
    /// reporting an error.
    pub(super) fn resolve(
        &mut self,
        crd: &Spanned<OwnedDoc>,
        root: Option<&Spanned<String>>,
        reader: &TypeReader<'_>,
    ) -> Option<RootTypes> {
        if !self.by_span.contains_key(&crd.span) {
            let definition = self.read(crd, reader);
            self.by_span.insert(crd.span, definition);
        }
        let definition = self.by_span.get(&crd.span)?.clone()?;
        let kind = Spanned::new(definition.kind.clone(), crd.span);
        let root = root.unwrap_or(&kind);
        let resolved =
            definition.types.resolve(root).and_then(|name| Ok((name, definition.types.context(root)?)));
        let (name, context) = match resolved {
            Ok(resolved) => resolved,
            Err(error) => {
                let place =
                    definition.file.as_ref().map(|file| format!("{}: ", file.name())).unwrap_or_default();
                reader.diagnostics.error(root.span, format!("{place}{}", error.message()));
                return None;
            }
        };
        let Some(version) =
            CustomResourceVersion::version_of_type(&definition.types, &definition.document, name)
        else {
            return Some(RootTypes::from(context));
        };
        let key = (crd.span, name.to_owned());
        let hints = &mut self.hints;
        let custom_resource = self.versions.entry(key).or_insert_with(|| {
            match CustomResourceVersion::read_with_tags(&definition.document, &version, &reader.tags) {
                Ok(custom_resource) => {
                    let (file, root) = match definition.file.as_deref() {
                        Some(file) => (file, Some(file.root())),
                        None => (reader.file, reader.file.root().find_by_span(crd.span)),
                    };
                    let place = |path| file.location(root.map_or(crd.span, |root| root.span_at(path)));
                    let parts = custom_resource.not_simulated();
                    hints.extend(parts.iter().map(|(path, part)| format!("{}: {part}", place(path))));
                    Some(Arc::new(custom_resource))
                }
                Err(errors) => {
                    report(&errors, crd, definition.file.as_deref(), reader);
                    None
                }
            }
        });
        let custom_resource = custom_resource.clone()?;
        Some(RootTypes { context, custom_resource: Some(custom_resource) })
    }

    /// Reports the errors because of which a server refuses a definition that was read. Returns true if there are none.
    pub(super) fn check(&self, crd: &Spanned<OwnedDoc>, reader: &TypeReader<'_>) -> bool {
        let Some(Some(definition)) = self.by_span.get(&crd.span) else { return false };
        let errors = CustomResourceDefinition::read_accepted(&definition.document).err().unwrap_or_default();
        report(&errors, crd, definition.file.as_deref(), reader);
        errors.is_empty()
    }

    fn read(&mut self, crd: &Spanned<OwnedDoc>, reader: &TypeReader<'_>) -> Option<Definition> {
        let (document, own_file, version) = match crd.as_str() {
            None => (self.read_as_manifest(crd, reader), None, None),
            Some(reference) => {
                let (path, version) = match reference.rsplit_once('#') {
                    Some((path, version)) => (path, Some(version)),
                    None => (reference, None),
                };
                let own_file = self.read_file(path, crd.span, reader.diagnostics)?;
                for warning in own_file.warning_diagnostics() {
                    let message = own_file.describe_warning(warning);
                    self.hints.push(message.clone());
                    self.warnings.push(Diagnostic::new(crd.span, message));
                }
                (own_file.root().to_doc(), Some(own_file), version)
            }
        };
        let types = match Types::from_document(DISPLAY_NAME, &document, &reader.tags) {
            Ok(types) => types,
            Err(errors) => {
                report(&errors, crd, own_file.as_deref(), reader);
                return None;
            }
        };
        let text = |path: &[&str]| {
            let found = path.iter().try_fold(&document, |value, key| value.as_map()?.get(key));
            found.and_then(Doc::as_str).unwrap_or_default().to_owned()
        };
        let kind = text(&["spec", "names", "kind"]);
        let kind = match version {
            Some(version) => format!("{}/{version}/{kind}", text(&["spec", "group"])),
            None => kind,
        };
        Some(Definition { document, types, file: own_file, kind })
    }

    /// Reads a definition in a suite file as it would be read from a file of its own: in YAML 1.1, as Kubernetes reads it.
    fn read_as_manifest(&mut self, crd: &Spanned<OwnedDoc>, reader: &TypeReader<'_>) -> OwnedDoc {
        let file = yaml::parse_manifest(reader.file.name(), reader.file.text().as_bytes()).ok();
        let node = file.as_ref().and_then(|file| file.root().find_by_span(crd.span));
        let Some((file, node)) = file.as_ref().zip(node) else { return crd.value.clone() };
        let is_inside = |warning: &&Diagnostic| {
            crd.span.offset <= warning.span.offset && warning.span.end() <= crd.span.end()
        };
        for warning in file.warning_diagnostics().iter().filter(is_inside) {
            self.hints.push(file.describe_warning(warning));
            self.warnings.push(warning.clone());
        }
        node.to_doc()
    }

    fn read_file(&self, path: &str, span: Span, diagnostics: &Diagnostics) -> Option<Arc<ParsedFile>> {
        let content = match self.references.content(self.suite, path) {
            Ok(content) => content,
            Err(why) => {
                diagnostics
                    .error(span, why)
                    .help("write the path of a file with a CustomResourceDefinition, relative to this file");
                return None;
            }
        };
        match yaml::parse_manifest(path, &content) {
            Ok(file) => Some(Arc::new(file)),
            Err(errors) => {
                let first = errors.to_string();
                diagnostics.error(span, first.lines().next().unwrap_or_default());
                None
            }
        }
    }
}

/// Reports the errors of a definition: at their places if it is part of the suite file, and else at the reference to its
/// file.
fn report(errors: &[Error], crd: &Spanned<OwnedDoc>, own_file: Option<&ParsedFile>, reader: &TypeReader<'_>) {
    let TypeReader { file, diagnostics, .. } = reader;
    let root = own_file.map_or_else(|| file.root().find_by_span(crd.span), |file| Some(file.root()));
    for error in errors {
        let found = document_diagnostic(error, root.unwrap_or_else(|| file.root()));
        match own_file {
            Some(own_file) => {
                let Position { line, column } = own_file.position(found.span);
                let place = format!("{}:{line}:{column}", own_file.name());
                diagnostics.error(crd.span, format!("{place}: {error}"));
            }
            None => {
                diagnostics.error(found.span, format!("in the schema: {}", found.message)).path(found.path);
            }
        }
    }
}
