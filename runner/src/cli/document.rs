//! Documents of the user: JSON or YAML, from files or standard input, and back.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use skewer_cases::yaml::{self, Diagnostic, FileErrors, Span};
use skewer_cases::{MAX_DOCUMENT, read_limited};
use skewer_engine::{Error, OwnedDoc};

use super::{Failure, Result, output};
use crate::exit::Exit;

/// A file of the user, or standard input.
pub(super) struct File {
    /// What messages call it.
    pub(super) name: String,
    /// Its content.
    pub(super) bytes: Vec<u8>,
}

impl File {
    /// Reads a file; `-` is standard input.
    pub(super) fn read(path: &Path) -> Result<Self> {
        if is_standard_input(path) {
            let read = read_limited(std::io::stdin().lock(), MAX_DOCUMENT);
            let bytes = read.map_err(|error| unreadable("standard input", &error))?;
            return Ok(File { name: "standard input".to_owned(), bytes });
        }
        let name = path.display().to_string();
        match fs::File::open(path).and_then(|file| read_limited(file, MAX_DOCUMENT)) {
            Ok(bytes) => Ok(File { name, bytes }),
            Err(error) => Err(unreadable(&name, &error)),
        }
    }
}

/// Does this name standard input?
pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn unreadable(name: &str, error: &std::io::Error) -> Failure {
    Failure::new(Exit::CouldNotRun, format!("cannot read {name}: {error}"))
}

/// A document of the user, read.
pub(super) struct Document {
    file: File,
    is_standard_input: bool,
    /// What it says.
    pub(super) value: OwnedDoc,
}

impl Document {
    /// Reads several documents. Standard input can be one of them only.
    pub(super) fn read_all<const N: usize>(paths: [&Path; N]) -> Result<[Self; N]> {
        // Through a list: arrays have no fallible map.
        let read = Self::read_list(paths)?;
        read.try_into().map_err(|_| Failure::new(Exit::CouldNotRun, "a document is missing"))
    }

    /// The same for any number.
    pub(super) fn read_list<'p>(paths: impl IntoIterator<Item = &'p Path> + Clone) -> Result<Vec<Self>> {
        if paths.clone().into_iter().filter(|path| is_standard_input(path)).count() > 1 {
            return Err(Failure::new(
                Exit::CouldNotRun,
                "only one document can come from standard input (-)",
            ));
        }
        paths.into_iter().map(Self::read).collect()
    }

    fn read(path: &Path) -> Result<Self> {
        let file = File::read(path)?;
        match yaml::read_manifest(&file.name, &file.bytes) {
            Ok(value) => Ok(Document { file, is_standard_input: is_standard_input(path), value }),
            Err(errors) => Err(Failure::new(Exit::CouldNotRun, output::file_errors(&errors))),
        }
    }

    /// What messages call it.
    pub(super) fn name(&self) -> &str {
        &self.file.name
    }

    /// ChangeKind it come from standard input?
    pub(super) fn is_standard_input(&self) -> bool {
        self.is_standard_input
    }

    /// The `apiVersion` and the `kind`, where it has both.
    pub(super) fn kind(&self) -> Option<(&str, &str)> {
        let text = |key| self.value.as_map()?.get(key)?.as_str();
        Some((text("apiVersion")?, text("kind")?))
    }

    /// The operation was refused, and this is the document that the error's path leads into.
    pub(super) fn refused(&self, error: &Error) -> Failure {
        let message = format!("refused ({}): {}", error.kind().id(), error.message());
        // A path into nothing has no place to show.
        let place = yaml::parse_manifest(&self.file.name, &self.file.bytes)
            .ok()
            .filter(|_| !error.path().segments().is_empty())
            .map(|document| document.root().span_at(error.path()));
        let Some(span) = place else {
            let path = error.path();
            let at = if path.segments().is_empty() { String::new() } else { format!(" {path}:") };
            let text = format!("{}:{at} {message}", self.file.name);
            // Names of fields are the user's text, and no terminal should obey them.
            let text = text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect::<String>();
            return Failure::new(Exit::CellFailed, text);
        };
        let text: Arc<str> = String::from_utf8_lossy(&self.file.bytes).into();
        let diagnostic =
            Diagnostic { path: error.path().clone(), ..Diagnostic::new(first_line(&text, span), message) };
        let errors = FileErrors::new(&self.file.name, text, vec![diagnostic]);
        Failure::new(Exit::CellFailed, output::file_errors(&errors))
    }
}

/// What is marked of a place that spans lines.
fn first_line(text: &str, span: Span) -> Span {
    let marked = text.get(span.offset..span.end()).unwrap_or_default();
    Span::new(span.offset, marked.find('\n').unwrap_or(marked.len()))
}

/// How documents are written.
#[derive(Debug, Args)]
pub(super) struct OutputArguments {
    /// How the result is written.
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Json)]
    output: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Json,
    Yaml,
}

impl OutputArguments {
    /// Writes a document to standard output.
    pub(super) fn print(&self, value: &OwnedDoc) -> Result<()> {
        output::print(&match self.output {
            Format::Json => pretty(value),
            Format::Yaml => yaml::write_manifest(value),
        })
    }
}

/// JSON with a field on each line.
pub(super) fn pretty(value: &OwnedDoc) -> String {
    // Writing to memory cannot fail, and the compact form says the same.
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()) + "\n"
}
