//! The formats in which results can be written to a file, by name.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use crate::model::Results;
use crate::terminal::Style;
use crate::words::UnknownWord;
use crate::{badge, file, github, html, json, junit, markdown, terminal};

/// A format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// The results file itself, from which all others can be made again.
    Json,
    /// Plain text, as on a terminal.
    Text,
    /// Markdown for a job summary, no longer than one may be.
    Markdown,
    /// Markdown that lists what happens in every cell, to be checked in.
    Compatibility,
    /// One self-contained page.
    Html,
    /// `JUnit` XML.
    Junit,
    /// The JSON that shields.io reads.
    Badge,
    /// Workflow commands of GitHub Actions.
    Github,
}

impl Format {
    /// All formats.
    pub const ALL: &'static [Format] = &[
        Format::Json,
        Format::Text,
        Format::Markdown,
        Format::Compatibility,
        Format::Html,
        Format::Junit,
        Format::Badge,
        Format::Github,
    ];

    /// The name on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Text => "text",
            Format::Markdown => "markdown",
            Format::Compatibility => "compatibility",
            Format::Html => "html",
            Format::Junit => "junit",
            Format::Badge => "badge",
            Format::Github => "github",
        }
    }

    /// Writes a report.
    pub fn write(self, results: &Results, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Format::Json => json::write(results, out),
            Format::Text => out.write_all(terminal::report(results, Style::default()).as_bytes()),
            Format::Markdown => {
                out.write_all(markdown::report(results, markdown::Options::job_summary()).as_bytes())
            }
            Format::Compatibility => out.write_all(markdown::compatibility(results).as_bytes()),
            Format::Html => html::write(results, out),
            Format::Junit => junit::write(results, out),
            Format::Badge => badge::write(results, out),
            Format::Github => github::write(results, out),
        }
    }

    /// Writes a report to a file: whole, or not at all.
    pub fn write_file(self, results: &Results, path: &Path) -> io::Result<()> {
        file::write_atomically(path, |out| self.write(results, out))
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
            kind: "report format",
            word: word.to_owned(),
            known: Format::ALL.iter().map(|format| format.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn every_format_has_a_name_and_writes_the_same_bytes_each_time() {
        let directory = tempfile::tempdir().unwrap();
        for format in Format::ALL {
            assert_eq!(format.as_str().parse(), Ok(*format));
            let path = directory.path().join(format.as_str());
            format.write_file(&samples::results(), &path).unwrap();
            let first = std::fs::read(&path).unwrap();
            assert!(first.ends_with(b"\n"), "{format}");
            format.write_file(&samples::results(), &path).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), first);
        }
    }

    #[test]
    fn an_unknown_format_is_answered_with_the_known_ones() {
        let error = "xml".parse::<Format>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`xml` is no report format; there are: json, text, markdown, compatibility, html, junit, badge, github"
        );
    }
}
