//! Reads the schema of a case.

use std::collections::HashMap;
use std::sync::Arc;

use skewer_engine::OwnedDoc;
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Declarations, MetadataTags, Schema, builtin};
use skewer_skew::untyped_context;
use skewer_yaml::{Diagnostics, ParsedFile, Position, Span, Spanned};

use super::definitions::Definitions;
use crate::case_files::CorpusFile;
use crate::format::SchemaSpec;
use crate::model::CaseTypes;
use crate::references::References;
use crate::types::{
    GoTextError, RootTypes, SchemaFormat, Types, document_diagnostic, overlay_release, parse_go,
};

/// The schemas of the cases of a suite file. Each text is read once, no matter how many cases use it.
pub(super) struct Schemas<'a> {
    /// The metadata tags that directives declare.
    tags: MetadataTags,
    by_span: HashMap<Span, Option<Types>>,
    /// Go declarations that overlay a release. The key also contains the root type, because its package determines
    /// which types the names in the Go text refer to.
    over_release: HashMap<(Span, String), Option<Types>>,
    /// The declarations of the releases on which Go declarations are overlaid, by the name of the release.
    declarations: HashMap<&'static str, Arc<Declarations>>,
    /// The schemas to which `with` adds metadata, by the span of the first addition.
    with_metadata: HashMap<Span, Option<Arc<Schema>>>,
    pub(super) definitions: Definitions<'a>,
}

impl<'a> Schemas<'a> {
    /// Creates an empty cache. Patch metadata of the types can use the tags that the given directives declare. The files to
    /// which the suite refers are read from `references`.
    pub(super) fn new(
        all_directives: &DirectiveSet,
        suite: &'a CorpusFile,
        references: &'a References,
    ) -> Self {
        let tags = all_directives.metadata_tags();
        Schemas {
            tags,
            by_span: HashMap::new(),
            over_release: HashMap::new(),
            declarations: HashMap::new(),
            with_metadata: HashMap::new(),
            definitions: Definitions::new(suite, references),
        }
    }

    /// Reads a `schema:`, and returns the types of the objects of the type `root`, or of the type that the schema names.
    /// Returns `None` after reporting an error.
    pub(super) fn resolve(
        &mut self,
        spec: &Spanned<SchemaSpec>,
        root: Option<&Spanned<String>>,
        file: &ParsedFile,
        diagnostics: &Diagnostics,
    ) -> Option<CaseTypes> {
        let (old, new) = match (&spec.old, &spec.new) {
            (None, None) => (None, &spec.value),
            (Some(old), Some(new)) if spec.has_no_types() => (Some(&**old), &**new),
            _ => {
                let message = "a schema with `old` and `new` has both of them, and no types of its own";
                diagnostics.error(spec.span, message).help("write `schema: {old: {crd: …}, new: {crd: …}}`");
                return None;
            }
        };
        let mut resolve = |part: &SchemaSpec| {
            let root = root.or(part.root.as_ref()).or(spec.root.as_ref());
            self.resolve_types((part, spec.span), root, file, diagnostics)
        };
        let new_types = resolve(new)?;
        let old_types = match old {
            Some(old) => Some(resolve(old)?),
            None => None,
        };
        let root = root.or(new.root.as_ref()).or(spec.root.as_ref());
        let builtin_name = new.builtin.as_ref().and(root).map(|root| root.value.clone());
        Some(CaseTypes { new: new_types, old: old_types, builtin_name })
    }

    /// Reads the types of a `schema:`, or of one of its parts.
    fn resolve_types(
        &mut self,
        (spec, span): (&SchemaSpec, Span),
        root: Option<&Spanned<String>>,
        file: &ParsedFile,
        diagnostics: &Diagnostics,
    ) -> Option<RootTypes> {
        let tags = self.tags.clone();
        let report_missing = |name: &str, help: &str| {
            diagnostics.error(span, format!("missing key `{name}`")).help(help);
        };
        let is_definition = |value: &Spanned<OwnedDoc>| {
            SchemaFormat::from_document(value) == SchemaFormat::CustomResourceDefinition
        };
        match (&spec.go, spec.openapi.as_ref(), spec.crd.as_ref(), &spec.builtin) {
            (None, None, Some(crd), None) => {
                let types = self.definitions.resolve(crd, root, (&tags, file), diagnostics)?;
                return self.definitions.check(crd, file, diagnostics).then_some(types);
            }
            (None, Some(value), None, None) if is_definition(value) && spec.with.is_empty() => {
                return self.definitions.resolve(value, root, (&tags, file), diagnostics);
            }
            _ => {}
        }
        let Some(root) = root else {
            report_missing("root", "name the type of the objects");
            return None;
        };
        let types = match (&spec.go, spec.openapi.as_ref(), &spec.builtin) {
            (Some(text), None, None) if spec.crd.as_ref().is_none() => {
                self.read_once(text.span, || types_from_go(text, &tags, file, diagnostics))
            }
            (None, Some(value), None) if spec.crd.as_ref().is_none() => {
                self.read_once(value.span, || types_from_openapi(value, &tags, file, diagnostics))
            }
            (None, None, Some(name)) if spec.crd.as_ref().is_none() => {
                self.read_once(name.span, || types_from_release(name, diagnostics))
            }
            (Some(text), None, Some(name)) if spec.crd.as_ref().is_none() => {
                let declarations = &mut self.declarations;
                let read =
                    || types_over_release((text, name), root, (&tags, declarations), (file, diagnostics));
                self.over_release.entry((text.span, root.value.clone())).or_insert_with(read).clone()
            }
            _ => {
                diagnostics.error(root.span, "a schema needs one of `go`, `openapi`, `crd` and `builtin`").help(
                    "write one of `go`, `openapi`, `crd` and `builtin`; only `go` and `builtin` can be combined",
                );
                None
            }
        }?;
        let schema = self.schema_with(&types, &spec.with, &tags, diagnostics)?;
        match types.context_with(schema, root) {
            Ok(context) => Some(RootTypes::from(context)),
            Err(error) => {
                diagnostics.error(root.span, error.message());
                None
            }
        }
    }

    /// Returns the schema of the types with the metadata that `with` adds. It is created once for each list of additions.
    fn schema_with(
        &mut self,
        types: &Types,
        with: &[Spanned<String>],
        tags: &MetadataTags,
        diagnostics: &Diagnostics,
    ) -> Option<Arc<Schema>> {
        let Some(first) = with.first() else { return Some(Arc::clone(types.schema())) };
        let create = || {
            let texts: Vec<&str> = with.iter().map(|text| text.value.as_str()).collect();
            match types.schema_with_metadata(&texts, tags) {
                Ok(schema) => Some(schema),
                Err((index, error)) => {
                    diagnostics.error(with.get(index).map_or(first.span, |text| text.span), error.message());
                    None
                }
            }
        };
        self.with_metadata.entry(first.span).or_insert_with(create).clone()
    }

    /// Reads the types at a span. If they were read before, the cached types are returned.
    fn read_once(&mut self, span: Span, read: impl FnOnce() -> Option<Types>) -> Option<Types> {
        self.by_span.entry(span).or_insert_with(read).clone()
    }
}

/// Creates a patch context for objects of any type, for operations that need no schema.
pub(super) fn any_type_context() -> Option<PatchContext> {
    untyped_context().ok()
}

/// The name of the types of a case in messages.
const DISPLAY_NAME: &str = "the schema";

fn types_from_release(name: &Spanned<String>, diagnostics: &Diagnostics) -> Option<Types> {
    match builtin::release(name) {
        Ok(release) => Some(Types::from(release)),
        Err(error) => {
            diagnostics.error(name.span, error.message());
            None
        }
    }
}

fn types_from_openapi(
    value: &Spanned<OwnedDoc>,
    tags: &MetadataTags,
    file: &ParsedFile,
    diagnostics: &Diagnostics,
) -> Option<Types> {
    match Types::from_document(DISPLAY_NAME, value, tags) {
        Ok(types) => Some(types),
        Err(errors) => {
            let root = file.root().find_by_span(value.span).unwrap_or_else(|| file.root());
            for error in errors {
                let found = document_diagnostic(&error, root);
                diagnostics.error(found.span, format!("in the schema: {}", found.message)).path(found.path);
            }
            None
        }
    }
}

fn types_from_go(
    text: &Spanned<String>,
    tags: &MetadataTags,
    file: &ParsedFile,
    diagnostics: &Diagnostics,
) -> Option<Types> {
    let declarations = match parse_go(text, tags) {
        Ok(declarations) => declarations,
        Err(errors) => {
            report_go_errors(&errors, text, file, diagnostics);
            return None;
        }
    };
    compile(SchemaFormat::Go, declarations, tags, (text.span, diagnostics))
}

/// Reads Go declarations and overlays them on the types of a release. `unpacked` keeps the declarations of the releases.
fn types_over_release(
    (text, release): (&Spanned<String>, &Spanned<String>),
    root: &Spanned<String>,
    (tags, unpacked): (&MetadataTags, &mut HashMap<&'static str, Arc<Declarations>>),
    (file, diagnostics): (&ParsedFile, &Diagnostics),
) -> Option<Types> {
    let report_at = |span: Span| {
        move |error: skewer_engine::Error| {
            diagnostics.error(span, error.message());
        }
    };
    let release = builtin::release(release).map_err(report_at(release.span)).ok()?;
    let root = release.resolve(root).map_err(report_at(root.span)).ok()?;
    let declarations = unpacked.entry(release.name()).or_insert_with(|| release.declarations());
    match overlay_release((release, declarations), text, root, tags) {
        Ok(declarations) => compile(SchemaFormat::Release, declarations, tags, (text.span, diagnostics)),
        Err(errors) => {
            report_go_errors(&errors, text, file, diagnostics);
            None
        }
    }
}

fn compile(
    format: SchemaFormat,
    declarations: Declarations,
    tags: &MetadataTags,
    (span, diagnostics): (Span, &Diagnostics),
) -> Option<Types> {
    match Types::compile_with_tags(DISPLAY_NAME, format, declarations, tags) {
        Ok(types) => Some(types),
        Err(errors) => {
            for error in errors {
                diagnostics.error(span, skewer_engine::Error::to_string(&error));
            }
            None
        }
    }
}

fn report_go_errors(
    errors: &[GoTextError],
    text: &Spanned<String>,
    file: &ParsedFile,
    diagnostics: &Diagnostics,
) {
    for error in errors {
        let span = span_in_block_scalar(text, (error.line, error.column), file);
        diagnostics.error(span, format!("in the Go text: {}", error.message));
    }
}

/// Converts a position in the text of a block scalar to a span in the file.
fn span_in_block_scalar(text: &Spanned<String>, (line, column): (usize, usize), file: &ParsedFile) -> Span {
    let blank_lines = text.lines().take_while(|line| line.trim().is_empty()).count();
    let start = file.lines().position(text.span.offset);
    let position = Position {
        line: start.line + line.saturating_sub(1 + blank_lines),
        column: start.column + column - 1,
    };
    Span::new(file.lines().offset(position), 0)
}
