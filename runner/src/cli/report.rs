//! `skewer report`.

use std::path::PathBuf;

use clap::Args;
use skewer_reports::terminal;

use super::arguments::report::{ReportArgument, check_paths, read_results, run_report};
use super::exit::Exit;
use super::failure::Result;
use super::output::Stream;

/// The arguments of `skewer report`.
#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// A results file, as `skewer run --report json=PATH` writes it; - is standard input.
    results: PathBuf,
    /// Write a report; can be given several times. - is standard output. Without it the report is printed.
    #[arg(long = "report", value_name = "FORMAT=PATH")]
    reports: Vec<ReportArgument>,
}

/// Runs the command.
pub(super) fn report(arguments: &ReportArguments) -> Result {
    check_paths(&arguments.reports)?;
    let results = read_results(&arguments.results)?;
    let run_report = run_report(&results);
    for report in &arguments.reports {
        report.write(&run_report)?;
    }
    if arguments.reports.is_empty() {
        Stream::Output.print_styled(&terminal::report(&results, Stream::Output.style()))?;
    }
    Ok(Exit::Ok)
}
