//! `skewer patch`: patch operations on files. Each subcommand has a file.

mod apply;
mod arguments;
mod conflicts;
mod diff;
mod diff3;
mod merge;

use clap::{Args, Subcommand};

use self::arguments::EXIT_CODES;
use crate::cli::failure::Result;

/// The arguments of `skewer patch`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct PatchCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Apply a patch to an object and print the result.
    Apply(apply::ApplyArguments),
    /// Print the patch that turns one object into another.
    Diff(diff::DiffArguments),
    /// Print the patch that kubectl apply would send, from the last-applied, modified and live objects.
    Diff3(diff3::Diff3Arguments),
    /// Check whether two strategic merge patches conflict.
    Conflicts(conflicts::ConflictsArguments),
    /// Merge strategic merge patches into one patch with the same effect.
    Merge(merge::MergeArguments),
}

/// Runs the command.
pub(super) fn patch(arguments: &PatchCommand) -> Result {
    match &arguments.command {
        Command::Apply(arguments) => apply::apply(arguments),
        Command::Diff(arguments) => diff::diff(arguments),
        Command::Diff3(arguments) => diff3::diff3(arguments),
        Command::Conflicts(arguments) => conflicts::conflicts(arguments),
        Command::Merge(arguments) => merge::merge(arguments),
    }
}
