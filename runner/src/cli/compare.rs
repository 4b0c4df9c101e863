//! `skewer compare`.

use std::path::PathBuf;

use clap::Args;
use skewer_reports::ComparisonFormat;
use skewer_reports::terminal;

use crate::cli::arguments::output_path::OutputPath;
use crate::cli::arguments::page::default_page_options;
use crate::cli::arguments::report::{ReportArgument, check_paths, read_results, stream_beside};
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::input::check_standard_input;
use crate::cli::progress::Progress;
use crate::compare;
use crate::execute::pattern_matches;

/// The arguments of `skewer compare`.
#[derive(Debug, Args)]
pub(super) struct CompareArguments {
    /// The results file of the old run, or of one target; - is standard input.
    old: PathBuf,
    /// The results file of the new run, or of the other target; - is standard input.
    new: PathBuf,
    /// Format of the printed comparison: text, markdown (for a pull request), html or json.
    #[arg(long, value_name = "FORMAT", default_value_t = ComparisonFormat::Text)]
    format: ComparisonFormat,
    /// Write the comparison to a file. Can be given several times. With the path -, it goes to standard output, and the
    /// printed comparison to standard error.
    #[arg(long = "report", value_name = "FORMAT=PATH", conflicts_with = "format")]
    reports: Vec<ReportArgument<ComparisonFormat>>,
    /// Accept that cells of OLD are gone, because they were removed from the corpus; with a PATTERN, only cells whose
    /// ids match it. Can be given several times. Cells that are missing because NEW ended early or selected less are
    /// never accepted.
    #[arg(long, value_name = "PATTERN", num_args = 0..=1, require_equals = true, default_missing_value = "*")]
    allow_gone: Vec<String>,
}

/// Runs the command.
pub(super) fn compare(arguments: &CompareArguments) -> Result {
    check_paths(&arguments.reports)?;
    check_standard_input([arguments.old.as_path(), &arguments.new], "results file")?;
    let progress = Progress::of_activity("comparing the results");
    let (old, new) = (read_results(&arguments.old)?, read_results(&arguments.new)?);
    let is_allowed_gone = |id: &str| arguments.allow_gone.iter().any(|pattern| pattern_matches(pattern, id));
    let mut comparison = compare::compare(&old, &new, is_allowed_gone);
    comparison.page = default_page_options();
    drop(progress);
    for report in &arguments.reports {
        report.path.write(|out| report.format.write(&comparison, out))?;
    }
    if arguments.format == ComparisonFormat::Text {
        let stream = stream_beside(&arguments.reports);
        stream.print_styled(&terminal::comparison(&comparison, stream.style()))?;
    } else {
        OutputPath::StandardOutput.write(|out| arguments.format.write(&comparison, out))?;
    }
    Ok(if comparison.is_worse() { Exit::CellFailed } else { Exit::Ok })
}
