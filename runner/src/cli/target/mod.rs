//! `skewer target`.

mod check;
mod clean_up;
mod install;
mod list;
mod remove;
mod selection;
mod start;

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
    /// Build and install apiserver:R, the request handlers of a Kubernetes release, or kube:R, the whole API server.
    ///
    /// The source of the program is part of Skewer. It needs Go modules of Kubernetes, which the `go` command downloads
    /// from the module proxy and compiles, with the settings of your environment (`GOPROXY`, `HTTPS_PROXY`, `GOFLAGS`
    /// and others). This needs Go. If Go's build cache is empty, a release takes one to two minutes of processor time,
    /// and for kube:R about six. The binary, of 30 to 45 MB (kube:R: 110 to 120 MB), is put into the folder `targets` below `$SKEWER_CACHE_DIR`, else below
    /// `$XDG_CACHE_HOME/skewer`, else below `~/.cache/skewer`.
    Install(install::InstallArguments),
    /// List the targets, and which releases of apiserver:R are installed.
    List,
    /// Remove the installed binaries of apiserver:R and kube:R.
    Remove(remove::RemoveArguments),
    /// Remove what a run has left behind in a cluster: its namespace and its custom resource definitions.
    ///
    /// A run removes them itself at its end, and also if it is killed. This command is for a run whose machine was lost.
    CleanUp(clean_up::CleanUpArguments),
    /// Run kube:R until it is interrupted, and print how to reach it.
    ///
    /// The server listens on this machine only, and has no controllers: nothing but the API is there. What it stores is
    /// lost at the end.
    Start(start::StartArguments),
}

/// Runs the command.
pub(super) fn target(arguments: &TargetCommand) -> Result {
    match &arguments.command {
        Command::Check(arguments) => check::check(arguments),
        Command::CleanUp(arguments) => clean_up::clean_up(arguments),
        Command::Install(arguments) => install::install(arguments),
        Command::List => list::list(),
        Command::Remove(arguments) => remove::remove(arguments),
        Command::Start(arguments) => start::start(arguments),
    }
}
