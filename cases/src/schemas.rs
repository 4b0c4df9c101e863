//! The types of a case, from wherever they are declared.

use std::collections::HashMap;
use std::sync::Arc;

use skewer_engine::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Declarations, Schema, Shape, TypeDecl, TypeExpr, builtin};

use crate::format::SchemaFile;
use crate::types::{self, Form, Types, declarations_of_go, in_document};
use crate::yaml::{Diagnostics, Document, Position, Span, Spanned};

/// The schemas of a file: each text is read once, however many cases use it.
#[derive(Default)]
pub(crate) struct Schemas {
    read: HashMap<Span, Option<Types>>,
    /// Types that are laid over those of a release depend on the root, too: the package of names without one is its.
    overlaid_with: HashMap<(Span, String), Option<Types>>,
}

impl Schemas {
    /// The types that a `schema:` declares, with every directive; `None` after an error was reported.
    pub(crate) fn resolve(
        &mut self,
        file: &SchemaFile,
        document: &Document,
        diagnostics: &Diagnostics,
    ) -> Option<PatchContext> {
        let types = match (&file.go, file.openapi.as_ref(), &file.builtin) {
            (Some(text), None, None) => self.once(text.span, || from_go(text, document, diagnostics)),
            (None, Some(value), None) => self.once(value.span, || from_openapi(value, document, diagnostics)),
            (None, None, Some(name)) => self.once(name.span, || from_release(name, diagnostics)),
            (Some(text), None, Some(name)) => {
                let read = || laid_over_release((text, name), &file.root, document, diagnostics);
                self.overlaid_with.entry((text.span, file.root.value.clone())).or_insert_with(read).clone()
            }
            _ => {
                diagnostics
                    .error(file.root.span, "a schema is declared by `go`, by `openapi` or by `builtin`")
                    .help("say one of them; only `go` can be laid over `builtin`");
                None
            }
        }?;
        let types = self.tagged(types, &file.with, diagnostics)?;
        match types.context(&file.root) {
            Ok(context) => Some(context),
            Err(error) => {
                diagnostics.error(file.root.span, error.message());
                None
            }
        }
    }

    /// The types with patch metadata that is added to them. Those with the same additions are compiled once.
    fn tagged(&mut self, types: Types, with: &[Spanned<String>], diagnostics: &Diagnostics) -> Option<Types> {
        let Some(first) = with.first() else { return Some(types) };
        self.once(first.span, || {
            let texts: Vec<&str> = with.iter().map(|text| text.value.as_str()).collect();
            match types.with(&texts) {
                Ok(types) => Some(types),
                Err((at, error)) => {
                    diagnostics.error(with.get(at).map_or(first.span, |text| text.span), error.message());
                    None
                }
            }
        })
    }

    fn once(&mut self, span: Span, read: impl FnOnce() -> Option<Types>) -> Option<Types> {
        self.read.entry(span).or_insert_with(read).clone()
    }
}

/// The type of any object: JSON merge patches ask for no other.
pub(crate) fn anything() -> Option<PatchContext> {
    const OBJECT: &str = "Object";
    let declaration = TypeDecl {
        name: OBJECT.to_owned(),
        shape: Shape::Alias(TypeExpr::Any),
        markers: Vec::new(),
        line: 0,
    };
    let schema = Schema::compile(&Declarations { types: vec![declaration] }).ok()?;
    PatchContext::of(Arc::new(schema), OBJECT).ok()
}

/// What messages call the types of a case.
const WHOSE: &str = "the schema";

fn from_release(name: &Spanned<String>, diagnostics: &Diagnostics) -> Option<Types> {
    match builtin::release(name) {
        Ok(release) => Some(Types::from(release)),
        Err(error) => {
            diagnostics.error(name.span, error.message());
            None
        }
    }
}

fn from_openapi(value: &Spanned<OwnedDoc>, document: &Document, diagnostics: &Diagnostics) -> Option<Types> {
    match Types::of_document(WHOSE, value) {
        Ok(types) => Some(types),
        Err(errors) => {
            let root = document.root().find(value.span).unwrap_or_else(|| document.root());
            for error in errors {
                let found = in_document(&error, root);
                diagnostics.error(found.span, format!("in the schema: {}", found.message)).path(found.path);
            }
            None
        }
    }
}

fn from_go(text: &Spanned<String>, document: &Document, diagnostics: &Diagnostics) -> Option<Types> {
    let declarations = match declarations_of_go(text) {
        Ok(declarations) => declarations,
        Err(errors) => {
            for error in errors {
                let span = inside(text, (error.line, error.column), document);
                diagnostics.error(span, format!("in the Go text: {}", error.message));
            }
            return None;
        }
    };
    compiled(Form::Go, declarations, text.span, diagnostics)
}

fn laid_over_release(
    (text, release): (&Spanned<String>, &Spanned<String>),
    root: &Spanned<String>,
    document: &Document,
    diagnostics: &Diagnostics,
) -> Option<Types> {
    let wrong = |span: Span| {
        move |error: skewer_engine::Error| {
            diagnostics.error(span, error.message());
        }
    };
    let release = builtin::release(release).map_err(wrong(release.span)).ok()?;
    let root = release.resolve(root).map_err(wrong(root.span)).ok()?;
    match types::overlaid_with(release, text, root) {
        Ok(declarations) => compiled(Form::Release, declarations, text.span, diagnostics),
        Err(errors) => {
            for error in errors {
                let span = inside(text, (error.line, error.column), document);
                diagnostics.error(span, format!("in the Go text: {}", error.message));
            }
            None
        }
    }
}

fn compiled(form: Form, declarations: Declarations, span: Span, diagnostics: &Diagnostics) -> Option<Types> {
    match Types::compile(WHOSE, form, declarations) {
        Ok(types) => Some(types),
        Err(errors) => {
            for error in errors {
                diagnostics.error(span, skewer_engine::Error::to_string(&error));
            }
            None
        }
    }
}

/// A place in a block scalar as a place in the file.
fn inside(text: &Spanned<String>, (line, column): (usize, usize), document: &Document) -> Span {
    let blank = text.lines().take_while(|line| line.trim().is_empty()).count();
    let start = document.lines().position(text.span.offset);
    let at =
        Position { line: start.line + line.saturating_sub(1 + blank), column: start.column + column - 1 };
    Span::new(document.lines().offset(at), 0)
}
