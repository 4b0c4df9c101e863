//! `skewer report`, and the `--report` argument.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use skewer_reports::vocabulary::UnknownWord;
use skewer_reports::{Format, Results, json, terminal};

use super::{Failure, Result, output};
use crate::exit::Exit;

/// `--report FORMAT=PATH`, the formats being those of a run or of a comparison.
#[derive(Clone, Debug)]
pub(super) struct ReportArgument<F = Format> {
    pub(super) format: F,
    pub(super) path: PathBuf,
}

impl<F: FromStr<Err = UnknownWord>> FromStr for ReportArgument<F> {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (format, path) =
            text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or("expected FORMAT=PATH")?;
        let format = format.parse().map_err(|error: UnknownWord| error.to_string())?;
        Ok(ReportArgument { format, path: PathBuf::from(path) })
    }
}

impl ReportArgument {
    /// Writes the report: whole, or not at all.
    pub(super) fn write(&self, results: &Results) -> Result<()> {
        self.format.write_file(results, &self.path).map_err(|error| self.unwritable(&error))
    }
}

impl<F> ReportArgument<F> {
    pub(super) fn unwritable(&self, error: &std::io::Error) -> Failure {
        Failure::new(Exit::CouldNotRun, format!("cannot write {}: {error}", self.path.display()))
    }
}

/// Reads a results file.
pub(super) fn read(path: &Path) -> Result<Results> {
    json::read(path).map_err(|error| Failure::new(Exit::CouldNotRun, error.to_string()))
}

/// The arguments of `skewer report`.
#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// A results file, as `skewer run --report json=PATH` writes it.
    results: PathBuf,
    /// Write a report; can be given several times. Without it the report is printed.
    #[arg(long = "report", value_name = "FORMAT=PATH")]
    reports: Vec<ReportArgument>,
}

/// Carries the command out.
pub(super) fn report(arguments: &ReportArguments) -> Result {
    let results = read(&arguments.results)?;
    for report in &arguments.reports {
        report.write(&results)?;
    }
    if arguments.reports.is_empty() {
        output::print(&terminal::report(&results, output::style()))?;
    }
    Ok(Exit::Ok)
}
