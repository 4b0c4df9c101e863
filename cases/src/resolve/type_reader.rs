//! Reads the types that are written in a suite file, in Go or in OpenAPI, and reports their errors.

use std::collections::HashMap;
use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::schema::{Declarations, MetadataTags, builtin};
use skewer_engine::{Error, OwnedDoc};
use skewer_yaml::{Diagnostics, ParsedFile, Position, Span, Spanned};

use crate::types::{
    GoTextError, SchemaFormat, Types, document_diagnostic, ignored_markers, overlay_release, parse_go,
};

/// The name of the types of a case in messages.
pub(super) const DISPLAY_NAME: &str = "the schema";

/// A suite file whose types are read.
pub(super) struct TypeReader<'a> {
    /// The metadata tags that directives declare.
    pub(super) tags: MetadataTags,
    pub(super) file: &'a ParsedFile,
    pub(super) diagnostics: &'a Diagnostics,
}

impl<'a> TypeReader<'a> {
    /// Creates a reader. Patch metadata of the types can use the tags that the given directives declare.
    pub(super) fn new(
        all_directives: &DirectiveSet,
        file: &'a ParsedFile,
        diagnostics: &'a Diagnostics,
    ) -> Self {
        TypeReader { tags: all_directives.metadata_tags(), file, diagnostics }
    }

    pub(super) fn read_release(&self, name: &Spanned<String>) -> Option<Types> {
        builtin::release(name).map(Types::from).map_err(|error| self.report(name.span, &error)).ok()
    }

    pub(super) fn read_openapi(&self, value: &Spanned<OwnedDoc>) -> Option<Types> {
        match Types::from_document(DISPLAY_NAME, value, &self.tags) {
            Ok(types) => Some(types),
            Err(errors) => {
                let root = self.file.root().find_by_span(value.span).unwrap_or_else(|| self.file.root());
                for error in errors {
                    let found = document_diagnostic(&error, root);
                    let message = format!("in the schema: {}", found.message);
                    self.diagnostics.error(found.span, message).path(found.path);
                }
                None
            }
        }
    }

    pub(super) fn read_go(&self, text: &Spanned<String>) -> Option<Types> {
        self.report_go_errors(&ignored_markers(text), text);
        match parse_go(text, &self.tags) {
            Ok(declarations) => self.compile(SchemaFormat::Go, declarations, text.span),
            Err(errors) => {
                self.report_go_errors(&errors, text);
                None
            }
        }
    }

    /// Reads Go declarations and overlays them on the types of a release. `unpacked` keeps the declarations of the
    /// releases.
    pub(super) fn read_over_release(
        &self,
        text: &Spanned<String>,
        release: &Spanned<String>,
        root: &Spanned<String>,
        unpacked: &mut HashMap<&'static str, Arc<Declarations>>,
    ) -> Option<Types> {
        let release = builtin::release(release).map_err(|error| self.report(release.span, &error)).ok()?;
        let root = release.resolve(root).map_err(|error| self.report(root.span, &error)).ok()?;
        let declarations = unpacked.entry(release.name()).or_insert_with(|| release.declarations());
        self.report_go_errors(&ignored_markers(text), text);
        match overlay_release(release, declarations, text, root, &self.tags) {
            Ok(declarations) => self.compile(SchemaFormat::Release, declarations, text.span),
            Err(errors) => {
                self.report_go_errors(&errors, text);
                None
            }
        }
    }

    fn compile(&self, format: SchemaFormat, declarations: Declarations, span: Span) -> Option<Types> {
        match Types::compile_with_tags(DISPLAY_NAME, format, declarations, &self.tags) {
            Ok(types) => Some(types),
            Err(errors) => {
                for error in errors {
                    self.diagnostics.error(span, Error::to_string(&error));
                }
                None
            }
        }
    }

    fn report(&self, span: Span, error: &Error) {
        self.diagnostics.error(span, error.message());
    }

    fn report_go_errors(&self, errors: &[GoTextError], text: &Spanned<String>) {
        for error in errors {
            let span = self.span_of_go_error(error, text);
            self.diagnostics.error(span, format!("in the Go text: {}", error.message));
        }
    }

    /// Converts the position of an error in the text of a block scalar to a span in the file.
    fn span_of_go_error(&self, error: &GoTextError, text: &Spanned<String>) -> Span {
        let lines = self.file.lines();
        let blank_lines = text.lines().take_while(|line| line.trim().is_empty()).count();
        let start = lines.position(text.span.offset);
        let position = Position {
            line: start.line + error.line.saturating_sub(1 + blank_lines),
            column: start.column + error.column - 1,
        };
        Span::new(lines.offset(position), 0)
    }
}
