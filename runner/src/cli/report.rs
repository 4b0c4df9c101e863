//! `skewer report`.

use std::path::PathBuf;

use clap::Args;
use skewer_reports::{EarlierRun, Format, Results, terminal};

use super::arguments::page::PageArguments;
use super::arguments::report::{ReportArgument, check_paths, read_each_results, run_report};
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::output::Stream;

/// The arguments of `skewer report`.
#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// A results file, as `skewer run --report json=PATH` writes it; - is standard input. An HTML report shows several
    /// files side by side, in this order: runs of one target as a trend, or several targets.
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// Write a report; can be given several times. - is standard output. Without it the report is printed.
    #[arg(long = "report", value_name = "FORMAT=PATH")]
    reports: Vec<ReportArgument>,
    #[command(flatten)]
    page: PageArguments,
}

/// Runs the command.
pub(super) fn report(arguments: &ReportArguments) -> Result {
    check_paths(&arguments.reports)?;
    check_formats(arguments)?;
    let (name, mut results, earlier_runs) = read(&arguments.results)?;
    arguments.page.add_to(&mut results.run);
    let mut page = arguments.page.page_options();
    page.earlier_runs = earlier_runs;
    page.run_name = Some(name);
    let run_report = run_report(&results, page);
    for report in &arguments.reports {
        report.write(&run_report)?;
    }
    if arguments.reports.is_empty() {
        Stream::Output.print_styled(&terminal::report(&results, Stream::Output.style()))?;
    }
    Ok(Exit::Ok)
}

/// Checks that several results files have an HTML report, which is the only one that shows all of them.
fn check_formats(arguments: &ReportArguments) -> Result<()> {
    let is_html = |report: &ReportArgument| report.format == Format::Html;
    if arguments.results.len() < 2 || (!arguments.reports.is_empty() && arguments.reports.iter().all(is_html))
    {
        return Ok(());
    }
    let message = "only an HTML report shows several results files: use --report html=PATH, or `skewer compare` for two \
                   files";
    Err(Failure::new(Exit::CouldNotRun, message))
}

/// Reads the results files. Returns the name and the results of the last one, and the parts of the others that a page shows.
fn read(paths: &[PathBuf]) -> Result<(String, Results, Vec<EarlierRun>)> {
    let mut earlier_runs = Vec::new();
    let mut last = None;
    for read in read_each_results(paths.iter().map(PathBuf::as_path))? {
        let (name, results) = read?;
        earlier_runs
            .extend(last.replace((name, results)).map(|(name, results)| EarlierRun::new(name, &results)));
    }
    let (name, results) = last.ok_or_else(|| Failure::new(Exit::CouldNotRun, "expected a results file"))?;
    Ok((name, results, earlier_runs))
}
