//! `skewer report` and `skewer merge`: the commands that only read results files.

use std::path::PathBuf;

use clap::Args;
use skewer_reports::summary::Summary;
use skewer_reports::{EarlierRun, Format, terminal};
use skewer_results::shards::{self, ShardResults};
use skewer_results::{Results, json};

use super::arguments::output_path::{OutputPath, stream_beside};
use super::arguments::page::PageArguments;
use super::arguments::report::{
    ReportArgument, check_paths, read_all_results, read_each_results, run_report,
};
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

pub(super) fn report(arguments: &ReportArguments) -> Result {
    check_paths(&arguments.reports)?;
    check_formats(arguments)?;
    let (name, mut results, earlier_runs) = read(&arguments.results)?;
    results.run.info.extend(arguments.page.run_info());
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
    Err(Failure::could_not_run(message))
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
    let (name, results) = last.ok_or_else(|| Failure::could_not_run("expected a results file"))?;
    Ok((name, results, earlier_runs))
}

/// The arguments of `skewer merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArguments {
    /// The results files of all shards of one run. One of them can be -, standard input.
    #[arg(required = true)]
    shards: Vec<PathBuf>,
    /// Results file to write. With -, it is written to standard output, and the table to standard error.
    #[arg(long, value_name = "PATH")]
    output: OutputPath,
}

pub(super) fn merge(arguments: &MergeArguments) -> Result {
    let results = read_all_results(arguments.shards.iter().map(PathBuf::as_path))?;
    let parts = results.into_iter().map(|(name, results)| ShardResults { name, results }).collect();
    let merged = shards::merge(parts).map_err(|error| Failure::could_not_run(error.to_string()))?;
    arguments.output.write(|out| json::write(&merged, out))?;
    let stream = stream_beside([&arguments.output]);
    stream.print_styled(&terminal::report(&merged, stream.style()))?;
    Ok(Exit::of_run(&Summary::of(&merged)))
}
