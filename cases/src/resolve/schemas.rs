//! Reads the schema of a case.

use std::collections::HashMap;
use std::sync::Arc;

use skewer_engine::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Declarations, Schema};
use skewer_skew::untyped_context;
use skewer_yaml::{Span, Spanned};

use super::definitions::Definitions;
use super::type_reader::TypeReader;
use crate::case_files::CorpusFile;
use crate::format::SchemaSpec;
use crate::references::References;
use crate::setting::CaseTypes;
use crate::types::{RootTypes, SchemaFormat, Types};

/// The schemas of the cases of a suite file. Each text is read once, no matter how many cases use it.
pub(super) struct Schemas<'a> {
    reader: TypeReader<'a>,
    by_span: HashMap<Span, Option<Types>>,
    /// Whether the schemas were decoded without an error.
    complete: HashMap<Span, bool>,
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
    /// Creates an empty cache. The files to which the suite refers are read from `references`.
    pub(super) fn new(reader: TypeReader<'a>, suite: &'a CorpusFile, references: &'a References) -> Self {
        Schemas {
            reader,
            by_span: HashMap::new(),
            complete: HashMap::new(),
            over_release: HashMap::new(),
            declarations: HashMap::new(),
            with_metadata: HashMap::new(),
            definitions: Definitions::new(suite, references),
        }
    }

    /// Returns false if an error was reported in a schema before it was read.
    fn is_complete(&mut self, span: Span) -> bool {
        let diagnostics = self.reader.diagnostics;
        *self.complete.entry(span).or_insert_with(|| !diagnostics.has_error_in(span))
    }

    /// Reads a `schema:`, and returns the types of the objects of the type `root`, or of the type that the schema names.
    /// Returns `None` after reporting an error.
    pub(super) fn resolve(
        &mut self,
        spec: &Spanned<SchemaSpec>,
        root: Option<&Spanned<String>>,
    ) -> Option<CaseTypes> {
        let diagnostics = self.reader.diagnostics;
        // A key with an error was left out, so that nothing can be said about the keys that are missing.
        if !self.is_complete(spec.span) {
            return None;
        }
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
            self.resolve_types(part, spec.span, root)
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
        spec: &SchemaSpec,
        span: Span,
        root: Option<&Spanned<String>>,
    ) -> Option<RootTypes> {
        let reader = &self.reader;
        let diagnostics = reader.diagnostics;
        let report_missing = |name: &str, help: &str| {
            diagnostics.error(span, format!("missing key `{name}`")).help(help);
        };
        let is_definition = |value: &Spanned<OwnedDoc>| {
            SchemaFormat::from_document(value) == SchemaFormat::CustomResourceDefinition
        };
        match (&spec.go, spec.openapi.as_ref(), spec.crd.as_ref(), &spec.builtin) {
            (None, None, Some(crd), None) => {
                let types = self.definitions.resolve(crd, root, reader)?;
                return self.definitions.check(crd, reader).then_some(types);
            }
            (None, Some(value), None, None) if is_definition(value) && spec.with.is_empty() => {
                return self.definitions.resolve(value, root, reader);
            }
            _ => {}
        }
        let Some(root) = root else {
            report_missing("root", "name the type of the objects");
            return None;
        };
        let types = match (&spec.go, spec.openapi.as_ref(), &spec.builtin) {
            (Some(text), None, None) if spec.crd.as_ref().is_none() => {
                self.by_span.entry(text.span).or_insert_with(|| reader.read_go(text)).clone()
            }
            (None, Some(value), None) if spec.crd.as_ref().is_none() => {
                self.by_span.entry(value.span).or_insert_with(|| reader.read_openapi(value)).clone()
            }
            (None, None, Some(name)) if spec.crd.as_ref().is_none() => {
                self.by_span.entry(name.span).or_insert_with(|| reader.read_release(name)).clone()
            }
            (Some(text), None, Some(name)) if spec.crd.as_ref().is_none() => {
                let declarations = &mut self.declarations;
                let read = || reader.read_over_release(text, name, root, declarations);
                self.over_release.entry((text.span, root.value.clone())).or_insert_with(read).clone()
            }
            _ => {
                let given = [
                    ("go", spec.go.is_some()),
                    ("openapi", spec.openapi.as_ref().is_some()),
                    ("crd", spec.crd.as_ref().is_some()),
                    ("builtin", spec.builtin.is_some()),
                ];
                let given: Vec<String> =
                    given.iter().filter(|(_, given)| *given).map(|(name, _)| format!("`{name}`")).collect();
                let message = match given.as_slice() {
                    [] => "a schema needs one of `go`, `openapi`, `crd` and `builtin`".to_owned(),
                    given => format!("the schema has {}: expected one of them", given.join(" and ")),
                };
                diagnostics.error(span, message).help(
                    "write one of `go`, `openapi`, `crd` and `builtin`; only `go` and `builtin` can be combined",
                );
                None
            }
        }?;
        let schema = self.schema_with(&types, &spec.with)?;
        match types.context_with(schema, root) {
            Ok(context) => Some(RootTypes::from(context)),
            Err(error) => {
                diagnostics.error(root.span, error.message());
                None
            }
        }
    }

    /// Returns the schema of the types with the metadata that `with` adds. It is created once for each list of additions.
    fn schema_with(&mut self, types: &Types, with: &[Spanned<String>]) -> Option<Arc<Schema>> {
        let reader = &self.reader;
        let Some(first) = with.first() else { return Some(Arc::clone(types.schema())) };
        let create = || {
            let texts: Vec<&str> = with.iter().map(|text| text.value.as_str()).collect();
            match types.schema_with_metadata(&texts, &reader.tags) {
                Ok(schema) => Some(schema),
                Err((index, error)) => {
                    reader
                        .diagnostics
                        .error(with.get(index).map_or(first.span, |text| text.span), error.message());
                    None
                }
            }
        };
        self.with_metadata.entry(first.span).or_insert_with(create).clone()
    }
}

/// Creates a patch context for objects of any type, for operations that need no schema.
pub(super) fn any_type_context() -> Option<PatchContext> {
    untyped_context().ok()
}
