//! Compiled types of an embedded release, of a file, or of a case.

use std::sync::Arc;

use skewer_admission::definition::CustomResourceDefinition;
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::builtin::Release;
use skewer_engine::schema::{Declarations, FieldTag, Kinds, MetadataTags, Schema, SchemaElement, openapi};
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc};
use skewer_yaml::{self as yaml, Diagnostic, FileErrors, LineIndex, Node, Position, Span};

use super::go_text::{GoTextError, parse_go};

/// The format in which types are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaFormat {
    /// An embedded release of Kubernetes.
    Release,
    /// Go type declarations.
    Go,
    /// An `OpenAPI` document, v2 or v3.
    OpenApi,
    /// A `CustomResourceDefinition`.
    CustomResourceDefinition,
}

impl SchemaFormat {
    /// Returns the format of a document that declares types.
    pub(crate) fn from_document(document: &OwnedDoc) -> Self {
        let kind = document.as_map().and_then(|map| map.get("kind")).and_then(Doc::as_str);
        if kind == Some("CustomResourceDefinition") {
            SchemaFormat::CustomResourceDefinition
        } else {
            SchemaFormat::OpenApi
        }
    }

    /// Describes the format, with an article: `an OpenAPI document`.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            SchemaFormat::Release => "an embedded release",
            SchemaFormat::Go => "Go type declarations",
            SchemaFormat::OpenApi => "an OpenAPI document",
            SchemaFormat::CustomResourceDefinition => "a CustomResourceDefinition",
        }
    }
}

/// Maximum size in bytes of a document whose errors have source spans. Errors in larger documents have only field
/// paths, because the source spans of all values take many times as much memory as the text.
const MAX_WITH_SPANS: usize = 4 << 20;

/// Declared types with their kinds and their compiled schema.
#[derive(Clone, Debug)]
pub struct Types {
    /// The name of the types in messages.
    display_name: String,
    format: SchemaFormat,
    source: TypesSource,
}

#[derive(Clone, Debug)]
enum TypesSource {
    Embedded(&'static Release),
    Compiled { declarations: Arc<Declarations>, kinds: Arc<Kinds>, schema: Arc<Schema> },
}

impl From<&'static Release> for Types {
    fn from(release: &'static Release) -> Self {
        Types {
            display_name: release.name().to_owned(),
            format: SchemaFormat::Release,
            source: TypesSource::Embedded(release),
        }
    }
}

impl Types {
    /// Compiles declarations. `display_name` is their name in messages.
    ///
    /// # Errors
    ///
    /// Returns all errors of [`Schema::compile`].
    pub fn compile(
        display_name: &str,
        format: SchemaFormat,
        declarations: Declarations,
    ) -> Result<Self, Vec<Error>> {
        Types::compile_with_tags(display_name, format, declarations, &MetadataTags::registered())
    }

    /// Compiles declarations whose patch metadata can use the given tags.
    pub(crate) fn compile_with_tags(
        display_name: &str,
        format: SchemaFormat,
        declarations: Declarations,
        tags: &MetadataTags,
    ) -> Result<Self, Vec<Error>> {
        let schema = Arc::new(Schema::compile_with_tags(&declarations, tags)?);
        let kinds = Arc::new(Kinds::of(&declarations));
        let source = TypesSource::Compiled { declarations: Arc::new(declarations), kinds, schema };
        Ok(Types { display_name: display_name.to_owned(), format, source })
    }

    /// Reads a file with Go type declarations, an `OpenAPI` document or a `CustomResourceDefinition`. The format is
    /// recognized by the name and the content of the file. `name` is also the name of the file in messages.
    ///
    /// # Errors
    ///
    /// Returns all errors of the file: invalid syntax, or invalid types.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, FileErrors> {
        let text = String::from_utf8_lossy(bytes);
        if is_go(name, &text) {
            let errors = match parse_go(&text, &MetadataTags::registered()) {
                Ok(declarations) => match Types::compile(name, SchemaFormat::Go, declarations) {
                    Ok(types) => return Ok(types),
                    Err(errors) => without_spans(&errors),
                },
                Err(errors) => {
                    let lines = LineIndex::new(text.as_ref().into());
                    errors.iter().map(|error| go_diagnostic(error, &lines)).collect()
                }
            };
            return Err(FileErrors::new(name, text.as_ref().into(), errors));
        }
        let (document, format) = read_types_document(name, bytes)?;
        let is_definition = format == SchemaFormat::CustomResourceDefinition;
        let declarations = match format {
            SchemaFormat::CustomResourceDefinition => CustomResourceDefinition::read_accepted(&document)
                .and_then(|definition| openapi::read(definition.document())),
            _ => openapi::read(&document),
        };
        // Frees the document early: it takes many times as much memory as its text, and from here on only its types are
        // needed.
        drop(document);
        declarations.and_then(|declarations| Types::compile(name, format, declarations)).map_err(|errors| {
            let parse = if is_definition { yaml::parse_manifest } else { yaml::parse };
            let parsed = (bytes.len() <= MAX_WITH_SPANS).then(|| parse(name, bytes));
            let diagnostics = match parsed {
                Some(Ok(document)) => {
                    errors.iter().map(|error| document_diagnostic(error, document.root())).collect()
                }
                // Without source spans: the document is large, or is JSON that is nested more deeply than the YAML
                // reader permits.
                Some(Err(_)) | None => without_spans(&errors),
            };
            FileErrors::new(name, text.as_ref().into(), diagnostics)
        })
    }

    /// Compiles the types of an `OpenAPI` document or a `CustomResourceDefinition`. `display_name` is their name in
    /// messages.
    ///
    /// # Errors
    ///
    /// Returns all errors of the types.
    pub fn from_document(
        display_name: &str,
        document: &OwnedDoc,
        tags: &MetadataTags,
    ) -> Result<Self, Vec<Error>> {
        let declarations = openapi::read_with_tags(document, tags)?;
        Types::compile_with_tags(display_name, SchemaFormat::from_document(document), declarations, tags)
    }

    /// Returns the schema with further metadata of fields. Each addition has the form `Type.field:tag=value`. An error is
    /// returned together with the index of the addition that caused it.
    pub(crate) fn schema_with_metadata(
        &self,
        additions: &[&str],
        tags: &MetadataTags,
    ) -> Result<Arc<Schema>, (usize, Error)> {
        let mut schema = Arc::clone(self.schema());
        for (at, addition) in additions.iter().enumerate() {
            schema = Arc::new(with_metadata(&schema, addition, tags).map_err(|error| (at, error))?);
        }
        Ok(schema)
    }

    /// Adds the patch metadata that directives propose for the types of a release, such as recommended merge keys.
    /// Returns types from a file unchanged, because a file declares its own metadata.
    ///
    /// # Errors
    ///
    /// Returns the first error if the amended types do not compile.
    pub fn amended_by(self, directives: &DirectiveSet) -> skewer_engine::Result<Self> {
        let TypesSource::Embedded(release) = self.source else { return Ok(self) };
        match directives.with_proposed_metadata(&release.declarations()) {
            None => Ok(self),
            Some(declarations) => {
                let tags = directives.metadata_tags();
                let types = Types::compile_with_tags(&self.display_name, self.format, declarations, &tags);
                types.map(|types| types.sharing_types_of(&self)).map_err(|mut errors| errors.swap_remove(0))
            }
        }
    }

    /// Shares the memory of the types that are the same in others, from which these were derived.
    fn sharing_types_of(mut self, others: &Types) -> Self {
        if let TypesSource::Compiled { schema, .. } = &mut self.source {
            *schema = Arc::new(schema.sharing_types_of(others.schema()));
        }
        self
    }

    /// Returns the format in which the types are declared.
    #[must_use]
    pub fn format(&self) -> SchemaFormat {
        self.format
    }

    /// Returns the name of the types in messages: the name of the file or of the release.
    #[must_use]
    pub fn display_name(&self) -> &str {
        &self.display_name
    }

    /// Returns the declarations.
    #[must_use]
    pub fn declarations(&self) -> Arc<Declarations> {
        match &self.source {
            TypesSource::Embedded(release) => release.declarations(),
            TypesSource::Compiled { declarations, .. } => Arc::clone(declarations),
        }
    }

    /// Returns the kinds of objects.
    #[must_use]
    pub fn kinds(&self) -> &Kinds {
        match &self.source {
            TypesSource::Embedded(release) => release.kinds(),
            TypesSource::Compiled { kinds, .. } => kinds,
        }
    }

    /// Returns the compiled schema.
    #[must_use]
    pub fn schema(&self) -> &Arc<Schema> {
        match &self.source {
            TypesSource::Embedded(release) => release.schema(),
            TypesSource::Compiled { schema, .. } => schema,
        }
    }

    /// Finds the name of the type for `apps/v1/Deployment`, `core/v1.PodSpec` or `Deployment`. See [`Kinds::resolve`].
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such type, or if the text is ambiguous.
    pub fn resolve(&self, text: &str) -> skewer_engine::Result<&str> {
        self.kinds().resolve(text, &self.display_name)
    }

    /// Finds the type of objects with this `apiVersion` and `kind`. Go declarations have no versions; in them, the type
    /// with the name of the kind is returned.
    #[must_use]
    pub fn find(&self, api_version: &str, kind: &str) -> Option<&str> {
        let found = self.kinds().find(api_version, kind);
        match self.format {
            SchemaFormat::Go => found.or_else(|| self.resolve(kind).ok()),
            _ => found,
        }
    }

    /// Creates the patch context of a party that knows these types, for objects of the given type.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Types::resolve`].
    pub fn context(&self, text: &str) -> skewer_engine::Result<PatchContext> {
        self.context_with(Arc::clone(self.schema()), text)
    }

    /// Creates a patch context as [`Types::context`] does, with an edited copy of the schema of the types.
    pub(crate) fn context_with(
        &self,
        schema: Arc<Schema>,
        text: &str,
    ) -> skewer_engine::Result<PatchContext> {
        let context = PatchContext::of(schema, self.resolve(text)?)?;
        let custom_resource = self.format == SchemaFormat::CustomResourceDefinition;
        Ok(PatchContext { custom_resource, ..context })
    }
}

/// Reads a document with types. A definition is a manifest, which is read as YAML 1.1, and can have merge keys and repeated keys.
fn read_types_document(name: &str, bytes: &[u8]) -> Result<(OwnedDoc, SchemaFormat), FileErrors> {
    const DEFINITION: SchemaFormat = SchemaFormat::CustomResourceDefinition;
    let read = yaml::read_document(name, bytes);
    if read.as_ref().map_or(true, |document| SchemaFormat::from_document(document) == DEFINITION) {
        let names_definition = || String::from_utf8_lossy(bytes).contains("kind: CustomResourceDefinition");
        match yaml::read_manifest(name, bytes) {
            Ok(manifest) if SchemaFormat::from_document(&manifest) == DEFINITION => {
                return Ok((manifest, DEFINITION));
            }
            Err(errors) if read.is_ok() || names_definition() => return Err(errors),
            _ => {}
        }
    }
    read.map(|document| {
        let format = SchemaFormat::from_document(&document);
        (document, format)
    })
}

fn with_metadata(schema: &Schema, addition: &str, tags: &MetadataTags) -> skewer_engine::Result<Schema> {
    let malformed = || {
        let message = format!("invalid metadata {addition:?}: expected Type.field:tag=value");
        Error::new(ErrorKind::InvalidSchema, message)
    };
    let (element, value) = addition.split_once('=').ok_or_else(malformed)?;
    let SchemaElement::Metadata { type_name, field, tag } = SchemaElement::parse(element, tags)? else {
        return Err(malformed());
    };
    let values: Vec<&str> = value.split([',', '|']).map(str::trim).collect();
    let tagged = FieldTag { type_name: &type_name, field: &field, tag };
    schema.with_metadata_tag(tagged, &values, tags)
}

/// Returns true if the text is Go source code, and false if it is JSON or YAML.
fn is_go(name: &str, text: &str) -> bool {
    let extension = std::path::Path::new(name).extension().and_then(|extension| extension.to_str());
    match extension {
        Some("go") => true,
        Some("json" | "yaml" | "yml") => false,
        _ => text.lines().any(|line| {
            let mut words = line.split_whitespace();
            let (first, second, third) = (words.next(), words.next(), words.next());
            match (first, second) {
                (Some("package"), Some(_)) => third.is_none(),
                (Some("type"), Some("(")) => true,
                (Some("type"), Some(_)) => third.is_some(),
                _ => false,
            }
        }),
    }
}

/// Converts an error in Go source text to a diagnostic. The diagnostic's span is the word at the position of the error.
fn go_diagnostic(error: &GoTextError, lines: &LineIndex) -> Diagnostic {
    let line = lines.line(error.line);
    // Go columns and spans both count bytes.
    let start = lines.offset(Position { line: error.line, column: 1 });
    let column = (error.column).saturating_sub(1).min(line.len());
    let word = line.get(column..).unwrap_or_default();
    let length = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
    Diagnostic::new(Span::new(start + column, length), error.message.clone())
}

/// Converts an error in a document to a diagnostic. The diagnostic's span is that of the error's field path.
pub(crate) fn document_diagnostic(error: &Error, root: &Node) -> Diagnostic {
    let span = root.span_at(error.path());
    Diagnostic { path: error.path().clone(), ..Diagnostic::new(span, error.message()) }
}

fn without_spans(errors: &[Error]) -> Vec<Diagnostic> {
    errors.iter().map(|error| Diagnostic::new(Span::default(), error.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::package("x", "// comment\npackage v1\n", true)]
    #[case::type_alone("x", "type A struct {\n}\n", true)]
    #[case::group("x", "type (\n A struct{}\n)", true)]
    #[case::go_extension("x.go", "", true)]
    #[case::json("x", "{\"definitions\": {}}", false)]
    #[case::yaml_with_a_type("x", "components:\n  schemas:\n    A:\n      type: object\n", false)]
    #[case::yaml_with_words("x", "description: |\n  package of things that are\n", false)]
    #[case::yaml_extension("x.yaml", "type A struct {\n}\n", false)]
    fn go_is_recognized_by_extension_or_content(
        #[case] name: &str,
        #[case] text: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(is_go(name, text), expected);
    }

    #[rstest]
    #[case::go("x.go", "type A struct {\n\tB strng `json:\"b\"`\n}\n", "x.go:2:4: ")]
    #[case::openapi(
        "x.yaml",
        "components:\n  schemas:\n    A:\n      type: object\n      propertys: {}\n",
        "x.yaml:5:7: this keyword is not understood"
    )]
    #[case::wrong_value(
        "x.json",
        "{\"definitions\": {\"A\": {\"type\": \"object\", \"properties\": {\"b\": {\"type\": \"strng\"}}}}}",
        "x.json:1:"
    )]
    #[case::missing(
        "x.yaml",
        "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nspec:\n  group: g\n",
        "x.yaml:1:1: Required value: missing"
    )]
    #[case::yaml("x.yaml", "a: [", "x.yaml:")]
    fn errors_have_a_source_position(#[case] name: &str, #[case] text: &str, #[case] expected: &str) {
        let errors = Types::read(name, text.as_bytes()).unwrap_err().to_string();
        assert!(errors.starts_with(expected), "{errors}");
    }

    #[test]
    fn the_context_of_a_custom_resource_is_marked() {
        let text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: tabs.example.com}\n\
                    spec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Tab, plural: tabs}\n  versions:\n    \
                    - name: v1\n      served: true\n      storage: true\n      schema:\n        \
                    openAPIV3Schema: {type: object}\n";
        let types = Types::read("x.yaml", text.as_bytes()).unwrap();
        assert_eq!(types.format(), SchemaFormat::CustomResourceDefinition);
        assert_eq!(types.find("example.com/v1", "Tab"), Some("com.example.v1.Tab"));
        assert!(types.context("Tab").unwrap().custom_resource);
    }
}
