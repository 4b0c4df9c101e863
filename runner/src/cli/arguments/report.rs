//! The argument `--report`, and the reading of results files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use skewer_reports::vocabulary::UnknownWord;
use skewer_reports::{Format, Results, json};

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};

/// `--report FORMAT=PATH`, the formats being those of a run or of a comparison.
#[derive(Clone, Debug)]
pub(in crate::cli) struct ReportArgument<F = Format> {
    pub(in crate::cli) format: F,
    pub(in crate::cli) path: PathBuf,
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
    pub(in crate::cli) fn write(&self, results: &Results) -> Result<()> {
        self.format.write_file(results, &self.path).map_err(|error| self.write_failure(&error))
    }
}

impl<F> ReportArgument<F> {
    /// Makes the failure for a report that cannot be written.
    pub(in crate::cli) fn write_failure(&self, error: &std::io::Error) -> Failure {
        Failure::new(Exit::CouldNotRun, format!("cannot write {}: {error}", self.path.display()))
    }
}

/// Reads a results file.
pub(in crate::cli) fn read_results(path: &Path) -> Result<Results> {
    json::read(path).map_err(|error| Failure::new(Exit::CouldNotRun, error.to_string()))
}
