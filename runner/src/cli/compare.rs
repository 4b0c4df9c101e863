//! `skewer compare`.

use std::path::PathBuf;

use clap::Args;
use skewer_execute::compare;
use skewer_execute::execute::pattern_matches;
use skewer_reports::ComparisonFormat;
use skewer_reports::terminal;

use crate::cli::arguments::output_path::OutputPath;
use crate::cli::arguments::page::SourceLinkArgument;
use crate::cli::arguments::report::{ReportArgument, check_paths, read_results, stream_beside};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::check_standard_input;
use crate::cli::progress::Progress;

/// The arguments of `skewer compare`.
#[derive(Debug, Args)]
#[command(
    after_help = "More than two results files: `skewer report FILES --report html=PATH` shows them side by side, and \
                  `skewer scoreboard FILES` puts implementations into a table."
)]
pub(super) struct CompareArguments {
    /// The results file of the old run, or of one target; - is standard input.
    old: PathBuf,
    /// The results file of the new run, or of the other target; - is standard input.
    new: PathBuf,
    /// Further files, which are refused.
    #[arg(hide = true)]
    others: Vec<PathBuf>,
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
    #[command(flatten)]
    source_link: SourceLinkArgument,
}

pub(super) fn compare(arguments: &CompareArguments) -> Result {
    check_number_of_files(arguments)?;
    check_paths(&arguments.reports)?;
    check_standard_input([arguments.old.as_path(), &arguments.new], "results file")?;
    let progress = Progress::of_activity("comparing the results");
    let (old, new) = (read_results(&arguments.old)?, read_results(&arguments.new)?);
    let is_allowed_gone = |id: &str| arguments.allow_gone.iter().any(|pattern| pattern_matches(pattern, id));
    let mut comparison = compare::compare(&old, &new, is_allowed_gone);
    comparison.page = arguments.source_link.page_options();
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

/// Checks that there are two results files.
fn check_number_of_files(arguments: &CompareArguments) -> Result<()> {
    if arguments.others.is_empty() {
        return Ok(());
    }
    let message = format!(
        "expected two results files, found {}: `skewer report FILES --report html=PATH` and `skewer scoreboard FILES` \
         show more of them side by side",
        2 + arguments.others.len()
    );
    Err(Failure::could_not_run(message))
}
