//! Input files and standard input, and the JSON or YAML documents that they contain.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use skewer_cases::yaml::{self, Diagnostic, FileErrors, Span, Syntax, nearest};
use skewer_cases::{MAX_DOCUMENT, read_limited};
use skewer_engine::document::DocKind;
use skewer_engine::{Error, ErrorKind, OwnedDoc, PathSegment};
use skewer_results::control_characters::escape_line;

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};

/// Maximum length of a document for which a refusal shows the source line at the field path of the error.
const MAX_TEXT_WITH_SPANS: usize = 4 << 20;

/// An input file, or standard input.
pub(super) struct InputFile {
    /// The name in messages.
    pub(super) name: String,
    /// The content.
    pub(super) bytes: Vec<u8>,
}

impl InputFile {
    /// Reads a file; `-` is standard input.
    pub(super) fn read(path: &Path) -> Result<Self> {
        InputFile::read_within(path, MAX_DOCUMENT)
    }

    /// Reads a file of at most `limit` bytes; `-` is standard input.
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

/// Checks that at most one of several paths is standard input. `noun` is the name for these files in
/// the message, for example `document`.
pub(super) fn check_standard_input<'p>(paths: impl IntoIterator<Item = &'p Path>, noun: &str) -> Result<()> {
    if paths.into_iter().filter(|path| is_standard_input(path)).count() > 1 {
        let message = format!("only one {noun} can come from standard input (-)");
        return Err(Failure::could_not_run(message));
    }
    Ok(())
}

/// Returns true if a path names standard input.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn unreadable(name: &str, error: &std::io::Error) -> Failure {
    let message = with_similar_file(format!("cannot read {name}: {error}"), Path::new(name));
    Failure::could_not_run(message)
}

/// Adds the name of a similar file in the same folder to the message about a file that does not exist.
pub(super) fn with_similar_file(message: String, path: &Path) -> String {
    /// Maximum number of files with which a name is compared.
    const MAX_FILES: usize = 1_000;
    let similar = || {
        let name = path.file_name()?.to_str()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let files = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.take(MAX_FILES);
        let mut names: Vec<String> =
            files.filter_map(|file| file.ok()?.file_name().into_string().ok()).collect();
        names.sort_unstable();
        let near = nearest(name, names.iter().map(String::as_str))?;
        Some(folder.map_or_else(|| near.into(), |folder| folder.join(near)))
    };
    match if path.exists() { None } else { similar() } {
        Some(near) => format!("{message}: did you mean {}?", near.display()),
        None => message,
    }
}

/// A parsed input document.
pub(super) struct InputDocument {
    file: InputFile,
    is_standard_input: bool,
    is_json: bool,
    /// The type of the value as it was read. An operation can take the value away.
    kind_read: DocKind,
    /// The parsed value.
    pub(super) value: OwnedDoc,
}

impl InputDocument {
    /// Reads several documents. At most one of them can come from standard input.
    pub(super) fn read_all<const N: usize>(paths: [&Path; N]) -> Result<[Self; N]> {
        // `array::try_map` is not stable.
        let read = Self::read_list(paths)?;
        read.try_into().map_err(|_| Failure::could_not_run("a document is missing"))
    }

    /// Reads any number of documents. At most one of them can come from standard input.
    pub(super) fn read_list<'p>(paths: impl IntoIterator<Item = &'p Path> + Clone) -> Result<Vec<Self>> {
        check_standard_input(paths.clone(), "document")?;
        paths.into_iter().map(Self::read).collect()
    }

    fn read(path: &Path) -> Result<Self> {
        let file = InputFile::read(path)?;
        match yaml::read_manifest_in_syntax(&file.name, &file.bytes) {
            Ok((value, syntax)) => Ok(InputDocument {
                file,
                is_standard_input: is_standard_input(path),
                is_json: syntax == Syntax::Json,
                kind_read: value.kind(),
                value,
            }),
            Err(errors) => Err(Failure::from(errors)),
        }
    }

    /// Returns the name of the document in messages.
    pub(super) fn name(&self) -> &str {
        &self.file.name
    }

    /// Returns true if the document comes from standard input.
    pub(super) fn is_standard_input(&self) -> bool {
        self.is_standard_input
    }

    /// Returns true if the text of the document is JSON, whatever the name of its file.
    pub(super) fn is_json(&self) -> bool {
        self.is_json
    }

    /// Returns the `apiVersion` and the `kind` if the document has both.
    pub(super) fn kind(&self) -> Option<(&str, &str)> {
        let text = |key| self.value.as_map()?.get(key)?.as_str();
        Some((text("apiVersion")?, text("kind")?))
    }

    /// Returns true if the text of the document has a value at the path of an error. The value can have been moved.
    fn has_value_at(&self, error: &Error) -> bool {
        let value = yaml::read_manifest(&self.file.name, &self.file.bytes);
        value.is_ok_and(|value| has_value_at(&value, error.path().segments()))
    }

    /// Creates the failure for a refused operation. It shows the source span that the field path of the error has in
    /// this document.
    pub(super) fn refusal(&self, error: &Error) -> Failure {
        let message = format!("refused ({}): {}", error.kind().id(), error.message());
        // The spans of a large document would take many times the memory of the document.
        let has_span = !error.path().segments().is_empty() && self.file.bytes.len() <= MAX_TEXT_WITH_SPANS;
        let span = has_span
            .then(|| yaml::parse_manifest(&self.file.name, &self.file.bytes).ok())
            .flatten()
            .map(|document| document.root().span_at(error.path()));
        let Some(span) = span else {
            let path = error.path();
            let at = if path.segments().is_empty() { String::new() } else { format!(" {path}:") };
            let text = format!("{}:{at} {message}", self.file.name);
            // A field name can contain a line break, but the message must stay on one line.
            return Failure::new(Exit::CellFailed, escape_line(&text));
        };
        let text: Arc<str> = String::from_utf8_lossy(&self.file.bytes).into();
        let help = (error.kind() == ErrorKind::FieldNotDeclared).then(|| {
            "an API server answers with status 500 (Internal Server Error), and applies nothing: correct the name, or \
             use types that declare the field"
                .to_owned()
        });
        let diagnostic = Diagnostic {
            path: error.path().clone(),
            help,
            ..Diagnostic::new(first_line(&text, span), message)
        };
        let errors = FileErrors::new(&self.file.name, text, vec![diagnostic]);
        Failure::of_files(Exit::CellFailed, [&errors])
    }
}

/// The two documents of an operation.
#[derive(Clone, Copy)]
pub(super) struct DocumentPair<'d> {
    /// The document with which the operation begins, such as the live object.
    pub(super) base: Option<&'d InputDocument>,
    /// The document that is sent, or compared with the other one.
    pub(super) other: &'d InputDocument,
}

impl<'d> DocumentPair<'d> {
    /// Creates the failure for a refused operation. It shows the error in the document that has it.
    pub(super) fn refusal(&self, error: &Error) -> Failure {
        self.document_with(error).refusal(error)
    }

    /// Returns the document that has an error.
    pub(super) fn document_with(&self, error: &Error) -> &'d InputDocument {
        let Some(base) = self.base else { return self.other };
        let is_in_base = match error.kind() {
            ErrorKind::InvalidDocument if error.path().segments().is_empty() => {
                base.kind_read != DocKind::Map && matches!(self.other.kind_read, DocKind::Map | DocKind::Null)
            }
            _ => error.is_in_base() || (base.has_value_at(error) && !self.other.has_value_at(error)),
        };
        if is_in_base { base } else { self.other }
    }
}

fn has_value_at(document: &OwnedDoc, path: &[PathSegment]) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    let child = match first {
        PathSegment::Key(key) => document.as_map().and_then(|map| map.get(key)),
        PathSegment::Index(index) => document.as_list().and_then(|list| list.get(*index)),
    };
    child.is_some_and(|child| has_value_at(child, rest))
}

/// Cuts a span at the end of its first line.
fn first_line(text: &str, span: Span) -> Span {
    let marked = text.get(span.offset..span.end()).unwrap_or_default();
    Span::new(span.offset, marked.find('\n').unwrap_or(marked.len()))
}
