//! `skewer fmt`.

use std::path::{Path, PathBuf};

use clap::Args;
use skewer_cases::yaml;

use crate::cli::arguments::output_path::OutputPath;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::{InputFile, check_standard_input};
use crate::cli::output;

/// The arguments of `skewer fmt`.
#[derive(Debug, Args)]
pub(super) struct FmtArguments {
    /// Suite files to rewrite. With -, standard input is formatted and written to standard output.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Change no file: name the files that are not formatted, and exit with 1 if there are any.
    #[arg(long)]
    check: bool,
}

/// Runs the command. A file with errors is unchanged, and does not keep the other files from being formatted.
pub(super) fn fmt(arguments: &FmtArguments) -> Result {
    check_standard_input(arguments.files.iter().map(PathBuf::as_path), "suite file")?;
    let mut exit = Exit::Ok;
    let mut failures = Vec::new();
    for path in &arguments.files {
        match format_file(path, arguments.check) {
            Ok(of_file) => exit = exit.max(of_file),
            Err(failure) => failures.push(failure),
        }
    }
    Failure::join(failures).map_or(Ok(exit), Err)
}

fn format_file(path: &Path, is_check: bool) -> Result {
    let InputFile { name, bytes } = InputFile::read(path)?;
    let formatted = yaml::format(&name, &bytes)?;
    let output = OutputPath::from(path.to_owned());
    let is_formatted = formatted.as_bytes() == bytes;
    if is_check && !is_formatted {
        output::print(&format!("{name} is not formatted\n"))?;
        return Ok(Exit::CellFailed);
    }
    if !is_check && (!is_formatted || output == OutputPath::StandardOutput) {
        output.write(|out| out.write_all(formatted.as_bytes()))?;
    }
    Ok(Exit::Ok)
}
