//! `skewer schema`: types and their patch metadata. Each subcommand has a file.

mod check;
mod convert;
mod list;
mod show;

use clap::{Args, Subcommand};

use crate::cli::failure::Result;

/// The arguments of `skewer schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the fields of a type and their patch metadata.
    Show(show::ShowArguments),
    /// List the embedded releases, or the kinds of one release or file.
    List(list::ListArguments),
    /// Convert types to another format.
    Convert(convert::ConvertArguments),
    /// Check a file of types and summarize its content.
    Check(check::CheckArguments),
}

pub(super) fn schema(arguments: &SchemaCommand) -> Result {
    match &arguments.command {
        Command::Show(arguments) => show::show(arguments),
        Command::List(arguments) => list::list(arguments),
        Command::Convert(arguments) => convert::convert(arguments),
        Command::Check(arguments) => check::check(arguments),
    }
}
