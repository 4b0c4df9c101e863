//! `skewer target`.

mod check;
mod install;
mod list;
mod remove;
mod selection;

use clap::{Args, Subcommand};

use super::failure::Result;

/// The arguments of `skewer target`.
#[derive(Debug, Args)]
pub(super) struct TargetCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start a target, print its name and capabilities, and compare its answers to sample operations with the engine's.
    Check(check::CheckArguments),
    /// Build and install apiserver:R, the request handlers of a Kubernetes release.
    ///
    /// The source of the program is part of Skewer. It needs Go modules of Kubernetes, which the `go` command downloads
    /// from the module proxy and compiles, with the settings of your environment (`GOPROXY`, `HTTPS_PROXY`, `GOFLAGS`
    /// and others). This needs Go, and takes one to two minutes of processor time for a release if Go's build cache
    /// is empty. The binary, of 30 to 45 MB, is put into the folder `targets` below `$SKEWER_CACHE_DIR`, else below
    /// `$XDG_CACHE_HOME/skewer`, else below `~/.cache/skewer`.
    Install(install::InstallArguments),
    /// List the targets, and which releases of apiserver:R are installed.
    List,
    /// Remove the installed binaries of apiserver:R.
    Remove(remove::RemoveArguments),
}

/// Runs the command.
pub(super) fn target(arguments: &TargetCommand) -> Result {
    match &arguments.command {
        Command::Check(arguments) => check::check(arguments),
        Command::Install(arguments) => install::install(arguments),
        Command::List => list::list(),
        Command::Remove(arguments) => remove::remove(arguments),
    }
}
