//! The formats in which a comparison can be written, by name.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use super::{Comparison, json};
use crate::terminal::Style;
use crate::words::UnknownWord;
use crate::{file, html, markdown, terminal};

/// A format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Plain text, as on a terminal.
    Text,
    /// Markdown for a pull request.
    Markdown,
    /// One self-contained page: the report of the new run, with what changed in each cell.
    Html,
    /// JSON for programs.
    Json,
}

impl Format {
    /// All formats.
    pub const ALL: &'static [Format] = &[Format::Text, Format::Markdown, Format::Html, Format::Json];

    /// The name on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Markdown => "markdown",
            Format::Html => "html",
            Format::Json => "json",
        }
    }

    /// Writes a comparison.
    pub fn write(self, comparison: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Format::Text => out.write_all(terminal::comparison(comparison, Style::default()).as_bytes()),
            Format::Markdown => {
                out.write_all(markdown::comparison(comparison, markdown::Options::comment()).as_bytes())
            }
            Format::Html => html::write_comparison(comparison, out),
            Format::Json => json::write(comparison, out),
        }
    }

    /// Writes a comparison to a file: whole, or not at all.
    pub fn write_file(self, comparison: &Comparison<'_>, path: &Path) -> io::Result<()> {
        file::write_atomically(path, |out| self.write(comparison, out))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        Format::ALL.iter().copied().find(|format| format.as_str() == word).ok_or_else(|| UnknownWord {
            kind: "format of a comparison",
            word: word.to_owned(),
            known: Format::ALL.iter().map(|format| format.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}
