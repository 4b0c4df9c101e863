//! `skewer report`.

use std::path::PathBuf;

use clap::Args;
use skewer_reports::terminal;

use super::arguments::report::{ReportArgument, read_results};
use super::exit::Exit;
use super::failure::Result;
use super::output;

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
    let results = read_results(&arguments.results)?;
    for report in &arguments.reports {
        report.write(&results)?;
    }
    if arguments.reports.is_empty() {
        output::print(&terminal::report(&results, output::style()))?;
    }
    Ok(Exit::Ok)
}
