//! `skewer patch`: the engine by hand. One file per subcommand.

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
    /// Print the patch that kubectl apply sends: from what was applied last, what is wanted, and what is stored.
    Diff3(diff3::Diff3Arguments),
    /// Do two strategic merge patches change the same thing differently?
    Conflicts(conflicts::ConflictsArguments),
    /// Merge strategic merge patches into one that does what they do one after the other.
    Merge(merge::MergeArguments),
}

/// Carries the command out.
pub(super) fn patch(arguments: &PatchCommand) -> Result {
    match &arguments.command {
        Command::Apply(arguments) => apply::apply(arguments),
        Command::Diff(arguments) => diff::diff(arguments),
        Command::Diff3(arguments) => diff3::diff3(arguments),
        Command::Conflicts(arguments) => conflicts::conflicts(arguments),
        Command::Merge(arguments) => merge::merge(arguments),
    }
}
