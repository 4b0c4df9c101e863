//! Reading a YAML or JSON text: as nodes with spans, as a typed value, or as a document.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use skewer_engine::OwnedDoc;
use skewer_engine::document::{JsonError, JsonProblem, parse_json};

use crate::diagnostic::UniqueDiagnostics;
use crate::node_builder::{BuiltNodes, build_nodes};
use crate::scalar::Dialect;
use crate::{Diagnostic, Diagnostics, FileErrors, LineIndex, Node, Position, Span, decode};

/// A parsed YAML file: its text, and its values with their source spans.
#[derive(Clone, Debug)]
pub struct ParsedFile {
    name: String,
    lines: LineIndex,
    root: Node,
    /// The errors in spite of which the nodes could be built, such as duplicate keys and tags.
    diagnostics: UniqueDiagnostics,
    /// Warnings about values that Kubernetes reads otherwise than the author of a manifest may mean.
    warnings: Vec<Diagnostic>,
}

/// Parses a YAML file. `name` is the name of the file in messages.
///
/// # Errors
///
/// Returns all errors of the text, up to the first error after which no nodes can be built, such as a syntax error.
pub fn parse(name: &str, bytes: &[u8]) -> Result<ParsedFile, FileErrors> {
    parse_lenient(name, bytes)?.into_result()
}

/// Parses a manifest like [`parse`], but as YAML 1.1, as Kubernetes does: `yes` is true and `0644` is 420.
///
/// # Errors
///
/// Returns the errors of [`parse`].
pub fn parse_manifest(name: &str, bytes: &[u8]) -> Result<ParsedFile, FileErrors> {
    parse_in(Dialect::Manifest, name, bytes).map_err(Unreadable::into_errors)?.into_result()
}

/// Parses a YAML file like [`parse`], but keeps errors in spite of which the nodes can be built, such as duplicate keys
/// and tags. The `decode` functions report these errors together with their own.
///
/// # Errors
///
/// Returns a syntax error or an exceeded limit, together with the errors before it.
pub fn parse_lenient(name: &str, bytes: &[u8]) -> Result<ParsedFile, FileErrors> {
    parse_in(Dialect::Core, name, bytes).map_err(Unreadable::into_errors)
}

/// The errors of a text from which no nodes can be built.
struct Unreadable {
    errors: FileErrors,
    /// The offset of the error at which reading stopped.
    offset: usize,
}

impl Unreadable {
    fn into_errors(self) -> FileErrors {
        self.errors
    }
}

fn parse_in(dialect: Dialect, name: &str, bytes: &[u8]) -> Result<ParsedFile, Unreadable> {
    let (text, invalid) = decode_text(bytes);
    let lines = LineIndex::new(text);
    let diagnostics = Diagnostics::new();
    let root = match invalid {
        Some(invalid) => Err(invalid),
        None => build_nodes(&lines, dialect, &diagnostics),
    };
    match root {
        Ok(BuiltNodes { root, warnings }) => {
            let diagnostics = diagnostics.into_collected();
            Ok(ParsedFile { name: name.to_owned(), lines, root, diagnostics, warnings })
        }
        Err(fatal) => {
            let offset = fatal.span.offset;
            diagnostics.push(fatal);
            Err(Unreadable { errors: FileErrors::of(name, lines, diagnostics), offset })
        }
    }
}

/// Reads a YAML file into a type.
///
/// # Errors
///
/// Returns all errors of the text and of its content.
pub fn read<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, FileErrors> {
    parse_lenient(name, bytes)?.decode()
}

/// Reads one document that a user wrote as YAML or JSON.
///
/// A text that begins like JSON is read by the JSON reader of the engine, which allows deeper nesting. If this reader
/// fails, the text is read as YAML, because a YAML document in flow style also begins with a bracket: `{a: 1}`. Four
/// errors of the JSON reader are returned at once instead: a missing comma before a value, a number beyond the range of a
/// float64, a key that a map has twice, and an exceeded limit.
///
/// # Errors
///
/// Returns all errors of the text if it is read as YAML, and the error of the JSON reader otherwise.
pub fn read_document(name: &str, bytes: &[u8]) -> Result<OwnedDoc, FileErrors> {
    read_in(Dialect::Core, name, bytes).map(|(document, _)| document)
}

/// Reads a manifest like [`read_document`], but as YAML 1.1, as Kubernetes does: `yes` is true and `0644` is 420.
///
/// # Errors
///
/// Returns the errors of [`read_document`].
pub fn read_manifest(name: &str, bytes: &[u8]) -> Result<OwnedDoc, FileErrors> {
    read_manifest_in_syntax(name, bytes).map(|(document, _)| document)
}

/// The syntax of a document that a user wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// JSON.
    Json,
    /// YAML that is not JSON.
    Yaml,
}

/// Reads a manifest like [`read_manifest`], and returns the syntax of its text.
///
/// # Errors
///
/// Returns the errors of [`read_document`].
pub fn read_manifest_in_syntax(name: &str, bytes: &[u8]) -> Result<(OwnedDoc, Syntax), FileErrors> {
    read_in(Dialect::Manifest, name, bytes)
}

fn read_in(dialect: Dialect, name: &str, bytes: &[u8]) -> Result<(OwnedDoc, Syntax), FileErrors> {
    let bytes = without_byte_order_mark(bytes);
    let begins_as_json = matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'));
    let json_error = match begins_as_json.then(|| parse_json(bytes)) {
        Some(Ok(value)) => return Ok((value, Syntax::Json)),
        Some(Err(error)) => Some(error),
        None => None,
    };
    if let Some(error) = json_error.as_ref().filter(|error| !can_be_yaml(bytes, error)) {
        return Err(json_errors(name, bytes, error));
    }
    let (errors, yaml_offset) = match parse_in(dialect, name, bytes) {
        Ok(file) => match file.into_result() {
            Ok(file) => return Ok((file.root.into_doc(), Syntax::Yaml)),
            Err(errors) => {
                let offset = errors.diagnostics().first().map_or(0, |diagnostic| diagnostic.span.offset);
                (errors, offset)
            }
        },
        Err(Unreadable { errors, offset }) => (errors, offset),
    };
    // The text is neither JSON nor YAML. The error is that of the reader that got further in the text.
    match json_error.filter(|error| error.offset() >= yaml_offset) {
        Some(error) if matches!(error.problem(), JsonProblem::Syntax(_)) => {
            Err(json_errors(name, bytes, &error))
        }
        _ => Err(errors),
    }
}

/// Returns true if a text for which the JSON reader returned this error may be valid YAML.
fn can_be_yaml(bytes: &[u8], error: &JsonError) -> bool {
    match error.problem() {
        // YAML would read `{"a": 1 "b": 2}` as a map with one key. Its author meant JSON and forgot a comma.
        JsonProblem::Syntax(_) => !matches!(bytes.get(error.offset()), Some(b'"' | b'{' | b'[')),
        // The YAML reader reports the same error with advice.
        JsonProblem::InvalidUtf8 => true,
        _ => false,
    }
}

fn json_errors(name: &str, bytes: &[u8], error: &JsonError) -> FileErrors {
    let lines = LineIndex::new(String::from_utf8_lossy(bytes).into());
    let span = Span::new(error.offset(), error.length());
    let diagnostic = match error.problem() {
        JsonProblem::DuplicateKey { key, first } => {
            Diagnostic::duplicate_key(key, span, lines.position(*first))
        }
        JsonProblem::Syntax(problem) => Diagnostic::new(span, format!("not valid JSON: {problem}")),
        problem => Diagnostic::new(span, problem.to_string()),
    };
    FileErrors::new(name, Arc::clone(lines.text()), vec![diagnostic])
}

fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Decodes UTF-8 without the byte order mark. If the bytes are not UTF-8, the text has U+FFFD
/// in place of invalid bytes, and an error is returned with it.
fn decode_text(bytes: &[u8]) -> (Arc<str>, Option<Diagnostic>) {
    let bytes = without_byte_order_mark(bytes);
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return (text.into(), None),
        Err(error) => error,
    };
    let text = String::from_utf8_lossy(bytes);
    // Nothing before this offset was replaced, so the offset is also valid in the decoded text.
    let span = Span::new(error.valid_up_to(), char::REPLACEMENT_CHARACTER.len_utf8());
    let diagnostic = Diagnostic {
        help: Some("save the file as UTF-8".to_owned()),
        ..Diagnostic::new(span, "the file is not UTF-8 from here on")
    };
    (text.into(), Some(diagnostic))
}

impl ParsedFile {
    fn into_result(self) -> Result<Self, FileErrors> {
        if self.diagnostics.is_empty() {
            return Ok(self);
        }
        Err(self.errors(Diagnostics::from(self.diagnostics.clone())))
    }

    /// The name of the file, as passed to the parser.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> &str {
        self.lines.text()
    }

    /// The index of the lines of the text.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// The root node of the document.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Returns what Kubernetes reads otherwise than the author of a manifest may mean, each with its place: keys that are
    /// booleans in YAML 1.1, and keys that are written twice, of which the last counts.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.warnings.iter().map(|warning| self.describe_warning(warning))
    }

    /// Returns the [warnings](ParsedFile::warnings) with their spans.
    #[must_use]
    pub fn warning_diagnostics(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Returns a warning with its place.
    #[must_use]
    pub fn describe_warning(&self, warning: &Diagnostic) -> String {
        let Position { line, column } = self.position(warning.span);
        let help = warning.help.as_ref().map(|help| format!(": {help}")).unwrap_or_default();
        format!("{}:{line}:{column}: {}{help}", self.name, warning.message)
    }

    /// Returns the line and column at which a span begins.
    #[must_use]
    pub fn position(&self, span: Span) -> Position {
        self.lines.position(span.offset)
    }

    /// Formats the line of a span as `file:line`.
    #[must_use]
    pub fn location(&self, span: Span) -> String {
        format!("{}:{}", self.name, self.position(span).line)
    }

    /// Decodes the document into a value of type `T`.
    ///
    /// # Errors
    ///
    /// Returns all errors of the text and of its content.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, FileErrors> {
        let (value, diagnostics) = self.decode_partial();
        self.finish(value, diagnostics)
    }

    /// Decodes as much of the document as possible. Callers make further checks, add their diagnostics, and then call
    /// [`ParsedFile::finish`].
    ///
    /// Parts with errors are left out of the value: elements of lists, entries of maps, and optional fields. A check
    /// that counts parts, or looks for missing parts, should therefore first test whether the diagnostics are empty. No
    /// value is returned if a required field of the outermost struct is missing or has an error, or if this struct has an
    /// unknown key.
    #[must_use]
    pub fn decode_partial<T: DeserializeOwned>(&self) -> (Option<T>, Diagnostics) {
        let diagnostics = Diagnostics::from(self.diagnostics.clone());
        let value = decode::decode(&self.root, &diagnostics);
        (value, diagnostics)
    }

    /// Returns the value if there are no diagnostics.
    ///
    /// # Errors
    ///
    /// Returns the diagnostics if there are any, or if there is no value.
    pub fn finish<T>(&self, value: Option<T>, diagnostics: Diagnostics) -> Result<T, FileErrors> {
        match value {
            Some(value) if diagnostics.is_empty() => Ok(value),
            _ => Err(self.errors(diagnostics)),
        }
    }

    /// Converts diagnostics to errors of this file.
    #[must_use]
    pub fn errors(&self, diagnostics: Diagnostics) -> FileErrors {
        FileErrors::of(&self.name, self.lines.clone(), diagnostics)
    }
}
