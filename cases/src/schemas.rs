//! The types of a case, from wherever they are declared.

use std::collections::HashMap;
use std::sync::Arc;

use skewer_engine::patch::Knowledge;
use skewer_engine::schema::{Declarations, Schema, go};

use crate::format::SchemaFile;
use crate::yaml::{Diagnostics, Document, Position, Span, Spanned, nearest};

/// The schemas of a file: each text is read once, however many cases use it.
#[derive(Default)]
pub(crate) struct Schemas {
    compiled: HashMap<Span, Option<Arc<Schema>>>,
}

impl Schemas {
    /// The types that a `schema:` declares, with every directive; `None` after an error was reported.
    pub(crate) fn resolve(
        &mut self,
        file: &SchemaFile,
        document: &Document,
        diagnostics: &Diagnostics,
    ) -> Option<Knowledge> {
        let schema = if let (Some(text), None, None) = (&file.go, file.openapi.as_ref(), &file.builtin) {
            self.once(text.span, || from_go(text, document, diagnostics))
        } else {
            diagnostics
                .error(file.root.span, "a schema is declared by `go`, by `openapi` or by `builtin`")
                .help("say exactly one of them");
            None
        }?;
        knowledge(schema, &file.root, diagnostics)
    }

    fn once(&mut self, span: Span, read: impl FnOnce() -> Option<Arc<Schema>>) -> Option<Arc<Schema>> {
        self.compiled.entry(span).or_insert_with(read).clone()
    }
}

fn knowledge(schema: Arc<Schema>, root: &Spanned<String>, diagnostics: &Diagnostics) -> Option<Knowledge> {
    if schema.named(root).is_none() {
        let names = schema.names();
        let pending = diagnostics.error(root.span, format!("the schema has no type `{root}`"));
        match nearest(root, names.iter().copied()) {
            Some(name) => pending.help(format!("did you mean `{name}`?")),
            None => pending.help(format!("it has {}", names.join(", "))),
        };
        return None;
    }
    Knowledge::of(schema, root).ok()
}

fn from_go(text: &Spanned<String>, document: &Document, diagnostics: &Diagnostics) -> Option<Arc<Schema>> {
    match go::read(text) {
        Ok(declarations) => compile(&declarations, text.span, diagnostics),
        Err(errors) => {
            for error in errors {
                let span = inside(text, (error.line as usize, error.column as usize), document);
                diagnostics.error(span, format!("in the Go text: {}", error.message));
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

fn compile(declarations: &Declarations, span: Span, diagnostics: &Diagnostics) -> Option<Arc<Schema>> {
    match Schema::compile(declarations) {
        Ok(schema) => Some(Arc::new(schema)),
        Err(errors) => {
            for error in errors {
                diagnostics.error(span, skewer_engine::Error::to_string(&error));
            }
            None
        }
    }
}
