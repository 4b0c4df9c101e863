//! `skewer patch`: patch operations on files. Each subcommand has a file.

mod apply;
mod conflicts;
mod diff;
mod merge;

use clap::{Args, Subcommand};

use crate::cli::arguments::patch_context::PATCH_EXIT_CODES;
use crate::cli::failure::Result;

/// The arguments of `skewer patch`.
#[derive(Debug, Args)]
#[command(after_help = PATCH_EXIT_CODES)]
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
    Diff3(diff::Diff3Arguments),
    /// Check whether two strategic merge patches conflict.
    Conflicts(conflicts::ConflictsArguments),
    /// Merge strategic merge patches into one patch with the same effect.
    Merge(merge::MergeArguments),
}

pub(super) fn patch(arguments: &PatchCommand) -> Result {
    match &arguments.command {
        Command::Apply(arguments) => apply::apply(arguments),
        Command::Diff(arguments) => diff::diff(arguments),
        Command::Diff3(arguments) => diff::diff3(arguments),
        Command::Conflicts(arguments) => conflicts::conflicts(arguments),
        Command::Merge(arguments) => merge::merge(arguments),
    }
}
