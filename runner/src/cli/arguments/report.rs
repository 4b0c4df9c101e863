//! The arguments `--report` and `--format`, and reading results files.

use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;
use skewer_execute::kep;
use skewer_reports::{Format, PageOptions, RunReport};
use skewer_results::Results;
use skewer_results::json::{self, ReadError};
use skewer_results::vocabulary::UnknownWord;

use super::output_path::{self, OutputPath};
use crate::cli::failure::{Failure, Result};
use crate::cli::input::{self, is_standard_input};
use crate::cli::output::Stream;

/// The value of `--format` of the commands whose reports have all four formats.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::cli) enum FormatArgument {
    /// For a terminal.
    Text,
    /// For a pull request, or to be checked in.
    Markdown,
    /// One self-contained page for a browser.
    Html,
    /// For programs.
    Json,
}

/// The argument `--report FORMAT=PATH`. A run and a comparison have different formats `F`.
#[derive(Clone, Debug)]
pub struct ReportArgument<F = Format> {
    /// The format of the report.
    pub format: F,
    /// Where the report goes.
    pub path: OutputPath,
    /// The argument as the user wrote it.
    text: String,
}

impl<F: FromStr<Err = UnknownWord>> FromStr for ReportArgument<F> {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (format, path) = text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or_else(|| {
            let format = Path::new(text).extension().and_then(|extension| extension.to_str());
            match format.filter(|format| format.parse::<F>().is_ok()) {
                Some(format) => format!("expected FORMAT=PATH: did you mean `{format}={text}`?"),
                None => "expected FORMAT=PATH, such as html=report.html".to_owned(),
            }
        })?;
        let format = format.parse().map_err(|error: UnknownWord| error.to_string())?;
        Ok(ReportArgument { format, path: PathBuf::from(path).into(), text: text.to_owned() })
    }
}

impl ReportArgument {
    /// Writes the report atomically: if that fails, an existing file is unchanged.
    pub(in crate::cli) fn write(&self, report: &RunReport<'_>) -> Result<()> {
        self.path.write(|out| self.format.write(report, out))
    }
}

/// Returns the input of the reports on one run: the results and their analysis.
pub(in crate::cli) fn run_report(results: &Results, page: PageOptions) -> RunReport<'_> {
    RunReport { results, kep: kep::analyze(results), page }
}

/// Checks that no two reports go to the same file.
pub fn check_paths<F>(reports: &[ReportArgument<F>]) -> Result<()> {
    for (index, report) in reports.iter().enumerate() {
        if let Some(other) = reports[..index].iter().find(|other| other.path.is_same_file(&report.path)) {
            let file = match (&other.path, &report.path) {
                (OutputPath::File(_), OutputPath::File(_)) => "the same file",
                _ => "standard output",
            };
            return Err(Failure::could_not_run(format!(
                "--report {} and --report {} both go to {file}: use a different path for each report",
                other.text, report.text
            )));
        }
    }
    Ok(())
}

/// Returns the stream for the table that is printed in addition to the reports.
pub fn stream_beside<F>(reports: &[ReportArgument<F>]) -> Stream {
    output_path::stream_beside(reports.iter().map(|report| &report.path))
}

/// Reads a results file; `-` is standard input.
pub(in crate::cli) fn read_results(path: &Path) -> Result<Results> {
    let read = if is_standard_input(path) {
        let named = |error| ReadError { path: Some(input_name(path).into()), ..error };
        json::read_from(io::stdin().lock()).map_err(named)
    } else {
        json::read(path)
    };
    read.map_err(|error| Failure::could_not_run(input::with_similar_file(error.to_string(), path)))
}

/// Reads several results files, and returns each with its name in messages. At most one can come from standard input.
pub(in crate::cli) fn read_all_results<'p>(
    paths: impl IntoIterator<Item = &'p Path> + Clone,
) -> Result<Vec<(String, Results)>> {
    read_each_results(paths)?.collect()
}

/// Reads several results files one after the other, each with its name in messages. At most one can come from standard
/// input.
pub(in crate::cli) fn read_each_results<'p>(
    paths: impl IntoIterator<Item = &'p Path> + Clone,
) -> Result<impl Iterator<Item = Result<(String, Results)>>> {
    input::check_standard_input(paths.clone(), "results file")?;
    Ok(paths.into_iter().map(|path| Ok((input_name(path), read_results(path)?))))
}

/// Returns the name of a results file in messages.
fn input_name(path: &Path) -> String {
    if is_standard_input(path) { input::STANDARD_INPUT.to_owned() } else { path.display().to_string() }
}
