use std::sync::Arc;

use serde::de::DeserializeOwned;
use skewer_engine::OwnedDoc;
use skewer_engine::document::{JsonError, JsonProblem, parse_json};

use crate::diagnostic::UniqueDiagnostics;
use crate::node_builder::build_nodes;
use crate::scalar::Dialect;
use crate::{Diagnostic, Diagnostics, FileErrors, LineIndex, Node, Position, Span, decode};

/// A parsed YAML file: its text, and its values with their source spans.
#[derive(Clone, Debug)]
pub struct ParsedFile {
    name: String,
    lines: LineIndex,
    root: Node,
    /// Errors that left the shape of the document clear.
    diagnostics: UniqueDiagnostics,
}

/// Parses a YAML file. `name` is the name of the file for messages, as the user knows it.
///
/// # Errors
///
/// All errors of the text at once, as far as its shape is clear.
pub fn parse(name: &str, bytes: &[u8]) -> Result<ParsedFile, FileErrors> {
    parse_lenient(name, bytes)?.into_result()
}

/// Parses a manifest like [`parse`]; Kubernetes reads it as YAML 1.1, where `yes` is true and `0644` is 420.
///
/// # Errors
///
/// Those of [`parse`].
pub fn parse_manifest(name: &str, bytes: &[u8]) -> Result<ParsedFile, FileErrors> {
    parse_in(Dialect::Manifest, name, bytes).map_err(Unreadable::into_errors)?.into_result()
}

/// Parses a YAML file like [`parse`], but keeps the errors that leave the shape of the document clear (a duplicate key, a
/// tag): the `decode` functions report them together with their own.
///
/// # Errors
///
/// A syntax error, or a limit that the file exceeds, with the errors before it.
pub fn parse_lenient(name: &str, bytes: &[u8]) -> Result<ParsedFile, FileErrors> {
    parse_in(Dialect::Core, name, bytes).map_err(Unreadable::into_errors)
}

/// The errors of a text whose shape is not clear.
struct Unreadable {
    errors: FileErrors,
    /// The offset of the error up to which the text was read.
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
        Ok(root) => {
            Ok(ParsedFile { name: name.to_owned(), lines, root, diagnostics: diagnostics.into_collected() })
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
/// All errors of the text and of its content at once.
pub fn read<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, FileErrors> {
    parse_lenient(name, bytes)?.decode()
}

/// Reads one document of a user, YAML or JSON.
///
/// A text that begins as JSON does is read by the engine, which allows deeper nesting. If it is not JSON, it is read as
/// YAML, whose flow style looks alike: `{a: 1}`.
///
/// # Errors
///
/// All errors of the text at once if it is read as YAML. A text that is JSON, but with a number that no float64 holds, a
/// key that stands twice, too many levels or values, or without a comma between two of them, is refused as JSON.
pub fn read_document(name: &str, bytes: &[u8]) -> Result<OwnedDoc, FileErrors> {
    read_in(Dialect::Core, name, bytes)
}

/// Reads a manifest like [`read_document`]; Kubernetes reads it as YAML 1.1, where `yes` is true and `0644` is 420.
///
/// # Errors
///
/// Those of [`read_document`].
pub fn read_manifest(name: &str, bytes: &[u8]) -> Result<OwnedDoc, FileErrors> {
    read_in(Dialect::Manifest, name, bytes)
}

fn read_in(dialect: Dialect, name: &str, bytes: &[u8]) -> Result<OwnedDoc, FileErrors> {
    let bytes = without_byte_order_mark(bytes);
    let begins_as_json = matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'));
    let json_error = match begins_as_json.then(|| parse_json(bytes)) {
        Some(Ok(value)) => return Ok(value),
        Some(Err(error)) => Some(error),
        None => None,
    };
    if let Some(error) = json_error.as_ref().filter(|error| !can_be_yaml(bytes, error)) {
        return Err(json_errors(name, bytes, error));
    }
    let (errors, yaml_offset) = match parse_in(dialect, name, bytes) {
        Ok(file) => match file.into_result() {
            Ok(file) => return Ok(file.root.into_doc()),
            Err(errors) => {
                let offset = errors.diagnostics().first().map_or(0, |diagnostic| diagnostic.span.offset);
                (errors, offset)
            }
        },
        Err(Unreadable { errors, offset }) => (errors, offset),
    };
    // Neither JSON nor YAML: the reader that understood more of the text has the better error.
    match json_error.filter(|error| error.offset() >= yaml_offset) {
        Some(error) if matches!(error.problem(), JsonProblem::Syntax(_)) => {
            Err(json_errors(name, bytes, &error))
        }
        _ => Err(errors),
    }
}

/// Returns true if a text that the JSON reader refuses with this error can be YAML.
fn can_be_yaml(bytes: &[u8], error: &JsonError) -> bool {
    match error.problem() {
        // In YAML, `{"a": 1 "b": 2}` has one key. It is JSON that lacks a comma.
        JsonProblem::Syntax(_) => !matches!(bytes.get(error.offset()), Some(b'"' | b'{' | b'[')),
        // The error of the YAML reader has advice.
        JsonProblem::InvalidUtf8 => true,
        _ => false,
    }
}

/// Makes the errors of a file that is not a JSON document of the engine.
fn json_errors(name: &str, bytes: &[u8], error: &JsonError) -> FileErrors {
    let lines = LineIndex::new(String::from_utf8_lossy(bytes).into());
    let (message, help) = match error.problem() {
        JsonProblem::DuplicateKey { key, first } => {
            let first = lines.position(*first);
            let help = format!("it stands first at line {}, column {}", first.line, first.column);
            (format!("the key `{key}` stands twice in this map"), Some(help))
        }
        JsonProblem::Syntax(problem) => (format!("not valid JSON: {problem}"), None),
        problem => (problem.to_string(), None),
    };
    let span = Span::new(error.offset(), error.length());
    FileErrors::new(
        name,
        Arc::clone(lines.text()),
        vec![Diagnostic { help, ..Diagnostic::new(span, message) }],
    )
}

fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Decodes UTF-8 without its byte order mark; returns an error with the text if the bytes are not UTF-8.
fn decode_text(bytes: &[u8]) -> (Arc<str>, Option<Diagnostic>) {
    let bytes = without_byte_order_mark(bytes);
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return (text.into(), None),
        Err(error) => error,
    };
    let text = String::from_utf8_lossy(bytes);
    // Up to there nothing was replaced, so that the offset holds in the replaced text too.
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

    /// The name of the file, as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.lines.text()
    }

    /// The lines of the text.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// The root node of the document.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
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

    /// Reads the document into a type.
    ///
    /// # Errors
    ///
    /// All errors of the text and of its content at once.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, FileErrors> {
        let (value, diagnostics) = self.decode_partial();
        self.finish(value, diagnostics)
    }

    /// Reads the document into a type as far as possible, for checks that add diagnostics of their own and then call
    /// [`ParsedFile::finish`].
    ///
    /// Parts that could not be read are left out: an element of a list, an entry of a map, a field that is not
    /// required. A check that counts, or that looks for missing parts, should first look whether the diagnostics are
    /// empty. There is no value when a field of the outermost struct is missing.
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
    /// The diagnostics, if there are any or if there is no value.
    pub fn finish<T>(&self, value: Option<T>, diagnostics: Diagnostics) -> Result<T, FileErrors> {
        match value {
            Some(value) if diagnostics.is_empty() => Ok(value),
            _ => Err(self.errors(diagnostics)),
        }
    }

    /// Makes errors of this file.
    #[must_use]
    pub fn errors(&self, diagnostics: Diagnostics) -> FileErrors {
        FileErrors::of(&self.name, self.lines.clone(), diagnostics)
    }
}
