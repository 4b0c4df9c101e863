//! The formats of the reports on results and on comparisons, by name.

use std::io::{self, Write};
use std::path::Path;

use skewer_results::control_characters::escape_text;
use skewer_results::word_enum;
use skewer_results::{file, json};

use crate::compare;
use crate::compare::model::Comparison;
use crate::mutants::{self, MutantsReport};
use crate::run_report::RunReport;
use crate::style::Style;
use crate::{badge, github, html, junit, markdown, terminal};

word_enum! {
    /// A format of a report.
    "report format" Format {
        /// The results file, from which all other formats can be rendered.
        Json = "json",
        /// Plain text, as on a terminal.
        Text = "text",
        /// Markdown for a job summary, within the size limit of GitHub.
        Markdown = "markdown",
        /// A summary of the outcomes by area, suite, directive and union policy, as Markdown to be checked in.
        Compatibility = "compatibility",
        /// One self-contained page.
        Html = "html",
        /// `JUnit` XML.
        Junit = "junit",
        /// JSON for a badge of shields.io.
        Badge = "badge",
        /// Workflow commands of GitHub Actions.
        Github = "github",
    }
}

impl Format {
    /// Writes a report.
    ///
    /// # Errors
    ///
    /// Errors of writing.
    pub fn write(self, report: &RunReport<'_>, out: &mut dyn Write) -> io::Result<()> {
        let results = report.results;
        match self {
            Format::Json => json::write(results, out),
            Format::Text => {
                out.write_all(escape_text(&terminal::report(results, Style::default())).as_bytes())
            }
            Format::Markdown => {
                out.write_all(markdown::report(results, markdown::SizeLimit::job_summary()).as_bytes())
            }
            Format::Compatibility => out.write_all(markdown::compatibility(results, "").as_bytes()),
            Format::Html => html::write(report, out),
            Format::Junit => junit::write(results, out),
            Format::Badge => badge::write(results, out),
            Format::Github => github::write(results, out),
        }
    }

    /// Writes a report to a file. If that fails, an existing file is unchanged.
    ///
    /// # Errors
    ///
    /// Errors of [`file::write_atomically`].
    pub fn write_file(self, report: &RunReport<'_>, path: &Path) -> io::Result<()> {
        file::write_atomically(path, |out| self.write(report, out))
    }
}

word_enum! {
    /// A format of the report on mutants.
    "report format" MutantFormat {
        /// All mutants with their cells, for programs.
        Json = "json",
        /// Plain text, as on a terminal.
        Text = "text",
        /// Markdown for a pull request.
        Markdown = "markdown",
    }
}

impl MutantFormat {
    /// Writes the report.
    ///
    /// # Errors
    ///
    /// Errors of writing.
    pub fn write(self, report: &MutantsReport, out: &mut dyn Write) -> io::Result<()> {
        match self {
            MutantFormat::Json => json::write_pretty(report, out),
            MutantFormat::Text => out.write_all(mutants::text(report).as_bytes()),
            MutantFormat::Markdown => out.write_all(mutants::markdown(report).as_bytes()),
        }
    }
}

word_enum! {
    /// A format of a comparison.
    "format of a comparison" ComparisonFormat {
        /// Plain text, as on a terminal.
        Text = "text",
        /// Markdown for a pull request.
        Markdown = "markdown",
        /// One self-contained page: the report of the new run, with the old result of each cell.
        Html = "html",
        /// JSON for programs.
        Json = "json",
    }
}

impl ComparisonFormat {
    /// Writes a comparison.
    ///
    /// # Errors
    ///
    /// Errors of writing.
    pub fn write(self, comparison: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            ComparisonFormat::Text => {
                out.write_all(escape_text(&terminal::comparison(comparison, Style::default())).as_bytes())
            }
            ComparisonFormat::Markdown => {
                out.write_all(markdown::comparison(comparison, markdown::SizeLimit::comment()).as_bytes())
            }
            ComparisonFormat::Html => html::write_comparison(comparison, out),
            ComparisonFormat::Json => compare::write_json(comparison, out),
        }
    }

    /// Writes a comparison to a file. If that fails, an existing file is unchanged.
    ///
    /// # Errors
    ///
    /// Errors of [`file::write_atomically`].
    pub fn write_file(self, comparison: &Comparison<'_>, path: &Path) -> io::Result<()> {
        file::write_atomically(path, |out| self.write(comparison, out))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection;
    use proptest::option;
    use proptest::prelude::*;
    use proptest::sample::select;
    use skewer_results::control_characters::is_hidden;
    use skewer_results::model::{Cell, Problem, Results};
    use skewer_results::vocabulary::{Level, Outcome, ProblemKind, Status};

    use super::*;
    use crate::test_support;

    #[test]
    fn every_format_has_a_name_and_writes_the_same_bytes_each_time() {
        let directory = tempfile::tempdir().unwrap();
        let results = test_support::sample_results();
        let report = test_support::run_report(&results);
        for format in Format::ALL {
            assert_eq!(format.as_str().parse(), Ok(*format));
            let path = directory.path().join(format.as_str());
            format.write_file(&report, &path).unwrap();
            let first = std::fs::read(&path).unwrap();
            assert!(first.ends_with(b"\n"), "{format}");
            format.write_file(&report, &path).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), first);
        }
    }

    /// Asserts that a report contains nothing that could mislead a terminal, a CI system that reads the log, or a
    /// reader.
    fn assert_safe(format: &str, report: &[u8]) {
        let text = std::str::from_utf8(report).unwrap();
        // Markdown reports insert a word joiner after `@` and `#`, so that GitHub does not recognise mentions.
        let ours = |c: char| c == '\n' || (c == '\u{2060}' && format != "json");
        assert_eq!(text.chars().find(|c| is_hidden(*c) && !ours(*c)), None, "{format}");
        for line in text.lines() {
            assert!(!line.trim_start().starts_with("::") || format == "github", "{format}: {line}");
            assert!(!line.contains("##[") && !line.contains("##vso["), "{format}: {line}");
        }
    }

    proptest! {
        #[test]
        fn every_renderer_takes_any_text(
            texts in collection::vec(any::<String>(), 0..8),
            status in select(Status::ALL),
            outcome in option::of(select(Outcome::ALL)),
            level in select(Level::ALL),
        ) {
            let cells = texts.iter().enumerate().flat_map(|(index, text)| {
                let cells = test_support::results_of(text).cells.into_iter();
                cells.map(move |cell| Cell { id: format!("{index} {text}"), status, outcome, level, ..cell })
            });
            let results = Results::new(test_support::run_info(), cells.collect());
            for format in Format::ALL {
                format.write(&test_support::run_report(&results), &mut io::sink()).unwrap();
            }
        }
    }

    #[test]
    fn no_report_contains_hidden_characters_or_commands() {
        let mut results = test_support::hostile_results();
        results.problems = vec![Problem {
            kind: ProblemKind::Target,
            message: test_support::HOSTILE_TEXT.to_owned(),
            suite: Some(test_support::HOSTILE_TEXT.to_owned()),
        }];
        for format in Format::ALL {
            let mut report = Vec::new();
            format.write(&test_support::run_report(&results), &mut report).unwrap();
            assert_safe(format.as_str(), &report);
        }
        let mut old = results.clone();
        old.cells[0].status = Status::Pass;
        let comparison = test_support::compared(&old, &results);
        for format in ComparisonFormat::ALL {
            let mut report = Vec::new();
            format.write(&comparison, &mut report).unwrap();
            assert_safe(format.as_str(), &report);
        }
    }

    #[test]
    fn the_error_of_an_unknown_format_lists_the_formats() {
        let error = "xml".parse::<Format>().unwrap_err().to_string();
        assert!(
            error.starts_with("`xml` is not a report format (expected json, text, markdown, "),
            "{error}"
        );
        assert!(Format::ALL.iter().all(|format| error.contains(format.as_str())), "{error}");
    }
}
