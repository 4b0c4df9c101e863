//! The format of a report on the standard output.

use clap::ValueEnum;

/// The value of `--format` of the commands whose reports have all four formats.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::cli) enum FormatArgument {
    /// For a terminal.
    Text,
    /// For a pull request, or to be checked in.
    Markdown,
    /// One self-contained page for a browser.
    Html,
    /// For programs.
    Json,
}
