use std::sync::Arc;

use serde::de::DeserializeOwned;
use skewer_engine::OwnedDoc;

use super::attach::{Dialect, attach};
use super::places::Places;
use super::raw::Raw;
use super::{CaseFileErrors, Diagnostic, Diagnostics, LineIndex, Node, Position, Span, decode};

/// A file that was read: its text, and its values with their places.
#[derive(Clone, Debug)]
pub struct Document {
    name: String,
    lines: LineIndex,
    root: Node,
    problems: Vec<Diagnostic>,
}

/// Reads a YAML file. `name` is the name to show, as the user knows the file.
///
/// Everything that is wrong with the text comes at once, as far as its shape is clear.
pub fn parse(name: &str, bytes: &[u8]) -> Result<Document, CaseFileErrors> {
    parse_lenient(name, bytes)?.without_problems()
}

/// [`parse`] of a manifest, which Kubernetes reads as YAML 1.1: `yes` is true, and `0644` is 420.
pub fn parse_manifest(name: &str, bytes: &[u8]) -> Result<Document, CaseFileErrors> {
    parse_in(Dialect::Manifest, name, bytes)?.without_problems()
}

/// Like [`parse`], but what is wrong without hiding the shape of the document (a key that stands twice, a tag)
/// is kept, and comes out of the `decode` functions together with what they find.
pub fn parse_lenient(name: &str, bytes: &[u8]) -> Result<Document, CaseFileErrors> {
    parse_in(Dialect::Core, name, bytes)
}

fn parse_in(dialect: Dialect, name: &str, bytes: &[u8]) -> Result<Document, CaseFileErrors> {
    let (text, invalid) = decode_text(bytes);
    let lines = LineIndex::new(text);
    let refuse = |diagnostics| CaseFileErrors::new(name, Arc::clone(lines.text()), diagnostics);
    if let Some(invalid) = invalid {
        return Err(refuse(vec![invalid]));
    }
    let diagnostics = Diagnostics::new();
    let read = Places::read(lines.text(), &diagnostics).and_then(|places| Ok((Raw::read(&lines)?, places)));
    let (raw, places) = match read {
        Ok(read) => read,
        Err(fatal) => {
            diagnostics.push(fatal);
            return Err(refuse(diagnostics.into_vec()));
        }
    };
    let root = attach(raw, &places, &lines, dialect, &diagnostics);
    Ok(Document { name: name.to_owned(), lines, root, problems: diagnostics.into_vec() })
}

/// Reads a YAML file into a type: all errors of its text and of its content at once.
pub fn read<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, CaseFileErrors> {
    parse_lenient(name, bytes)?.decode()
}

/// Reads one document of a user, YAML or JSON.
///
/// JSON that the engine reads is taken from there, with its deeper nesting. Anything else is read as YAML, so
/// that broken JSON has an error with a place too.
pub fn read_value(name: &str, bytes: &[u8]) -> Result<OwnedDoc, CaseFileErrors> {
    match json(bytes) {
        Some(value) => Ok(value),
        None => parse(name, bytes).map(|document| document.to_value()),
    }
}

/// [`read_value`] of a manifest, which Kubernetes reads as YAML 1.1: `yes` is true, and `0644` is 420.
pub fn read_manifest(name: &str, bytes: &[u8]) -> Result<OwnedDoc, CaseFileErrors> {
    match json(bytes) {
        Some(value) => Ok(value),
        None => parse_manifest(name, bytes).map(|document| document.to_value()),
    }
}

fn json(bytes: &[u8]) -> Option<OwnedDoc> {
    let opening = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let is_json = matches!(opening, Some(b'{' | b'['));
    is_json.then(|| skewer_engine::document::from_json(bytes).ok()).flatten()
}

/// The text without its byte order mark, and what is wrong if it isn't UTF-8.
fn decode_text(bytes: &[u8]) -> (Arc<str>, Option<Diagnostic>) {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
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

impl Document {
    fn without_problems(self) -> Result<Self, CaseFileErrors> {
        if self.problems.is_empty() {
            return Ok(self);
        }
        Err(self.errors(self.problems.clone()))
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

    /// The document itself.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The line and column at which something begins.
    #[must_use]
    pub fn position(&self, span: Span) -> Position {
        self.lines.position(span.offset)
    }

    /// `file:line`, to say where an expectation was written.
    #[must_use]
    pub fn location(&self, span: Span) -> String {
        format!("{}:{}", self.name, self.position(span).line)
    }

    /// The document without places.
    #[must_use]
    pub fn to_value(&self) -> OwnedDoc {
        self.root.to_value()
    }

    /// Reads the document into a type; an error has everything that was found.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, CaseFileErrors> {
        let (value, diagnostics) = self.decode_partial();
        self.finish(value, diagnostics)
    }

    /// Reads the document into a type as far as that goes, for checks that add to what was found; then
    /// [`Document::finish`].
    ///
    /// What could not be read is left out: an element of a list, an entry of a map, a field that is not
    /// required. A check that counts, or that looks for what is missing, should first look whether
    /// the diagnostics are empty. There is no value when a field of the outermost struct is missing.
    #[must_use]
    pub fn decode_partial<T: DeserializeOwned>(&self) -> (Option<T>, Diagnostics) {
        let diagnostics = Diagnostics::new();
        diagnostics.extend(self.problems.iter().cloned());
        let value = decode::decode(&self.root, &diagnostics);
        (value, diagnostics)
    }

    /// The value when nothing was found, and otherwise what was.
    pub fn finish<T>(&self, value: Option<T>, diagnostics: Diagnostics) -> Result<T, CaseFileErrors> {
        let diagnostics = diagnostics.into_vec();
        match value {
            Some(value) if diagnostics.is_empty() => Ok(value),
            _ => Err(self.errors(diagnostics)),
        }
    }

    /// Errors of this file.
    #[must_use]
    pub fn errors(&self, diagnostics: Vec<Diagnostic>) -> CaseFileErrors {
        CaseFileErrors::new(&self.name, Arc::clone(self.lines.text()), diagnostics)
    }
}
