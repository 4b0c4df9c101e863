//! Input of the user: files or standard input, and the JSON or YAML documents in them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use skewer_cases::yaml::{self, Diagnostic, FileErrors, Span};
use skewer_cases::{MAX_DOCUMENT, read_limited};
use skewer_engine::{Error, OwnedDoc};
use skewer_reports::control_characters::escape_line;

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};

/// Maximum length of a document whose refusal shows the line to which the path of the error leads.
const MAX_TEXT_WITH_SPANS: usize = 4 << 20;

/// An input file, or standard input.
pub(super) struct InputFile {
    /// Its name in messages.
    pub(super) name: String,
    /// Its content.
    pub(super) bytes: Vec<u8>,
}

impl InputFile {
    /// Reads a file; `-` is standard input.
    pub(super) fn read(path: &Path) -> Result<Self> {
        InputFile::read_within(path, MAX_DOCUMENT)
    }

    /// Reads a file of limited length; `-` is standard input.
    pub(super) fn read_within(path: &Path, limit: u64) -> Result<Self> {
        if is_standard_input(path) {
            let read = read_limited(std::io::stdin().lock(), limit);
            let bytes = read.map_err(|error| unreadable(STANDARD_INPUT, &error))?;
            return Ok(InputFile { name: STANDARD_INPUT.to_owned(), bytes });
        }
        let name = path.display().to_string();
        match fs::File::open(path).and_then(|file| read_limited(file, limit)) {
            Ok(bytes) => Ok(InputFile { name, bytes }),
            Err(error) => Err(unreadable(&name, &error)),
        }
    }
}

/// The name of standard input in messages.
pub(super) const STANDARD_INPUT: &str = "standard input";

/// Checks that at most one of several files comes from standard input; `what` is what they are.
pub(super) fn check_standard_input<'p>(paths: impl IntoIterator<Item = &'p Path>, what: &str) -> Result<()> {
    if paths.into_iter().filter(|path| is_standard_input(path)).count() > 1 {
        let message = format!("only one {what} can come from standard input (-)");
        return Err(Failure::new(Exit::CouldNotRun, message));
    }
    Ok(())
}

/// Whether a path names standard input.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn unreadable(name: &str, error: &std::io::Error) -> Failure {
    Failure::new(Exit::CouldNotRun, format!("cannot read {name}: {error}"))
}

/// A parsed document of the user.
pub(super) struct InputDocument {
    file: InputFile,
    is_standard_input: bool,
    /// The parsed value.
    pub(super) value: OwnedDoc,
}

impl InputDocument {
    /// Reads several documents. Standard input can be one of them only.
    pub(super) fn read_all<const N: usize>(paths: [&Path; N]) -> Result<[Self; N]> {
        // Through a list: arrays have no fallible map.
        let read = Self::read_list(paths)?;
        read.try_into().map_err(|_| Failure::new(Exit::CouldNotRun, "a document is missing"))
    }

    /// Reads any number of documents. Standard input can be one of them only.
    pub(super) fn read_list<'p>(paths: impl IntoIterator<Item = &'p Path> + Clone) -> Result<Vec<Self>> {
        check_standard_input(paths.clone(), "document")?;
        paths.into_iter().map(Self::read).collect()
    }

    fn read(path: &Path) -> Result<Self> {
        let file = InputFile::read(path)?;
        match yaml::read_manifest(&file.name, &file.bytes) {
            Ok(value) => Ok(InputDocument { file, is_standard_input: is_standard_input(path), value }),
            Err(errors) => Err(Failure::of_files(Exit::CouldNotRun, [&errors])),
        }
    }

    /// Returns its name in messages.
    pub(super) fn name(&self) -> &str {
        &self.file.name
    }

    /// Whether it comes from standard input.
    pub(super) fn is_standard_input(&self) -> bool {
        self.is_standard_input
    }

    /// Returns the `apiVersion` and the `kind`, if it has both.
    pub(super) fn kind(&self) -> Option<(&str, &str)> {
        let text = |key| self.value.as_map()?.get(key)?.as_str();
        Some((text("apiVersion")?, text("kind")?))
    }

    /// Makes the failure of a refused operation, with the span in this document to which the path of the error leads.
    pub(super) fn refusal(&self, error: &Error) -> Failure {
        let message = format!("refused ({}): {}", error.kind().id(), error.message());
        // An error without a path has no span, and a tree of spans takes many times the memory of a large document.
        let has_span = !error.path().segments().is_empty() && self.file.bytes.len() <= MAX_TEXT_WITH_SPANS;
        let span = has_span
            .then(|| yaml::parse_manifest(&self.file.name, &self.file.bytes).ok())
            .flatten()
            .map(|document| document.root().span_at(error.path()));
        let Some(span) = span else {
            let path = error.path();
            let at = if path.segments().is_empty() { String::new() } else { format!(" {path}:") };
            let text = format!("{}:{at} {message}", self.file.name);
            // Names of fields are input, and the message takes one line.
            return Failure::new(Exit::CellFailed, escape_line(&text));
        };
        let text: Arc<str> = String::from_utf8_lossy(&self.file.bytes).into();
        let diagnostic =
            Diagnostic { path: error.path().clone(), ..Diagnostic::new(first_line(&text, span), message) };
        let errors = FileErrors::new(&self.file.name, text, vec![diagnostic]);
        Failure::of_files(Exit::CellFailed, [&errors])
    }
}

/// Returns the part of a span that is on its first line.
fn first_line(text: &str, span: Span) -> Span {
    let marked = text.get(span.offset..span.end()).unwrap_or_default();
    Span::new(span.offset, marked.find('\n').unwrap_or(marked.len()))
}
