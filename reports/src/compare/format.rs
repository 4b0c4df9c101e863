//! The formats in which a comparison can be written, by name.

use std::io::{self, Write};
use std::path::Path;

use super::{Comparison, json};
use crate::terminal::Style;
use crate::words::words;
use crate::{file, html, markdown, terminal};

words! {
    /// A format of a comparison.
    "format of a comparison" Format {
        /// Plain text, as on a terminal.
        Text = "text",
        /// Markdown for a pull request.
        Markdown = "markdown",
        /// One self-contained page: the report of the new run, with what changed in each cell.
        Html = "html",
        /// JSON for programs.
        Json = "json",
    }
}

impl Format {
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
