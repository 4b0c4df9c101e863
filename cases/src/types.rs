//! The types of objects: from an embedded release, or from a file of the user's.

use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::builtin::Release;
use skewer_engine::schema::union::{UnionError, UnionErrorKind, Unions};
use skewer_engine::schema::{
    Declarations, Kinds, MetadataTag, OverlayConflict, Schema, SchemaElement, Shape, go, openapi,
};
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc};

use crate::yaml::{self, CaseFileErrors, Diagnostic, LineIndex, Node, Position, Span};

/// What types are declared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An embedded release of Kubernetes.
    Release,
    /// Go type declarations.
    Go,
    /// An `OpenAPI` document, v2 or v3.
    OpenApi,
    /// A `CustomResourceDefinition`.
    CustomResourceDefinition,
}

impl Form {
    /// What a document that declares types is.
    pub(crate) fn of_document(document: &OwnedDoc) -> Self {
        let kind = document.as_map().and_then(|map| map.get("kind")).and_then(Doc::as_str);
        if kind == Some("CustomResourceDefinition") { Form::CustomResourceDefinition } else { Form::OpenApi }
    }

    /// The form with its article: `Go type declarations`.
    #[must_use]
    pub fn described(self) -> &'static str {
        match self {
            Form::Release => "an embedded release",
            Form::Go => "Go type declarations",
            Form::OpenApi => "an OpenAPI document",
            Form::CustomResourceDefinition => "a CustomResourceDefinition",
        }
    }
}

/// Types, ready for use.
#[derive(Clone, Debug)]
pub struct Types {
    /// What messages call them.
    whose: String,
    form: Form,
    held: Held,
}

#[derive(Clone, Debug)]
enum Held {
    Embedded(&'static Release),
    Own { declarations: Arc<Declarations>, kinds: Arc<Kinds>, schema: Arc<Schema> },
}

impl From<&'static Release> for Types {
    fn from(release: &'static Release) -> Self {
        Types { whose: release.name().to_owned(), form: Form::Release, held: Held::Embedded(release) }
    }
}

/// Types that are to be read, as they are written.
#[derive(Clone, Debug, PartialEq)]
pub enum Declaration {
    /// Go type declarations.
    Go(String),
    /// An `OpenAPI` document or a `CustomResourceDefinition`.
    OpenApi(OwnedDoc),
}

/// Why types are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The engine's error.
    pub error: Error,
    /// The rule of declarations that is broken, where they have one: see [`rules`].
    pub rule: Option<&'static str>,
}

/// The ids of the rules that declarations of types can break.
pub fn rules() -> impl Iterator<Item = &'static str> + Clone {
    let go = go::GoErrorKind::ALL.iter().map(|kind| kind.id());
    go.chain(UnionErrorKind::ALL.iter().map(|kind| kind.id()))
}

impl Declaration {
    /// Reads the types; everything for which they are refused. Empty when they are not.
    #[must_use]
    pub fn refusals(&self) -> Vec<Refusal> {
        match self {
            Declaration::Go(text) => match declarations_of_go(text) {
                Ok(declarations) => compiled(Types::compile(WHOSE, Form::Go, declarations)),
                Err(mistakes) => mistakes.into_iter().map(Refusal::from).collect(),
            },
            Declaration::OpenApi(document) => compiled(Types::of_document(WHOSE, document)),
        }
    }
}

/// What messages call types that are refused.
const WHOSE: &str = "the declaration";

fn compiled(types: Result<Types, Vec<Error>>) -> Vec<Refusal> {
    let errors = types.err().unwrap_or_default();
    errors.into_iter().map(|error| Refusal { error, rule: None }).collect()
}

impl From<GoMistake> for Refusal {
    fn from(mistake: GoMistake) -> Self {
        let message = format!("{}:{}: {}", mistake.line, mistake.column, mistake.message);
        Refusal { error: Error::new(ErrorKind::InvalidSchema, message), rule: Some(mistake.rule) }
    }
}

/// Something wrong in a Go text: line and column from 1.
pub(crate) struct GoMistake {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
    /// The id of the rule that is broken.
    pub(crate) rule: &'static str,
}

/// What a Go text declares, with the unions in it checked: what is wrong comes with its line.
pub(crate) fn declarations_of_go(text: &str) -> Result<Declarations, Vec<GoMistake>> {
    let declarations = go::read(text).map_err(mistakes_of_go)?;
    check_unions(&declarations, text)?;
    Ok(declarations)
}

fn mistakes_of_go(errors: Vec<go::GoError>) -> Vec<GoMistake> {
    let mistake = |error: go::GoError| GoMistake {
        line: error.line as usize,
        column: error.column as usize,
        message: error.message,
        rule: error.kind.id(),
    };
    errors.into_iter().map(mistake).collect()
}

/// Where the text of a line starts: markers and fields are indented. Declarations know their lines only.
fn first_column(text: &str, line: u32) -> usize {
    let line = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default();
    line.chars().take_while(|char| char.is_whitespace()).count() + 1
}

fn check_unions(declarations: &Declarations, text: &str) -> Result<(), Vec<GoMistake>> {
    let mistake = |error: UnionError| GoMistake {
        line: (error.line as usize).max(1),
        column: first_column(text, error.line),
        message: format!("{}: {} [{}]", error.place, error.message, error.kind.id()),
        rule: error.kind.id(),
    };
    match Unions::declared(declarations) {
        Ok(_) => Ok(()),
        Err(errors) => Err(errors.into_iter().map(mistake).collect()),
    }
}

/// The types of a release that its type `root` needs, with Go declarations laid over them: see [`Declarations::laid_over`]. A
/// name in the text means the type of the release that has it, in the package of `root` before any other.
pub(crate) fn laid_over(
    release: &'static Release,
    text: &str,
    root: &str,
) -> Result<Declarations, Vec<GoMistake>> {
    let package = root.rsplit_once('.').map_or("", |(package, _)| package);
    let named = |name: &str| {
        let last = name.rsplit('.').next().unwrap_or(name);
        let kinds = release.kinds();
        let beside = kinds.look_up(&format!("{package}.{last}"));
        beside.or_else(|| kinds.look_up(last)).map(str::to_owned)
    };
    let over = go::read_over(text, &|name| named(name).is_some()).map_err(mistakes_of_go)?;
    let laid = release.declarations().laid_over(&over, root, &named).map_err(|misfits| {
        let mistake = |misfit: OverlayConflict| GoMistake {
            line: (misfit.line as usize).max(1),
            column: first_column(text, misfit.line),
            message: misfit.message,
            rule: "misfit",
        };
        misfits.into_iter().map(mistake).collect::<Vec<_>>()
    })?;
    check_unions(&laid, text)?;
    Ok(laid)
}

impl Types {
    /// Compiles declarations; `whose` is what messages call them.
    pub fn compile(whose: &str, form: Form, declarations: Declarations) -> Result<Self, Vec<Error>> {
        let schema = Arc::new(Schema::compile(&declarations)?);
        let kinds = Arc::new(Kinds::of(&declarations));
        let held = Held::Own { declarations: Arc::new(declarations), kinds, schema };
        Ok(Types { whose: whose.to_owned(), form, held })
    }

    /// Reads a file: Go type declarations, an `OpenAPI` document or a `CustomResourceDefinition`, told apart by
    /// what is in it. `name` is the name of the file, as the user knows it.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, CaseFileErrors> {
        let text = String::from_utf8_lossy(bytes);
        if is_go(name, &text) {
            let errors = match declarations_of_go(&text) {
                Ok(declarations) => match Types::compile(name, Form::Go, declarations) {
                    Ok(types) => return Ok(types),
                    Err(errors) => without_places(&errors),
                },
                Err(errors) => {
                    let lines = LineIndex::new(text.as_ref().into());
                    errors.iter().map(|error| in_go(error, &lines)).collect()
                }
            };
            return Err(CaseFileErrors::new(name, text.as_ref().into(), errors));
        }
        let document = yaml::read_value(name, bytes)?;
        Types::of_document(name, &document).map_err(|errors| {
            let diagnostics = match yaml::parse(name, bytes) {
                Ok(document) => errors.iter().map(|error| in_document(error, document.root())).collect(),
                // Beyond what the reader with places takes.
                Err(_) => without_places(&errors),
            };
            CaseFileErrors::new(name, text.as_ref().into(), diagnostics)
        })
    }

    /// Compiles what an `OpenAPI` document or a `CustomResourceDefinition` declares.
    pub(crate) fn of_document(whose: &str, document: &OwnedDoc) -> Result<Self, Vec<Error>> {
        Types::compile(whose, Form::of_document(document), openapi::read(document)?)
    }

    /// The same types with more patch metadata, as `Type.field:tag=value` adds it. An error comes with the index of
    /// the addition that is to blame.
    pub(crate) fn with(&self, additions: &[&str]) -> Result<Self, (usize, Error)> {
        let mut declarations = self.declarations().clone();
        for (at, addition) in additions.iter().enumerate() {
            tag(&mut declarations, addition).map_err(|error| (at, error))?;
        }
        Types::compile(&self.whose, self.form, declarations).map_err(|mut errors| (0, errors.swap_remove(0)))
    }

    /// The same types as those have them who know these directives: a proposal has metadata for the types of
    /// Kubernetes. A user's own types say themselves what they are.
    pub fn amended_by(self, directives: &DirectiveSet) -> skewer_engine::Result<Self> {
        let Held::Embedded(release) = self.held else { return Ok(self) };
        match directives.with_proposed_metadata(release.declarations()) {
            None => Ok(self),
            Some(declarations) => Types::compile(&self.whose, self.form, declarations)
                .map_err(|mut errors| errors.swap_remove(0)),
        }
    }

    /// What they are declared in.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// What messages call them: the name of the file or the release.
    #[must_use]
    pub fn whose(&self) -> &str {
        &self.whose
    }

    /// The types as declared.
    #[must_use]
    pub fn declarations(&self) -> &Declarations {
        match &self.held {
            Held::Embedded(release) => release.declarations(),
            Held::Own { declarations, .. } => declarations,
        }
    }

    /// The kinds that objects can have.
    #[must_use]
    pub fn kinds(&self) -> &Kinds {
        match &self.held {
            Held::Embedded(release) => release.kinds(),
            Held::Own { kinds, .. } => kinds,
        }
    }

    /// The types, compiled.
    #[must_use]
    pub fn schema(&self) -> &Arc<Schema> {
        match &self.held {
            Held::Embedded(release) => release.schema(),
            Held::Own { schema, .. } => schema,
        }
    }

    /// The name of the type that is meant by `apps/v1/Deployment`, `core/v1.PodSpec` or `Deployment`; see
    /// [`Kinds::resolve`].
    pub fn resolve(&self, text: &str) -> skewer_engine::Result<&str> {
        self.kinds().resolve(text, &self.whose)
    }

    /// The name of the type of objects with this `apiVersion` and `kind`. Go declares no versions: there it is
    /// the type with the name of the kind.
    #[must_use]
    pub fn find(&self, api_version: &str, kind: &str) -> Option<&str> {
        let found = self.kinds().find(api_version, kind);
        match self.form {
            Form::Go => found.or_else(|| self.resolve(kind).ok()),
            _ => found,
        }
    }

    /// What somebody knows who has these types, of objects of the one that is meant.
    pub fn context(&self, text: &str) -> skewer_engine::Result<PatchContext> {
        let context = PatchContext::of(Arc::clone(self.schema()), self.resolve(text)?)?;
        let custom_resource = self.form == Form::CustomResourceDefinition;
        Ok(PatchContext { custom_resource, ..context })
    }
}

/// Adds a tag to a field.
fn tag(declarations: &mut Declarations, addition: &str) -> skewer_engine::Result<()> {
    let wrong = |message: String| Error::new(ErrorKind::InvalidSchema, message);
    let form = || wrong(format!("{addition:?} adds nothing to a type: expected Type.field:tag=value"));
    let (place, value) = addition.split_once('=').ok_or_else(form)?;
    let SchemaElement::Metadata { of, field, tag } = place.parse()? else { return Err(form()) };
    let found = declarations.types.iter_mut().find(|ty| ty.name == of);
    let Some(Shape::Struct(fields)) = found.map(|ty| &mut ty.shape) else {
        return Err(wrong(format!("there is no struct {of}")));
    };
    let found = fields.iter_mut().find(|held| held.name == field);
    let meta = &mut found.ok_or_else(|| wrong(format!("{of} has no field {field} of its own")))?.patch;
    let words: Vec<String> = value.split([',', '|']).map(|word| word.trim().to_owned()).collect();
    match tag {
        MetadataTag::PatchStrategy | MetadataTag::RetainKeys => meta.strategies = words,
        MetadataTag::PatchMergeKey => meta.merge_key = words,
        MetadataTag::RecommendedPatchMergeKey => meta.recommended_merge_key = words,
    }
    Ok(())
}

/// Is this text Go? What else declares types is JSON or YAML, in which no line begins like these.
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

fn in_go(error: &GoMistake, lines: &LineIndex) -> Diagnostic {
    let line = lines.line(error.line);
    // Go counts bytes, and so do spans; the start of the line is where the first column is.
    let start = lines.offset(Position { line: error.line, column: 1 });
    let column = (error.column).saturating_sub(1).min(line.len());
    let word = line.get(column..).unwrap_or_default();
    let length = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
    Diagnostic::new(Span::new(start + column, length), error.message.clone())
}

pub(crate) fn in_document(error: &Error, root: &Node) -> Diagnostic {
    let span = root.span_at(error.path());
    Diagnostic { path: error.path().clone(), ..Diagnostic::new(span, error.message()) }
}

fn without_places(errors: &[Error]) -> Vec<Diagnostic> {
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
    #[case::name_decides("x.go", "", true)]
    #[case::json("x", "{\"definitions\": {}}", false)]
    #[case::yaml_with_a_type("x", "components:\n  schemas:\n    A:\n      type: object\n", false)]
    #[case::yaml_with_words("x", "description: |\n  package of things that are\n", false)]
    #[case::name_decides_again("x.yaml", "type A struct {\n}\n", false)]
    fn go_is_told_by_name_or_content(#[case] name: &str, #[case] text: &str, #[case] expected: bool) {
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
        "x.yaml:3:1: missing"
    )]
    #[case::yaml("x.yaml", "a: [", "x.yaml:")]
    fn mistakes_have_a_place(#[case] name: &str, #[case] text: &str, #[case] expected: &str) {
        let errors = Types::read(name, text.as_bytes()).unwrap_err().to_string();
        assert!(errors.starts_with(expected), "{errors}");
    }

    #[test]
    fn custom_resources_have_no_strategic_merge_patch() {
        let text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: example.com\n  \
                    names: {kind: Tab}\n  versions:\n    - name: v1\n      schema:\n        openAPIV3Schema: {type: object}\n";
        let types = Types::read("x.yaml", text.as_bytes()).unwrap();
        assert_eq!(types.form(), Form::CustomResourceDefinition);
        assert_eq!(types.find("example.com/v1", "Tab"), Some("com.example.v1.Tab"));
        assert!(types.context("Tab").unwrap().custom_resource);
    }
}
