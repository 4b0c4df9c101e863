//! `skewer coverage`.

use clap::{Args, ValueEnum};

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::output::{self, Stream};
use crate::coverage::Coverage;

/// The arguments of `skewer coverage`.
#[derive(Debug, Args)]
pub(super) struct CoverageArguments {
    #[command(flatten)]
    corpus: CorpusArguments,
    /// Output format.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    /// For a terminal.
    Text,
    /// For a pull request.
    Markdown,
    /// For programs.
    Json,
}

/// Runs the command.
pub(super) fn coverage(arguments: &CoverageArguments) -> Result {
    let coverage = Coverage::of(&arguments.corpus.load()?);
    match arguments.format {
        FormatArgument::Text => output::print(&coverage.text(Stream::Output.style().width))?,
        FormatArgument::Markdown => output::print(&coverage.markdown())?,
        FormatArgument::Json => output::print_json(&coverage)?,
    }
    Ok(if coverage.faults().next().is_some() { Exit::CellFailed } else { Exit::Ok })
}
