//! `skewer compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use skewer_reports::compare::Comparison;
use skewer_reports::{markdown, terminal};

use super::{Result, output, report};
use crate::exit::Exit;

/// The arguments of `skewer compare`.
#[derive(Debug, Args)]
pub(super) struct CompareArguments {
    /// The results file of before, or of one target.
    old: PathBuf,
    /// The results file of now, or of the other target.
    new: PathBuf,
    /// How to print the comparison.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    /// For a terminal.
    Text,
    /// For a pull request.
    Markdown,
}

/// Carries the command out.
pub(super) fn compare(arguments: &CompareArguments) -> Result {
    let (old, new) = (report::read(&arguments.old)?, report::read(&arguments.new)?);
    let comparison = Comparison::of(&old, &new);
    let text = match arguments.format {
        FormatArgument::Text => terminal::comparison(&comparison, output::style()),
        FormatArgument::Markdown => markdown::comparison(&comparison, markdown::Options::default()),
    };
    output::print(&text)?;
    Ok(if comparison.is_worse() { Exit::CellFailed } else { Exit::Ok })
}
